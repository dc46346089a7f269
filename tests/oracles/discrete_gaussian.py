"""Delta of one discrete Gaussian against itself moved, by its definition, in 80 digits.

delta(epsilon) is the sum of max(P(y) - exp(epsilon) Q(y), 0), with P(y) proportional to
exp(-y^2 / 2 sigma^2) and Q(y) = P(y + shift). Neighbouring masses are multiplied into each other,
so that many integers take few exponentials.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import mpmath

mp: Any = mpmath.mp

DIGITS = 80
NEGLIGIBLE = "1e-75"


def _masses(first: int, variance: Any) -> Iterator[Any]:
    """exp(-y^2 / 2 variance) for y = first, first + 1, ..."""
    mass = mp.exp(-mp.mpf(first * first) / (2 * variance))
    ratio, fall = mp.exp(-mp.mpf(2 * first + 1) / (2 * variance)), mp.exp(-1 / variance)
    while True:
        yield mass
        mass, ratio = mass * ratio, ratio * fall


def delta_of_discrete_gaussian(shift: int, sigma_squared: Fraction, epsilon: Fraction) -> Any:
    """The sum over the y with P(y) > exp(epsilon) Q(y), until nothing to speak of is left."""
    with mp.workdps(DIGITS):
        variance = mp.mpf(sigma_squared.numerator) / sigma_squared.denominator
        normalizer = mp.mpf(-1)
        for mass in _masses(0, variance):
            normalizer += 2 * mass
            if mass < mp.mpf(NEGLIGIBLE):
                break
        growth = mp.exp(mp.mpf(epsilon.numerator) / epsilon.denominator)
        # P(y) > e^epsilon Q(y) from the y on with shift (2 y + shift) > 2 sigma^2 epsilon.
        first = (2 * sigma_squared * epsilon / shift - shift) // 2 + 1
        total, y = mp.mpf(0), int(first)
        for own, moved in zip(_masses(y, variance), _masses(y + shift, variance), strict=False):
            total += own - growth * moved
            if y > 0 and own < total * mp.mpf(NEGLIGIBLE):
                return total / normalizer
            y += 1
    raise AssertionError("masses never end")


def loss_at(shift: int, sigma_squared: Fraction, y: int) -> Fraction:
    """The loss of an outcome, exactly."""
    return shift * (y + Fraction(shift, 2)) / sigma_squared
