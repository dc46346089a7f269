"""Expected Euclidean lengths of noise, and standard deviations of its coordinates, in closed form.

For a nonnegative Q: E sqrt(Q) = (1 / (2 sqrt(pi))) times the integral of (1 - phi(t)) t^(-3/2) over
t > 0, phi(t) = E exp(-t Q). With t = exp(x) the integrand falls exponentially on both sides and is
analytic, so that the trapezoidal rule is accurate to some 12 digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import erf, erfcx

Floats = npt.NDArray[np.float64]

_REACH, _STEP = 75.0, 1 / 16
"""The range and step of x around the point with t = 1 / E Q: outside, less than exp(-37) of the
integral is left."""

_LARGE, _SMALL = 1e3, 1e-3
"""Thresholds from which the series of a deficit is more accurate."""


def of_gaussian(variances: Sequence[float] | Floats) -> float:
    """Return E |x| of independent centered normal variables with these variances.

    With one variance in d coordinates it is sigma sqrt(2) Gamma((d + 1) / 2) / Gamma(d / 2).
    """
    positive = np.asarray([v for v in variances if v > 0], dtype=float)
    if not len(positive):
        return 0.0
    largest = float(positive.max())
    if float(positive.min()) > largest * (1 - 1e-12):
        d = len(positive)
        return math.sqrt(2 * largest) * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2))

    def log_phi(t: Floats) -> Floats:
        return np.asarray(-0.5 * np.log1p(2 * t[:, None] * positive[None, :]).sum(axis=1))

    return _root_mean(log_phi, float(positive.sum()))


def of_laplace(scale: float, coordinates: int) -> float:
    """Return E |x| of independent Laplace variables of one scale (Algorithm 4)."""
    if not coordinates:
        return 0.0

    def log_phi(t: Floats) -> Floats:
        return coordinates * _log_less(_laplace_deficit(t))

    return scale * _root_mean(log_phi, 2.0 * coordinates)


def of_l2_ball(scale: float, coordinates: int) -> float:
    """Return E |x| of the density exp(-|x|_2 / scale): the length is Gamma(d) (Algorithm 5.

    E23).
    """
    return coordinates * scale


def of_cube(scale: float, coordinates: int) -> float:
    """Return E |x| of the density exp(-|x|_inf / scale).

    x is a uniform point of the cube times Gamma(d + 1).

    Source: Cho and Awan, Algorithm 6; E23.
    """
    if not coordinates:
        return 0.0

    def log_phi(t: Floats) -> Floats:
        return coordinates * _log_less(_uniform_deficit(t))

    return scale * (coordinates + 1) * _root_mean(log_phi, coordinates / 3)


def sd_of_l2_ball(scale: float, coordinates: int) -> float:
    """Return the standard deviation of a coordinate: E r^2 / d with r of Gamma(d)."""
    return scale * math.sqrt(coordinates + 1)


def sd_of_cube(scale: float, coordinates: int) -> float:
    """Return the standard deviation of a coordinate: E r^2 / 3 with r of Gamma(d + 1)."""
    return scale * math.sqrt((coordinates + 1) * (coordinates + 2) / 3)


def _root_mean(log_phi: Callable[[Floats], Floats], mean: float) -> float:
    """Return E sqrt(Q), from the logarithm of its Laplace transform and E Q."""
    x = np.arange(-_REACH, _REACH + _STEP, _STEP)
    t = np.exp(x) / mean
    deficit = -np.expm1(log_phi(t))
    total = float((deficit * np.exp(-x / 2)).sum()) * _STEP
    return total * math.sqrt(mean) / (2 * math.sqrt(math.pi))


def _log_less(deficit: Floats) -> Floats:
    """Return ln(1 - deficit); a value that is 0 to all digits stays above 0."""
    return np.asarray(np.log1p(-np.minimum(deficit, 1 - 1e-16)))


def _laplace_deficit(t: Floats) -> Floats:
    """Return 1 - E exp(-t x^2) of a Laplace variable x of scale 1.

    It is 1 - sqrt(pi) y erfcx(y), y = 1/(2 sqrt t). For large y: 1/(2 y^2) - 3/(4 y^4) + 15/(8
    y^6).
    """
    y = 0.5 / np.sqrt(t)
    direct = 1 - math.sqrt(math.pi) * y * erfcx(y)
    square = 1 / (y * y)
    series = square / 2 - 3 * square**2 / 4 + 15 * square**3 / 8
    return np.asarray(np.where(y > _LARGE, series, direct))


def _uniform_deficit(t: Floats) -> Floats:
    """Return 1 - E exp(-t u^2) of u uniform on [-1, 1]: 1 - sqrt(pi) erf(sqrt t) / (2 sqrt t).

    For small t: t/3 - t^2/10 + t^3/42 - t^4/216.
    """
    root = np.sqrt(t)
    direct = 1 - math.sqrt(math.pi) * erf(root) / (2 * root)
    series = t / 3 - t**2 / 10 + t**3 / 42 - t**4 / 216
    return np.asarray(np.where(t < _SMALL, series, direct))
