"""Conversions of rho-zCDP to (epsilon, delta)-DP and operating points, and the rhos of pairs.

Every order above 1 and every epsilon gives a valid bound, so orders are chosen in floats and only
the chosen bound is evaluated with certainty: a poor choice is loose, never wrong.

In the other direction, this module computes the least rho of pairs with a bounded log likelihood
ratio. For them, D_a / a is largest in the limit of order 1, for every order a > 1, so rho is the
Kullback-Leibler divergence (docs/theory/conversions.md, *The rho of a symmetric pair*). Every rho
is rounded up, to 60 digits; none exceeds the epsilon^2/2 of Bun and Steinke.
"""

from __future__ import annotations

import math
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from semiaudit import deadline
from semiaudit.deadline import ANSWERS, OutOfTimeError
from semiaudit.model.measure import ZCDP
from semiaudit.numeric.intervals import HALF, ONE, TWO, Interval
from semiaudit.privacy.measures import joint_range
from semiaudit.privacy.special.roots import valley

LARGEST_RHO = 5_000
"""For a larger rho, an attack's operating points are trivial."""

_LEAST = 1e-290
"""Smaller floats are raised to this one: they are only used to choose orders."""
_AROUND = 12
"""The distance from its estimate in the search for ln(a - 1) of an epsilon's best order a."""
_LEAST_LOGARITHM = 1e-9
"""Replaces ln(1/delta) near 0, which has no logarithm."""


def epsilon_bs16(measure: ZCDP, delta: Fraction) -> Decimal:
    """Return epsilon = rho + 2 sqrt(rho ln(1/delta)), rounded up.

    Source: Bun and Steinke 2016, Proposition 1.3 (Cho and Awan, Lemma 40).
    """
    rho = Interval.of(measure.rho)
    return (rho + TWO * (rho * -Interval.of(delta).ln()).sqrt()).high


@lru_cache(maxsize=ANSWERS)
def epsilon_cks20(measure: ZCDP, delta: Fraction) -> Decimal:
    """Return the least a rho + ln(1/(a delta))/(a-1) + ln(1-1/a) over orders a > 1, rounded up.

    Source: Canonne, Kamath and Steinke 2020, Proposition 12.
    """
    if not measure.rho:
        return Decimal(0)
    rho, log_inverse = max(float(measure.rho), _LEAST), -_ln(delta)

    def at(log_excess: float) -> float:
        excess = math.exp(log_excess)
        order = 1 + excess
        return excess * rho + (log_inverse - math.log(order)) / excess + math.log(excess / order)

    centre = 0.5 * math.log(max(log_inverse, _LEAST_LOGARITHM) / rho)
    excess = _exact_excess(valley(at, centre - _AROUND, centre + _AROUND))
    value = epsilon_from_renyi((ONE + excess) * Interval.of(measure.rho), excess, delta)
    return max(value.high, Decimal(0))


@deadline.cached(ANSWERS)
def epsilon_joint_range(measure: ZCDP, delta: Fraction) -> Decimal:
    """Return the smallest epsilon that rho-zCDP implies at a delta in (0, 1), rounded up.

    If there is no time for the search, the result is that of cks20.

    Source: docs/theory/conversions.md, *What zCDP says at every delta*; Asoodeh et al. 2021.
    """
    if not measure.rho:
        return Decimal(0)
    if measure.rho > LARGEST_RHO:
        return epsilon_cks20(measure, delta)
    epsilon = epsilon_cks20(measure, delta)
    with suppress(OutOfTimeError):
        epsilon = min(epsilon, joint_range.epsilon_at(measure.rho, delta))
    return epsilon


def epsilon_from_renyi(divergence: Interval, excess: Interval, delta: Fraction) -> Interval:
    """Return D + ln(1/(a delta)) / (a - 1) + ln(1 - 1/a) for a divergence D of order a.

    The excess is a - 1.

    Source: Canonne, Kamath and Steinke 2020, Proposition 12; Asoodeh et al. 2021.
    """
    order = ONE + excess
    log_gain = -Interval.of(delta).ln() - order.ln()
    return divergence + log_gain / excess + (excess / order).ln()


@deadline.cached(ANSWERS)
def tpr_at(measure: ZCDP, type_i: Fraction) -> Decimal:
    """Return an upper bound on the true positive rate at a false positive rate.

    At a rate of 0, the bound is 0: with finite divergences, no distribution has mass where the
    other has none.

    Source: docs/theory/conversions.md, *What zCDP says at every delta*.
    """
    if not type_i:
        return Decimal(0)
    if type_i == 1 or measure.rho > LARGEST_RHO:
        return Decimal(1)
    if not measure.rho:
        return Interval.of(type_i).high
    return joint_range.tpr_at(measure.rho, type_i)


@lru_cache(maxsize=64)
def advantage(measure: ZCDP) -> Decimal:
    """Return an upper bound on the total variation distance, attained by a randomized response.

    Source: docs/theory/conversions.md, *What zCDP says at every delta*.
    """
    if measure.rho > LARGEST_RHO:
        return Decimal(1)
    return joint_range.advantage(measure.rho) if measure.rho else Decimal(0)


def _exact_excess(log_excess: float) -> Interval:
    return Interval.of(Fraction(math.exp(log_excess)))


def _ln(value: Fraction) -> float:
    return float(Interval.of(value).ln().low)


