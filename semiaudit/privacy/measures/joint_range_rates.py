"""The operating points of the joint range: true positive rates that rho-zCDP allows.

Gaps between the likelihood ratios of a test's two outcomes are looked for in floats, from the last
order's gap on; the least one is then raised until it is certified to exceed a divergence.
docs/theory/conversions.md, *What zCDP says at every delta*, has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction

from semiaudit import deadline
from semiaudit.numeric.intervals import ONE, Interval
from semiaudit.privacy.measures.joint_range import (
    FIRST_STEP,
    LARGE,
    LARGEST_EXPONENT,
    LARGEST_MOMENT,
    LEAST,
    STEPS,
    STRIDE,
    advantage,
)
from semiaudit.privacy.special.roots import rising_root, valley

_LEAST_GAP, _NEXT_TO_1 = 1e-16, 1 - 2.0**-53
"""Gaps below, and rates above, are put to these: they only choose places."""

_LEAST_RHO_OF_RATES = Fraction(1, 10**28)
"""The least rho for error rates: for less, the powers of the orders that decide are not
decimals.
"""

_TANGENTS, _CLOSE = 16, 2.0**-46
"""Tangents that are followed to a root at most, and the part of it that the last one moves it by:
six are the rule."""

_LOG_EXCESSES = (-7.0, 4.0)
"""Where ln(e sqrt(rho)) of the best order 1 + e is looked for."""


def tpr_at(rho: Fraction, type_i: Fraction) -> Decimal:
    """The largest true positive rate of a test of rho-zCDP at a false positive rate, from above.

    Args:
        rho: above 0.
        type_i: in (0, 1).

    Returns:
        The least p, over orders, for which the binary pair (p, type_i) exceeds the divergence of
        that order, or reaches it, in one direction; without time for it, by the total variation.
    """
    by_distance = (Interval.of(type_i) + Interval.of(advantage(rho))).high
    rho = max(rho, _LEAST_RHO_OF_RATES)
    candidates: list[_Candidate] = []
    with suppress(deadline.OutOfTimeError):
        for forward in (True, False):
            candidates += _gaps_one_way(rho, type_i, forward)
    # All rise with the gap: once the least one is certified, the others are no better.
    for gap, beyond in sorted(candidates, key=lambda candidate: candidate[0]):
        rate = _raised(gap, type_i, beyond)
        if rate < 1:
            return min(rate, by_distance)
    return min(Decimal(1), by_distance)


_Candidate = tuple[float, Callable[[Interval], bool]]
"""About the least gap that exceeds a divergence, and what certifies that a gap does."""


def _gaps_one_way(rho: Fraction, type_i: Fraction, forward: bool) -> list[_Candidate]:
    """Gaps by the divergences of one direction: of an order above 1, and of the order 1."""
    size, rate = max(float(rho), LEAST), min(max(float(type_i), LEAST), _NEXT_TO_1)
    unit = math.sqrt(size)

    def equation(place: float) -> tuple[float, float]:
        excess = math.exp(place) / unit
        return 1 + excess if forward else -excess, (1 + excess) * excess * size

    def gap_of(place: float) -> float:
        power, bound = equation(place)
        return _root(lambda gap: _cumulant(power, gap, rate) - bound, rate)

    gaps: list[float] = []

    def about(place: float) -> float:
        deadline.check()
        # The gap moves little from one order to the next.
        gap = _gap_near(*equation(place), rate, gaps[-1]) if gaps else None
        gaps.append(gap_of(place) if gap is None else gap)
        return gaps[-1]

    place = valley(about, *_LOG_EXCESSES, STEPS)
    excess = Fraction(math.exp(place) / unit)
    power = 1 + excess if forward else -excess
    bound = Interval.of(excess * (1 + excess) * rho)

    def by_order(gap: Interval) -> bool:
        return _exceeds(power, gap, type_i, bound)

    def by_divergence(gap: Interval) -> bool:
        return _diverges(forward, gap, type_i, Interval.of(rho))

    first = _root(lambda gap: _divergence(forward, gap, rate) - size, rate)
    return [(gap_of(place), by_order), (first, by_divergence)]


def _root(rising: Callable[[float], float], rate: float) -> float:
    """About the root of a rising function of ln(r_0 / r_1); too large where there is none."""
    return rising_root(rising, LARGEST_EXPONENT - 2 * math.log(rate))


def _gap_near(order: float, bound: float, rate: float, guess: float) -> float | None:
    """About the gap at which :func:`_cumulant` is a bound, by tangents; None if that takes long."""
    odds, gap = (1 - rate) / rate, guess
    for _ in range(_TANGENTS):
        moved, plain = (
            1 / (1 + odds * math.exp(min(-power * gap, LARGEST_EXPONENT / 2)))
            for power in (order, 1.0)
        )
        slope = order * (moved - plain)
        if not slope > 0:
            return None
        step = (bound - _cumulant(order, gap, rate)) / slope
        if abs(step) <= _CLOSE * gap:
            return gap + step
        gap = min(max(gap + step, gap / 4), 4 * gap)
    return None


def _grown(gap: float, rate: float) -> float:
    """ln(1 + q (e^gap - 1))."""
    if gap > LARGE:
        return math.log1p(-rate) + math.log1p(math.exp(min(gap + math.log(rate), 690)) / (1 - rate))
    return math.log1p(rate * math.expm1(gap))


def _cumulant(order: float, gap: float, rate: float) -> float:
    """ln E_Q (P/Q)^order of the binary pair with false positive rate q and r_0 / r_1 = e^gap."""
    return _grown(order * gap, rate) - order * _grown(gap, rate)


def _divergence(forward: bool, gap: float, rate: float) -> float:
    """The Kullback-Leibler divergence of the pair, or of the swapped one."""
    grown = _grown(gap, rate)
    if not forward:
        return grown - rate * gap
    return gap * math.exp(gap + math.log(rate) - grown) - grown


def _raised(gap: float, type_i: Fraction, beyond: Callable[[Interval], bool]) -> Decimal:
    """p at the least double near a gap that is certified to lie beyond, from above; 1: none is."""
    least = _least(max(gap, _LEAST_GAP), lambda gap: beyond(Interval.of(Fraction(gap))))
    if least is None:
        return Decimal(1)
    # Divergences of (p, q) rise with p: no p that is larger is allowed.
    rate = Interval.of(type_i)
    grown = rate * Interval.of(Fraction(least)).exp()
    return min((grown / (ONE - rate + grown)).high, Decimal(1))


def _least(guess: float, is_beyond: Callable[[float], bool]) -> float | None:
    """The least double from which a condition is met that is met by all that are larger.

    None if it is far from the guess.
    """
    low = high = guess
    step, limit = guess * FIRST_STEP, 2 * guess + 1
    if is_beyond(guess):
        while low > 0 and is_beyond(low):
            low, high, step = low - step, low, STRIDE * step
    else:
        while not is_beyond(high):
            low, high, step = high, high + step, STRIDE * step
            if high >= limit:
                return None
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if is_beyond(middle) else (middle, high)
    return high


def _exceeds(order: Fraction, gap: Interval, type_i: Fraction, bound: Interval) -> bool:
    power, rate = Interval.of(order), Interval.of(type_i)
    if (power * gap).high > LARGEST_MOMENT:
        return False
    moved, plain = (ONE + rate * (g.exp() - ONE) for g in (power * gap, gap))
    return (moved.ln() - power * plain.ln()).low >= bound.high


def _diverges(forward: bool, gap: Interval, type_i: Fraction, bound: Interval) -> bool:
    rate = Interval.of(type_i)
    grown = rate * gap.exp()
    plain = ONE - rate + grown
    exponent = gap * (grown / plain) - plain.ln() if forward else plain.ln() - rate * gap
    return exponent.low >= bound.high
