"""Moments of the privacy loss, against integrals of the densities."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import pytest
from scipy.integrate import quad

from semiaudit.model.loss import LaplaceLoss
from semiaudit.model.measure import GDP, ApproxDP, PiecewiseLinear, PureDP
from semiaudit.privacy.approximations.moments import (
    Moments,
    moments_of,
    subsampled_gaussian_moments,
)

Real = Callable[[float], float]


def integrated(loss: Real, density: Real, points: list[float]) -> Moments:
    def mean_of(value: Real) -> float:
        parts = pairwise(points)
        return math.fsum(quad(lambda x: value(x) * density(x), a, b)[0] for a, b in parts)

    mean = mean_of(loss)
    return Moments(
        mean,
        mean_of(lambda x: (loss(x) - mean) ** 2),
        mean_of(lambda x: (loss(x) - mean) ** 3),
        mean_of(lambda x: abs(loss(x) - mean) ** 3),
    )


def listed(losses: list[float], masses: list[float]) -> Moments:
    mean = sum(x * p for x, p in zip(losses, masses, strict=True))
    powers = [[(x - mean) ** k for x in losses] for k in (2, 3)]
    powers.append([abs(x - mean) ** 3 for x in losses])
    return Moments(mean, *(sum(map(float.__mul__, row, masses)) for row in powers))


def check(found: Moments, truth: Moments, close: float) -> None:
    for name in ("mean", "variance", "third", "absolute"):
        assert getattr(found, name) == pytest.approx(getattr(truth, name), rel=close, abs=close)


def normal(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


@pytest.mark.parametrize(("rate", "sigma"), [(0.2, 0.8), (0.5, 1.5), (1.0, 1.0)])
def test_a_sampled_gaussian_has_the_moments_of_its_mixture_in_both_orders(
    rate: float, sigma: float
) -> None:
    mu = 1 / sigma

    def mixture(x: float) -> float:
        return (1 - rate) * normal(x) + rate * normal(x - mu)

    def loss(x: float) -> float:
        return math.log(mixture(x) / normal(x))

    points = [-9.0, -3.0, 0.0, 3.0, 9.0]
    found = subsampled_gaussian_moments(rate, sigma)
    check(found.null, integrated(loss, normal, points), 1e-7)
    check(found.alternative, integrated(loss, mixture, points), 1e-7)
    back = found.reversed()
    check(back.null, integrated(lambda x: -loss(x), mixture, points), 1e-7)
    check(back.alternative, integrated(lambda x: -loss(x), normal, points), 1e-7)


def test_sampling_everything_is_gaussian_noise() -> None:
    found, whole = moments_of(GDP(Fraction(9, 4))), subsampled_gaussian_moments(1.0, 2 / 3)
    check(whole.null, found.null, 1e-8)
    check(whole.alternative, found.alternative, 1e-8)
    assert found.null.mean == -9 / 8


@pytest.mark.parametrize("shift", ["1/3", "2"])
def test_a_laplace_loss_has_the_moments_of_its_density(shift: str) -> None:
    s = float(Fraction(shift))

    def loss(x: float) -> float:
        return abs(x) - abs(x - s)

    points = [-40.0, 0.0, s, 40.0]
    found = moments_of(LaplaceLoss(Fraction(shift)))
    check(found.null, integrated(loss, lambda x: math.exp(-abs(x)) / 2, points), 1e-6)
    check(found.alternative, integrated(loss, lambda x: math.exp(-abs(x - s)) / 2, points), 1e-6)


def test_a_finite_loss_has_the_moments_of_its_outcomes() -> None:
    """A polygon's pieces are its outcomes: P has their widths, Q their heights."""
    vertices = ((0, 1), (Fraction(1, 10), Fraction(1, 2)), (Fraction(1, 2), Fraction(1, 5)), (1, 0))
    function = PiecewiseLinear(tuple((Fraction(x), Fraction(y)) for x, y in vertices))
    widths, heights = [0.1, 0.4, 0.5], [0.5, 0.3, 0.2]
    losses = [math.log(q / p) for p, q in zip(widths, heights, strict=True)]
    found = moments_of(function)
    check(found.null, listed(losses, widths), 1e-12)
    check(found.alternative, listed(losses, heights), 1e-12)


def test_pure_dp_is_randomized_response() -> None:
    keep = math.e / (1 + math.e)
    for measure in (PureDP(Fraction(1)), ApproxDP(Fraction(1), Fraction(0))):
        found = moments_of(measure)
        check(found.null, listed([1.0, -1.0], [1 - keep, keep]), 1e-12)
        check(found.alternative, listed([1.0, -1.0], [keep, 1 - keep]), 1e-12)
    with pytest.raises(ValueError, match="infinite with probability delta"):
        moments_of(ApproxDP(Fraction(1), Fraction(1, 9)))
