"""Operations on tradeoff functions: inverse, symmetrisation, composition, product.

A polygon is a lower bound, and so is the result of every operation: reports compose polygons and
G_mu by these functions. A bracket stays a bracket; its upper bound is rounded up.

Group privacy of piecewise-linear tradeoff functions: distance k from distance 1.

With g(a) = f(1 - a) in Cho and Awan's form, it is g composed k times: in Su's form
f_(k+1)(a) = f(1 - f_k(a)). For f_{epsilon,delta} this is strictly better than f_{k epsilon, .}.
Source: Dong, Roth and Su 2022, Theorem 2.14; Cho and Awan, section 2.2 and Proposition 11.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import assert_never

from semiaudit import deadline
from semiaudit.model.loss import LaplaceLoss
from semiaudit.model.measure import GDP, ApproxDP, PiecewiseLinear, PureDP
from semiaudit.privacy.measures import gdp
from semiaudit.privacy.tradeoff import polygon
from semiaudit.privacy.tradeoff.function import TradeoffBracket, TradeoffFunction
from semiaudit.privacy.tradeoff.polygon import (
    GRAIN,
    IDENTITY,
    NOTHING,
    Vertex,
    lower_hull,
    rounded,
    type_ii_at,
)
from semiaudit.privacy.tradeoff.product import tensor_product, thinned
from semiaudit.privacy.tradeoff.sources import bracket_of

MOST_COMPOSED_PIECES = 2000
"""A function with more pieces is thinned. A step adds few pieces, so only hundreds of steps reach
this limit; in a product, where pieces multiply, far fewer are kept."""


@lru_cache(maxsize=256)
def composed_with_itself(f: PiecewiseLinear, times: int) -> PiecewiseLinear:
    """Compose f with itself k times, by repeated squaring; exact except for 256-bit rounding down.

    A function of more than ``MOST_COMPOSED_PIECES`` pieces is thinned, which lowers it, and is
    ``merged``.
    """
    result, power = IDENTITY, f
    while times:
        # Composition and rounding only lower f, so that every power is a certified lower bound. One
        # that is 0 at 0 is 0 everywhere, and so is any composition with it.
        if not power.vertices[0][1]:
            return replace(NOTHING, merged=power.merged)
        deadline.check()
        if times & 1:
            result = _composed(power, result)
        times >>= 1
        if times:
            power = _composed(power, power)
    return result


def _composed(outer: PiecewiseLinear, inner: PiecewiseLinear) -> PiecewiseLinear:
    """outer(1 - inner(a)): its vertices are those of inner and preimages of those of outer."""
    points: list[Vertex] = [(x, type_ii_at(outer, 1 - y)) for x, y in inner.vertices]
    cuts = [(1 - x, y) for x, y in reversed(outer.vertices)]
    place = len(cuts) - 1
    for (x0, y0), (x1, y1) in zip(inner.vertices, inner.vertices[1:], strict=False):
        while place >= 0 and cuts[place][0] >= y0:
            place -= 1
        while place >= 0 and cuts[place][0] > y1:
            level, value = cuts[place]
            points.append((x0 + (x1 - x0) * (y0 - level) / (y0 - y1), value))
            place -= 1
    hull = rounded(lower_hull(points))
    return thinned(replace(hull, merged=outer.merged or inner.merged), MOST_COMPOSED_PIECES)


Atom = tuple[int, int]
"""(mass under the null, mass under the alternative), in units of 1/GRAIN."""

MOST_PIECES = 3000
"""The most pieces of the upper bound of a composition; the identity 1 - a replaces a larger one."""
MOST_ATOMS = 400
"""Atoms of a product's upper bound; more are merged. A product has the square of their number."""

_SAME = 2**120
"""Likelihood ratios with a smaller relative difference count as equal, except for rounding."""

_COARSEN = 2**8
"""The factor by which the difference for merging atoms grows while there are too many."""


