"""The provably smallest set of if-then rules that explains a table.

>>> from minrule import DecisionSetClassifier
>>> X = [["sunny", 30], ["sunny", 20], ["rain", 30], ["rain", 20]]
>>> model = DecisionSetClassifier().fit(X, ["swim", "walk", "read", "read"])
>>> model.status_
'optimal'
>>> for rule in model.rules_:
...     print(rule)
IF x0 = sunny AND x1 = 30 THEN class = swim
IF x0 = sunny AND x1 = 20 THEN class = walk
IF x0 = rain THEN class = read
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._core import __version__

if TYPE_CHECKING:
    from ._binariser import Binariser
    from ._classifier import DecisionSetClassifier
    from ._compare import compare
    from ._curve import Curve
    from ._cv import DecisionSetClassifierCV
    from ._rules import Condition, Explanation, Rule
    from ._warnings import DataWarning

# scikit-learn takes a second or more to import: it is, when an estimator is first asked for.
_HOME = {
    "Binariser": "_binariser",
    "Condition": "_rules",
    "DataWarning": "_warnings",
    "Curve": "_curve",
    "DecisionSetClassifier": "_classifier",
    "DecisionSetClassifierCV": "_cv",
    "Explanation": "_rules",
    "Rule": "_rules",
    "compare": "_compare",
}

__all__ = [
    "Binariser",
    "Condition",
    "Curve",
    "DataWarning",
    "DecisionSetClassifier",
    "DecisionSetClassifierCV",
    "Explanation",
    "Rule",
    "__version__",
    "compare",
]


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
