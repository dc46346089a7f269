"""Draws of canonical noise: their law, their grid, and that bits are drawn until they decide."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from semiaudit.model.measure import GDP, ApproxDP
from semiaudit.model.results.odds_ratio import NoiseName
from semiaudit.privacy.canonical.of_function import Tulap, noise_of
from semiaudit.privacy.canonical.sampling import GRID, draw
from semiaudit.privacy.tradeoff.function import TradeoffFunction
from tests.oracles.canonical import Floats, kolmogorov, tulap_cdf, tulap_draws
from tests.samples import sampled

SELDOM = 1.95
"""A distance that one sample of a thousand exceeds; seeds are fixed."""


def draws(function: TradeoffFunction, name: NoiseName, number: int) -> Floats:
    noise, bits = noise_of(function, name), random.Random(19)
    return np.array([float(draw(noise, bits)[0]) for _ in range(number)])


@pytest.mark.parametrize(
    ("epsilon", "delta", "number"),
    sampled([(1.0, 0.01, 100), (1.0, 0.0, 2000), (0.5, 0.0, 2000), (1.0, 0.01, 2000)], fast=[0]),
)
def test_tulap_has_the_law_of_its_other_construction(
    epsilon: float, delta: float, number: int
) -> None:
    measure = ApproxDP(Fraction(str(epsilon)), Fraction(str(delta)))
    found = draws(measure, "tulap", number)
    assert kolmogorov(found, lambda x: tulap_cdf(x, epsilon, delta)) < SELDOM
    # and the same of G1 - G2 + U, truncated: the distribution function is the library's
    noise = Tulap(measure)
    other = tulap_draws(epsilon, delta, number, seed=19)
    assert kolmogorov(other, lambda x: np.array([float(noise.cdf(Fraction(v)).low) for v in x])) < (
        SELDOM
    )


@pytest.mark.parametrize(
    ("name", "number"), sampled([("lemma_36", 20), ("lemma_36", 1000), ("normal", 1000)], fast=[0])
)
def test_the_noises_of_a_gaussian_have_their_laws(name: NoiseName, number: int) -> None:
    measure = GDP(Fraction(1, 4))
    noise = noise_of(measure, name)
    found = draws(measure, name, number)
    assert kolmogorov(found, lambda x: np.array([noise.estimate(-v) for v in x])) < SELDOM


def test_another_law_is_told_apart() -> None:
    """What the distances above are worth: another scale is found in as few draws."""
    found = draws(ApproxDP(Fraction(1), Fraction(0)), "tulap", 100)
    assert kolmogorov(found, lambda x: tulap_cdf(x, 1.0)) < SELDOM
    assert kolmogorov(found, lambda x: tulap_cdf(x, 4.0)) > SELDOM


class Scripted:
    """Bits from a list of (how many, which)."""

    def __init__(self, *answers: int) -> None:
        self.answers = list(answers)
        self.asked = 0

    def getrandbits(self, k: int, /) -> int:
        self.asked += 1
        found = self.answers.pop(0) if self.answers else 0
        assert found < 2**k
        return found


def test_bits_are_drawn_until_they_fix_the_cell() -> None:
    noise = Tulap(ApproxDP(Fraction(1), Fraction(0)))
    bits = Scripted(2**63)
    low, high = draw(noise, bits)
    # The first bits say: just below the median. Whether the noise is 0 itself or less, later ones.
    assert (low, high) == (-GRID, Fraction(0))
    assert bits.asked >= 1
    # An upper tail of less than 2^-64 has no end: only more bits tell how far out it lies.
    far = Scripted(0, 0, 1)
    low, _ = draw(noise, far)
    assert far.asked in (3, 4)
    assert 85 < low < 90


def test_a_draw_lies_in_its_cell_of_nine_decimals() -> None:
    noise, bits = Tulap(ApproxDP(Fraction(1), Fraction(0))), random.Random(3)
    for _ in range(20):
        low, high = draw(noise, bits)
        assert high - low == GRID == Fraction(1, 10**9)
        assert (low / GRID).denominator == 1