def inverse(function: TradeoffFunction) -> TradeoffFunction:
    """Return T(Q, P) for T(P, Q): f^-1, the roles of the two errors exchanged.

    Gaussian, Laplace and f_{epsilon,delta} functions are their own inverses.
    Source: Su's review, section 3.1; Dong, Roth and Su 2022, section 2.
    """
    match function:
        case GDP() | PureDP() | ApproxDP() | LaplaceLoss():
            return function
        case PiecewiseLinear():
            return polygon.inverse(function)
        case TradeoffBracket():
            return TradeoffBracket(polygon.inverse(function.below), polygon.inverse(function.above))
        case _:
            assert_never(function)


def symmetrised(function: TradeoffFunction) -> TradeoffFunction:
    """Return max{f, f^-1}: it holds if f holds for both orders of every pair; convex and symmetric.

    Source: Su's review, section 3.1; Dong, Roth and Su 2022, Proposition 2.4.
    """
    match function:
        case GDP() | PureDP() | ApproxDP() | LaplaceLoss():
            return function
        case PiecewiseLinear():
            return polygon.symmetrised(function)
        case TradeoffBracket():
            upper = function.above
            above = polygon.pointwise_max(upper, polygon.inverse(upper), Fraction(0))
            return TradeoffBracket(polygon.symmetrised(function.below), lower_hull(above.vertices))
        case _:
            assert_never(function)


def functional_power(function: TradeoffFunction, times: int) -> TradeoffFunction:
    """Return f^{ok}: the tradeoff function at distance k from f at distance 1.

    In CA's form, it is g composed k times; in SU's form, 1 - (1 - f)^{ok}. G_mu gives G_{k mu}.
    Laplace noise moved k times as far has the function of k times the shift, because f(1 - f_s) =
    f_2s for every log-concave noise. f_{epsilon,delta} becomes a bracket.
    Source: Dong, Roth and Su 2022, Theorem 2.14; Cho and Awan, section 2.2.
    """
    if times < 0:
        raise ValueError("a function is composed 0 times or more")
    if times == 0:
        return TradeoffBracket(IDENTITY, IDENTITY)
    if times == 1:
        return function
    match function:
        case GDP():
            return replace(function, mu_squared=times * times * function.mu_squared)
        case LaplaceLoss():
            return LaplaceLoss(times * function.shift)
        case PiecewiseLinear():
            return composed_with_itself(function, times)
        case PureDP() | ApproxDP() | TradeoffBracket():
            bracket = bracket_of(function)
            above = bracket.above
            for _ in range(times - 1):
                above = _composed_upwards(bracket.above, above)
            return TradeoffBracket(composed_with_itself(bracket.below, times), above)
        case _:
            assert_never(function)


def tensor(parts: Sequence[tuple[TradeoffFunction, int]], pieces: int = 64) -> TradeoffFunction:
    """Return f_1^(x k_1) (x) f_2^(x k_2) ...: the function of independent releases together.

    Args:
        parts: functions with their numbers of releases, at least 1.
        pieces: the number of pieces of polygons that replace closed forms, if several families are
            combined.

    Returns:
        G_mu of the sum of mu^2 if all parts are Gaussian. A polygon (the product of lower polygons)
        if a part is only known from below. Otherwise a bracket, whose upper bound is from upper
        polygons.

    Source: Dong, Roth and Su 2022, Definition 3.1 and Corollary 3.3 (Su's review, section 3.3).
    """
    if not parts or any(repeat < 1 for _, repeat in parts):
        raise ValueError("a product has one part or more, each made once or more")
    gaussians = [(f, k) for f, k in parts if isinstance(f, GDP)]
    if len(parts) == 1 and parts[0][1] == 1:
        return parts[0][0]
    total = gdp.composed(gaussians)
    if len(gaussians) == len(parts):
        return total
    others: list[tuple[TradeoffFunction, int]] = [
        (f, k) for f, k in parts if not isinstance(f, GDP)
    ]
    others += [(total, 1)] if gaussians else []
    brackets = [(bracket_of(f, pieces), k) for f, k in others]
    below = tensor_product([(bracket.below, repeat) for bracket, repeat in brackets])
    if any(isinstance(f, PiecewiseLinear) for f, _ in parts):
        return below
    return TradeoffBracket(below, _product_upwards([(b.above, k) for b, k in brackets]))


