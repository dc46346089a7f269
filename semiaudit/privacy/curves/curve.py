"""Tradeoff functions as values, evaluated with certified ends.

A curve f = T(P, Q) is kept in *Su's form* (SU): f(a) is the smallest type II error at type I
error a, nonincreasing and convex. In *Cho and Awan's form* (CA) the same function is
g(a) = f(1 - a), nondecreasing; :func:`type_ii_at_in_ca` evaluates it. P is the null, Q the
alternative, and delta(epsilon) is the largest Q(S) - e^epsilon P(S).
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from semiaudit.model.measure import GDP, PiecewiseLinear
from semiaudit.numeric import HALF, ONE, TWO, ZERO, Interval
from semiaudit.privacy.measures import gaussian
from semiaudit.privacy.tradeoff import polygon

CONVENTIONS = {
    "SU": "type II error at a type I error of a (Su; Dong, Roth and Su)",
    "CA": "type II error at a type I error of 1 - a (Cho and Awan)",
}
"""The two ways to write a tradeoff function. Wherever one is printed its key stands beside it."""

NO_EPSILON = (inf, inf)


@dataclass(frozen=True, slots=True)
class GaussianCurve:
    """G_mu, with mu squared kept exact."""

    mu_squared: Fraction


@dataclass(frozen=True, slots=True)
class LaplaceCurve:
    """Laplace noise of scale 1 against itself moved by ``shift``, at least 0."""

    shift: Fraction


@dataclass(frozen=True, slots=True)
class ApproxCurve:
    """f_{epsilon,delta}, the weakest function that (epsilon, delta)-DP allows."""

    epsilon: Fraction
    delta: Fraction


@dataclass(frozen=True, slots=True)
class Bracket:
    """A curve between two polygons.

    Attributes:
        below: nowhere above the curve; what a guarantee is read from.
        above: nowhere below it; equal to ``below`` where the curve is that polygon.
    """

    below: PiecewiseLinear
    above: PiecewiseLinear


Curve = GaussianCurve | LaplaceCurve | ApproxCurve | Bracket


def type_ii_at(curve: Curve, type_i: Fraction) -> Interval:
    """f(a) in Su's form, enclosed.

    Args:
        curve: the tradeoff function.
        type_i: a type I error in [0, 1].

    Rounding: polygons are evaluated exactly, all else in directed decimals.
    Source: Su's review, section 3.2 and Theorem 5; Dong, Roth and Su 2022, appendix A (Laplace).
    """
    if not 0 <= type_i <= 1:
        raise ValueError("a type I error lies in [0, 1]")
    if isinstance(curve, GaussianCurve):
        return gaussian.type_ii_at(GDP(curve.mu_squared), type_i)
    if isinstance(curve, LaplaceCurve):
        return _laplace_at(curve.shift, type_i)
    if isinstance(curve, ApproxCurve):
        return _approx_at(curve, type_i)
    return Interval.hull(
        Interval.of(polygon.type_ii_at(curve.below, type_i)),
        Interval.of(polygon.type_ii_at(curve.above, type_i)),
    )


def type_ii_at_in_ca(curve: Curve, argument: Fraction) -> Interval:
    """g(a) = f(1 - a), Cho and Awan's form of the same function, enclosed."""
    return type_ii_at(curve, ca_from_su(argument))


def ca_from_su(argument: Fraction) -> Fraction:
    """The argument of g at which it has the value of f: 1 - a. Its own inverse."""
    return 1 - argument


def delta_at(curve: Curve, epsilon: Fraction) -> Interval:
    """1 + f*(-e^epsilon) = the largest 1 - f(a) - e^epsilon a, enclosed.

    Args:
        curve: the tradeoff function.
        epsilon: any real; at negative ones this is the profile of the inverse, rescaled.

    Source: Su's review, section 2.3 (2.4); Balle and Wang 2018, Theorem 8.
    """
    growth = Interval.of(epsilon).exp() if epsilon else ONE
    if isinstance(curve, GaussianCurve):
        if not curve.mu_squared:
            return (ONE - growth).clip(0, 1)
        return gaussian.delta_at(GDP(curve.mu_squared), Interval.of(epsilon))
    if isinstance(curve, LaplaceCurve):
        return _laplace_profile(curve.shift, epsilon)
    if isinstance(curve, ApproxCurve):
        if epsilon < -curve.epsilon:
            return ONE - Interval.of(1 - curve.delta) * growth
        local = Interval.of(curve.epsilon).exp()
        excess = Interval.of(1 - curve.delta) * (local - growth) / (ONE + local)
        return Interval.of(curve.delta) + excess.clip(0, 1)
    return Interval.hull(_polygon_delta(curve.above, growth), _polygon_delta(curve.below, growth))


