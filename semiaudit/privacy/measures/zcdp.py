"""From rho-zCDP to (epsilon, delta), and to the operating points of an attack.

Every order above 1 and every epsilon gives a valid bound, so orders are chosen in floats and only
the chosen bound is evaluated with certainty: a poor choice is loose, never wrong.
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
from semiaudit.numeric.intervals import ONE, TWO, ZERO, Interval
from semiaudit.privacy.measures import joint_range, joint_range_rates
from semiaudit.privacy.special.roots import valley

LARGEST_RHO = 5_000
"""Beyond it an attack's operating points are reported as trivial: nothing is left to bound."""

_LEAST = 1e-290
"""Floats below it are raised to it: they only choose orders."""
_AROUND = 12
"""How far from its estimate ln(a - 1) of an epsilon's best order a is looked for."""
_LEAST_LOGARITHM = 1e-9
"""Stands for ln(1/delta) next to 0, of which there is no logarithm."""


def epsilon_bs16(measure: ZCDP, delta: Fraction) -> Decimal:
    """epsilon = rho + 2 sqrt(rho ln(1/delta)), rounded up.

    Source: Bun and Steinke 2016, Proposition 1.3 (Cho and Awan, Lemma 40).
    """
    rho = Interval.of(measure.rho)
    return (rho + TWO * (rho * -Interval.of(delta).ln()).sqrt()).high


@lru_cache(maxsize=ANSWERS)
def epsilon_cks20(measure: ZCDP, delta: Fraction) -> Decimal:
    """The least over orders a > 1 of a rho + ln(1/(a delta))/(a-1) + ln(1-1/a), rounded up.

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
    """The smallest epsilon that rho-zCDP implies at a delta in (0, 1), rounded up.

    That of cks20 where there is no time to look for a smaller one.

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
    """D + ln(1/(a delta)) / (a - 1) + ln(1 - 1/a) for a divergence D of order a = 1 + excess.

    Source: Canonne, Kamath and Steinke 2020, Proposition 12; Asoodeh et al. 2021.
    """
    order = ONE + excess
    log_gain = -Interval.of(delta).ln() - order.ln()
    return divergence + log_gain / excess + (excess / order).ln()


@deadline.cached(ANSWERS)
def tpr_at(measure: ZCDP, type_i: Fraction) -> Decimal:
    """The largest true positive rate at a false positive rate, from above.

    At 0 there is none: finite divergences leave nothing of one distribution where the other has
    none.

    Source: docs/theory/conversions.md, *What zCDP says at every delta*.
    """
    if not type_i:
        return Decimal(0)
    if type_i == 1 or measure.rho > LARGEST_RHO:
        return Decimal(1)
    if not measure.rho:
        return Interval.of(type_i).high
    return joint_range_rates.tpr_at(measure.rho, type_i)


@lru_cache(maxsize=64)
def advantage(measure: ZCDP) -> Decimal:
    """The largest total variation distance, from above: that of a randomized response.

    Source: docs/theory/conversions.md, *What zCDP says at every delta*.
    """
    if measure.rho > LARGEST_RHO:
        return Decimal(1)
    return joint_range.advantage(measure.rho) if measure.rho else Decimal(0)


def delta_from_renyi(divergence: Interval, excess: Interval, epsilon: Interval) -> Interval:
    """exp((a-1)(D - epsilon)) (1 - 1/a)^a / (a-1) for a divergence D of order a, at most 1.

    Source: Canonne, Kamath and Steinke 2020, Proposition 12 (the same bound, for delta).
    """
    order = ONE + excess
    exponent = excess * (divergence - epsilon)
    log_delta = exponent - excess.ln() + order * (excess / order).ln()
    if log_delta.high >= 0:
        return Interval.hull(ZERO, ONE)
    return log_delta.exp().clip(0, 1)


def _exact_excess(log_excess: float) -> Interval:
    return Interval.of(Fraction(math.exp(log_excess)))


def _ln(value: Fraction) -> float:
    return float(Interval.of(value).ln().low)
