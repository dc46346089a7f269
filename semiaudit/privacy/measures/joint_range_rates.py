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
from semiaudit.frozen import dataclass
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
from semiaudit.privacy.special.roots import rising_root, valley_near

_LEAST_GAP, _NEXT_TO_1 = 1e-16, 1 - 2.0**-53
"""Gaps below, and rates above, are put to these: they only choose places."""

_LEAST_RHO_OF_RATES = Fraction(1, 10**28)
"""The least rho for error rates: for less, the powers of the orders that decide are not
decimals.
"""

_TANGENTS, _CLOSE = 16, 2.0**-46
"""Tangents that are followed to a root at most, and the part of it that the last one moves it by:
six are the rule."""

_CERTAIN_TANGENTS, _SETTLED = 4, 2.0**-40
"""Tangents with certain values at most, and the part of a gap by which the last one moves it, so
that the next one would move it by less than a rounding: one is the rule."""

_LOG_EXCESSES, _REACH = (-7.0, 4.0), 0.125
"""Where ln(e sqrt(rho)) of the best order 1 + e is looked for, and how far from its estimate."""


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
    least = math.inf
    for gap, divergence in sorted(candidates, key=lambda candidate: candidate[0]):
        if gap < least:
            least = min(least, _certified(gap, divergence))
    if math.isinf(least):
        return min(Decimal(1), by_distance)
    # Divergences of (p, q) rise with p: no p that is larger is allowed.
    rate = Interval.of(type_i)
    grown = rate * Interval.of(Fraction(least)).exp()
    return min((grown / (ONE - rate + grown)).high, Decimal(1), by_distance)


_Candidate = tuple[float, "_Divergence"]
"""About the least gap that exceeds a divergence, and which divergence it is."""


@dataclass(frozen=True, slots=True)
class _Divergence:
    """A divergence of (p, q) from each other, as a condition on their gap ln(r_0 / r_1).

    Attributes:
        type_i: q.
        power: of P/Q; None for the divergence of order 1.
        forward: from the first to the second.
        bound: what the divergence may not exceed.
    """

    type_i: Fraction
    power: Fraction | None
    forward: bool
    bound: Interval

    def beyond(self, gap: Interval) -> Interval | None:
        """By how much the divergence at a gap exceeds the bound; None where that is no decimal."""
        rate = Interval.of(self.type_i)
        if self.power is None:
            grown = rate * gap.exp()
            plain = ONE - rate + grown
            if self.forward:
                return gap * (grown / plain) - plain.ln() - self.bound
            return plain.ln() - rate * gap - self.bound
        power = Interval.of(self.power)
        if (power * gap).high > LARGEST_MOMENT:
            return None
        moved, plain = (ONE + rate * (g.exp() - ONE) for g in (power * gap, gap))
        return moved.ln() - power * plain.ln() - self.bound

    def slope(self, gap: float) -> float:
        """About the derivative of the divergence by the gap."""
        rate = _in_floats(self.type_i)
        moved = _moved_rate(gap, rate)
        if self.power is not None:
            power = float(self.power)
            return power * (_moved_rate(power * gap, rate) - moved)
        return gap * moved * (1 - moved) if self.forward else moved - rate


def _gaps_one_way(rho: Fraction, type_i: Fraction, forward: bool) -> list[_Candidate]:
    """Gaps by the divergences of one direction: of an order above 1, and of the order 1."""
    size, rate = max(float(rho), LEAST), _in_floats(type_i)
    unit, revealed = math.sqrt(size), -math.log(rate)
    low, high = _LOG_EXCESSES
    if forward:
        if revealed <= size:
            # The divergence of order a is at most that of p = 1: no p exceeds a rho of ln(1/q).
            return []
        # From ln(1/q) <= a rho on, an order allows p = 1.
        high = min(high, math.log((revealed / size - 1) * unit))
        guess = math.log(revealed / size - 1) + math.log(unit / (math.sqrt(revealed / size) + 1))
    else:
        guess = math.log(max(-math.log1p(-rate), LEAST)) / 2
    first = _root(lambda gap: _divergence(forward, gap, rate) - size, rate)
    of_order_1 = _Divergence(type_i, None, forward, Interval.of(rho))
    gaps = [first]

    def equation(place: float) -> tuple[float, float]:
        excess = math.exp(place) / unit
        return 1 + excess if forward else -excess, (1 + excess) * excess * size

    def about(place: float) -> float:
        deadline.check()
        power, bound = equation(place)
        # The gap moves little from one order to the next.
        gap = _gap_near(power, bound, rate, gaps[-1])
        if gap is None:
            gap = _root(lambda gap: _cumulant(power, gap, rate) - bound, rate)
        gaps.append(gap)
        return gap

    if high <= low or about(low) >= first < _limit(rate):
        # A single valley that rises from the order 1 on has its bottom there.
        return [(first, of_order_1)]
    place = valley_near(about, min(max(guess, low), high), _REACH, low, high, STEPS)
    excess = Fraction(math.exp(place) / unit)
    power = 1 + excess if forward else -excess
    of_best = _Divergence(type_i, power, forward, Interval.of(excess * (1 + excess) * rho))
    return [(about(place), of_best), (first, of_order_1)]


def _in_floats(type_i: Fraction) -> float:
    return min(max(float(type_i), LEAST), _NEXT_TO_1)


def _root(rising: Callable[[float], float], rate: float) -> float:
    """About the root of a rising function of ln(r_0 / r_1); too large where there is none."""
    return rising_root(rising, _limit(rate))


def _limit(rate: float) -> float:
    """A gap beyond it is no root."""
    return LARGEST_EXPONENT - 2 * math.log(rate)


def _gap_near(order: float, bound: float, rate: float, guess: float) -> float | None:
    """About the gap at which :func:`_cumulant` is a bound, by tangents; None if that takes long."""
    gap = guess
    for _ in range(_TANGENTS):
        slope = order * (_moved_rate(order * gap, rate) - _moved_rate(gap, rate))
        if not slope > 0:
            return None
        step = (bound - _cumulant(order, gap, rate)) / slope
        if abs(step) <= _CLOSE * gap:
            return gap + step
        gap = min(max(gap + step, gap / 4), 4 * gap)
    return None


def _moved_rate(gap: float, rate: float) -> float:
    """The p of which q is the rate that a gap leads to."""
    return 1 / (1 + (1 - rate) / rate * math.exp(min(-gap, LARGEST_EXPONENT / 2)))


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


def _certified(guess: float, divergence: _Divergence) -> float:
    """A double next to the root of a divergence at which it is certified to exceed its bound.

    By tangents with certain values, as long as they move it by more than a rounding; then it is
    raised by a rounding, and by twice as many each time that this is not enough.

    Returns:
        Infinity where the root is far from the guess.
    """
    gap = max(guess, _LEAST_GAP)
    least, limit = gap / 2, 2 * gap + 1
    for _ in range(_CERTAIN_TANGENTS):
        beyond, slope = divergence.beyond(Interval.of(Fraction(gap))), divergence.slope(gap)
        if beyond is None or not slope > 0:
            break
        step = -float(beyond.low) / slope
        gap = min(max(gap + step, least), limit)
        if abs(step) <= _SETTLED * gap:
            break
    step = gap * FIRST_STEP / 4
    while gap < limit:
        gap, step = gap + step, STRIDE * step
        beyond = divergence.beyond(Interval.of(Fraction(gap)))
        if beyond is not None and beyond.low >= 0:
            return gap
    return math.inf
