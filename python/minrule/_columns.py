"""X as named columns that Rust can read.

A column is an array of float64, int64, bool or objects; a pair of codes and names for categories; or
an Arrow column. Arrays are lent, not copied, wherever their type allows it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from . import _core

#: A sparse matrix is read as a dense one, eight bytes a cell.
_MOST_SPARSE_CELLS = 1 << 27

#: Whole numbers below this are floats without loss.
_EXACT = float(1 << 53)


def is_frame(X: Any) -> bool:
    """Whether X has named columns of different types."""
    return hasattr(X, "columns") and (hasattr(X, "iloc") or hasattr(X, "__arrow_c_stream__"))


def column_names(X: Any) -> list[str]:
    """The names of a frame's columns."""
    names = X.schema.names if _is_arrow(X) else X.columns
    return [str(name) for name in names]


def row_count(X: Any) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)


def columns_of(
    X: Any,
    names: list[str],
    wanted: set[str] | None = None,
    watch: Callable[[int, int], None] = lambda done, columns: None,
) -> list[tuple[str, Any]]:
    """The columns of a frame, an array or a sparse matrix, called by these names; only those
    wanted, if that is said. ``watch`` is told now and then how many of how many are taken."""
    if is_frame(X) and not hasattr(X, "iloc"):
        lent = [column for _, column in _core.arrow_columns(X)]
        return [(n, column) for n, column in zip(names, lent) if wanted is None or n in wanted]
    places = [i for i, name in enumerate(names) if wanted is None or name in wanted]
    if sparse.issparse(X):
        X = _readable(X, places)
    columns: list[tuple[str, Any]] = []
    for done, i in enumerate(places):
        watch(done, len(places))
        if hasattr(X, "iloc"):
            column = _pandas_column(names[i], X.iloc[:, i])
        elif sparse.issparse(X):
            column = _array_column(names[i], X[:, [i]].toarray().ravel())
        else:
            column = _array_column(names[i], X[:, i])
        columns.append((names[i], column))
    return columns


def _is_arrow(X: Any) -> bool:
    """pyarrow's tables have columns too, but those are not names."""
    return isinstance(getattr(getattr(X, "schema", None), "names", None), list)


def _array_column(name: str, values: np.ndarray) -> Any:
    kind = values.dtype.kind
    if kind == "f":
        return values if values.dtype == np.float64 else values.astype(np.float64)
    if kind in "iu":
        if kind == "u" and values.size and values.max() > np.iinfo(np.int64).max:
            return values.astype(object)
        return values if values.dtype == np.int64 else values.astype(np.int64)
    if kind == "b":
        return values
    if kind in "OUST":
        return values.astype(object) if kind != "S" else np.char.decode(values, "utf-8").astype(object)
    if kind == "M":
        return _moments(values)
    if kind == "m":
        raise _no_durations(name)
    if kind == "c":
        raise ValueError(f'Complex data not supported: column "{name}"')
    return values.astype(object)


def _pandas_column(name: str, column: Any) -> Any:
    if hasattr(column, "cat"):
        codes = np.ascontiguousarray(column.cat.codes, dtype=np.int64)
        return codes, [_category(value) for value in column.cat.categories]
    dtype = column.dtype
    if isinstance(dtype, np.dtype):
        return _array_column(name, column.to_numpy())
    kind = getattr(dtype, "kind", "O")
    if kind == "m" or hasattr(column.array, "to_timestamp"):
        # Durations, or pandas' periods.
        raise _no_durations(name)
    if kind == "M" and not hasattr(dtype, "pyarrow_dtype"):
        return _moments(column.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy(), "Z")
    if getattr(dtype, "storage", None) == "pyarrow" or (hasattr(dtype, "pyarrow_dtype") and kind in "iufbUM"):
        return _arrow_column(name, column.array)
    # Nullable columns. Whole numbers beyond 2**53 are no floats, so those with missing values go as objects.
    if kind not in "iufb":
        return column.to_numpy(dtype=object)
    missing = column.isna().to_numpy(dtype=bool)
    if not missing.any():
        return _array_column(name, column.to_numpy(dtype={"f": float, "b": bool}.get(kind, None)))
    if kind == "b":
        truth = column.to_numpy(dtype=bool, na_value=False)
        return np.where(missing, -1, truth).astype(np.int64), ["False", "True"]
    floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
    exact = kind == "f" or missing.all() or np.nanmax(np.abs(floats)) < _EXACT
    return floats if exact else column.to_numpy(dtype=object)


def _moments(times: np.ndarray, zone: str = "") -> np.ndarray:
    """Dates and times as a file would have them, to the microsecond."""
    micros = times.astype("datetime64[us]")
    texts = np.datetime_as_string(micros).astype(object) + zone
    texts[np.isnat(micros)] = None
    return texts


def _no_durations(name: str) -> ValueError:
    what = "durations, periods or times of day"
    return ValueError(f'column "{name}" holds {what}; turn them into numbers or categories first')


def _arrow_column(name: str, array: Any) -> Any:
    """A column that pandas keeps as Arrow does."""
    import pyarrow

    [(_, column)] = _core.arrow_columns(pyarrow.table({name: array.__arrow_array__()}))
    return column


def _category(value: Any) -> str:
    """A category as a cell of a file would say it."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _readable(X: Any, places: list[int]) -> Any:
    """A sparse matrix that can be read column by column."""
    if X.shape[0] * len(places) > _MOST_SPARSE_CELLS:
        raise ValueError(
            f"X is a sparse matrix of {X.shape[0]} x {X.shape[1]} cells, which are too many to look "
            "at; choose columns first"
        )
    return X.tocsc()
