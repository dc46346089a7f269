"""Probabilities and variances of noise on the integers, against sums in 80 digits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest

from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.special.discrete_noise import (
    gaussian_pmf,
    gaussian_variance,
    laplace_pmf,
    laplace_variance,
)
from tests.enclosing import encloses

mp: Any = mpmath.mp


def sums(weights: Any, reach: int) -> tuple[Any, Any]:
    """The total and the second moment of a symmetric weight, term by term."""
    terms = [(k, weights(k)) for k in range(1, reach)]
    return weights(0) + 2 * mp.fsum(w for _, w in terms), 2 * mp.fsum(k * k * w for k, w in terms)


def narrow(found: Interval) -> bool:
    return found.high - found.low <= Fraction(1, 10**50) * Fraction(found.high)


@pytest.mark.parametrize(
    "sigma_squared", ["1/1000", "1/4", "1", "7/3", "9.999", "10", "25.5", "400"]
)
def test_the_discrete_gaussian_is_enclosed(sigma_squared: str) -> None:
    with mp.workdps(80):
        s = Fraction(sigma_squared)
        real = mp.mpf(s.numerator) / s.denominator
        total, squares = sums(lambda k: mp.exp(-mp.mpf(k * k) / (2 * real)), 800)
        assert encloses(gaussian_variance(s), squares / total)
        assert narrow(gaussian_variance(s))
        for k in (0, 1, -3, 20):
            assert encloses(gaussian_pmf(s, k), mp.exp(-mp.mpf(k * k) / (2 * real)) / total)


@pytest.mark.parametrize("scale", ["1/100", "1/2", "1", "20"])
def test_the_discrete_laplace_is_enclosed(scale: str) -> None:
    with mp.workdps(80):
        t = Fraction(scale)
        real = mp.mpf(t.numerator) / t.denominator
        total, squares = sums(lambda k: mp.exp(-mp.mpf(k) / real), 5000)
        assert encloses(laplace_variance(t), squares / total)
        assert narrow(laplace_variance(t))
        for k in (0, 1, -3, 20):
            assert encloses(laplace_pmf(t, k), mp.exp(-mp.mpf(abs(k)) / real) / total)


def test_row_83_the_variance_of_the_discrete_gaussian_is_below_its_parameter() -> None:
    assert f"{gaussian_variance(Fraction(1)).high:.6f}" == "1.000000"
    assert gaussian_variance(Fraction(1)).high < 1
    assert gaussian_variance(Fraction(1, 4)).high < Fraction(1, 4)
    wide = gaussian_variance(Fraction(10**8))
    assert wide.low <= 10**8 <= wide.high
    assert narrow(wide)
