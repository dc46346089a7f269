"""The fixed point of a symmetric tradeoff function: the least equal errors of both kinds."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import assert_never

from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.loss import LaplaceLoss
from semiaudit.model.measure import GDP, ApproxDP, PiecewiseLinear, PureDP
from semiaudit.numeric.intervals import HALF, ONE, Interval
from semiaudit.privacy.measures import gdp
from semiaudit.privacy.special.normal import upper_tail
from semiaudit.privacy.tradeoff import polygon
from semiaudit.privacy.tradeoff.function import TradeoffBracket, TradeoffFunction


def corner_of(function: TradeoffFunction) -> Interval:
    """c with f(c) = c in Su's form, enclosed.

    Raises:
        RefusedError: the polygon is not a symmetric tradeoff function, or the function is a
            bracket.
    """
    match function:
        case GDP():
            return upper_tail(gdp.mu_of(function) * HALF)
        case PureDP():
            return ONE / (ONE + Interval.of(function.epsilon).exp())
        case ApproxDP():
            return Interval.of(1 - function.delta) / (ONE + Interval.of(function.epsilon).exp())
        case LaplaceLoss():
            return (-Interval.of(abs(function.shift)) * HALF).exp() * HALF
        case PiecewiseLinear():
            return Interval.of(_crossing(function))
        case TradeoffBracket():
            what = "a tradeoff function that is known between two others only"
            raise RefusedError(Refusal(what, "give one in closed form, or by its points"))
        case _:
            assert_never(function)


def _crossing(f: PiecewiseLinear) -> Fraction:
    hull = polygon.lower_hull(f.vertices)
    if any(polygon.type_ii_at(hull, x) != y for x, y in f.vertices):
        what = "a polygon that is not convex is not a tradeoff function"
        raise RefusedError(Refusal(what, "use the points of a convex polygon"))
    if polygon.inverse(hull).vertices != hull.vertices:
        what = "a tradeoff function that is not its own inverse has no canonical noise"
        raise RefusedError(Refusal(what, "symmetrise it first"))
    for (x0, y0), (x1, y1) in pairwise(hull.vertices):
        above, below = y0 - x0, x1 - y1
        if above >= 0 and below >= 0:
            return x0 + (x1 - x0) * above / (above + below) if above else x0
    raise ValueError("a tradeoff function runs from (0, f(0)) to (1, 0)")
