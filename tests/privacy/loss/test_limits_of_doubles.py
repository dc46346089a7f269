"""Where doubles overflow, underflow or round a parameter to an end, bounds stay bounds."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from semiaudit.errors import RefusedError
from semiaudit.model.loss import PrivacyLoss, RandomizedResponseLoss
from semiaudit.privacy.loss import Accuracy, delta_bracket, epsilon_bracket
from semiaudit.privacy.loss.spectrum import Product


def responses(root: int) -> PrivacyLoss:
    """root^2 answers with an epsilon of 1 / root: next to a Gaussian pair with mu = 1."""
    return PrivacyLoss(((RandomizedResponseLoss(Fraction(1, root)), root**2),))


def test_a_power_that_overflows_leaves_delta_unbounded_but_not_zero() -> None:
    """Phi(-1/2) - e Phi(-3/2) = 0.1269..."""
    found = delta_bracket(responses(3_162_277_660), Fraction(1), Accuracy(1e-3))
    gaussian = math.erfc(0.5 / math.sqrt(2)) / 2 - math.e * math.erfc(1.5 / math.sqrt(2)) / 2
    assert found.lower <= gaussian <= found.upper


def test_a_power_that_overflows_leaves_epsilon_above_that_of_a_gaussian() -> None:
    found = epsilon_bracket(responses(3_162_277_660), Fraction(1, 10**5), Accuracy(1e-3))
    assert found.lower <= 4.377 <= found.upper


def test_so_many_parts_that_no_grid_holds_them_are_refused() -> None:
    with pytest.raises(RefusedError, match="so many parts"):
        delta_bracket(responses(10**10), Fraction(1), Accuracy(1e-3))


@pytest.mark.parametrize("repeat", [10**3, 10**15, 10**19, 10**30])
def test_a_power_of_a_value_a_hair_above_1_is_finite_within_a_bound(repeat: int) -> None:
    """The true factor is anything within the error: 1, whose powers are 1, is one."""
    product = Product(np.arange(2))
    product.multiply(np.array([1 + 2.0**-52, 0.5 + 0j]), 1e-15, repeat)
    error = product.bound()
    assert np.isfinite(product.values).all()
    assert abs(product.values[0] - 1) <= error[0]
    assert abs(product.values[1] - 0.5**repeat) <= error[1]
