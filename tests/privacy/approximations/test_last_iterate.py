"""Su's Table 1, all nine numbers, and what stays bounded."""

from __future__ import annotations

from fractions import Fraction

import pytest

from semiaudit.privacy.approximations.last_iterate import (
    Column,
    CyclicDescent,
    composition_mu,
    last_iterate_epsilon,
    last_iterate_mu,
    last_iterate_rho,
)
from tests.golden.published import PUBLISHED

DELTA = Fraction(1, 10**5)
TABLE_1 = CyclicDescent(2 / 3, 40, 0.9999)
COLUMNS: tuple[Column, ...] = ("composition", "renyi", "f_dp")


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("epochs", [50, 100, 200])
def test_table_1_to_two_decimals(epochs: int, column: Column) -> None:
    found = last_iterate_epsilon(TABLE_1, epochs, DELTA, column).estimate
    assert f"{found:.2f}" == PUBLISHED[f"table_1_{epochs}_{column}"].text


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("epochs", [50, 100])
def test_table_1_to_four_decimals(epochs: int, column: Column) -> None:
    found = last_iterate_epsilon(TABLE_1, epochs, DELTA, column).estimate
    assert f"{found:.4f}" == PUBLISHED[f"fitted_table_1_{epochs}_{column}"].text


def test_the_last_iterate_stays_bounded_and_the_composition_does_not() -> None:
    mus = [last_iterate_mu(TABLE_1, 10**k).estimate for k in (1, 3, 5, 7)]
    rhos = [last_iterate_rho(TABLE_1, 10**k).estimate for k in (1, 3, 5, 7)]
    assert mus[3] == mus[2] > mus[1] > mus[0]
    assert rhos[3] == rhos[2] > rhos[1] > rhos[0]
    assert composition_mu(TABLE_1, 10**7).estimate > 100 * mus[3]


def test_one_epoch_is_one_gaussian_step() -> None:
    assert last_iterate_mu(TABLE_1, 1).estimate == composition_mu(TABLE_1, 1).estimate == 2 / 3


def test_the_fit_is_named_in_every_number() -> None:
    found = last_iterate_epsilon(TABLE_1, 50, DELTA, "renyi")
    assert "E35" in found.caveat
    assert "fitted" in found.source
