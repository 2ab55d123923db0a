"""The trade-off between size and errors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from . import _parameters as parameters

#: What cross-validation says of a point.
_SCORES = ("accuracy", "balanced_accuracy", "log_loss")


@dataclass(frozen=True)
class CurvePoint:
    """A set of rules for which no other is better at any alpha in its range."""

    #: An alpha that leads to it.
    alpha: float | str
    #: The smallest and the largest one, as shares of the rows; ``None`` if it is best at every larger one.
    alpha_from: float
    alpha_to: float | None
    rules: int
    literals: int
    #: Literals plus one for each rule.
    size: int
    #: Errors as the objective counts them.
    errors: float
    #: ``"optimal"`` if that is proven over the whole range, else ``"feasible"``.
    status: str
    #: What sets of this alpha come to on rows not seen, with standard errors, if somebody asked.
    accuracy: float | None = None
    accuracy_se: float | None = None
    balanced_accuracy: float | None = None
    balanced_accuracy_se: float | None = None
    log_loss: float | None = None
    log_loss_se: float | None = None
    #: The classifier.
    model: Any = field(default=None, repr=False, compare=False)

    def expected(self) -> str | None:
        """What to expect of sets of this alpha on new rows, as JSON that Rust reads."""
        if self.accuracy is None:
            return None
        scores = {name: getattr(self, name) for name in _SCORES}
        return json.dumps({**scores, "se": self.accuracy_se, "how": "cross-validation"})


class Curve(Sequence):
    """The points of a curve, the smallest set first."""

    def __init__(self, points: list[CurvePoint]):
        self._points = points

    def __len__(self) -> int:
        return len(self._points)

    def __getitem__(self, place: Any) -> Any:
        return self._points[place]

    def __repr__(self) -> str:
        return f"Curve of {len(self)} sets, of sizes {', '.join(str(point.size) for point in self)}"

    def at(self, alpha: float | str) -> CurvePoint:
        """The point whose set is best at an alpha."""
        share = parameters.share("alpha", alpha, sum(self[0].model.class_count_.values()))
        for point in self:
            # Shares are rounded.
            if point.alpha_from <= share * (1 + 1e-12):
                return point
        raise ValueError(f"the curve ends at alpha {self[-1].alpha_from}, above {alpha}")

    def frame(self) -> Any:
        """The points as a pandas DataFrame."""
        import pandas

        unknown = {"model"} if self.is_scored else {"model", *_score_names()}
        names = [of.name for of in fields(CurvePoint) if of.name not in unknown]
        return pandas.DataFrame([{name: getattr(point, name) for name in names} for point in self])

    @property
    def is_scored(self) -> bool:
        """Whether it is known what sets come to on rows not seen."""
        return any(point.accuracy is not None for point in self)

    def scored(self, came_to: list[dict]) -> Curve:
        """The same curve, with what the alpha of each point came to on rows not seen."""

        def scores(said: dict) -> dict:
            of_score = [(said[name]["mean"], said[name]["se"]) for name in _SCORES]
            return dict(zip(_score_names(), (number for pair in of_score for number in pair)))

        return Curve([replace(point, **scores(said)) for point, said in zip(self, came_to)])


def _score_names() -> list[str]:
    return [name for score in _SCORES for name in (score, f"{score}_se")]


@dataclass(frozen=True)
class Tried:
    """What each alpha that was tried came to on rows not seen, and which was chosen."""

    score: str
    chosen: int | None
    sizes: list[float]
    means: list[float]
    errors: list[float]


def tried_of(curve: Curve) -> Tried | None:
    """The same of a curve that was cross-validated."""
    if not curve.is_scored:
        return None
    points = [point for point in curve if point.accuracy is not None]
    columns = ([getattr(point, name) for point in points] for name in ("size", "accuracy", "accuracy_se"))
    return Tried("accuracy", None, *columns)


def plot_curve(curve: Curve | None, tried: Tried | None, ax: Any = None) -> Any:
    """Size against errors, a dot for each set, hollow if it is not proven; and against what sets come to on
    rows not seen, with a band of one standard error, as far as that is known."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plot_curve needs matplotlib: pip install matplotlib") from error
    if ax is None:
        _, ax = pyplot.subplots(figsize=(6, 4))
    ax.set_xlabel("size: literals plus rules")
    if curve is not None:
        sizes, errors = [point.size for point in curve], [point.errors for point in curve]
        ax.plot(sizes, errors, color="C0", linewidth=1)
        colours = ["C0" if point.status == "optimal" else "none" for point in curve]
        ax.scatter(sizes, errors, facecolors=colours, edgecolors="C0", zorder=3)
        ax.set_ylabel("errors on the training rows", color="C0")
        ax.set_ylim(bottom=0)
    if tried is not None:
        _plot_tried(tried, ax if curve is None else ax.twinx())
    return ax


def _plot_tried(tried: Tried, ax: Any) -> None:
    bands = [(mean - error, mean + error) for mean, error in zip(tried.means, tried.errors)]
    ax.fill_between(tried.sizes, *zip(*bands), color="C1", alpha=0.2, linewidth=0)
    ax.plot(tried.sizes, tried.means, color="C1", marker=".", linewidth=1)
    if tried.chosen is not None:
        place = tried.chosen
        ax.scatter(tried.sizes[place], tried.means[place], s=80, facecolors="none", edgecolors="C1", zorder=3)
    ax.set_ylabel(f"{tried.score} on rows not seen", color="C1")