def epsilon_at(curve: Curve, delta: Fraction) -> tuple[Fraction | float, Fraction | float]:
    """The smallest epsilon >= 0 with delta(epsilon) <= delta: (from below, from above).

    Args:
        curve: the tradeoff function.
        delta: in [0, 1).

    Returns:
        Exact rationals on either side; both are infinite where no epsilon is enough, as wherever
        delta lies below 1 - f(0).

    Source: the inverse of :func:`delta_at` (Su's review, 2.4).
    """
    if not 0 <= delta < 1:
        raise ValueError("delta lies in [0, 1)")
    if isinstance(curve, GaussianCurve):
        if not curve.mu_squared:
            return Fraction(0), Fraction(0)
        if not delta:
            return NO_EPSILON
        below, above = gaussian.epsilon_at(GDP(curve.mu_squared), delta)
        return Fraction(below), Fraction(above)
    if isinstance(curve, LaplaceCurve):
        gain = TWO * Interval.of(1 - delta).ln() if delta else ZERO
        return _ends(Interval.of(curve.shift) + gain)
    if isinstance(curve, ApproxCurve):
        return _approx_epsilon(curve, delta)
    low, high = (polygon.epsilon_between(f, delta) for f in (curve.above, curve.below))
    return (
        low if isinstance(low, float) else _ends(low)[0],
        high if isinstance(high, float) else _ends(high)[1],
    )


def _laplace_at(shift: Fraction, type_i: Fraction) -> Interval:
    """1 - e^s a up to e^-s / 2, then e^-s / (4 a) up to 1/2, then e^-s (1 - a)."""
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
    """1 - e^((epsilon - s)/2) within the shift; beyond, nothing or what Q outweighs P by."""
    if epsilon >= shift:
        return ZERO
    if epsilon < -shift:
        return ONE - Interval.of(epsilon).exp()
    return (ONE - (Interval.of((epsilon - shift) / 2)).exp()).clip(0, 1)


def _approx_at(curve: ApproxCurve, type_i: Fraction) -> Interval:
    growth = Interval.of(curve.epsilon).exp() if curve.epsilon else ONE
    steep = Interval.of(1 - curve.delta) - growth * Interval.of(type_i)
    flat = Interval.of(1 - curve.delta - type_i) / growth
    return Interval(max(steep.low, flat.low), max(steep.high, flat.high)).clip(0, 1)


def _approx_epsilon(
    curve: ApproxCurve, delta: Fraction
) -> tuple[Fraction | float, Fraction | float]:
    if delta < curve.delta:
        return NO_EPSILON
    if delta == curve.delta:
        return curve.epsilon, curve.epsilon
    local = Interval.of(curve.epsilon).exp()
    share = Interval.of((delta - curve.delta) / (1 - curve.delta))
    growth = local - share * (ONE + local)
    if growth.low <= 0:
        return Fraction(0), Fraction(0)
    return _ends(growth.ln())


def _polygon_delta(f: PiecewiseLinear, growth: Interval) -> Interval:
    """The largest 1 - y - growth x is at the vertex where the slope falls below growth."""
    v = f.vertices

    def first_flatter(than: Fraction) -> int:
        return bisect_left(
            range(len(v) - 1),
            True,
            key=lambda i: v[i][1] - v[i + 1][1] <= than * (v[i + 1][0] - v[i][0]),
        )

    places = range(first_flatter(Fraction(growth.high)), first_flatter(Fraction(growth.low)) + 1)
    found = [Interval.of(1 - v[i][1]) - growth * Interval.of(v[i][0]) for i in places]
    return Interval(max(d.low for d in found), max(d.high for d in found)).clip(0, 1)


def _ends(value: Interval) -> tuple[Fraction, Fraction]:
    zero = Fraction(0)
    return max(Fraction(value.low), zero), max(Fraction(value.high), zero)
