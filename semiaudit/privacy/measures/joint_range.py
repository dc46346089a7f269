"""What rho-zCDP says of tests, at its best: from all Renyi orders, in both directions.

A test makes of two outputs a pair of binary distributions, true and false positive rates (p, q),
that is rho-zCDP again (data processing). So the best bounds are those over binary pairs, and some
rho-zCDP mechanism attains them. docs/theory/conversions.md, *What zCDP says at every delta*, has
the proofs.

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
from semiaudit.numeric.intervals import ONE, TWO, Interval
from semiaudit.privacy.special.roots import rising_root, valley, valley_near

_LEAST, _LEAST_GAP, _NEXT_TO_1 = 1e-290, 1e-16, 1 - 2.0**-53
"""Floats and gaps below, and rates above, are put to these: they only choose places."""

_LEAST_RHO = Fraction(1, 10**60)
"""Stands for a smaller rho, which implies it, where epsilon is asked for."""

_LEAST_RHO_OF_RATES = Fraction(1, 10**28)
"""The same where a rate is: the powers of the orders that decide for less are no decimals."""

_FIRST_STEP, _STRIDE = 2.0**-46, 4
"""A root in floats is raised by this part, and by so many times more each time that fails."""

_TANGENTS, _CLOSE = 16, 2.0**-46
"""Tangents that are followed to a root at most, and the part of it that the last one moves it by:
six are the rule."""

_HALVINGS = 60
"""They tell a root as well as doubles do."""

_LOG_FALLS = (-60.0, -1e-6)
"""Where ln(1 - r_1) is looked for."""

_STEPS = 16
"""Of these scans: each bound has a single valley there, several of them wide."""

_REACH = 0.5
"""How far ln(1 - r_1) moves from one order to the next, about."""

_LOG_EXCESSES = (-7.0, 4.0)
"""Where ln(e sqrt(rho)) of the best order 1 + e is looked for."""

_LOG_EXCESSES_OF_MANY = (-7.0, 10.0)
"""The same where losses may be bounded: then large orders decide."""

_LARGEST_EXPONENT = 700.0
"""The exponential of a much larger number is no double."""

_LARGEST_MOMENT = 10**5
"""The exponential of a much larger number is no decimal; no order says anything then."""

_LARGE = 30.0
"""From here on exp(x) - 1 is exp(x) to 13 digits."""


def advantage(rho: Fraction) -> Decimal:
    """The largest total variation distance of rho-zCDP: tanh(e/2) with e tanh(e/2) = rho.

    Randomised response with that e attains it.

    Args:
        rho: above 0.

    Rounding: up; e is raised until its rho is certified to be at least this one.
    """
    return (ONE - TWO / (ONE + _response(rho).exp())).high


def epsilon_at(rho: Fraction, delta: Fraction) -> Decimal:
    """The smallest epsilon at which every rho-zCDP mechanism is (epsilon, delta)-DP, from above.

    Args:
        rho: above 0.
        delta: in (0, 1).

    Rounding: up. Raises OutOfTimeError, as the next one.
    """
    deadline.check()
    rho = max(rho, _LEAST_RHO)
    touching = _response(rho)
    flat = _flat(touching, delta)
    if flat is not None:
        return max(flat, Decimal(0))
    size, log_delta = max(float(rho), _LEAST), -_minus_log(delta)

    def first(log_fall: float) -> float:
        return _log_slope(size, 0.0, log_fall, log_delta)

    log_fall = valley(first, *_LOG_FALLS, _STEPS)
    best = Decimal("Infinity")
    if first(log_fall) < _LARGEST_EXPONENT:
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
    """The least epsilon over orders 1 + e at a delta, from above, and at least 0.

    Args:
        log_moment: of e above 0: ln E_Q (P/Q)^(1 + e) over what Q has.
        size: about the rho of the pairs: around 1/sqrt(size) orders are looked for.
        delta: in (0, 1), without what is told outright.
        kept: the mass under P of what is not told outright.
        about: log_moment in floats, if it is known.
    """
    size, log_delta = max(size, _LEAST), -_minus_log(delta)
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
            # The best r_1 moves little from one order to the next.
            fall = valley_near(slope, best_falls[-1], _REACH, *_LOG_FALLS, _STEPS)
        else:
            fall = valley(slope, *_LOG_FALLS, _STEPS)
        best_falls.append(fall)
        return slope(fall)

    place = valley(at, *_LOG_EXCESSES_OF_MANY, _STEPS)
    log_fall = valley(slope_at(place), *_LOG_FALLS, _STEPS)
    excess = Fraction(math.exp(place) / math.sqrt(size))
    logarithm = log_moment(excess)
    steepest = (logarithm.upper_rational - Fraction(log_delta)) * (1 + excess) / excess
    if max(logarithm.upper_rational, steepest) > _LARGEST_MOMENT:
        return Decimal("Infinity")
    ratio, moment_at_best = _ratio_of(log_fall), logarithm.exp()
    return max(epsilon_of_moment(moment_at_best, excess, ratio, delta, kept).high, Decimal(0))


def epsilon_of_moment(
    moment: Interval, excess: Fraction, ratio: Fraction, delta: Fraction, kept: Interval = ONE
) -> Interval:
    """epsilon at a delta of all pairs with E_Q (P/Q)^a at most this moment, a = 1 + excess.

    Args:
        moment: exp((a - 1) D_a) where nothing is told outright.
        excess: above 0.
        ratio: r_1 in (0, 1), where the line touches below; any is valid.
        delta: in (0, 1), without what is told outright.
        kept: the mass under P of what is not told outright; the mean of P/Q under Q.

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
    size, rate = max(float(rho), _LEAST), min(max(float(type_i), _LEAST), _NEXT_TO_1)
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

    place = valley(about, *_LOG_EXCESSES, _STEPS)
    excess = Fraction(math.exp(place) / unit)
    power = 1 + excess if forward else -excess
    bound = Interval.of(excess * (1 + excess) * rho)

    def by_order(gap: Interval) -> bool:
        return _exceeds(power, gap, type_i, bound)

    def by_divergence(gap: Interval) -> bool:
        return _diverges(forward, gap, type_i, Interval.of(rho))

    first = _root(lambda gap: _divergence(forward, gap, rate) - size, rate)
    return [(gap_of(place), by_order), (first, by_divergence)]


