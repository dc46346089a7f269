"""Row 80: Su's Table 1, all nine numbers, and what stays bounded."""

from __future__ import annotations

from fractions import Fraction

import pytest

from semiaudit.privacy.approximations.last_iterate import (
    TABLE_1,
    Column,
    composition_mu,
    last_iterate_epsilon,
    last_iterate_mu,
    last_iterate_rho,
)

DELTA = Fraction(1, 10**5)
PRINTED = {
    50: ("30.51", "5.82", "4.34"),
    100: ("49.88", "7.61", "5.60"),
    200: ("83.83", "9.88", "7.58"),
}
COLUMNS: tuple[Column, ...] = ("composition", "renyi", "f_dp")


@pytest.mark.parametrize("epochs", PRINTED)
def test_table_1_to_two_decimals(epochs: int) -> None:
    found = [last_iterate_epsilon(TABLE_1, epochs, DELTA, column).estimate for column in COLUMNS]
    assert tuple(f"{value:.2f}" for value in found) == PRINTED[epochs]


def test_table_1_to_four_decimals_of_row_80() -> None:
    found = [
        round(last_iterate_epsilon(TABLE_1, epochs, DELTA, column).estimate, 4)
        for epochs in (50, 100)
        for column in COLUMNS
    ]
    assert found == [30.5063, 5.8221, 4.3392, 49.8837, 7.6100, 5.6013]


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
