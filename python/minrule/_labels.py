"""Labels of any type, and their texts in a model."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

_KINDS = {"b": "bool", "i": "int", "u": "int", "f": "float"}


def labels_of(y: Any, X: Any, estimator: Any) -> np.ndarray:
    """y as an array of labels."""
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None"
        )
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    check_consistent_length(X, y)
    return y


def texts_of(classes: np.ndarray) -> list[str]:
    """A text for each class."""
    texts = [str(label) for label in classes.tolist()]
    if len(set(texts)) < len(texts):
        raise ValueError("two labels of y are written alike; rename one of them")
    return texts


def in_order_of_appearance(codes: np.ndarray, classes: int) -> np.ndarray:
    """The classes, by position, in the order of their first rows."""
    first = np.full(classes, len(codes))
    np.minimum.at(first, codes, np.arange(len(codes)))
    return np.argsort(first, kind="stable")


def to_json(classes: np.ndarray) -> dict:
    """Classes so that their type is not lost on file."""
    return {"kind": _KINDS.get(classes.dtype.kind, "str"), "classes": [str(c) for c in classes.tolist()]}


def from_json(saved: dict) -> np.ndarray:
    read: dict[str, Any] = {"bool": lambda text: text == "True", "int": int, "float": float, "str": str}
    values = [read[saved["kind"]](text) for text in saved["classes"]]
    return np.array(values, dtype=object if saved["kind"] == "str" else None)
