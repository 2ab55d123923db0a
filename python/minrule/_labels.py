"""Labels of any type, and their texts in a model."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from . import _core
from ._parameters import is_order

_KINDS = {"b": "bool", "i": "int", "u": "int", "f": "float"}


def labels_of(y: Any, X: Any, estimator: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """y as an array, its distinct labels in order, and for each row its place among them."""
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None"
        )
    y = column_or_1d(y, warn=True)
    texts = _core.distinct_texts(y) if y.dtype == object else None
    if texts is None:
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
    else:
        # Texts are always classes, and only those that differ need to be sorted.
        first, codes = texts
        classes, places = np.unique(y[first], return_inverse=True)
        codes = places[codes]
    check_consistent_length(X, y)
    return y, classes, codes


def texts_of(classes: np.ndarray) -> list[str]:
    """A text for each class."""
    texts = [str(label) for label in classes.tolist()]
    if len(set(texts)) < len(texts):
        raise ValueError("two labels of y are written alike; rename one of them")
    return texts


def otherwise(label: Any, classes: np.ndarray) -> str | None:
    """The text of the label that is to get no rules, or of what stands for one."""
    if label is None or (isinstance(label, str) and label in ("auto", "none")):
        return label
    try:
        return texts_of(classes)[classes.tolist().index(label)]
    except (ValueError, TypeError):
        if isinstance(label, str) and isinstance(classes.tolist()[0], str):
            # It is no label, and Rust says which there are.
            return label
        known = ", ".join(repr(known) for known in classes.tolist()[:20])
        raise ValueError(
            f"otherwise must be None, 'auto', 'none' or a label of y ({known}); it is {label!r}"
        ) from None


def order(labels: list[Any] | None, classes: np.ndarray) -> list[str] | None:
    """The texts of labels in order, or the name of an order alone."""
    if labels is None or is_order(labels):
        return labels
    texts, known = texts_of(classes), classes.tolist()
    try:
        return [texts[known.index(label)] for label in labels]
    except (ValueError, TypeError):
        shown = ", ".join(repr(label) for label in known[:20])
        wrong = next((label for label in labels if label not in known), labels)
        raise ValueError(f"order: y has no label {wrong!r}; it has {shown}") from None


def order_from_json(texts: list[str] | None, classes: np.ndarray) -> Any:
    """An order as people set it."""
    if texts is None or is_order(texts):
        return texts and texts[0]
    labels = dict(zip(texts_of(classes), classes.tolist()))
    return [labels[text] for text in texts]


def in_order_of_appearance(codes: np.ndarray, classes: int) -> np.ndarray:
    """The classes, by position, in the order of their first rows."""
    first = np.empty(classes, dtype=np.int64)
    # Backwards, so that the first row of each is what stays.
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return np.argsort(first)


def to_json(classes: np.ndarray) -> dict:
    """Classes so that their type is not lost on file."""
    return {"kind": _KINDS.get(classes.dtype.kind, "str"), "classes": [str(c) for c in classes.tolist()]}


def from_json(saved: dict) -> np.ndarray:
    read: dict[str, Any] = {"bool": lambda text: text == "True", "int": int, "float": float, "str": str}
    values = [read[saved["kind"]](text) for text in saved["classes"]]
    return np.array(values, dtype=object if saved["kind"] == "str" else None)
