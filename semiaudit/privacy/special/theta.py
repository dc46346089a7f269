"""The normalizing sum of the discrete Gaussian, a theta function."""

from __future__ import annotations

import math
from fractions import Fraction


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
