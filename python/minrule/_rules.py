"""Rules as people read them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Union

#: What a condition compares with: text, a number, an interval, or nothing.
Value = Union[str, float, "tuple[float, float]", None]


@dataclass(frozen=True)
class Condition:
    """A test of one column.

    ``op`` is one of ``=``, ``!=``, ``<=``, ``>``, ``>=``, ``not <=`` (missing, or more), ``not >``,
    ``not <``, ``in`` (above the first of two numbers, up to the second), ``not in``, ``between`` (from
    the first of two whole numbers to the second), ``not between``, ``is missing`` and ``is not missing``.
    """

    feature: str
    op: str
    value: Value
    #: The condition in words.
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Rule:
    """IF all conditions hold THEN the class."""

    conditions: tuple[Condition, ...]
    #: The label, as it stands in ``y``.
    class_: Any
    #: Training rows of the class that the rule covers, by their weight; where classes have an order, of
    #: those that no rule of an earlier class covers, and so are ``wrong`` and ``precision``.
    support: float
    #: The rule in words: conditions on one column are said together; one with two ends counts two.
    text: str
    #: The conditions in words: those on one column are one.
    phrases: tuple[str, ...]
    #: The rule with its conditions one by one, as they are counted.
    _symbols: str = field(repr=False, compare=False)
    #: Of a sparse set: training rows of other classes that it covers, by their weight.
    wrong: float | None = None
    #: Of a sparse set: the share of the training rows it covers that are of its class.
    precision: float | None = None

    @property
    def size(self) -> int:
        """The conditions and one for the class: what the objective ``size`` counts."""
        return len(self.conditions) + 1

    def __len__(self) -> int:
        return len(self.conditions)

    def symbols(self) -> str:
        """The rule with its conditions one by one, as they are counted: ``x > 1 AND x <= 3``."""
        return self._symbols

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Change:
    """One value for another."""

    feature: str
    #: What stands there.
    value: str
    #: What could take its place: a value of the training data, the nearest number or the most frequent name.
    to: str
    #: In general; nothing if the change only keeps other rules from firing.
    conditions: tuple[str, ...]


@dataclass(frozen=True)
class Counterfactual:
    """The fewest changes found that give a row another class."""

    class_: Any
    changes: tuple[Change, ...]
    #: The rule that fires then; ``None`` if none does, and the class is the one without rules.
    rule: Rule | None
    #: Whether fewer changes cannot do; if not, the search for fewer was cut short.
    fewest: bool = True


@dataclass(frozen=True)
class OutOfReach:
    """A class to which no changes were found to lead."""

    class_: Any
    #: Whether there are none; if not, the search was cut short.
    proven: bool


@dataclass(frozen=True)
class Explanation:
    """Why a row is what the model says, and what would make it something else."""

    #: The prediction; ``None`` if the policy abstains.
    class_: Any
    #: ``rules``, ``conflict`` (rules of several classes fire) or ``uncovered`` (none does).
    decided_by: str
    #: The rules that fire, or are nearest; where classes have an order, those of the first class.
    rules: tuple[Rule, ...]
    counterfactuals: tuple[Counterfactual, ...]
    #: Whether the prediction is the class without rules of a sparse set.
    otherwise: bool = False
    #: Whether classes have an order, so that a rule holds unless a rule of an earlier class fires.
    ordered: bool = False
    #: The other classes to which no changes were found to lead.
    out_of_reach: tuple[OutOfReach, ...] = ()
    #: Whether every advised value occurs in the training data; models of earlier versions do not know.
    advised_values_occur: bool = True

    def __str__(self) -> str:
        how = {
            "rules": "a rule fires, and none of an earlier class"
            if self.ordered
            else "all rules that fire agree",
            "conflict": "rules of several classes fire",
            "uncovered": "otherwise: no rule fires" if self.otherwise else "no rule fires",
        }
        what = "no prediction" if self.class_ is None else str(self.class_)
        lines = [f"{what} ({how[self.decided_by]})"]
        lines += [f"  {rule}" for rule in self.rules]
        for other in self.counterfactuals:
            changes = ", ".join(
                f"{change.feature}: {change.value or '(missing)'} -> {change.to}" for change in other.changes
            )
            fewer = "" if other.fewest else " (perhaps fewer would do)"
            lines.append(f"For {other.class_}: {changes}{fewer}")
            lines.append("  Then no rule fires" if other.rule is None else f"  Then fires: {other.rule}")
        for far in self.out_of_reach:
            found = "no change would do" if far.proven else "no changes were found in reasonable time"
            lines.append(f"For {far.class_}: {found}")
        if self.counterfactuals and not self.advised_values_occur:
            lines.append("Values after -> are examples, which need not occur in the training data")
        return "\n".join(lines)
