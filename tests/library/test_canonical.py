"""Canonical noise as the library has it."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest

from semiaudit import (
    ApproxTradeoff,
    CanonicalNoise,
    GaussianTradeoff,
    LaplaceTradeoff,
    PiecewiseTradeoff,
    RefusedError,
)
from tests.golden.published import golden


def test_the_published_numbers() -> None:
    assert float(CanonicalNoise(ApproxTradeoff(1)).upper_tail("1/2")) == golden("corner_of_f_1_0")
    gaussian = GaussianTradeoff(1)
    noise = CanonicalNoise(gaussian)
    assert float(noise.cdf("1/4")) == golden("canonical_g_1_at_quarter")
    assert float(CanonicalNoise(gaussian, "normal").cdf(0.25)) == golden("normal_at_quarter")
    assert noise.distribution == "lemma_36"
    assert noise.cdf(1).side == "upper"


def test_a_quantile_is_the_inverse_rounded_up() -> None:
    noise = CanonicalNoise(ApproxTradeoff(1, "0.01"))
    point = noise.quantile("0.975")
    assert float(noise.cdf(point.value)) >= 0.975
    assert float(noise.cdf(point.value)) == pytest.approx(0.975, abs=1e-12)
    with pytest.raises(ValueError, match="share: 1 is out of range"):
        noise.quantile(1)


def test_a_tail_far_out_keeps_its_digits() -> None:
    # P(N > 100) of Tulap is the tail at 0, 1/2, times e^-100
    tail = float(CanonicalNoise(ApproxTradeoff(1)).upper_tail(100))
    assert tail == pytest.approx(math.exp(-100) / 2, rel=1e-12)


def test_draws_have_nine_decimals_and_a_seed_repeats_them() -> None:
    noise = CanonicalNoise(LaplaceTradeoff(1))
    drawn = noise.sample(5, seed=7)
    assert drawn == noise.sample(5, seed=7)
    assert all(isinstance(n, Decimal) and n.as_tuple().exponent == -9 for n in drawn)
    assert noise.sample(0) == []
    assert noise.sample(2) != noise.sample(2)


def test_a_function_that_is_not_symmetric_is_refused() -> None:
    lopsided = PiecewiseTradeoff([(0, 1), ("1/4", "1/2"), (1, 0)])
    with pytest.raises(RefusedError, match="its own inverse"):
        CanonicalNoise(lopsided)
    assert repr(CanonicalNoise(GaussianTradeoff(2), "normal")) == (
        "CanonicalNoise(GaussianTradeoff(2), 'normal')"
    )


def test_a_distribution_that_does_not_exist_is_an_error_with_the_known_ones() -> None:
    name: Any = "gauss"
    with pytest.raises(ValueError, match="there is no gauss; known are tulap, lemma_36, normal"):
        CanonicalNoise(GaussianTradeoff(1), name)
