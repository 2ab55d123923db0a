"""Parameters as people set them. Each message names the parameter, what it is and what is allowed."""

from __future__ import annotations

import math
import numbers
import os
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np

# As on the command line: a time may be a bare number, an amount of memory needs its unit.
_SECONDS = {"": 1.0, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_BYTES = {"k": 1e3, "m": 1e6, "g": 1e9, "kb": 1e3, "mb": 1e6, "gb": 1e9}
_BYTES |= {"kib": 2**10, "mib": 2**20, "gib": 2**30}

_NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?"

_TIME = "seconds, or a text such as '30s', '5m', '2h' or '250ms'"
_MEMORY = "bytes, or a text such as '8GB'"


def refuse(parameter: str, allowed: str, value: Any) -> ValueError:
    """What is raised for a value that is not allowed."""
    return ValueError(f"{parameter} must be {allowed}; it is {value!r}")


def seconds_of(limit: Any) -> float | None:
    """A time limit in seconds. What is beyond counting is no limit."""
    return _amount("time_limit", limit, _SECONDS, _TIME)


def bytes_of(limit: Any) -> int | None:
    """A memory limit in bytes."""
    amount = _amount("memory_limit", limit, _BYTES, _MEMORY)
    return None if amount is None or amount >= 2**63 else int(amount)


def _amount(parameter: str, limit: Any, units: dict[str, float], allowed: str) -> float | None:
    if limit is None:
        return None
    amount = limit
    if isinstance(limit, str):
        match = re.fullmatch(rf"\s*({_NUMBER})\s*([a-z]*)\s*", limit.lower())
        if not match or match[2] not in units:
            raise refuse(parameter, allowed, limit)
        amount = float(match[1]) * units[match[2]]
    if isinstance(amount, (bool, np.bool_)) or not isinstance(amount, numbers.Real):
        raise refuse(parameter, allowed, limit)
    try:
        amount = float(amount)
    except OverflowError:
        amount = math.inf if amount > 0 else -1.0
    if math.isnan(amount):
        raise refuse(parameter, allowed, limit)
    if not amount > 0:
        raise ValueError(f"{parameter} must be more than zero; it is {limit!r}")
    return None if math.isinf(amount) else amount


#: How far down a curve is followed, unless somebody says so.
DOWN_TO = "1row"


def first_alpha(alpha: Any, budget: tuple | None) -> Any:
    """An alpha to begin with; whether it is one is told in Rust."""
    # What goes with one alpha goes with all.
    if budget is not None:
        return budget[-1]
    return DOWN_TO if is_auto(alpha) else alpha


def is_auto(value: Any) -> bool:
    """Whether alpha is to be chosen."""
    return isinstance(value, str) and value.strip() == "auto"


#: Scores by the names that scikit-learn gives them.
_SCORES = {"balanced_accuracy": "balanced-accuracy", "neg_log_loss": "log-loss"}
_KNOWN_SCORES = ["accuracy", "balanced-accuracy", "log-loss"]
_WAYS = ["one-se", "best"]


def choice_of_alpha(alpha: Any, scoring: Any, choose: Any, folds: Any, repeats: Any) -> tuple:
    """How alpha is chosen; what was not said is ``None``, and must be if alpha is given."""
    given = {"scoring": scoring, "choose": choose, "folds": folds, "repeats": repeats}
    for name, value in given.items():
        if value is not None and not is_auto(alpha):
            raise refuse(name, "None unless alpha='auto'", value)
    scoring = _SCORES.get(scoring, scoring) if isinstance(scoring, str) else scoring
    scoring = _one_of("scoring", scoring, _KNOWN_SCORES)
    return scoring, way(choose), at_least("folds", folds, 2), at_least("repeats", repeats, 1)


def way(choose: Any) -> str:
    """Which of nearly equal alphas is chosen."""
    return _one_of("choose", choose, _WAYS)


def _one_of(parameter: str, value: Any, allowed: list[str]) -> str:
    """One of these; ``None`` is the first."""
    if value is None:
        return allowed[0]
    if not isinstance(value, str) or value not in allowed:
        raise refuse(parameter, f"None or one of {', '.join(map(repr, allowed))}", value)
    return value


def at_least(parameter: str, value: Any, least: int) -> int | None:
    """A whole number of so much or more, or none."""
    if value is None:
        return None
    allowed = f"None or a whole number, {least} or more"
    number = whole(parameter, value, allowed)
    if number < least:
        raise refuse(parameter, allowed, value)
    return number


def folds_of_curve(folds: Any, repeats: Any) -> tuple[int | None, int]:
    """Whether and how to cross-validate a curve."""
    folds = at_least("cross_validate", folds, 2)
    if repeats is not None and folds is None:
        raise refuse("repeats", "None unless with cross_validate", repeats)
    return folds, at_least("repeats", repeats, 1) or 1


_ERRORS = "None, a whole number of rows, or a share of them such as 0.05 or '5%'"


def budget(alpha: Any, size: Any, rules: Any, errors: Any, down_to: Any) -> tuple | None:
    """What a set may have at most, and the alpha down to which it is looked for, if anything was said."""
    given = {"max_size": size, "max_rules": rules, "max_errors": errors}
    if all(value is None for value in given.values()):
        if down_to is not None:
            raise refuse("down_to", f"None unless with {', '.join(given)}", down_to)
        return None
    if alpha is not None:
        raise refuse("alpha", f"None with {', '.join(given)}, which choose it", alpha)
    size, rules = at_least("max_size", size, 0), at_least("max_rules", rules, 0)
    return size, rules, most_errors(errors), DOWN_TO if down_to is None else down_to


def most_errors(value: Any) -> str | int | None:
    """Errors that are allowed: a share of the rows as a text, or rows."""
    if value is None:
        return None
    if isinstance(value, str):
        match = re.fullmatch(rf"\s*({_NUMBER})\s*(%?)\s*", value)
        if match and match[2]:
            return f"{match[1]}%"
        value = float(match[1]) if match else value
    if isinstance(value, numbers.Real) and 0 < float(value) < 1:
        # As people write it: 0.07 is 7 %, and not a little more.
        return f"{Decimal(str(float(value))) * 100:f}%"
    number = whole("max_errors", value, _ERRORS)
    if number < 0:
        raise refuse("max_errors", _ERRORS, value)
    return number


_SHARE = rf"\s*({_NUMBER})\s*(?:/\s*([0-9]+)\s*)?(rows|row|%|)\s*"


def share(parameter: str, alpha: Any, rows: float) -> float:
    """An alpha as a share of so many rows."""
    allowed = "a share of the rows such as 0.005 or '0.5%', or rows such as '2rows'"
    match = re.fullmatch(_SHARE, alpha) if isinstance(alpha, str) else None
    if match and float(match[2] or 1) > 0:
        return float(match[1]) / float(match[2] or 1) / {"": 1, "%": 100}.get(match[3], rows)
    if isinstance(alpha, (str, bool)) or not isinstance(alpha, numbers.Real):
        raise refuse(parameter, allowed, alpha)
    return float(alpha)


#: Orders that have a name.
ORDERS = ["none", "rarest", "frequent"]
_ORDER = "None, 'none', 'rarest', 'frequent' or a list of labels of y"


def order(value: Any) -> list[Any] | None:
    """Which classes come first: labels, or the name of an order alone."""
    if value is None:
        return None
    if isinstance(value, str):
        if value not in ORDERS:
            raise refuse("order", _ORDER, value)
        return [value]
    labels = value.tolist() if hasattr(value, "tolist") else value
    # A set has no order.
    if not isinstance(labels, (list, tuple)) or not labels:
        raise refuse("order", _ORDER, value)
    return list(labels)


def is_order(labels: list[Any]) -> bool:
    """Whether this is the name of an order, and no label."""
    return len(labels) == 1 and isinstance(labels[0], str) and labels[0] in ORDERS


def truth(parameter: str, value: Any) -> bool:
    """A switch."""
    if not isinstance(value, (bool, np.bool_)):
        raise refuse(parameter, "True or False", value)
    return bool(value)


def whole(parameter: str, value: Any, allowed: str = "a whole number") -> int:
    """A whole number; 4.0 is one too."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise refuse(parameter, allowed, value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if not float(value).is_integer():
        raise refuse(parameter, allowed, value)
    return int(float(value))


def jobs(value: Any) -> int | None:
    """A number of threads."""
    allowed = "None or a whole number other than 0 (-1 is all cores)"
    number = None if value is None else whole("n_jobs", value, allowed)
    if number == 0:
        raise refuse("n_jobs", allowed, value)
    return number


def columns(parameter: str, value: Any, names: list[str] | None) -> list[str]:
    """Columns, each of which must be among these, as soon as it is known which there are."""
    if value is None:
        return []
    if not _is_list(value) or not all(isinstance(name, str) for name in value):
        raise refuse(parameter, "a list of names of columns, or None", value)
    for name in value:
        if names is not None and name not in names:
            raise ValueError(f"{parameter}: X has no column {name!r}; it has {', '.join(names[:20])}")
    return [str(name) for name in value]


def texts(parameter: str, value: Any) -> list[str]:
    """Values as a cell of a file would say them."""
    if value is None:
        return []
    known = (str, numbers.Real)
    if not _is_list(value) or not all(isinstance(v, known) and not isinstance(v, bool) for v in value):
        raise refuse(parameter, "a list of texts and numbers, or None", value)
    return [v.strip() if isinstance(v, str) else _number_text(float(v)) for v in value]


def _number_text(number: float) -> str:
    return str(int(number)) if number.is_integer() else str(number)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple, set, frozenset, np.ndarray)) or hasattr(value, "tolist")


def path(parameter: str, value: Any) -> str | None:
    """Where something is written."""
    if value is None:
        return None
    if not isinstance(value, (str, os.PathLike)) or not os.fspath(value):
        raise refuse(parameter, "a path or None", value)
    return os.fsdecode(value)


def class_weight(value: Any) -> Any:
    """Weights of classes."""
    if value is None or isinstance(value, Mapping) or (isinstance(value, str) and value == "balanced"):
        return value
    raise refuse("class_weight", "a dict of labels and weights, 'balanced' or None", value)


def seed(value: Any) -> int | None:
    """A seed drawn from a random state."""
    if value is None:
        return None
    # Only the estimators need it.
    from sklearn.utils import check_random_state

    try:
        return int(check_random_state(value).randint(np.iinfo(np.int32).max))
    except (TypeError, ValueError):
        raise refuse(
            "random_state", "a whole number from 0 to 4294967295, a numpy RandomState or None", value
        ) from None
