"""Group privacy of piecewise-linear tradeoff functions: distance k from distance 1.

With g(a) = f(1 - a) in Cho and Awan's form, it is g composed k times: in Su's form
f_(k+1)(a) = f(1 - f_k(a)). For f_{epsilon,delta} this is strictly better than f_{k epsilon, .}.
Source: Dong, Roth and Su 2022, Theorem 2.14; Cho and Awan, section 2.2 and Proposition 11.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from semiaudit import deadline
from semiaudit.model.measure import PiecewiseLinear
from semiaudit.privacy.tradeoff.polygon import (
    IDENTITY,
    NOTHING,
    Vertex,
    lower_hull,
    rounded,
    type_ii_at,
)
from semiaudit.privacy.tradeoff.product import thinned

MOST_PIECES = 2000
"""A function with more pieces is thinned. A step adds few pieces, so only hundreds of steps reach
this limit; in a product, where pieces multiply, far fewer are kept."""


@lru_cache(maxsize=256)
def composed_with_itself(f: PiecewiseLinear, times: int) -> PiecewiseLinear:
    """Compose f with itself k times, by repeated squaring; exact except for 256-bit rounding down.

    A function of more than ``MOST_PIECES`` pieces is thinned, which lowers it, and ``merged``.
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
    return thinned(replace(hull, merged=outer.merged or inner.merged), MOST_PIECES)