@lru_cache(maxsize=64)
def _response(rho: Fraction) -> Interval:
    """An epsilon whose randomised response has a rho of at least this one, and hardly more."""
    size = max(float(rho), _LEAST)
    low, high = 0.0, size + 2 * math.sqrt(size)
    for _ in range(_HALVINGS + 4):
        middle = (low + high) / 2
        low, high = (middle, high) if middle * math.tanh(middle / 2) < size else (low, middle)
    step = high * _FIRST_STEP
    while True:
        epsilon = Interval.of(Fraction(high))
        reached = epsilon * (ONE - TWO / (ONE + epsilon.exp()))
        # The rho of randomised response rises with epsilon: this one is certified large enough.
        if reached.low >= Interval.of(rho).high:
            return epsilon
        high, step = high + step, _STRIDE * step


def _flat(touching: Interval, delta: Fraction) -> Decimal | None:
    """ln((p - delta) / q), where randomised response is the worst; None beyond it.

    That is up to ln(sinh(e) / e), from where on a line through its corner is no bound.
    """
    growth = touching.exp()
    first, second = growth / (ONE + growth), ONE / (ONE + growth)
    rest = (first - Interval.of(delta)) / second
    if rest.high <= 1:
        return Decimal(0)
    reach = (growth - ONE / growth) / (TWO * touching)
    return rest.ln().high if rest.high <= reach.low else None


def _epsilon_of_divergence(rho: Fraction, ratio: Fraction, delta: Fraction) -> Decimal:
    """The limit of :func:`epsilon_of_moment` for the order 1: ln(r_1 (e^w - 1) / w), from above.

    w = (rho - ln r_1 - 1 + r_1) / delta. Infinite where w is so large that it says nothing: where
    rho is lost in rounding, a place may look good in floats and be far off.
    """
    low = Interval.of(ratio)
    width = (Interval.of(rho - 1 + ratio) - low.ln()) / Interval.of(delta)
    if width.high > _LARGEST_MOMENT:
        return Decimal("Infinity")
    return (low.ln() + ((width.exp() - ONE) / width).ln()).high


def _ratio_of(log_fall: float) -> Fraction:
    """r_1."""
    return 1 - Fraction(math.exp(log_fall))