_LARGEST_EPSILON = Fraction(10**6)
"""A larger epsilon is used as rho itself, or exp(-epsilon) is raised to that of this exponent."""
_LEAST_EPSILON = Fraction(1, 10**20)
"""For a smaller epsilon, epsilon^2/2 is rho to 20 digits, and replaces it."""
_FIRST_CELL = Fraction(1, 8)
"""Up to here, sinh(v) / v is within 0.3 % of 1, and one cell is enough."""
_CELL = 1 + Fraction(1, 64)
"""Each further cell ends at this multiple of its start: rho is too large by at most this factor."""
_SHORT = 10**6
"""The largest denominator of a cell's end, to keep its rationals short."""


def rho_of_pure_dp(epsilon: Fraction, distance: int = 1) -> Fraction:
    """Return the rho of f_{epsilon,0} composed k times: epsilon (k - 2 r (1 - r^k) / (1 - r^2)).

    With r = e^-epsilon and k steps; for one step it is epsilon tanh(epsilon / 2). The function is
    that of the discrete Laplace with scale 1/epsilon moved by k.

    Args:
        epsilon: at distance 1, at least 0.
        distance: the number of steps k, 1 or more.

    Source: docs/theory/conversions.md; Dong, Roth and Su 2022, Theorem 2.14, for f composed k
        times.
    """
    return rho_of_discrete_laplace(distance, epsilon)


@lru_cache(maxsize=64)
def rho_of_discrete_laplace(move: int, inverse_scale: Fraction) -> Fraction:
    """Return (k - 2 r (1 - r^k) / (1 - r^2)) / b for mass proportional to e^(-|x| / b), moved by k.

    Args:
        move: k, a whole number, at least 0.
        inverse_scale: 1 / b, at least 0; r = e^(-1 / b).

    Source: docs/theory/conversions.md.
    """
    epsilon = move * inverse_scale
    most = min(epsilon * epsilon / 2, epsilon)
    if not move or not _LEAST_EPSILON <= inverse_scale <= _LARGEST_EPSILON:
        return most
    share, power = (_exp_of_minus(value) for value in (inverse_scale, epsilon))
    reduction = TWO * share * (ONE - power) / (ONE - share * share)
    return _at_most(most, (Interval.of(move) - reduction) * Interval.of(inverse_scale))


def rho_of_laplace(shift: Fraction) -> Fraction:
    """Return s + e^-s - 1, the rho of Laplace noise moved by s times its scale, s at least 0.

    Source: arXiv 2510.25746; also proven in docs/theory/conversions.md.
    """
    most = min(shift * shift / 2, shift)
    if shift < _LEAST_EPSILON:
        return most
    return _at_most(most, Interval.of(shift) - (ONE - _exp_of_minus(shift)))


def rho_of_randomized_response(epsilon: Fraction, levels: int) -> Fraction:
    """Bound the rho of randomized response: epsilon (e^epsilon - 1) / (e^epsilon + k - 1).

    This is rho for k <= 2 + 4 e^(epsilon/2). For more levels, order 1 is not the worst one, and rho
    is larger: it is bounded by epsilon^2/2 times the largest sinh(v) / (v (cosh(v) + c)) over v >=
    epsilon/2, c = (k - 2) / (2 e^(epsilon/2)), and by that of two levels.

    Args:
        epsilon: the log odds of the true value to each other one, at least 0.
        levels: k, 2 or more.

    Source: docs/theory/conversions.md.
    """
    pure = rho_of_pure_dp(epsilon)
    if levels == 2 or epsilon < _LEAST_EPSILON or epsilon > _LARGEST_EPSILON:
        return pure
    root = Interval.of(epsilon / 2).exp()
    if levels - 2 <= 4 * root.low:
        growth = root * root
        share = (growth - ONE) / (growth + Interval.of(levels - 1))
        return _at_most(pure, Interval.of(epsilon) * share)
    excess = Interval.of(levels - 2) / (TWO * root)
    return min(pure, epsilon * epsilon / 2 * _steepest(epsilon / 2, excess))


def _steepest(start: Fraction, excess: Interval) -> Fraction:
    """Return an upper bound on sinh(v) / (v (cosh(v) + c)) over all v from a start on.

    Up to the first cell's end w it is at most (sinh(w) / w) / (1 + c), since sinh(v)/v rises.
    sinh(v) / (cosh(v) + c) increases from 0 to 1, so the end and the start of a cell bound it over
    the cell, and after v the quotient is at most 1 / v.
    """
    best, place = Fraction(0), start
    if start < _FIRST_CELL:
        rise, _ = _hyperbolic(_FIRST_CELL)
        best = (rise / (ONE + excess)).upper_rational / _FIRST_CELL
        place = _FIRST_CELL
    # Once 1 / place is at most the best, no larger v exceeds it.
    while best * place < 1:
        following = (place * _CELL).limit_denominator(_SHORT)
        rise, width = _hyperbolic(following)
        best = max(best, (rise / (width + excess)).upper_rational / place)
        place = following
    return best


def _hyperbolic(value: Fraction) -> tuple[Interval, Interval]:
    """Return (sinh, cosh), enclosed."""
    up, down = Interval.of(value).exp(), (-Interval.of(value)).exp()
    return (up - down) * HALF, (up + down) * HALF


def _exp_of_minus(value: Fraction) -> Interval:
    """Return e^-value, enclosed or, for a large value, as an upper bound."""
    return (-Interval.of(min(value, _LARGEST_EPSILON))).exp()


def _at_most(most: Fraction, value: Interval) -> Fraction:
    return min(most, value.upper_rational)
