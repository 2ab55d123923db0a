"""What sets of other sizes come to, in a small picture that needs no scripts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape
from typing import Any

from ._curve import Curve, Tried, tried_of

_WIDTH, _HEIGHT = 420, 170
#: Room for words on the left, on the right, at the top and at the bottom.
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 12, 12, 36
#: Lines are told apart from words on light and on dark pages; all else has the colour of the words.
_LINE = "#3a87c8"


def svg(model: Any) -> str:
    """What other sizes come to, as far as it is known: on rows not seen, or else on the training rows."""
    curve = getattr(model, "curve_", None)
    tried = model._tried() if curve is None else tried_of(curve)
    if (
        tried is not None
        and len(set(tried.sizes)) > 1
        and all(map(math.isfinite, tried.means + tried.errors))
    ):
        return _of_tried(tried)
    if curve is not None and len(curve) > 1:
        return _of_errors(curve, model)
    return ""


def _of_tried(tried: Tried) -> str:
    lows = [mean - error for mean, error in zip(tried.means, tried.errors)]
    highs = [mean + error for mean, error in zip(tried.means, tried.errors)]
    frame = _Frame(tried.sizes, [*lows, *highs])
    around = [*zip(tried.sizes, highs), *zip(reversed(tried.sizes), reversed(lows))]
    band = f'<polygon points="{frame.points(around)}" fill="{_LINE}" opacity=".25"/>'
    words = f"{tried.score} on rows not seen, with its standard error, against size"
    return frame.drawn(band, zip(tried.sizes, tried.means), tried.chosen, words, "{:.3g}")


def _of_errors(curve: Curve, model: Any) -> str:
    sizes, errors = [point.size for point in curve], [point.errors for point in curve]
    own = (getattr(model, "size_", None), getattr(model, "errors_", None))
    places = (place for place, pair in enumerate(zip(sizes, errors)) if pair == own)
    frame = _Frame(sizes, [0, *errors])
    words = "errors on the training rows, against size"
    return frame.drawn("", zip(sizes, errors), next(places, None), words, "{:.6g}")


class _Frame:
    """Where sizes and scores are in the picture."""

    def __init__(self, sizes: list[float], scores: list[float]):
        self.sizes = min(sizes), max(sizes)
        self.scores = min(scores), max(scores)

    def point(self, size: float, score: float) -> tuple[float, float]:
        return (
            _LEFT + _share(size, *self.sizes) * (_WIDTH - _LEFT - _RIGHT),
            _HEIGHT - _BOTTOM - _share(score, *self.scores) * (_HEIGHT - _TOP - _BOTTOM),
        )

    def points(self, pairs: Iterable[tuple[float, float]]) -> str:
        return " ".join("{:.1f},{:.1f}".format(*self.point(*pair)) for pair in pairs)

    def drawn(
        self,
        band: str,
        pairs: Iterable[tuple[float, float]],
        chosen: int | None,
        words: str,
        number: str,
    ) -> str:
        """The picture of a line, on top of a band; the set that was chosen has a ring."""
        pairs = list(pairs)
        line = f'<polyline points="{self.points(pairs)}" fill="none" stroke="{_LINE}" stroke-width="1.5"/>'
        places = [self.point(*pair) for pair in pairs]
        dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{_LINE}"/>' for x, y in places)
        ring = ""
        if chosen is not None:
            x, y = places[chosen]
            ring = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="none" stroke="currentColor"/>'
        return (
            f'<svg role="img" width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
            f' font-size="11" fill="currentColor"><title>{escape(words)}</title>{self._axes(number)}'
            f'{band}{line}{dots}{ring}<text x="{_LEFT}" y="{_HEIGHT - 4}">{escape(words)}</text></svg>'
        )

    def _axes(self, number: str) -> str:
        """Two lines with the first and the last number of each."""
        bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
        path = f"M{_LEFT} {_TOP}V{bottom}H{right}"
        texts = [
            (_LEFT - 6, bottom, "end", number.format(self.scores[0])),
            (_LEFT - 6, _TOP + 8, "end", number.format(self.scores[1])),
            (_LEFT, bottom + 14, "start", f"{self.sizes[0]:.3g}"),
            (right, bottom + 14, "end", f"{self.sizes[1]:.3g}"),
        ]
        words = "".join(f'<text x="{x}" y="{y}" text-anchor="{to}">{said}</text>' for x, y, to, said in texts)
        return f'<path d="{path}" fill="none" stroke="currentColor" opacity=".4"/>{words}'


def _share(number: float, least: float, most: float) -> float:
    """How far a number is on the way from one to another."""
    return 0.5 if most == least else (number - least) / (most - least)
