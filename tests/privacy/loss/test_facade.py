"""What the rest of the program hears about composed losses: a bracket, or nothing."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction

import pytest

from semiaudit.model.loss import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
)
from semiaudit.privacy.loss import advantage, delta_at, epsilon_at, fitted_mu, power_at, type_ii_at

HALF = Fraction(1, 2)
LAPLACE = PrivacyLoss(((LaplaceLoss(Fraction(1)), 1),))

QUESTIONS: dict[str, Callable[[PrivacyLoss], object]] = {
    "epsilon": lambda loss: epsilon_at(loss, Fraction(1, 10**5)),
    "delta": lambda loss: delta_at(loss, HALF),
    "type II error": lambda loss: type_ii_at(loss, HALF),
    "power": lambda loss: power_at(loss, HALF),
    "advantage": advantage,
    "mu": lambda loss: fitted_mu(loss, None),
}

BEYOND: dict[str, tuple[Loss, int]] = {
    "hides all": (GaussianLoss(Fraction(1, 10**61)), 1),
    "hides nothing": (LaplaceLoss(Fraction(10**4)), 1),
    "hides nothing in all": (RandomizedResponseLoss(Fraction(1)), 10**7 + 1),
    "is too sharp": (DiscreteGaussianLoss(1, Fraction(1, 1001)), 1),
    "is too wide": (DiscreteLaplaceLoss(10**9, Fraction(10**12 + 1)), 1),
    "no grid holds": (RandomizedResponseLoss(Fraction(1, 10**12)), 10**24),
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("name", BEYOND)
def test_of_a_loss_beyond_the_engine_nothing_is_said(name: str, question: str) -> None:
    assert QUESTIONS[question](PrivacyLoss((BEYOND[name],))) is None


def test_laplace_noise_that_moves_by_its_scale_has_the_numbers_of_its_formulas() -> None:
    """1 - e^(-1/4); 1 + 2 ln(9/10); e^-1 / 2 at 1/2; 1 - e^(-1/2)."""
    for found, truth in (
        (delta_at(LAPLACE, HALF), 1 - math.exp(-0.25)),
        (epsilon_at(LAPLACE, Fraction(1, 10)), 1 + 2 * math.log(0.9)),
        (type_ii_at(LAPLACE, HALF), math.exp(-1) / 2),
        (advantage(LAPLACE), 1 - math.exp(-0.5)),
    ):
        assert found is not None
        assert found.lower == pytest.approx(truth, rel=1e-14)
        assert found.lower <= found.upper <= found.lower * (1 + 1e-14)


def test_operating_points_are_no_wider_than_is_printed() -> None:
    product = PrivacyLoss(((LaplaceLoss(HALF), 7), (GaussianLoss(Fraction(1, 3)), 1)))
    for found in (power_at(product, Fraction(1, 100)), advantage(product)):
        assert found is not None
        assert found.complete
        assert found.upper - found.lower <= 1e-6 * found.upper


@pytest.mark.parametrize("exponent", [1, 3, 9, 15, 25])
def test_the_power_of_a_small_type_i_error_keeps_its_digits(exponent: int) -> None:
    """Seven responses: below e^-7e / (1 + e^-e)^7 only the likeliest one is rejected."""
    product = PrivacyLoss(((RandomizedResponseLoss(HALF), 7),))
    type_i = Fraction(1, 10**exponent)
    found = power_at(product, type_i)
    assert found is not None
    assert found.upper - found.lower <= 1e-6 * found.upper
    if exponent > 2:
        truth = math.exp(3.5) * float(type_i)
        assert found.lower * (1 - 1e-12) <= truth <= found.upper * (1 + 1e-12)


def test_a_power_next_to_1_and_the_type_ii_error_beside_it_agree() -> None:
    product = PrivacyLoss(((LaplaceLoss(Fraction(2)), 40),))
    missed, power = type_ii_at(product, HALF), power_at(product, HALF)
    assert missed is not None
    assert power is not None
    assert missed.upper < 1e-6
    assert power.lower <= 1 - missed.lower
    assert 1 - missed.upper <= power.upper


def test_what_needs_no_composition_loads_no_numpy() -> None:
    script = (
        "import sys\n"
        "from fractions import Fraction as F\n"
        "from semiaudit.model.loss import *\n"
        "from semiaudit.privacy import loss as facade\n"
        "for pair in (LaplaceLoss(F(1)), GaussianLoss(F(1)), RandomizedResponseLoss(F(1))):\n"
        "    product = PrivacyLoss(((pair, 1),))\n"
        "    facade.epsilon_at(product, F(1, 10)), facade.type_ii_at(product, F(1, 10))\n"
        "print(sorted({'numpy', 'scipy'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.stdout == "[]\n", done.stderr
