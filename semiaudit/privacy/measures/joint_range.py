"""The tightest bounds on tests under rho-zCDP: from all Renyi orders, in both directions.

A test turns two output distributions into a pair of binary distributions, with true and false
positive rates (p, q), which is rho-zCDP again (data processing). So the best bounds are those over
binary pairs, and some rho-zCDP mechanism attains them. docs/theory/conversions.md, *What zCDP says
at every delta*, has the proofs.

Orders and places are chosen in floats; only the chosen bound is evaluated with certainty: a poor
choice is loose, never wrong.
Source: Asoodeh, Liao, Calmon, Kosut and Sankar 2021 (one order, one direction: the joint range).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.numeric.intervals import ONE, TWO, Interval
from semiaudit.privacy.special.roots import rising_root, valley, valley_near

LEAST = 1e-290
"""Smaller floats are replaced by this one: they are only used to choose places."""

_LEAST_RHO = Fraction(1, 10**60)
"""Replaces a smaller rho, which implies it, in the computation of epsilon."""

FIRST_STEP, STRIDE = 2.0**-51, 2
"""A root in floats is raised by this part, and by this multiple of it after each failure."""

_HALVINGS = 60
"""The bisection steps for an interval around a root, to the precision of doubles."""

_LOG_FALLS = (-60.0, -1e-6)
"""The range of ln(1 - r_1) in the search."""

STEPS = 16
"""The steps of these scans: each bound has a single valley there, several steps wide."""

_REACH = 0.5
"""About the change of ln(1 - r_1) from one order to the next."""

_LOG_EXCESSES_OF_MANY = (-7.0, 10.0)
"""The logarithms of excesses that are tried if losses can be bounded: then large orders decide."""

LARGEST_EXPONENT = 700.0
"""The exponential of a much larger number is not a double."""

LARGEST_MOMENT = 10**5
"""The exponential of a much larger number is not a decimal; no order gives a bound then."""

LARGE = 30.0
"""For larger x, exp(x) - 1 is exp(x) to 13 digits."""


def advantage(rho: Fraction) -> Decimal:
    """Return the largest total variation distance of rho-zCDP: tanh(e/2) with e tanh(e/2) = rho.

    Randomized response with that e attains it.

    Args:
        rho: above 0.

    Rounding: up; e is raised until its rho is certified to be at least this one.
    """
    return (ONE - TWO / (ONE + _response(rho).exp())).high


def epsilon_at(rho: Fraction, delta: Fraction) -> Decimal:
    """Return an upper bound on the smallest epsilon at which rho-zCDP implies (epsilon, delta)-DP.

    Args:
        rho: above 0.
        delta: in (0, 1).

    Rounding: up. Raises OutOfTimeError, as :func:`best_epsilon` does.
    """
    deadline.check()
    rho = max(rho, _LEAST_RHO)
    touching = _response(rho)
    flat = _flat(touching, delta)
    if flat is not None:
        return max(flat, Decimal(0))
    size, log_delta = max(float(rho), LEAST), -_minus_log(delta)

    def first(log_fall: float) -> float:
        return _log_slope(size, 0.0, log_fall, log_delta)

    log_fall = valley(first, *_LOG_FALLS, STEPS)
    best = Decimal("Infinity")
    if first(log_fall) < LARGEST_EXPONENT:
        best = _epsilon_of_divergence(rho, _ratio_of(log_fall), delta)

    def moment(excess: Fraction) -> Interval:
        return Interval.of(excess) * Interval.of((1 + excess) * rho)

    return min(best, best_epsilon(moment, size, delta, about=lambda e: e * (1 + e) * size))


def best_epsilon(
    log_moment: Callable[[Fraction], Interval],
    size: float,
    delta: Fraction,
    kept: Interval = ONE,
    about: Callable[[float], float] | None = None,
) -> Decimal:
    """Return an upper bound, at least 0, on the least epsilon over orders 1 + e at a delta.

    Args:
        log_moment: as a function of e above 0: ln E_Q (P/Q)^(1 + e) over the outcomes of Q.
        size: about the rho of the pairs; orders around 1/sqrt(size) are searched.
        delta: in (0, 1), without the revealed mass.
        kept: the mass under P that is not revealed.
        about: log_moment in floats, if it is known.
    """
    size, log_delta = max(size, LEAST), -_minus_log(delta)
    revealed = float((ONE - kept).high)
    best_falls: list[float] = []

    def slope_at(place: float) -> Callable[[float], float]:
        deadline.check()
        excess = math.exp(place) / math.sqrt(size)
        moment = about(excess) if about else float(log_moment(Fraction(excess)).high)
        return lambda log_fall: _log_slope(moment, excess, log_fall, log_delta, revealed)

    def at(place: float) -> float:
        slope = slope_at(place)
        if best_falls:
            # The best r_1 changes little from one order to the next.
            fall = valley_near(slope, best_falls[-1], _REACH, *_LOG_FALLS, STEPS)
        else:
            fall = valley(slope, *_LOG_FALLS, STEPS)
        best_falls.append(fall)
        return slope(fall)

    # Every order and every r_1 give an upper bound, so the searches can use floats: an error in
    # them only makes the bound looser. The moment at the chosen order is then enclosed.
    place = valley(at, *_LOG_EXCESSES_OF_MANY, STEPS)
    log_fall = valley(slope_at(place), *_LOG_FALLS, STEPS)
    excess = Fraction(math.exp(place) / math.sqrt(size))
    logarithm = log_moment(excess)
    steepest = (logarithm.upper_rational - Fraction(log_delta)) * (1 + excess) / excess
    if max(logarithm.upper_rational, steepest) > LARGEST_MOMENT:
        # Infinity is an upper bound, whatever the moment is.
        return Decimal("Infinity")
    ratio, moment_at_best = _ratio_of(log_fall), logarithm.exp()
    return max(epsilon_of_moment(moment_at_best, excess, ratio, delta, kept).high, Decimal(0))


def epsilon_of_moment(
    moment: Interval, excess: Fraction, ratio: Fraction, delta: Fraction, kept: Interval = ONE
) -> Interval:
    """Return epsilon at a delta of all pairs with E_Q (P/Q)^a at most this moment, a = 1 + excess.

    Args:
        moment: exp((a - 1) D_a) if nothing is revealed.
        excess: above 0.
        ratio: r_1 in (0, 1), at which the line touches below; any value is valid.
        delta: in (0, 1), without the revealed mass.
        kept: the mass under P that is not revealed; the mean of P/Q under Q.

    Returns:
        ln((e / a) (r_0^a - r_1^a) / (r_0^e - r_1^e)), where r_0^e - r_1^e is
        (moment - a r_1^e kept + e r_1^a) / (a delta). With r_1 = 0 it is Proposition 12 of Canonne,
        Kamath and Steinke 2020.
    """
    share, order = Interval.of(excess), Interval.of(1 + excess)
    low = (share * Interval.of(ratio).ln()).exp()
    bottom = low * Interval.of(ratio)
    width = (moment - order * low * kept + share * bottom) / (order * Interval.of(delta))
    high = ((order / share) * (width + low).ln()).exp()
    return (share / order * ((high - bottom) / width)).ln()


@lru_cache(maxsize=64)
def _response(rho: Fraction) -> Interval:
    size = max(float(rho), LEAST)
    low, high = 0.0, size + 2 * math.sqrt(size)
    for _ in range(_HALVINGS + 4):
        middle = (low + high) / 2
        low, high = (middle, high) if middle * math.tanh(middle / 2) < size else (low, middle)
    step = high * FIRST_STEP
    while True:
        epsilon = Interval.of(Fraction(high))
        mean_loss = epsilon * (ONE - TWO / (ONE + epsilon.exp()))
        # The rho of randomized response increases with epsilon: this one is certified large enough.
        if mean_loss.low >= Interval.of(rho).high:
            return epsilon
        high, step = high + step, STRIDE * step


def _flat(touching: Interval, delta: Fraction) -> Decimal | None:
    """Return ln((p - delta) / q) if randomized response is the worst pair.

    None for larger epsilons.

    This holds up to ln(sinh(e) / e); for larger epsilons, a line through its corner is not a bound.
    """
    growth = touching.exp()
    first, second = growth / (ONE + growth), ONE / (ONE + growth)
    rest = (first - Interval.of(delta)) / second
    if rest.high <= 1:
        return Decimal(0)
    reach = (growth - ONE / growth) / (TWO * touching)
    return rest.ln().high if rest.high <= reach.low else None


def _epsilon_of_divergence(rho: Fraction, ratio: Fraction, delta: Fraction) -> Decimal:
    """Bound the limit of :func:`epsilon_of_moment` for order 1, ln(r_1 (e^w - 1) / w), from above.

    w = (rho - ln r_1 - 1 + r_1) / delta. Infinite if w is too large to be informative: if rho is
    lost in rounding, a place can look good in floats and be far off.
    """
    low = Interval.of(ratio)
    width = (Interval.of(rho - 1 + ratio) - low.ln()) / Interval.of(delta)
    if width.high > LARGEST_MOMENT:
        return Decimal("Infinity")
    return (low.ln() + ((width.exp() - ONE) / width).ln()).high


def _ratio_of(log_fall: float) -> Fraction:
    """Return r_1."""
    return 1 - Fraction(math.exp(log_fall))


def _log_slope(
    size: float, excess: float, log_fall: float, log_delta: float, revealed: float = 0.0
) -> float:
    """Return epsilon of :func:`epsilon_of_moment`, or of its limit, in floats.

    Args:
        size: the logarithm of the moment; the divergence where the excess is 0.
        revealed: the mass on outcomes that occur under one distribution only.
    """
    fall = math.exp(log_fall)
    log_low = math.log1p(-fall)
    order = 1 + excess
    if not excess:
        log_width = math.log(max(size - log_low - fall, LEAST)) - log_delta
        width = math.exp(min(log_width, LARGEST_EXPONENT))
        return log_low + width + math.log(-math.expm1(-width) / width)
    drop = math.expm1(excess * log_low)
    remainder = max(-drop - excess * fall * (1 + drop), 0.0) + revealed * order * (1 + drop)
    if size < LARGE:
        log_top = math.log(max(math.expm1(size) + remainder, LEAST))
    else:
        log_top = size + math.log1p((remainder - 1) * math.exp(-min(size, LARGEST_EXPONENT)))
    # r_0^e is r_1^e (1 + exp(steep)).
    steep = log_top - math.log(order) - log_delta - excess * log_low
    width = (steep if steep > LARGE else math.log1p(math.exp(steep))) / excess
    spread = excess / order * math.expm1(-order * width) / math.expm1(-excess * width)
    return log_low + width + math.log(spread)


def _minus_log(value: Fraction) -> float:
    return float(-Interval.of(value).ln().low)


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

_LOG_EXCESSES, _REACH_OF_EXCESS = (-7.0, 4.0), 0.125
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
        moved_sum, plain = (ONE + rate * (g.exp() - ONE) for g in (power * gap, gap))
        return moved_sum.ln() - power * plain.ln() - self.bound

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
    place = valley_near(about, min(max(guess, low), high), _REACH_OF_EXCESS, low, high, STEPS)
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
