"""mu-Gaussian differential privacy: the exact profile and tradeoff function.

delta(epsilon) = Phi(-epsilon/mu + mu/2) - exp(epsilon) Phi(-epsilon/mu - mu/2) and
G_mu(type_i) = Phi(Phi^-1(1 - type_i) - mu) in the form of Su's review.
Source: Balle and Wang 2018; Dong, Roth and Su 2022, Corollary 2.13 (Cho and Awan, section 2.2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from semiaudit.deadline import ANSWERS
from semiaudit.model.measure import GDP
from semiaudit.numeric.intervals import HALF, ONE, TWO, ZERO, Interval
from semiaudit.numeric.rationals import exact_sqrt, float_down, float_up
from semiaudit.privacy.special.normal import quantile_estimate, upper_quantile, upper_tail

LARGEST_MU = 500
"""For a larger mu, the exact profile is not computed, and type II errors are 0."""


def mu_of(measure: GDP) -> Interval:
    """Return mu, enclosed (it is the square root of a rational)."""
    return Interval.of(measure.mu_squared).sqrt()


def mu_from_above(measure: GDP) -> Fraction:
    """Return mu, rounded up to a double if it is irrational."""
    root = exact_sqrt(measure.mu_squared)
    return Fraction(float_up(mu_of(measure).high)) if root is None else root


def composed(parts: Sequence[tuple[GDP, int]]) -> GDP:
    """Compose independent releases: mu squared adds up (Dong, Roth and Su 2022, Corollary 3.3).

    Args:
        parts: each with how often it is released.
    """
    return GDP(
        sum((measure.mu_squared * repeat for measure, repeat in parts), Fraction(0)),
        exact=all(measure.exact for measure, _ in parts),
        attained=all(measure.attained for measure, _ in parts),
    )


def delta_at(measure: GDP, epsilon: Interval) -> Interval:
    """Return the smallest delta for which mu-GDP implies (epsilon, delta)-DP, enclosed."""
    mu = mu_of(measure)
    if mu.low <= 0:
        return Interval.of(0)
    shift, half = epsilon / mu, mu * HALF
    return (upper_tail(shift - half) - epsilon.exp() * upper_tail(shift + half)).clip(0, 1)


_CLEARLY = 1.01
"""A number that exceeds another one by this factor in floats is certainly larger."""


def is_delta_larger(measure: GDP, epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether delta at an epsilon is seen in floats to exceed another delta."""
    mu, at = math.sqrt(measure.mu_squared), float(epsilon)
    if not mu or at > _LARGEST_EXPONENT:
        return False
    near, far = ((at / mu + side * mu / 2) / math.sqrt(2) for side in (-1, 1))
    value = (math.erfc(near) - math.exp(at) * math.erfc(far)) / 2
    return value > _CLEARLY * float(delta)


def is_type_ii_smaller(measure: GDP, type_i: Fraction, type_ii: Fraction) -> bool:
    """Return whether G_mu at a type I error is seen in floats to be below another type II error."""
    mu, rate = math.sqrt(measure.mu_squared), float(type_i)
    if not 0 < rate < 1:
        return False
    threshold = math.copysign(quantile_estimate(min(rate, 1 - rate)), 0.5 - rate)
    missed, power = (math.erfc(side * (mu - threshold) / math.sqrt(2)) / 2 for side in (1, -1))
    other = float(1 - type_ii)
    return _CLEARLY * missed < float(type_ii) or power > _CLEARLY * other


_NEWTON_STEPS = 200
"""The most steps of Newton's method or bisection; a few are typical."""

_BISECTION_CLOSE, _NEWTON_CLOSE = Decimal("1e-24"), Decimal("1e-12")
"""After a relative move this small, a root is more precise than the doubles that are then
certified: the error of a Newton step is about the square of its move."""

_BISECTIONS = 60
"""Halvings after which a double does not change."""

_LARGEST_EXPONENT = 700.0
"""The exponential of a much larger number is not a double."""


@lru_cache(maxsize=ANSWERS)
def epsilon_at(measure: GDP, delta: Fraction) -> tuple[float, float]:
    """Return lower and upper bounds on the smallest epsilon of the exact profile at a delta.

    Args:
        measure: mu-GDP.
        delta: in (0, 1).

    Returns:
        (lower, upper): doubles that are neighbors or a few steps apart; at the upper one, delta is
        certified not to be exceeded; at the lower one, delta is certified to be reached.
    """
    target = Interval.of(delta)
    if delta_at(measure, Interval.of(0)).high <= target.low:
        return 0.0, 0.0
    root = _epsilon_estimate(measure, target)
    # Each bound is moved further and further, until the profile itself certifies it.
    above, step = float_up(root), 1
    while delta_at(measure, Interval.of(Fraction(above))).high > target.low:
        above, step = above + step * math.ulp(above), 2 * step
    below, step = max(float_down(root), 0.0), 1
    while below > 0 and delta_at(measure, Interval.of(Fraction(below))).low < target.high:
        below, step = max(below - step * math.ulp(below), 0.0), 2 * step
    return below, above


def _epsilon_estimate(measure: GDP, target: Interval) -> Decimal:
    """Return an uncertified root: Newton's method on ln delta, inside a shrinking bracket."""
    mu = mu_of(measure)
    rho = mu * mu / TWO
    log_target = target.ln()
    low, high = Decimal(0), (rho + TWO * (rho * -log_target).sqrt()).high
    guess = high / 2
    begin = Decimal(_float_estimate(float(mu.high), float(target.high), float(high)))
    if low < begin < high:
        guess = begin
    for _ in range(_NEWTON_STEPS):
        point = Interval.of(guess)
        value = delta_at(measure, point)
        low, high = (guess, high) if value.low > target.low else (low, guess)
        following, close = (low + high) / 2, _BISECTION_CLOSE
        if value.low > 0:
            slope = point.exp() * upper_tail(point / mu + mu * HALF) / value
            newton = (point + (value.ln() - log_target) / slope).low
            if low < newton < high:
                following, close = newton, _NEWTON_CLOSE
        if abs(following - guess) <= guess * close:
            return following
        guess = following
    return guess


def _float_estimate(mu: float, delta: float, high: float) -> float:
    """Estimate the root between 0 and a bound by bisection, as the start of Newton's method."""
    low, scale = 0.0, mu * math.sqrt(2)
    if not scale:
        return 0.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        near, far = ((middle + side * mu * mu / 2) / scale for side in (-1, 1))
        beyond = math.exp(min(middle, _LARGEST_EXPONENT)) * math.erfc(far)
        low, high = (middle, high) if math.erfc(near) - beyond > 2 * delta else (low, middle)
    return (low + high) / 2


@lru_cache(maxsize=ANSWERS)
def type_ii_at(measure: GDP, type_i: Fraction) -> Interval:
    """Return G_mu at a type I error in [0, 1], enclosed."""
    if type_i in (0, 1) or not measure.mu_squared:
        return Interval.of(1 - type_i)
    if measure.mu_squared > LARGEST_MU**2:
        return Interval.hull(ZERO, ONE)
    return upper_tail(mu_of(measure) - upper_quantile(type_i)).clip(0, 1)


def advantage(measure: GDP) -> Decimal:
    """Return an upper bound on the total variation distance 2 Phi(mu/2) - 1."""
    if measure.mu_squared > LARGEST_MU**2:
        return Decimal(1)
    return (ONE - TWO * upper_tail(mu_of(measure) * HALF)).clip(0, 1).high
