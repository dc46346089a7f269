"""Tradeoff functions as values, evaluated with certified bounds, in either convention.

A function f = T(P, Q) is kept in *Su's form* (SU): f(a) is the smallest type II error at type I
error a, nonincreasing and convex. In *Cho and Awan's form* (CA) the same function is
g(a) = f(1 - a), nondecreasing; :func:`type_ii_at_in_ca` evaluates it. P is the null, Q the
alternative, and delta(epsilon) is the largest Q(S) - e^epsilon P(S).

A measure that is one tradeoff function represents it: G_mu, f_{epsilon,delta}, a polygon. Laplace
noise has a function in closed form too. Any other function is a bracket of two polygons.
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from math import inf
from typing import assert_never

from semiaudit.frozen import dataclass
from semiaudit.model.loss import LaplaceLoss, PrivacyLoss, WorstLoss
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    Measure,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.numeric.intervals import HALF, ONE, TWO, ZERO, Interval, nonnegative_ends
from semiaudit.privacy.measures import gdp
from semiaudit.privacy.tradeoff import polygon

NO_EPSILON = (inf, inf)
"""The two bounds of an epsilon if no epsilon is large enough."""


@dataclass(frozen=True, slots=True)
class TradeoffBracket:
    """A tradeoff function between two polygons.

    Attributes:
        below: nowhere above the function; guarantees use this polygon.
        above: nowhere below the function; equal to ``below`` if the function is that polygon.
    """

    below: PiecewiseLinear
    above: PiecewiseLinear


TradeoffFunction = GDP | PureDP | ApproxDP | LaplaceLoss | PiecewiseLinear | TradeoffBracket
"""The types that represent one tradeoff function; a polygon represents itself, even if it is a
bound."""


def function_from_measure(measure: Measure) -> TradeoffFunction:
    """Return the measure itself if it is one tradeoff function.

    Raises:
        ValueError: zCDP, which is not a statement about one function (``conversion`` has the
            polygon that follows from it), and a product of pairs, which ``privacy.loss`` evaluates.
    """
    match measure:
        case GDP() | PureDP() | ApproxDP() | PiecewiseLinear():
            return measure
        case ZCDP() | ApproxZCDP():
            raise ValueError("zCDP does not determine one tradeoff function")
        case PrivacyLoss() | WorstLoss():
            raise ValueError("a product of pairs has no tradeoff function in closed form")
        case _:
            assert_never(measure)


def exact_polygon(function: TradeoffFunction) -> PiecewiseLinear | None:
    """Return the polygon that a function is exactly, else None; a polygon counts as exact."""
    match function:
        case PiecewiseLinear():
            return function
        case TradeoffBracket():
            return function.below if function.below == function.above else None
        case GDP() | PureDP() | ApproxDP() | LaplaceLoss():
            return None
        case _:
            assert_never(function)


def type_ii_at(function: TradeoffFunction, type_i: Fraction) -> Interval:
    """Return f(a) in Su's form, enclosed.

    Args:
        function: the tradeoff function.
        type_i: a type I error in [0, 1].

    Rounding: polygons are evaluated exactly, all else in directed decimals.
    Source: Su's review, section 3.2 and Theorem 5; Dong, Roth and Su 2022, appendix A (Laplace).
    """
    if not 0 <= type_i <= 1:
        raise ValueError("a type I error must be in [0, 1]")
    match function:
        case GDP():
            return gdp.type_ii_at(function, type_i)
        case PureDP():
            return _approx_at(_with_delta(function), type_i)
        case ApproxDP():
            return _approx_at(function, type_i)
        case LaplaceLoss():
            return _laplace_at(abs(function.shift), type_i)
        case PiecewiseLinear():
            return Interval.of(polygon.type_ii_at(function, type_i))
        case TradeoffBracket():
            return Interval.hull(
                Interval.of(polygon.type_ii_at(function.below, type_i)),
                Interval.of(polygon.type_ii_at(function.above, type_i)),
            )
        case _:
            assert_never(function)


def type_ii_from_below(function: TradeoffFunction, type_i: Fraction) -> Fraction:
    """Return the lower bound of :func:`type_ii_at`, as a guarantee uses it; exact for a polygon."""
    if isinstance(function, PiecewiseLinear):
        return polygon.type_ii_at(function, type_i)
    return type_ii_at(function, type_i).lower_rational


def delta_at(function: TradeoffFunction, epsilon: Fraction) -> Interval:
    """Return 1 + f*(-e^epsilon), the largest 1 - f(a) - e^epsilon a, enclosed.

    Args:
        function: the tradeoff function.
        epsilon: any real; at negative ones this is the profile of the inverse, rescaled.

    Source: Su's review, section 2.3 (2.4); Balle and Wang 2018, Theorem 8.
    """
    growth = Interval.of(epsilon).exp() if epsilon else ONE
    match function:
        case GDP():
            if not function.mu_squared:
                return (ONE - growth).clip(0, 1)
            return gdp.delta_at(function, Interval.of(epsilon))
        case PureDP():
            return _approx_profile(_with_delta(function), epsilon, growth)
        case ApproxDP():
            return _approx_profile(function, epsilon, growth)
        case LaplaceLoss():
            return _laplace_profile(abs(function.shift), epsilon)
        case PiecewiseLinear():
            return _polygon_delta(function, growth)
        case TradeoffBracket():
            above, below = (_polygon_delta(f, growth) for f in (function.above, function.below))
            return Interval.hull(above, below)
        case _:
            assert_never(function)


def advantage_from_above(function: TradeoffFunction) -> Fraction:
    """Return an upper bound on the total variation distance, the largest 1 - a - f(a).

    Exact for polygons.
    """
    match function:
        case GDP():
            return Fraction(gdp.advantage(function))
        case PiecewiseLinear():
            return polygon.advantage(function)
        case TradeoffBracket():
            return polygon.advantage(function.below)
        case PureDP() | ApproxDP() | LaplaceLoss():
            return delta_at(function, Fraction(0)).upper_rational
        case _:
            assert_never(function)


def epsilon_at(
    function: TradeoffFunction, delta: Fraction
) -> tuple[Fraction | float, Fraction | float]:
    """Return lower and upper bounds on the smallest epsilon >= 0 with delta(epsilon) <= delta.

    Args:
        function: the tradeoff function.
        delta: in [0, 1).

    Returns:
        Exact rationals on either side; both are infinite if no epsilon is enough, for example if
        delta is below 1 - f(0).

    Source: the inverse of :func:`delta_at` (Su's review, 2.4).
    """
    if not 0 <= delta < 1:
        raise ValueError("delta must be in [0, 1)")
    match function:
        case GDP():
            if not function.mu_squared:
                return Fraction(0), Fraction(0)
            if not delta:
                return NO_EPSILON
            below, above = gdp.epsilon_at(function, delta)
            return Fraction(below), Fraction(above)
        case PureDP():
            return _approx_epsilon(_with_delta(function), delta)
        case ApproxDP():
            return _approx_epsilon(function, delta)
        case LaplaceLoss():
            gain = TWO * Interval.of(1 - delta).ln() if delta else ZERO
            return nonnegative_ends(Interval.of(abs(function.shift)) + gain)
        case PiecewiseLinear():
            return _polygon_epsilon(function, delta)
        case TradeoffBracket():
            return _polygon_epsilon(function.above, delta)[0], _polygon_epsilon(
                function.below, delta
            )[1]
        case _:
            assert_never(function)


def _with_delta(measure: PureDP) -> ApproxDP:
    return ApproxDP(measure.epsilon, Fraction(0))


def _laplace_at(shift: Fraction, type_i: Fraction) -> Interval:
    """Return 1 - e^s a up to e^-s / 2, then e^-s / (4 a) up to 1/2, then e^-s (1 - a)."""
    share = (-Interval.of(shift)).exp() if shift else ONE
    if type_i >= Fraction(1, 2):
        return share * Interval.of(1 - type_i)
    a = Interval.of(type_i)
    line = (ONE - a / share).clip(0, 1)
    corner = share * HALF
    if a.high < corner.low or not type_i:
        return line
    curved = share / (Interval.of(4) * a)
    return curved if a.low > corner.high else Interval.hull(line, curved)


def _laplace_profile(shift: Fraction, epsilon: Fraction) -> Interval:
    """Return 1 - e^((epsilon - s)/2) within the shift; beyond it, 0 or the excess of Q over P."""
    if epsilon >= shift:
        return ZERO
    if epsilon < -shift:
        return ONE - Interval.of(epsilon).exp()
    return (ONE - (Interval.of((epsilon - shift) / 2)).exp()).clip(0, 1)


def _approx_at(measure: ApproxDP, type_i: Fraction) -> Interval:
    growth = Interval.of(measure.epsilon).exp() if measure.epsilon else ONE
    steep = Interval.of(1 - measure.delta) - growth * Interval.of(type_i)
    flat = Interval.of(1 - measure.delta - type_i) / growth
    return Interval(max(steep.low, flat.low), max(steep.high, flat.high)).clip(0, 1)


def _approx_profile(measure: ApproxDP, epsilon: Fraction, growth: Interval) -> Interval:
    if epsilon < -measure.epsilon:
        return ONE - Interval.of(1 - measure.delta) * growth
    local = Interval.of(measure.epsilon).exp()
    excess = Interval.of(1 - measure.delta) * (local - growth) / (ONE + local)
    return Interval.of(measure.delta) + excess.clip(0, 1)


def _approx_epsilon(
    measure: ApproxDP, delta: Fraction
) -> tuple[Fraction | float, Fraction | float]:
    if delta < measure.delta:
        return NO_EPSILON
    if delta == measure.delta:
        return measure.epsilon, measure.epsilon
    local = Interval.of(measure.epsilon).exp()
    share = Interval.of((delta - measure.delta) / (1 - measure.delta))
    growth = local - share * (ONE + local)
    if growth.low <= 0:
        return Fraction(0), Fraction(0)
    return nonnegative_ends(growth.ln())


def _polygon_delta(f: PiecewiseLinear, growth: Interval) -> Interval:
    """Return the largest 1 - y - growth x, at the vertex where the slope falls below growth."""
    v = f.vertices

    def first_flatter(than: Fraction) -> int:
        return bisect_left(
            range(len(v) - 1),
            True,
            key=lambda i: v[i][1] - v[i + 1][1] <= than * (v[i + 1][0] - v[i][0]),
        )

    # growth is only enclosed: the vertex of the exact one is between those of its two bounds.
    places = range(first_flatter(growth.upper_rational), first_flatter(growth.lower_rational) + 1)
    deltas = [Interval.of(1 - v[i][1]) - growth * Interval.of(v[i][0]) for i in places]
    return Interval(max(d.low for d in deltas), max(d.high for d in deltas)).clip(0, 1)


def _polygon_epsilon(
    f: PiecewiseLinear, delta: Fraction
) -> tuple[Fraction | float, Fraction | float]:
    interval = polygon.epsilon_between(f, delta)
    return NO_EPSILON if isinstance(interval, float) else nonnegative_ends(interval)
