"""epsilon of the worst product by Renyi divergences, and lower bounds on epsilon."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from semiaudit.model.loss import LaplaceLoss, PrivacyLoss
from semiaudit.model.measure import GDP, ZCDP, ApproxDP
from semiaudit.privacy.epsilons import _by_renyi, epsilon_lower_at
from tests.oracles.calculus import gaussian_epsilon


def laplace(shift: int) -> PrivacyLoss:
    return PrivacyLoss(((LaplaceLoss(Fraction(shift)), 1),))


@pytest.mark.parametrize("shifts", [(3, 1), (1, 3), (3,)])
@pytest.mark.parametrize("delta", ["1/10", "1/1000"])
def test_epsilon_by_renyi_holds_for_the_worst_of_several_products(
    shifts: tuple[int, ...], delta: str
) -> None:
    """Laplace noise that is moved by 3 has the epsilon 3 + 2 ln(1 - delta), and at most 3."""
    (point,) = _by_renyi([laplace(shift) for shift in shifts], Fraction(delta))
    assert 3 + 2 * math.log1p(-Fraction(delta)) <= point.epsilon.value <= 3 + 1e-9
    assert point.conversion == "renyi_curve"


def test_a_lower_bound_on_epsilon_is_0_where_nothing_is_attained() -> None:
    delta = Fraction(1, 10**5)
    for measures in ((), (ZCDP(Fraction(1)),), (ApproxDP(Fraction(3), delta),)):
        bound = epsilon_lower_at(measures, delta)
        assert (bound.value, bound.side) == (0, "lower")
    attained = epsilon_lower_at((ZCDP(Fraction(1)), GDP(Fraction(2), attained=True)), delta)
    assert attained.side == "lower"
    assert float(attained.value) == pytest.approx(float(gaussian_epsilon(2**0.5, delta)), rel=1e-9)
