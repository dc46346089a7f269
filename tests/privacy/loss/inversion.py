"""An independent way to delta: a Laplace transform inverted on a vertical line. No bound.

E (1 - exp(epsilon - L))+ is 1/(2 pi i) times the integral of M(z) exp(-z epsilon) / (z (z + 1))
over Re z = t > 0, with M the moment generating function of the loss. The trapezoidal rule with step
2 pi / period is off by what lies a period further. On the line M falls like a normal law's; on a
lattice of step h it comes back every 2 pi / h, and the kernel is the sum of its shifted copies.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

PERIOD = 120.0
HEIGHT = 6.5


def delta_of_discrete_gaussians(
    parts: Iterable[tuple[int, Fraction, int]],
    epsilon: Fraction,
    tilt: float,
    step: Fraction | None = None,
) -> float:
    """delta(epsilon) for (shift, sigma squared, repeat) of discrete Gaussians.

    ``step`` is that of the common lattice of their losses, where it is not next to 0.
    """
    z = tilt + 1j * np.arange(0, HEIGHT, 2 * np.pi / PERIOD)
    log_moment = np.zeros_like(z)
    zero = Fraction(0)
    for shift, sigma_squared, repeat in parts:
        variance = float(sigma_squared)
        reach = int(12 * variance**0.5) + 20
        y = np.arange(round(tilt * shift) - reach, round(tilt * shift) + reach + 1)
        losses = shift * (y + shift / 2) / variance
        total = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * variance)).sum()
        values = np.exp(np.outer(z, losses) - (y * y / (2 * variance))[None, :])
        log_moment += repeat * np.log(values.sum(axis=1) / total)
        zero += repeat * Fraction(shift**2) / (2 * sigma_squared)
    kernel = 1 / (z * (z + 1))
    if step is not None:
        h = float(step)
        first = float(-((epsilon - zero) % step) + step)
        kernel = h * (
            np.exp(-z * first) / -np.expm1(-z * h)
            - np.exp(-(z + 1) * first) / -np.expm1(-(z + 1) * h)
        )
    terms = (np.exp(log_moment - z * float(epsilon)) * kernel).real
    return float((terms[0] / 2 + terms[1:].sum()) * (2 / PERIOD))
