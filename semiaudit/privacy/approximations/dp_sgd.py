"""Approximations for DP-SGD: subsampled Gaussian steps, their central limit, and their numbers.

The bound is min{f, f^-1}** with f = (p G_{1/sigma} + (1 - p) Id)^(x T), for Poisson sampling at
rate p. The bound is a theorem. The numbers that this module computes for it are floats, not
certified. Certified bounds come from the privacy loss ``model.loss.SubsampledGaussianLoss``.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal

from semiaudit.model.measure import GDP
from semiaudit.privacy.approximations.approximation import Approximation
from semiaudit.privacy.approximations.edgeworth import edgeworth_epsilon
from semiaudit.privacy.approximations.moments import subsampled_gaussian_moments
from semiaudit.privacy.measures import gdp

Sampling = Literal["poisson", "uniform"]
Neighbors = Literal["replace_one", "add_remove"]

_NUMERIC_SOURCE = "Dong, Roth and Su 2022, section 5; Bu, Dong, Long and Su 2020"
_ERRS = "a limit for many steps; errs on either side (erratum E6)"
_LIMITS = {
    "poisson": ("Bu, Dong, Long and Su 2020", "p sqrt(T (e^(1/sigma^2) - 1))"),
    "uniform": (
        "Dong, Roth and Su 2022, Corollary 5.4",
        "sqrt(2) p sqrt(T (e^(1/sigma^2) Phi(3/(2 sigma)) + 3 Phi(-1/(2 sigma)) - 2))",
    ),
}


def gradient_sensitivity_l2(clip: Fraction, batch: int, neighbors: Neighbors) -> Fraction:
    """Return the L2 sensitivity of the mean of clipped gradients.

    It is 2R/B if a record is replaced, R/B if it joins.

    The sources leave open which of the two the noise multiplier refers to (erratum E34): sigma
    here is the noise's standard deviation over this sensitivity.
    """
    return (2 if neighbors == "replace_one" else 1) * clip / batch


def dp_sgd_clt_mu(rate: float, steps: float, sigma: float, sampling: Sampling) -> Approximation:
    """Return mu of the limit p sqrt(T) -> nu, in one of its two published versions (erratum E34).

    Args:
        rate: p, the share of records in a batch. steps: T. sigma: the noise multiplier.
        sampling: ``poisson``, which goes with the bound above, or ``uniform``, batches of a fixed
            size under replacement of a record.
    """
    nu = rate * math.sqrt(steps)
    if sampling == "poisson":
        mu = nu * math.sqrt(math.expm1(sigma**-2))
    else:
        inner = math.exp(sigma**-2) * _phi(1.5 / sigma) + 3 * _phi(-0.5 / sigma) - 2
        mu = math.sqrt(2) * nu * math.sqrt(inner)
    source, formula = _LIMITS[sampling]
    return Approximation(mu, f"mu of DP-SGD, {sampling} sampling: {formula}", "clt", source, _ERRS)


def dp_sgd_clt_epsilon(
    rate: float, steps: float, sigma: float, delta: Fraction, sampling: Sampling
) -> Approximation:
    """epsilon of the Gaussian limit at delta."""
    mu = dp_sgd_clt_mu(rate, steps, sigma, sampling)
    value = gdp.epsilon_at(GDP(Fraction(mu.estimate) ** 2), delta)[1]
    return Approximation(value, f"epsilon at delta {float(delta):g}", "clt", mu.source, _ERRS)


def dp_sgd_edgeworth_epsilon(rate: float, steps: int, sigma: float, delta: float) -> Approximation:
    """epsilon of f at delta by the Edgeworth accountant, the larger of the two directions."""
    moments = subsampled_gaussian_moments(rate, sigma)
    forward = edgeworth_epsilon([(moments, steps)], delta)
    backward = edgeworth_epsilon([(moments.reversed(), steps)], delta)
    return max(forward, backward, key=lambda approximation: approximation.estimate)


def dp_sgd_numeric_epsilon(
    rate: float, steps: int, sigma: float, delta: float, grid: float = 1e-4
) -> Approximation:
    """Compute epsilon of min{f, f^-1}** at delta from a gridded loss and a fast Fourier transform.

    Args:
        rate: in (0, 1]. steps: T, a whole number. sigma: the noise multiplier.
        delta: above about 1e-12; rounding hides smaller ones.
        grid: the spacing of losses, to which masses are moved with their mean kept.

    Returns:
        The larger of the two directions: the profile of min{f, f^-1}** is the larger profile.
    """
    value = max(_epsilon(rate, steps, sigma, delta, grid, way) for way in (1, -1))
    return Approximation(
        value,
        f"epsilon of {steps} steps at delta {delta:g}",
        "fft",
        _NUMERIC_SOURCE,
        "floats on a grid: discretisation and rounding are not bounded",
    )


def _epsilon(rate: float, steps: int, sigma: float, delta: float, grid: float, way: int) -> float:
    import numpy as np
    from scipy.special import ndtr

    mu = 1 / sigma
    x = np.linspace(-12, 12 + mu, 400_001)
    ratio = np.log1p(rate * np.expm1(mu * x - mu * mu / 2))
    null = np.diff(ndtr(x))
    other = (1 - rate) * null + rate * np.diff(ndtr(x - mu))
    mass = other if way > 0 else null
    loss = way * (ratio[1:] + ratio[:-1]) / 2
    mean = float(mass @ loss) * steps
    spread = math.sqrt(float(mass @ (loss * loss)) * steps)
    size = 1 << math.ceil(math.log2((40 * spread + 2 * np.abs(loss).max()) / grid))
    place = np.floor(loss / grid)
    part = loss / grid - place
    low = place.astype(np.int64) % size
    gridded = np.bincount(low, mass * (1 - part), size)
    gridded += np.bincount((low + 1) % size, mass * part, size)
    total = np.fft.irfft(np.fft.rfft(gridded) ** steps, size)
    first = math.floor(mean / grid) - size // 2
    losses = (first + (np.arange(size) - first) % size) * grid
    low_end, high_end = 0.0, float(losses.max())
    for _ in range(60):
        middle = (low_end + high_end) / 2
        beyond = losses > middle
        delta_there = float(total[beyond] @ -np.expm1(middle - losses[beyond]))
        low_end, high_end = (middle, high_end) if delta_there > delta else (low_end, middle)
    return high_end


def _phi(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))
