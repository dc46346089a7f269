"""Upper bounds on true positive rates under rho-zCDP: operating points of the joint range.

The search for gaps between the likelihood ratios of a test's two outcomes is in floats, and starts
at the last order's gap. The least gap is then raised until it is certified to exceed a divergence.
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
"""Smaller gaps, and larger rates, are replaced by these: they only choose places."""

_LEAST_RHO_OF_RATES = Fraction(1, 10**28)
"""The least rho for error rates: for a smaller one, the powers of the relevant orders are not
decimals."""

_TANGENTS, _CLOSE = 16, 2.0**-46
"""The most tangents to a root, and the relative move of the last one: six are typical."""

_CERTAIN_TANGENTS, _SETTLED = 4, 2.0**-40
"""The most tangents with certified values, and the relative move of a gap by the last one, so that
the next one would move it by less than a rounding: one is typical."""

_LOG_EXCESSES, _REACH = (-7.0, 4.0), 0.125
"""The range of ln(e sqrt(rho)) for the best order 1 + e in the search, and its distance from the
estimate."""


def tpr_at(rho: Fraction, type_i: Fraction) -> Decimal:
    """Bound the true positive rate of a test under rho-zCDP at a false positive rate, from above.

    Args:
        rho: above 0.
        type_i: in (0, 1).

    Returns:
        The least p, over orders, for which the binary pair (p, type_i) exceeds the divergence of
        that order, or reaches it, in one direction. If there is no time, the bound by the total
        variation distance.
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
    # Divergences of (p, q) increase with p, so no larger p is allowed.
    rate = Interval.of(type_i)
    grown = rate * Interval.of(Fraction(least)).exp()
    return min((grown / (ONE - rate + grown)).high, Decimal(1), by_distance)


_Candidate = tuple[float, "_Divergence"]
"""About the least gap that exceeds a divergence, and that divergence."""


@dataclass(frozen=True, slots=True)
class _Divergence:
    """A divergence between (p, q) and its reverse, as a condition on their gap ln(r_0 / r_1).

    Attributes:
        type_i: q.
        power: of P/Q; None for the divergence of order 1.
        forward: from the first to the second.
        bound: the upper bound on the divergence.
    """

    type_i: Fraction
    power: Fraction | None
    forward: bool
    bound: Interval

    def beyond(self, gap: Interval) -> Interval | None:
        """The excess over the bound at a gap; None if that is not a decimal."""
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
        rate = _in_floats(self.type_i)
        moved = _moved_rate(gap, rate)
        if self.power is not None:
            power = float(self.power)
            return power * (_moved_rate(power * gap, rate) - moved)
        return gap * moved * (1 - moved) if self.forward else moved - rate


def _gaps_one_way(rho: Fraction, type_i: Fraction, forward: bool) -> list[_Candidate]:
    """Return gaps by the divergences of one direction: of an order above 1, and of order 1."""
    size, rate = max(float(rho), LEAST), _in_floats(type_i)
    unit, revealed = math.sqrt(size), -math.log(rate)
    low, high = _LOG_EXCESSES
    if forward:
        if revealed <= size:
            # The divergence of order a is at most that of p = 1: no p exceeds a rho of ln(1/q).
            return []
        # If a rho >= ln(1/q), an order allows p = 1.
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
        # The gap changes little from one order to the next.
        gap = _gap_near(power, bound, rate, gaps[-1])
        if gap is None:
            gap = _root(lambda gap: _cumulant(power, gap, rate) - bound, rate)
        gaps.append(gap)
        return gap

    if high <= low or about(low) >= first < _limit(rate):
        # A single valley that increases from order 1 on has its minimum there.
        return [(first, of_order_1)]
    place = valley_near(about, min(max(guess, low), high), _REACH, low, high, STEPS)
    excess = Fraction(math.exp(place) / unit)
    power = 1 + excess if forward else -excess
    of_best = _Divergence(type_i, power, forward, Interval.of(excess * (1 + excess) * rho))
    return [(about(place), of_best), (first, of_order_1)]


def _in_floats(type_i: Fraction) -> float:
    return min(max(float(type_i), LEAST), _NEXT_TO_1)


def _root(rising: Callable[[float], float], rate: float) -> float:
    """Estimate the root of an increasing function of ln(r_0 / r_1); too large if there is none."""
    return rising_root(rising, _limit(rate))


def _limit(rate: float) -> float:
    """Return an upper bound on the gaps that can be a root."""
    return LARGEST_EXPONENT - 2 * math.log(rate)


def _gap_near(order: float, bound: float, rate: float, guess: float) -> float | None:
    """Estimate the gap at which :func:`_cumulant` is a bound; None if that takes long."""
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
    return 1 / (1 + (1 - rate) / rate * math.exp(min(-gap, LARGEST_EXPONENT / 2)))


def _grown(gap: float, rate: float) -> float:
    """Return ln(1 + q (e^gap - 1))."""
    if gap > LARGE:
        return math.log1p(-rate) + math.log1p(math.exp(min(gap + math.log(rate), 690)) / (1 - rate))
    return math.log1p(rate * math.expm1(gap))


def _cumulant(order: float, gap: float, rate: float) -> float:
    """Return ln E_Q (P/Q)^order of the binary pair with rate q and gap ln(r_0 / r_1)."""
    return _grown(order * gap, rate) - order * _grown(gap, rate)


def _divergence(forward: bool, gap: float, rate: float) -> float:
    grown = _grown(gap, rate)
    if not forward:
        return grown - rate * gap
    return gap * math.exp(gap + math.log(rate) - grown) - grown


def _certified(guess: float, divergence: _Divergence) -> float:
    """Return a double near the root of a divergence at which it certainly exceeds its bound.

    Tangents with certified values move it while the moves exceed a rounding; then it is raised by a
    rounding, and by twice as much after each failure.

    Returns:
        Infinity if the root is far from the guess.
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
