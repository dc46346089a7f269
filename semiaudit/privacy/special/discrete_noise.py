"""Probabilities and variances of discrete Gaussian and discrete Laplace noise, enclosed.

The discrete Gaussian has mass proportional to exp(-k^2 / (2 sigma_squared)), the discrete Laplace
to exp(-|k| / scale). Neither sigma_squared nor 2 scale^2 is the variance.
"""

from __future__ import annotations

import math
from fractions import Fraction

from semiaudit.numeric.intervals import ONE, SQRT_TWO_PI, TWO, ZERO, Interval


def normalizer(variance: float) -> float:
    """Return the sum of exp(-y^2 / 2 sigma^2) over the integers, with a relative error of 8 u.

    The parameter sigma^2 can have a relative error of u.

    For sigma^2 >= 1, Poisson summation is used: sigma sqrt(2 pi) (1 + 2 sum exp(-2 (pi sigma
    m)^2)), whose terms from m = 2 on are below 1e-34.
    """
    if variance < 1:
        return 1 + 2 * math.fsum(math.exp(-y * y / (2 * variance)) for y in range(1, 10))
    return math.sqrt(2 * math.pi * variance) * (1 + 2 * math.exp(-2 * math.pi**2 * variance))


def log_normalizer(sigma_squared: Fraction) -> float:
    """Return the logarithm of the normalizing sum, within 16 u (1 + its size)."""
    return math.log(normalizer(float(sigma_squared)))


_LARGE = 10
"""From this sigma_squared on, the sums equal their integrals within a relative 1e-80."""

_NEGLIGIBLE = Interval.of(Fraction(1, 10**70))
"""Sums end at the first term that is a smaller share of them; the rest is bounded."""

_MOST_TERMS = 64
"""The most terms of a sum: for sigma_squared below 10, the others are negligible."""


def gaussian_pmf(sigma_squared: Fraction, value: int) -> Interval:
    """Return P(N = value) of the discrete Gaussian.

    Rounding: enclosed.
    Source: Canonne, Kamath and Steinke 2020, Definition 1.
    """
    total, _ = _gaussian_sums(sigma_squared)
    return (_mass(sigma_squared, value) / total).clip(0, 1)


def gaussian_variance(sigma_squared: Fraction) -> Interval:
    """Return the variance of the discrete Gaussian, which is below sigma_squared.

    Rounding: enclosed.
    Source: Canonne, Kamath and Steinke 2020, Fact 18 and Corollary 9.
    """
    total, squares = _gaussian_sums(sigma_squared)
    return squares / total


def laplace_pmf(scale: Fraction, value: int) -> Interval:
    """Return P(N = value) of the discrete Laplace: (1 - r) r^|value| / (1 + r).

    Here r = exp(-1 / scale).
    """
    rate = (-Interval.of(1 / scale)).exp()
    mass = (-Interval.of(abs(value) / scale)).exp() if value else ONE
    return ((ONE - rate) * mass / (ONE + rate)).clip(0, 1)


def laplace_variance(scale: Fraction) -> Interval:
    """Return the variance of the discrete Laplace: 2 r / (1 - r)^2, r = exp(-1 / scale)."""
    rate = (-Interval.of(1 / scale)).exp()
    complement = ONE - rate
    return TWO * rate / (complement * complement)


def _mass(sigma_squared: Fraction, value: int) -> Interval:
    return (-Interval.of(value * value / (2 * sigma_squared))).exp() if value else ONE


def _gaussian_sums(sigma_squared: Fraction) -> tuple[Interval, Interval]:
    """Return the sums of exp(-k^2 / (2 s)) and of k^2 exp(-k^2 / (2 s)) over all integers k."""
    if sigma_squared >= _LARGE:
        return _large_sums(sigma_squared)
    total, squares, term = ONE, ZERO, ZERO
    for k in range(1, _MOST_TERMS):
        mass = TWO * _mass(sigma_squared, k)
        term = Interval.of(k * k) * mass
        total, squares = total + mass, squares + term
        if term.high < (_NEGLIGIBLE * squares).low:
            break
    # From here on, k^2 exp(-k^2 / (2 s)) decreases by more than half at each step.
    remainder = Interval(ZERO.low, term.high)
    return total + remainder, squares + remainder


def _large_sums(sigma_squared: Fraction) -> tuple[Interval, Interval]:
    """Compute both sums by Poisson summation, for s of 10 or more.

    The first sum is sqrt(2 pi s) t(s), t = 1 + 2 sum exp(-2 pi^2 s m^2) over m >= 1, and the second
    is 2 s^2 times its derivative: sqrt(2 pi s) (s t(s) + 2 s^2 t'(s)), where t' = -4 pi^2 sum m^2
    exp(-2 pi^2 s m^2). Since 2 pi^2 > 19, t lies between 1 and 1 + 3 e^(-19 s), and -2 s^2 t' is
    at most 8 pi^2 s^2 * 2 e^(-19 s) < 160 s^2 e^(-19 s).
    """
    s = Interval.of(sigma_squared)
    root = SQRT_TWO_PI * s.sqrt()
    small = (-(Interval.of(19) * s)).exp()
    above = ONE + Interval.of(3) * small
    total = Interval.hull(root, root * above)
    error = Interval.of(160) * s * s * small
    return total, Interval.hull(root * (s - error), root * s * above)
