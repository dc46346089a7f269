from __future__ import annotations

from fractions import Fraction
from math import exp

import pytest

from semiaudit.mechanisms.sampling.integers import (
    DiscreteGaussianSampler,
    bernoulli_exp,
    discrete_laplace,
)
from semiaudit.mechanisms.sampling.randomness import SYSTEM, Randomness
from tests.oracles.sampling import LEVEL, chi_square_p

NUMBER = 4_000


@pytest.mark.parametrize("exponent", [Fraction(1, 3), Fraction(1), Fraction(5, 2)])
def test_a_coin_falls_with_the_probability_of_its_exponential(exponent: Fraction) -> None:
    source, p = Randomness(1), exp(-exponent)
    coins = [bernoulli_exp(exponent.numerator, exponent.denominator, source) for _ in range(NUMBER)]
    assert chi_square_p(coins, {True: p, False: 1 - p}) > LEVEL
    assert all(bernoulli_exp(0, 3, source) for _ in range(20))


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(3), Fraction(7, 3)])
def test_discrete_laplace_numbers_have_their_law(scale: Fraction) -> None:
    source = Randomness(2)
    drawn = [discrete_laplace(scale, source) for _ in range(NUMBER)]
    assert chi_square_p(drawn, {k: exp(-abs(k) / scale) for k in range(-80, 81)}) > LEVEL


@pytest.mark.parametrize("sigma_squared", [Fraction(1, 4), Fraction(2), Fraction(50, 3)])
@pytest.mark.parametrize("centre", [Fraction(0), Fraction(1, 3), Fraction(-7, 2)])
def test_discrete_gaussian_numbers_have_their_law_around_any_centre(
    sigma_squared: Fraction, centre: Fraction
) -> None:
    source, law = Randomness(3), DiscreteGaussianSampler(sigma_squared)
    drawn = [law.draw(source, centre) for _ in range(NUMBER)]
    weights = {k: exp(-((k - centre) ** 2) / (2 * sigma_squared)) for k in range(-60, 61)}
    assert chi_square_p(drawn, weights) > LEVEL


def test_a_test_of_fit_rejects_the_wrong_law() -> None:
    source, law = Randomness(3), DiscreteGaussianSampler(Fraction(2))
    drawn = [law.draw(source) for _ in range(NUMBER)]
    weights = {k: exp(-(k**2) / (2 * 2.4)) for k in range(-60, 61)}
    assert chi_square_p(drawn, weights) < LEVEL


def test_a_seed_repeats_and_the_operating_system_does_not() -> None:
    assert [Randomness(5).bits(64) for _ in range(2)] == [Randomness(5).bits(64)] * 2
    first, second = Randomness(), Randomness()
    assert first.origin == SYSTEM
    assert first.bits(200) != second.bits(200)
    assert {first.below(3) for _ in range(200)} == {0, 1, 2}
    assert first.generator.random() != second.generator.random()
