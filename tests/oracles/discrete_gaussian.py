"""Delta of one discrete Gaussian against itself moved, by its definition, in 80 digits.

delta(epsilon) is the sum of max(P(y) - exp(epsilon) Q(y), 0), with P(y) proportional to
exp(-y^2 / 2 sigma^2) and Q(y) = P(y + shift). Neighbouring masses are multiplied into each other,
so that many integers take few exponentials. Balls follow the rounding: all digits are right, or an
error is raised.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import mpmath
from flint import arb, ctx

from tests.oracles import balls

mp: Any = mpmath.mp

DIGITS = 80
NEGLIGIBLE = "1e-75"

_GUARD = 100
"""Binary digits beyond those: for differences, and for products of many thousand factors."""


def _masses(first: int, variance: arb) -> Iterator[arb]:
    """exp(-y^2 / 2 variance) for y = first, first + 1, ..."""
    mass = (-arb(first * first) / (2 * variance)).exp()
    ratio, fall = (-arb(2 * first + 1) / (2 * variance)).exp(), (-1 / variance).exp()
    while True:
        yield mass
        mass, ratio = mass * ratio, ratio * fall


def delta_of_discrete_gaussian(shift: int, sigma_squared: Fraction, epsilon: Fraction) -> Any:
    """The sum over the y with P(y) > exp(epsilon) Q(y), until nothing to speak of is left."""
    with mp.workdps(DIGITS), ctx.workprec(mp.prec + _GUARD):
        variance = arb(sigma_squared.numerator) / sigma_squared.denominator
        negligible = arb(NEGLIGIBLE)
        normalizer = arb(-1)
        for mass in _masses(0, variance):
            normalizer += 2 * mass
            if mass < negligible:
                break
        growth = (arb(epsilon.numerator) / epsilon.denominator).exp()
        # P(y) > e^epsilon Q(y) from the y on with shift (2 y + shift) > 2 sigma^2 epsilon.
        first = (2 * sigma_squared * epsilon / shift - shift) // 2 + 1
        total, y = arb(0), int(first)
        for own, moved in zip(_masses(y, variance), _masses(y + shift, variance), strict=False):
            total += own - growth * moved
            if y > 0 and own < total * negligible:
                return balls.middle(total / normalizer)
            y += 1
    raise AssertionError("masses never end")


def loss_at(shift: int, sigma_squared: Fraction, y: int) -> Fraction:
    """The loss of an outcome, exactly."""
    return shift * (y + Fraction(shift, 2)) / sigma_squared
