"""The trade-off between size and errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any


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
    #: The classifier.
    model: Any = field(repr=False, compare=False)


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

    def at(self, alpha: float) -> CurvePoint:
        """The point whose set is best at an alpha, a share of the rows."""
        for point in self:
            # Shares are rounded.
            if point.alpha_from <= alpha * (1 + 1e-12):
                return point
        raise ValueError(f"the curve ends at alpha {self[-1].alpha_from}, above {alpha}")

    def frame(self) -> Any:
        """The points as a pandas DataFrame."""
        import pandas

        names = [of.name for of in fields(CurvePoint) if of.name != "model"]
        return pandas.DataFrame([{name: getattr(point, name) for name in names} for point in self])


def plot_curve(curve: Curve, ax: Any = None) -> Any:
    """Size against errors, a dot for each set; sets that are not proven are hollow."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plot_curve needs matplotlib: pip install matplotlib") from error
    if ax is None:
        _, ax = pyplot.subplots(figsize=(6, 4))
    sizes, errors = [point.size for point in curve], [point.errors for point in curve]
    ax.plot(sizes, errors, color="C0", linewidth=1)
    colours = ["C0" if point.status == "optimal" else "none" for point in curve]
    ax.scatter(sizes, errors, facecolors=colours, edgecolors="C0", zorder=3)
    ax.set_xlabel("size: literals plus rules")
    ax.set_ylabel("errors on the training rows")
    ax.set_ylim(bottom=0)
    return ax
