"""Piecewise-linear tradeoff functions, from exact vertices or from supporting lines.

A polygon gives ``type_ii`` as a nonincreasing convex function of ``type_i`` (Su's form f; Cho and
Awan's is g(a) = f(1 - a)). Vertices are exact rationals; where a transcendental number enters, it
is replaced by a rational on the side that lowers f, so f is always a certified lower bound.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import inf, isinf
from operator import itemgetter

from semiaudit.model.measure import ApproxDP, PiecewiseLinear
from semiaudit.numeric.intervals import ZERO, Interval

Vertex = tuple[Fraction, Fraction]

GRAIN = 2**256
"""Vertices are rounded to multiples of 1/GRAIN, left and down, when their exact form grows."""

_ROUNDING = Fraction(1, 2**160)
"""Two functions with a smaller difference were equal before they were rounded."""

_LARGEST_EXPONENT = Fraction(10**6)
"""The exponential of a larger epsilon is not computed."""

LARGEST_EPSILON = 170
"""For a larger epsilon, exp(epsilon) counts as infinite: the tradeoff function is zero."""

_ZERO, _ONE = Fraction(0), Fraction(1)

IDENTITY = PiecewiseLinear(((Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))), declared=True)
"""Perfect privacy: type II error 1 - type I error."""
NOTHING = PiecewiseLinear(((Fraction(0), Fraction(0)), (Fraction(1), Fraction(0))))
"""No privacy: type II error 0 everywhere."""


@lru_cache(maxsize=64)
def tradeoff_from_approx_dp(measure: ApproxDP) -> PiecewiseLinear:
    """Return f_{epsilon,delta} = max{0, 1 - delta - e^epsilon a, e^-epsilon (1 - delta - a)}.

    Rounding: exp(epsilon) is raised by less than a relative 1e-58.
    Source: Su's review, Theorem 5; Cho and Awan, section 2.2.
    """
    top = 1 - measure.delta
    if measure.epsilon > LARGEST_EPSILON:
        return NOTHING
    growth = Fraction(1)
    if measure.epsilon:
        growth = Interval.of(measure.epsilon).exp().upper_rational
    corner = top / (1 + growth)
    return lower_hull([(Fraction(0), top), (corner, corner), (top, Fraction(0))])


def lower_hull(points: Iterable[Vertex]) -> PiecewiseLinear:
    """Return the largest convex nonincreasing function on or below the points, ending at (1, 0).

    Every point must be one of a valid lower bound; the hull is then a valid lower bound too.
    """
    within = [(min(max(x, _ZERO), _ONE), max(y, _ZERO)) for x, y in points]
    hull: list[Vertex] = []
    # Of points above one another the lowest comes first, and the others are dropped. So is a point
    # on or above the chord of its neighbors: the chord lies below every convex function through or
    # above the three.
    for vertex in sorted([*within, (_ONE, _ZERO)]):
        if hull and hull[-1][0] == vertex[0]:
            continue
        while len(hull) > 1 and _turns_down(hull[-2], hull[-1], vertex):
            hull.pop()
        hull.append(vertex)
    return PiecewiseLinear(tuple(hull))


def type_ii_at(f: PiecewiseLinear, type_i: Fraction) -> Fraction:
    """f at a type I error in [0, 1], exactly."""
    place = bisect_right(f.vertices, type_i, key=_type_i_of)
    x0, y0 = f.vertices[place - 1]
    if x0 == type_i:
        return y0
    return _between((x0, y0), f.vertices[place], type_i)


_type_i_of = itemgetter(0)


def _between(first: Vertex, second: Vertex, x: Fraction) -> Fraction:
    """The height at x of the line through two points: y0 + (y1 - y0) (x - x0) / (x1 - x0).

    In whole numbers, with one common divisor at the end: fractions look for one in every step.
    """
    (x0, u0), (y0, v0) = first[0].as_integer_ratio(), first[1].as_integer_ratio()
    (x1, u1), (y1, v1) = second[0].as_integer_ratio(), second[1].as_integer_ratio()
    place, unit = x.as_integer_ratio()
    fall, run = y1 * v0 - y0 * v1, x1 * u0 - x0 * u1
    step = place * u0 - x0 * unit
    # fall / (v0 v1) times step / (u0 unit), over run / (u0 u1).
    return Fraction(y0 * v1 * unit * run + fall * step * u1, v0 * v1 * unit * run)


def lies_below(g: PiecewiseLinear, f: PiecewiseLinear) -> bool:
    """Return whether g <= f everywhere: it suffices to compare them at the vertices of both."""
    return f == g or (
        all(type_ii_at(g, x) <= y for x, y in f.vertices)
        and all(y <= type_ii_at(f, x) for x, y in g.vertices)
    )


def _cuts(f: PiecewiseLinear, g: PiecewiseLinear) -> list[Fraction]:
    """The type I errors of the vertices of both, in their order, each once."""
    errors = sorted(x for x, _ in (*f.vertices, *g.vertices))
    return [x for x, before in zip(errors, [None, *errors], strict=False) if x != before]


def epsilon_at(f: PiecewiseLinear, delta: Fraction) -> Decimal | float:
    """Bound from above the smallest epsilon >= 0 with 1 - f(a) - e^epsilon a <= delta for all a.

    Infinite if delta is below 1 - f(0). Source: Su's review, section 2.3 (duality 2.4).
    """
    epsilon = epsilon_between(f, delta)
    return epsilon.high if isinstance(epsilon, Interval) else epsilon


def epsilon_between(f: PiecewiseLinear, delta: Fraction) -> Interval | float:
    """Return an enclosure of epsilon at a delta: ln of the steepest slope that delta leaves, or
    infinity.
    """
    left, scale = (1 - delta).as_integer_ratio()
    steepest, run = 1, 1
    for x, y in f.vertices:
        if x:
            (width, unit), (height, grain) = x.as_integer_ratio(), y.as_integer_ratio()
            slope = (left * grain - height * scale) * unit, scale * grain * width
            if slope[0] * run > steepest * slope[1]:
                steepest, run = slope
        elif 1 - y > delta:
            return inf
    return ZERO if steepest == run else Interval.of(Fraction(steepest, run)).ln()


def delta_at(f: PiecewiseLinear, epsilon: Fraction) -> Decimal:
    """Return an upper bound on the largest 1 - f(a) - e^epsilon a over all a.

    For epsilons above ``_LARGEST_EXPONENT``, a smaller epsilon is used, which can only raise it.
    """
    growth = Interval.of(min(epsilon, _LARGEST_EXPONENT)).exp()
    values = (Interval.of(1 - y) - growth * Interval.of(x) for x, y in f.vertices)
    return max(max(value.high for value in values), Decimal(0))


def advantage(f: PiecewiseLinear) -> Fraction:
    """Return the total variation distance, the largest 1 - a - f(a), exactly."""
    return max(1 - x - y for x, y in f.vertices)


def pure_epsilon(f: PiecewiseLinear) -> Decimal | float:
    """Return an upper bound on the largest log likelihood ratio; infinite if f(0) < 1."""
    return epsilon_at(f, Fraction(0))


def inverse(f: PiecewiseLinear) -> PiecewiseLinear:
    """Return the inverse tradeoff function: the roles of the two errors are exchanged."""
    return replace(lower_hull((y, x) for x, y in f.vertices), merged=f.merged)


def symmetrised(f: PiecewiseLinear) -> PiecewiseLinear:
    """Return max{f, f^-1}, which holds if f holds for every ordered pair of neighboring datasets.

    Source: Su's review, section 3.1; Dong, Roth and Su 2022, Proposition 2.4.
    """
    return replace(lower_hull(pointwise_max(f, inverse(f)).vertices), merged=f.merged)


def convex_minimum(f: PiecewiseLinear, g: PiecewiseLinear) -> PiecewiseLinear:
    """Return the largest convex function below both: the lower hull of their vertices."""
    # g is linear between its vertices, so it is above f if it is above f at the vertices.
    if all(y >= type_ii_at(f, x) for x, y in g.vertices):
        return f
    return lower_hull([*f.vertices, *g.vertices])


def tradeoff_from_pairs(pairs: Iterable[tuple[Fraction | float, Fraction]]) -> PiecewiseLinear:
    """Return the largest of the functions f_{epsilon,delta}: convex, symmetric, and a lower bound
    on the tradeoff function of every mechanism that satisfies all pairs.

    Rounding: vertices are rounded to multiples of 1/GRAIN, downward.
    """
    best = NOTHING
    for epsilon, delta in pairs:
        if not isinf(epsilon) and delta < 1:
            function = tradeoff_from_approx_dp(ApproxDP(Fraction(epsilon), delta))
            best = rounded(pointwise_max(best, function))
    return best


def pointwise_max(
    f: PiecewiseLinear, g: PiecewiseLinear, rounding: Fraction = _ROUNDING
) -> PiecewiseLinear:
    """Return max{f, g}: convex, and a lower bound on every function that f and g both bound.

    The result is exact, with one exception: a function that the other one nowhere exceeds by more
    than 2^-160 is returned itself, because such gaps are rounding. A ``rounding`` of 0 prevents
    this.
    """
    if f.vertices == g.vertices:
        return f
    cuts = _cuts(f, g)
    heights = [(type_ii_at(f, x), type_ii_at(g, x)) for x in cuts]
    gaps = [of_f - of_g for of_f, of_g in heights]
    # Between the breakpoints of both, f and g are linear, so their order there holds everywhere.
    # Either of them alone is a valid lower bound.
    if min(gaps) >= -rounding:
        return f
    if max(gaps) <= rounding:
        return g
    points = [(x, max(both)) for x, both in zip(cuts, heights, strict=True)]
    for (x0, gap0), (x1, gap1) in itertools.pairwise(zip(cuts, gaps, strict=True)):
        if gap0 * gap1 < 0:
            crossing = x0 + (x1 - x0) * gap0 / (gap0 - gap1)
            points.append((crossing, type_ii_at(f, crossing)))
    return replace(lower_hull(points), merged=f.merged or g.merged)


def rounded(f: PiecewiseLinear) -> PiecewiseLinear:
    """Return f with long vertices rounded left and down to multiples of 1/GRAIN."""
    if all(v.denominator <= GRAIN**2 for vertex in f.vertices for v in vertex):
        return f
    hull = lower_hull(
        (Fraction(x.numerator * GRAIN // x.denominator, GRAIN), _down(y)) for x, y in f.vertices
    )
    return replace(hull, merged=f.merged)


def _down(y: Fraction) -> Fraction:
    return Fraction(y.numerator * GRAIN // y.denominator, GRAIN)


def _turns_down(a: Vertex, b: Vertex, c: Vertex) -> bool:
    """Return whether b is on or above the line from a to c; integers avoid common divisors."""
    (x0, u0), (y0, v0) = a[0].as_integer_ratio(), a[1].as_integer_ratio()
    (x1, u1), (y1, v1) = b[0].as_integer_ratio(), b[1].as_integer_ratio()
    (x2, u2), (y2, v2) = c[0].as_integer_ratio(), c[1].as_integer_ratio()
    # Both sides are multiplied by all denominators, those of a once more.
    middle = (y1 * v0 - y0 * v1) * (x2 * u0 - x0 * u2) * v2 * u1
    chord = (y2 * v0 - y0 * v2) * (x1 * u0 - x0 * u1) * v1 * u2
    return middle >= chord


Line = tuple[Fraction, Fraction]
"""(intercept, slope downward)."""


def _steep_and_high(line: Line) -> tuple[Fraction, Fraction]:
    return line[1], line[0]


def envelope(lines: Iterable[Line]) -> PiecewiseLinear:
    """Return the maximum of 0 and of lines y = c - t x that are all below one tradeoff function.

    Args:
        lines: (c, t), t at least 0.
    """
    hull: list[Line] = []
    crossings: list[_Ratio] = []
    steepest = None
    for line in sorted([*lines, (_ZERO, _ZERO)], key=_steep_and_high, reverse=True):
        if line[1] == steepest:
            continue
        steepest = line[1]
        while hull:
            crossing = _crossing(hull[-1], line)
            # The last line is nowhere the largest above 0 if the next ones meet it too early.
            if crossing[0] > 0 and not (crossings and _at_most(crossing, crossings[-1])):
                crossings.append(crossing)
                break
            hull.pop()
            if crossings:
                crossings.pop()
        hull.append(line)
    points = [(_ZERO, hull[0][0])]
    for (intercept, slope), (above, below) in zip(hull, crossings, strict=False):
        if above >= below:
            # The type I error ends at 1, where the function is 0 in any case.
            break
        (c, d), (t, u) = intercept.as_integer_ratio(), slope.as_integer_ratio()
        height = Fraction(c * u * below - t * above * d, d * u * below)
        points.append((Fraction(above, below), height))
    return lower_hull(points)


_Ratio = tuple[int, int]
"""A numerator and a positive denominator, which can have common divisors."""


def _at_most(first: _Ratio, second: _Ratio) -> bool:
    return first[0] * second[1] <= second[0] * first[1]


def _crossing(steep: Line, flat: Line) -> _Ratio:
    (c0, d0), (t0, u0) = steep[0].as_integer_ratio(), steep[1].as_integer_ratio()
    (c1, d1), (t1, u1) = flat[0].as_integer_ratio(), flat[1].as_integer_ratio()
    return (c0 * d1 - c1 * d0) * u0 * u1, (t0 * u1 - t1 * u0) * d0 * d1
