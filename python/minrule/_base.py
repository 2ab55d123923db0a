"""What both estimators share: reading X the way scikit-learn's users expect."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import _num_features, validate_data

from ._columns import column_names, columns_of, is_frame, row_count


class TableEstimator(BaseEstimator):
    """An estimator whose X may be a frame of columns of any types."""

    def _read(self, X: Any, reset: bool, least_rows: int = 1) -> Any:
        """X as it is used from here on. Frames keep their columns; anything else is an array."""
        if not is_frame(X):
            return validate_data(
                self,
                X,
                reset=reset,
                dtype=None,
                accept_sparse="csc",
                ensure_all_finite="allow-nan",
                ensure_min_samples=least_rows,
            )
        validate_data(self, X, reset=reset, skip_check_array=True)
        shape = (row_count(X), _num_features(X))
        if shape[1] < 1:
            raise ValueError(
                f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required."
            )
        if shape[0] < least_rows:
            raise ValueError(
                f"Found array with {shape[0]} sample(s) (shape={shape}) while a minimum of "
                f"{least_rows} is required."
            )
        return X

    def _names(self) -> list[str]:
        """The names of the columns: those of a frame, or x0, x1, ..."""
        if hasattr(self, "feature_names_in_"):
            return list(self.feature_names_in_)
        return [f"x{i}" for i in range(self.n_features_in_)]

    def _columns(self, X: Any, wanted: set[str] | None = None, **options: Any) -> list[tuple[str, Any]]:
        """The columns of X, by the names that they had in ``fit``."""
        return columns_of(X, self._names(), wanted, **options)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def frame_columns(X: Any, wanted: set[str]) -> list[tuple[str, Any]]:
    """Columns of a frame by their own names, for a model that knows no others."""
    if not is_frame(X):
        raise ValueError("this model was read from a file: X must be a frame with the columns of its table")
    return columns_of(X, column_names(X), wanted)
