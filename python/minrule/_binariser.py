"""The transformer."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _core, _labels
from . import _parameters as parameters
from ._base import TableEstimator
from ._columns import row_count
from ._warnings import DataWarning


class Binariser(TransformerMixin, TableEstimator):
    """Turns columns of any kind into Boolean features, each a condition in words.

    A column of two values becomes one feature, a column of more values one for each. Columns of more than
    two different numbers are tested against thresholds that tell the classes apart. Without classes, columns
    of more than ``intervals`` different numbers are cut into that many intervals.
    These are the features that :class:`DecisionSetClassifier` learns from.

    Parameters
    ----------
    numeric : {"thresholds", "intervals"}, default=None
        How columns of many numbers are used; ``None`` is ``"thresholds"`` if there is a ``y``, which they
        need, else ``"intervals"``.
    cuts : int or "all", default=None
        The most thresholds of such a column; ``None`` is 4. With ``"all"`` there is one wherever it can
        matter, so that a proof holds for any other threshold as well.
    intervals : int, default=None
        With ``numeric="intervals"``, their number; ``None`` is 4.
    cut : {"frequency", "width"}, default=None
        With ``numeric="intervals"``, where they are cut; ``None`` is ``"frequency"``.
    max_values : int, default=100
        The most values of a column of names that have a feature; of more, the most frequent.
    missing_values : list of str or numbers, default=None
        What else stands for a missing value, such as ``["n/a", -999]``.
    categorical : list of str, default=None
        Columns whose values are names, even if they look like numbers.
    numeric_columns : list of str, default=None
        Columns of numbers: what is no number there counts as missing.
    decimal : {".", ","}, default="."
        The mark before decimals in text.
    sparse_output : bool, default=False
        Whether ``transform`` gives a sparse matrix.

    Examples
    --------
    >>> from minrule import Binariser
    >>> binariser = Binariser().fit([["red", 1], ["blue", 2], ["green", 2]])
    >>> binariser.get_feature_names_out()
    array(['x0 = blue', 'x0 = green', 'x0 = red', 'x1 = 2'], dtype=object)
    >>> binariser.transform([["red", 2]])
    array([[0, 0, 1, 1]], dtype=uint8)
    """

    def __init__(
        self,
        *,
        numeric=None,
        cuts=None,
        intervals=None,
        cut=None,
        max_values=100,
        missing_values=None,
        categorical=None,
        numeric_columns=None,
        decimal=".",
        sparse_output=False,
    ):
        self.numeric = numeric
        self.cuts = cuts
        self.intervals = intervals
        self.cut = cut
        self.max_values = max_values
        self.missing_values = missing_values
        self.categorical = categorical
        self.numeric_columns = numeric_columns
        self.decimal = decimal
        self.sparse_output = sparse_output

    def fit(self, X: Any, y: Any = None) -> Binariser:
        """Chooses the features of each column."""
        X = self._read(X, reset=True, least_rows=2)
        codes = None
        numeric = self.numeric or ("intervals" if y is None else "thresholds")
        if numeric == "thresholds":
            if y is None:
                raise ValueError('numeric="thresholds" are put where they tell the classes apart: pass y')
            codes = _labels.labels_of(y, X, self)[2].astype(np.int64)
        options = {
            "numeric": numeric,
            "cuts": self.cuts,
            "intervals": self.intervals,
            "cut": self.cut,
            "negations": True,
            "max_values": self.max_values,
            "missing": "value",
            "missing_values": parameters.texts("missing_values", self.missing_values),
            "categorical": parameters.columns("categorical", self.categorical, self._names()),
            "numeric_columns": parameters.columns("numeric_columns", self.numeric_columns, self._names()),
            "decimal": self.decimal,
            "time_limit": None,
            "memory_limit": None,
        }
        self._features = _core.Features(self._columns(X), row_count(X), codes, options)
        for warning in self._features.warnings():
            warnings.warn(warning, DataWarning, stacklevel=2)
        return self

    def transform(self, X: Any) -> Any:
        """One column of zeros and ones for each feature."""
        check_is_fitted(self)
        X = self._read(X, reset=False)
        bits = self._features.transform(self._columns(X), row_count(X))
        return csr_matrix(bits) if self.sparse_output else bits

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """What each feature says."""
        check_is_fitted(self)
        if input_features is not None and list(input_features) != self._names():
            raise ValueError("input_features is not equal to the names of the columns in fit")
        return np.array(self._features.names(), dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # Features are zeros and ones, whatever the columns were.
        tags.transformer_tags.preserves_dtype = []
        return tags

    def __getstate__(self) -> dict:
        state = super().__getstate__()
        # As plain text, which any way of saving objects can read.
        return {**state, "_features": self._features.to_json()} if "_features" in state else state

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        if isinstance(state.get("_features"), str):
            self._features = _core.Features.from_json(state["_features"])

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_features")
