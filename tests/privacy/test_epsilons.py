"""epsilon where a loss is not composed: by Renyi divergences, of the worst product."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from semiaudit.model.loss import LaplaceLoss, PrivacyLoss
from semiaudit.privacy.epsilons import _by_renyi


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
