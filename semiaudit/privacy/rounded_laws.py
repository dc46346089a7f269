"""Pairs of laws whose probabilities are known up to a relative tolerance.

Whoever gives floats claims that each probability is right up to ``rtol``. With c = (1 + rtol) /
(1 - rtol) - 1, every true probability then lies between (1 - c) and 1 + c times the given one,
divided by the sum of all; see docs/theory/finite.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from semiaudit.model.loss import FiniteLoss

ZERO, ONE = Fraction(0), Fraction(1)

Law = Sequence[Fraction]
Point = tuple[Fraction, Fraction]


def pair_of_laws(laws: tuple[Law, Law], rtol: Fraction) -> FiniteLoss:
    """Return a pair that dominates every pair within the tolerance; the pair itself if it is 0.

    Args:
        laws: probabilities of the same outcomes, with a sum of at most 1 + rtol. What is
            missing below 1 - rtol is an outcome of its own, which only one of the two has.
        rtol: at least 0, below 1/3.

    Source: hockey-stick divergences of (1 + c) P and (1 - c) Q; a true profile is convex, and it is
    1 - e^epsilon where every ratio is larger.
    """
    first, second = laws
    if not rtol:
        return FiniteLoss(tuple(first), tuple(second))
    more = _growth(rtol)
    one, missing = _normalized(first, rtol)
    two, missing_too = _normalized(second, rtol)
    above = [((1 + more) * p, (1 - more) * q) for p, q in zip(one, two, strict=True)]
    ratios = [p / q for p, q in zip(one, two, strict=True) if q]
    lowest = ZERO if missing_too or not ratios else min(ratios) * (1 - more) / (1 + more)
    places = sorted({p / q for p, q in above if q} - {ZERO})
    most = 1 - lowest
    curve = [(x, min(_excess(above, x) + missing, most)) for x in places if x > lowest]
    return _pair(_convex([(lowest, most), *curve]))


def pair_within_laws(laws: tuple[Law, Law], rtol: Fraction) -> FiniteLoss:
    """Return a pair that every pair within the tolerance dominates; as :func:`pair_of_laws`."""
    first, second = laws
    if not rtol:
        return FiniteLoss(tuple(first), tuple(second))
    more = _growth(rtol)
    one, two = _normalized(first, rtol)[0], _normalized(second, rtol)[0]
    below = [((1 - more) * p, (1 + more) * q) for p, q in zip(one, two, strict=True)]
    places = sorted({p / q for p, q in below if q} | {ONE})
    # Both lines and the sum are convex, and so is the larger one; it bends at these places, and
    # where the sum crosses 1 - x.
    curve: list[Point] = [(ZERO, ONE)]
    for x in places:
        value = _excess(below, x)
        before, at = curve[-1]
        if value > 1 - x and at <= 1 - before:
            base = _excess(below, before)
            slope = (value - base) / (x - before)
            crossing = before + (1 - before - base) / (1 + slope)
            curve.append((crossing, 1 - crossing))
        curve.append((x, max(value, 1 - x, ZERO)))
    return _pair(_convex(curve))


def _growth(rtol: Fraction) -> Fraction:
    return (1 + rtol) / (1 - rtol) - 1


def _normalized(law: Law, rtol: Fraction) -> tuple[list[Fraction], Fraction]:
    """The law, divided by its sum, and 0; or as it is, and the most that is missing."""
    total = sum(law, ZERO)
    if total < 1 - rtol:
        return list(law), 1 - total / (1 + rtol)
    return [share / total for share in law], ZERO


def _excess(outcomes: Sequence[Point], ratio: Fraction) -> Fraction:
    """The sum of max(p - ratio q, 0)."""
    return sum((max(p - ratio * q, ZERO) for p, q in outcomes), ZERO)


def _convex(points: Sequence[Point]) -> list[Point]:
    """The lower hull of points with ascending places."""
    hull: list[Point] = []
    for x, y in dict(points).items():
        while len(hull) > 1 and _slope(hull[-2], hull[-1]) >= _slope(hull[-1], (x, y)):
            hull.pop()
        hull.append((x, y))
    return hull


def _slope(one: Point, other: Point) -> Fraction:
    return (other[1] - one[1]) / (other[0] - one[0])


def _pair(profile: Sequence[Point]) -> FiniteLoss:
    """The pair whose profile has these vertices: 1 - x before the first, constant after the last.

    The second law has the mass by which the slope grows at x; the first one x times as much, and
    what the profile keeps for ever.
    """
    slopes = [-ONE, *(_slope(one, other) for one, other in pairwise(profile)), ZERO]
    second = [after - before for before, after in pairwise(slopes)]
    first = [x * mass for (x, _), mass in zip(profile, second, strict=True)]
    return FiniteLoss((*first, profile[-1][1]), (*second, ZERO))
