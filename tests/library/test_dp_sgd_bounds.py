"""Both bounds on ε of DP-SGD, next to losses that are rounded to a grid and composed by FFT."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr

from semiaudit import SubsampledGaussian
from tests.samples import sampled

POINTS = 2**21
LARGEST = 64.0
STEP = 2 * LARGEST / POINTS
"""The grid of losses, in nats; a composition has to stay inside."""

ERROR = 1e-10
"""More than the errors of a Fourier transform, and the mass that leaves the grid."""

Masses = NDArray[np.float64]
LOSSES = STEP * (np.arange(POINTS) - POINTS // 2)


def rounded_up(sigma: float, rate: float, *, removed: bool) -> tuple[Masses, float]:
    """Return the masses of one step's loss, rounded up to the grid, and the mass above the grid.

    The pair is (1 - q) N(0, s^2) + q N(1, s^2) against N(0, s^2); ``removed`` if the loss is that
    of the mixture. The logarithm of the ratio at x is ln(1 - q + q exp((2 x - 1) / (2 s^2))).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        at = LOSSES if removed else -LOSSES
        place = sigma**2 * np.log((np.exp(at) - (1 - rate)) / rate) + 0.5
    place = np.where(np.exp(at) > 1 - rate, place, -np.inf)
    if removed:
        below = (1 - rate) * ndtr(place / sigma) + rate * ndtr((place - 1) / sigma)
    else:
        below = ndtr(-place / sigma)  # the loss of the other order falls with x
    return np.diff(below, prepend=0.0), float(1 - below[-1])


def epsilon_bounds(sigma: float, rate: float, steps: int, delta: float) -> tuple[float, float]:
    """Return bounds on ε of the worse order; losses rounded down are those moved by a step."""
    found = []
    for removed in (True, False):
        masses, lost = rounded_up(sigma, rate, removed=removed)
        spectrum = np.fft.rfft(np.fft.ifftshift(masses))
        composed = np.fft.fftshift(np.fft.irfft(spectrum**steps, POINTS))
        edge = POINTS // 16
        assert abs(composed[:edge]).sum() + abs(composed[-edge:]).sum() + lost * steps < ERROR / 2

        # δ(ε) is the mass above ε, less e^ε times the sum of mass x exp(-loss) there.
        mass, shrunk = (
            np.append(np.cumsum(values[::-1])[::-1], 0.0)
            for values in (composed, composed * np.exp(-LOSSES))
        )

        def delta_at(epsilon: float, mass: Masses = mass, shrunk: Masses = shrunk) -> float:
            first = int(np.searchsorted(LOSSES, epsilon, side="right"))
            return float(mass[first] - math.exp(epsilon) * shrunk[first])

        ends = []
        for target in (delta + ERROR, delta - ERROR):
            low, high = 0.0, LARGEST
            for _ in range(50):
                middle = (low + high) / 2
                low, high = (middle, high) if delta_at(middle) > target else (low, middle)
            ends.append(high)
        found.append((max(0.0, ends[0] - STEP * steps), ends[1]))
    return max(low for low, _ in found), max(high for _, high in found)


def parameters(seed: int) -> tuple[str, str, int, str]:
    chance = random.Random(f"dp-sgd {seed}")
    sigma = chance.choice(["0.8", "0.9", "1", "1.3", "2", "4"])
    rate = chance.choice(["0.001", "0.004", "0.01", "0.05", "0.2"])
    return sigma, rate, chance.choice([1, 7, 30, 100]), chance.choice(["1e-3", "1e-5", "1e-7"])


@pytest.mark.parametrize("seed", sampled(range(50), fast=range(4)))
def test_both_bounds_of_poisson_sampled_steps_enclose_those_of_a_grid(seed: int) -> None:
    sigma, rate, steps, delta = parameters(seed)
    guarantee = SubsampledGaussian(sigma, rate, steps).guarantee(metric="symmetric_difference")
    below, above = map(float, guarantee.epsilon_enclosure(delta))
    low, high = epsilon_bounds(float(sigma), float(rate), steps, float(delta))
    assert low <= above
    assert below <= high
    assert 0 <= above - below <= 1e-5 * max(1.0, above)
    assert below > 0 or low == 0
    assert math.isfinite(above)
