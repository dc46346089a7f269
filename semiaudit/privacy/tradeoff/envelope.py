"""The largest polygon that supporting lines of a tradeoff function certify: their envelope."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise

from semiaudit.model.measure import PiecewiseLinear
from semiaudit.privacy.tradeoff.polygon import lower_hull

Line = tuple[Fraction, Fraction]
"""(intercept, slope downward)."""


def envelope(lines: Iterable[Line]) -> PiecewiseLinear:
    """The largest of 0 and of lines y = c - t x that all lie below one tradeoff function.

    Args:
        lines: (c, t), t at least 0.
    """
    kept: list[Line] = []
    best: dict[Fraction, Fraction] = {Fraction(0): Fraction(0)}
    for intercept, slope in lines:
        best[slope] = max(intercept, best.get(slope, intercept))
    for slope in sorted(best, reverse=True):
        line = (best[slope], slope)
        while kept and (
            (len(kept) > 1 and _crossing(kept[-2], line) <= _crossing(kept[-2], kept[-1]))
            or _crossing(kept[-1], line) <= 0
        ):
            kept.pop()
        kept.append(line)
    points = [(Fraction(0), kept[0][0])]
    for first, second in pairwise(kept):
        x = _crossing(first, second)
        if x >= 1:
            # The type I error ends at 1, where the function is 0 in any case.
            break
        points.append((x, first[0] - first[1] * x))
    return lower_hull(points)


def _crossing(steep: Line, flat: Line) -> Fraction:
    return (steep[0] - flat[0]) / (steep[1] - flat[1])