def _log_slope(
    size: float, excess: float, log_fall: float, log_delta: float, revealed: float = 0.0
) -> float:
    """epsilon of :func:`epsilon_of_moment`, or of its limit, in floats.

    Args:
        size: the logarithm of the moment; the divergence where the excess is 0.
        revealed: the mass that is told outright.
    """
    fall = math.exp(log_fall)
    log_low = math.log1p(-fall)
    order = 1 + excess
    if not excess:
        log_width = math.log(max(size - log_low - fall, _LEAST)) - log_delta
        width = math.exp(min(log_width, _LARGEST_EXPONENT))
        return log_low + width + math.log(-math.expm1(-width) / width)
    lost = math.expm1(excess * log_low)
    rest = max(-lost - excess * fall * (1 + lost), 0.0) + revealed * order * (1 + lost)
    if size < _LARGE:
        log_top = math.log(max(math.expm1(size) + rest, _LEAST))
    else:
        log_top = size + math.log1p((rest - 1) * math.exp(-min(size, _LARGEST_EXPONENT)))
    # r_0^e is r_1^e (1 + exp(steep)).
    steep = log_top - math.log(order) - log_delta - excess * log_low
    width = (steep if steep > _LARGE else math.log1p(math.exp(steep))) / excess
    spread = excess / order * math.expm1(-order * width) / math.expm1(-excess * width)
    return log_low + width + math.log(spread)


def _root(rising: Callable[[float], float], rate: float) -> float:
    """About the root of a rising function of ln(r_0 / r_1); too large where there is none."""
    return rising_root(rising, _LARGEST_EXPONENT - 2 * math.log(rate))


def _grown(gap: float, rate: float) -> float:
    """ln(1 + q (e^gap - 1))."""
    if gap > _LARGE:
        return math.log1p(-rate) + math.log1p(math.exp(min(gap + math.log(rate), 690)) / (1 - rate))
    return math.log1p(rate * math.expm1(gap))


def _cumulant(order: float, gap: float, rate: float) -> float:
    """ln E_Q (P/Q)^order of the binary pair with false positive rate q and r_0 / r_1 = e^gap."""
    return _grown(order * gap, rate) - order * _grown(gap, rate)


def _gap_near(order: float, bound: float, rate: float, guess: float) -> float | None:
    """About the gap at which :func:`_cumulant` is a bound, by tangents; None if that takes long."""
    odds, gap = (1 - rate) / rate, guess
    for _ in range(_TANGENTS):
        moved, plain = (
            1 / (1 + odds * math.exp(min(-power * gap, _LARGEST_EXPONENT / 2)))
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


def _divergence(forward: bool, gap: float, rate: float) -> float:
    """The Kullback-Leibler divergence of the pair, or of the swapped one."""
    grown = _grown(gap, rate)
    if not forward:
        return grown - rate * gap
    return gap * math.exp(gap + math.log(rate) - grown) - grown


def _raised(gap: float, type_i: Fraction, beyond: Callable[[Interval], bool]) -> Decimal:
    """p at a gap that is certified to lie beyond, from above; 1 where none was found."""
    gap = max(gap, _LEAST_GAP)
    step, limit = gap * _FIRST_STEP, 2 * gap + 1
    while gap < limit:
        raised = Interval.of(Fraction(gap))
        # Divergences of (p, q) rise with p: no p that is larger is allowed.
        if beyond(raised):
            rate = Interval.of(type_i)
            grown = rate * raised.exp()
            return min((grown / (ONE - rate + grown)).high, Decimal(1))
        gap, step = gap + step, _STRIDE * step
    return Decimal(1)


def _exceeds(order: Fraction, gap: Interval, type_i: Fraction, bound: Interval) -> bool:
    power, rate = Interval.of(order), Interval.of(type_i)
    if (power * gap).high > _LARGEST_MOMENT:
        return False
    moved, plain = (ONE + rate * (g.exp() - ONE) for g in (power * gap, gap))
    return (moved.ln() - power * plain.ln()).low >= bound.high


def _diverges(forward: bool, gap: Interval, type_i: Fraction, bound: Interval) -> bool:
    rate = Interval.of(type_i)
    grown = rate * gap.exp()
    plain = ONE - rate + grown
    exponent = gap * (grown / plain) - plain.ln() if forward else plain.ln() - rate * gap
    return exponent.low >= bound.high


def _minus_log(value: Fraction) -> float:
    return float(-Interval.of(value).ln().low)