def _composed_upwards(outer: PiecewiseLinear, inner: PiecewiseLinear) -> PiecewiseLinear:
    """Return outer(1 - inner(a)), rounded to on or above the exact function.

    The exact function is linear between the breakpoints of both, so the hull of the values there,
    moved right and up, is nowhere below it.
    """
    points = [(x, type_ii_at(outer, 1 - y)) for x, y in inner.vertices]
    for (x0, y0), (x1, y1) in pairwise(inner.vertices):
        points += [
            (x0 + (x1 - x0) * (y0 - 1 + x) / (y0 - y1), y)
            for x, y in outer.vertices
            if y1 < 1 - x < y0
        ]
    return _rounded_up(points)


def _product_upwards(parts: Sequence[tuple[PiecewiseLinear, int]]) -> PiecewiseLinear:
    """Return an upper bound on the tensor product of polygons.

    Atoms are integers over GRAIN, the null's mass rounded up and the alternative's down. For any
    order of rejection and any merging, each step is a test, whose two errors are a point on or
    above the function; so their hull is an upper bound.
    """
    atoms: list[Atom] = [(GRAIN, GRAIN)]
    for f, repeat in parts:
        power = _atoms(f)
        while repeat:
            if repeat & 1:
                atoms = _times(atoms, power)
            repeat >>= 1
            if repeat:
                power = _times(power, power)
    x, y = 0, GRAIN
    points: list[Vertex] = []
    for p, q in atoms:
        x, y = x + p, y - q
        points.append((Fraction(min(x, GRAIN), GRAIN), Fraction(y, GRAIN)))
    return lower_hull([(Fraction(0), Fraction(1)), *points])


def _atoms(f: PiecewiseLinear) -> list[Atom]:
    """Return the atoms (null's mass, alternative's mass) of a pair with tradeoff function f."""
    pieces = [(Fraction(0), 1 - f.vertices[0][1])]
    pieces += [(x1 - x0, y0 - y1) for (x0, y0), (x1, y1) in pairwise(f.vertices)]
    return [(-(-p * GRAIN // 1), q * GRAIN // 1) for p, q in pieces if p or q]


def _times(left: list[Atom], right: list[Atom]) -> list[Atom]:
    """Multiply atoms by decreasing ratio; neighbors with nearly equal ratios are merged."""
    atoms = [(-(-p * r // GRAIN), q * s // GRAIN) for p, q in left for r, s in right]
    ordered = sorted(((_ratio(atom), atom) for atom in atoms), reverse=True)
    grain = _SAME
    while True:
        merged: list[Atom] = []
        top = -1
        for ratio, (p, q) in ordered:
            if merged and top * grain <= ratio * (grain + 1):
                merged[-1] = (merged[-1][0] + p, merged[-1][1] + q)
            else:
                merged.append((p, q))
                top = ratio
        if len(merged) <= MOST_ATOMS or grain == 1:
            return merged
        grain = max(grain // _COARSEN, 1)


def _ratio(atom: Atom) -> int:
    p, q = atom
    return q * GRAIN // p if p else GRAIN**3


def _rounded_up(points: Sequence[Vertex]) -> PiecewiseLinear:
    """The hull of points moved right and up to multiples of 1/GRAIN; never above 1 - a."""
    moved = [(min(_up(x), Fraction(1)), min(_up(y), Fraction(1))) for x, y in points]
    hull = lower_hull([(Fraction(0), Fraction(1)), *moved])
    return hull if len(hull.vertices) <= MOST_PIECES else IDENTITY


def _up(value: Fraction) -> Fraction:
    if value.denominator <= GRAIN:
        return value
    return Fraction(-(-value.numerator * GRAIN // value.denominator), GRAIN)
