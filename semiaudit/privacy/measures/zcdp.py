"""From rho-zCDP to (epsilon, delta), and to the operating points of an attack.

Every order above 1 and every epsilon gives a valid bound, so orders are chosen in floats and only
the chosen bound is evaluated with certainty: a poor choice is loose, never wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from semiaudit.model.measure import ZCDP
from semiaudit.numeric import ONE, TWO, ZERO, Interval

LARGEST_RHO = 5_000
"""Beyond it an attack's operating points are reported as trivial: nothing is left to bound."""

_LEAST = 1e-290
"""Floats below it are raised to it: they only choose orders."""
_GOLDEN = (math.sqrt(5) - 1) / 2
"""The part of an interval that a golden section keeps."""
_SCANNED = 48
"""Intervals of the scan that finds the valley of a minimum before golden sections narrow it."""
_SECTIONS = 40
"""They leave 4e-9 of a grid step; next to a minimum no double changes by so little."""
_LOG_EXCESSES = (-14.0, 12.0)
"""Where ln(a - 1) of an operating point's best order a is looked for."""
_AROUND = 12
"""How far from its estimate ln(a - 1) of an epsilon's best order a is looked for."""
_LEAST_LOGARITHM = 1e-9
"""Stands for ln(1/delta) next to 0, of which there is no logarithm."""
_LARGEST_EXPONENT = 700.0
"""The exponential of a much larger number is no double."""
_NEXT_TO_ONE = 1 - 2**-50
"""The largest rate whose complement is still a double with some digits."""


def epsilon_bs16(measure: ZCDP, delta: Fraction) -> Decimal:
    """epsilon = rho + 2 sqrt(rho ln(1/delta)), rounded up.

    Source: Bun and Steinke 2016, Proposition 1.3 (Cho and Awan, Lemma 40).
    """
    rho = Interval.of(measure.rho)
    return (rho + TWO * (rho * -Interval.of(delta).ln()).sqrt()).high


@lru_cache(maxsize=256)
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
    excess = _exact_excess(_minimise(at, centre - _AROUND, centre + _AROUND))
    value = epsilon_from_renyi((ONE + excess) * Interval.of(measure.rho), excess, delta)
    return max(value.high, Decimal(0))


def epsilon_from_renyi(divergence: Interval, excess: Interval, delta: Fraction) -> Interval:
    """D + ln(1/(a delta)) / (a - 1) + ln(1 - 1/a) for a divergence D of order a = 1 + excess.

    Source: Canonne, Kamath and Steinke 2020, Proposition 12; Asoodeh et al. 2021.
    """
    order = ONE + excess
    log_gain = -Interval.of(delta).ln() - order.ln()
    return divergence + log_gain / excess + (excess / order).ln()


@lru_cache(maxsize=256)
def tpr_at(measure: ZCDP, type_i: Fraction) -> Decimal:
    """The largest true positive rate at a false positive rate, from above.

    An attack on an (epsilon, delta)-DP mechanism has at most delta + exp(epsilon) type_i and at
    most 1 - exp(-epsilon) (1 - delta - type_i); each pair on the envelope of :func:`delta_cks20`
    bounds it. For a fixed order the best epsilon is known in closed form.
    """
    if type_i in (0, 1) or measure.rho > LARGEST_RHO:
        return Decimal(1)
    if not measure.rho:
        return Interval.of(type_i).high
    rho = max(float(measure.rho), _LEAST)
    rate = min(max(float(type_i), _LEAST), _NEXT_TO_ONE)

    def near_zero(log_excess: float) -> float:
        excess = math.exp(log_excess)
        return max((_log_constant(excess, rho) + log_excess - math.log(rate)) / (1 + excess), 0.0)

    def near_one(log_excess: float) -> float:
        excess = math.exp(log_excess)
        gain = _log_constant(excess, rho) + math.log1p(excess) - math.log1p(-rate)
        return max(gain / excess, 0.0)

    def from_zero(log_excess: float) -> float:
        epsilon, excess = near_zero(log_excess), math.exp(log_excess)
        delta = _exp(_log_constant(excess, rho) - excess * epsilon)
        return delta + _exp(epsilon) * rate

    def from_one(log_excess: float) -> float:
        epsilon, excess = near_one(log_excess), math.exp(log_excess)
        delta = _exp(_log_constant(excess, rho) - excess * epsilon)
        return 1 - _exp(-epsilon) * (1 - delta - rate)

    best = Decimal(1)
    for objective, epsilon_of in ((from_zero, near_zero), (from_one, near_one)):
        chosen = _minimise(objective, *_LOG_EXCESSES)
        epsilon = Interval.of(Fraction(epsilon_of(chosen)))
        delta = delta_cks20(measure, epsilon, _exact_excess(chosen))
        linear = delta + epsilon.exp() * Interval.of(type_i)
        mirrored = ONE - (-epsilon).exp() * (ONE - delta - Interval.of(type_i))
        best = min(best, linear.high, mirrored.high)
    return best


@lru_cache(maxsize=64)
def advantage(measure: ZCDP) -> Decimal:
    """The total variation distance, from above: the least (exp(e) - 1 + 2 delta)/(exp(e) + 1)."""
    if measure.rho > LARGEST_RHO:
        return Decimal(1)
    if not measure.rho:
        return Decimal(0)
    rho = max(float(measure.rho), _LEAST)

    def epsilon_of(excess: float) -> float:
        """The epsilon at which an order is the best one: there delta's derivative by it is 0."""
        return max((1 + 2 * excess) * rho + math.log(excess / (1 + excess)), 0.0)

    def at(log_excess: float) -> float:
        excess = math.exp(log_excess)
        epsilon = epsilon_of(excess)
        delta = min(_exp(_log_constant(excess, rho) - excess * epsilon), 1.0)
        return math.tanh(epsilon / 2) + 2 * delta / (_exp(epsilon) + 1)

    chosen = _minimise(at, *_LOG_EXCESSES)
    epsilon = Interval.of(Fraction(epsilon_of(math.exp(chosen))))
    delta = delta_cks20(measure, epsilon, _exact_excess(chosen))
    scale = epsilon.exp()
    return min(((scale - ONE + TWO * delta) / (scale + ONE)).high, Decimal(1))


def delta_cks20(measure: ZCDP, epsilon: Interval, excess: Interval) -> Interval:
    """exp((a-1)(a rho - epsilon)) (1 - 1/a)^a / (a-1) at the order a = 1 + excess, at most 1.

    Source: Canonne, Kamath and Steinke 2020, Proposition 12 (the same bound, for delta).
    """
    return delta_from_renyi((ONE + excess) * Interval.of(measure.rho), excess, epsilon)


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


def _log_constant(excess: float, rho: float) -> float:
    """ln of delta at epsilon 0, in floats."""
    order = 1 + excess
    return excess * order * rho - math.log(excess) + order * math.log(excess / order)


def _exact_excess(log_excess: float) -> Interval:
    return Interval.of(Fraction(math.exp(log_excess)))


def _exp(value: float) -> float:
    return math.exp(min(value, _LARGEST_EXPONENT))


def _ln(value: Fraction) -> float:
    return float(Interval.of(value).ln().low)


def _minimise(function: Callable[[float], float], low: float, high: float) -> float:
    """A point near a minimum: a coarse scan, then golden sections. Not certified, nor need it."""
    steps = _SCANNED
    grid = [low + (high - low) * i / steps for i in range(steps + 1)]
    best = min(range(steps + 1), key=lambda i: function(grid[i]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, steps)]
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(_SECTIONS):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = function(right)
    return (low + high) / 2
