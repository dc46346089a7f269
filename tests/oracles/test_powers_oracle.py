"""The oracle for sums of many integers, against binomial coefficients and by hand."""

from __future__ import annotations

import math

from tests.oracles.powers import power, product


def test_powers_of_one_plus_x_are_binomial_coefficients() -> None:
    assert power([1, 1], 30) == [math.comb(30, k) for k in range(31)]


def test_a_square_by_hand() -> None:
    assert power([1, 0, 3], 2) == [1, 0, 6, 0, 9]


def test_a_product_by_hand() -> None:
    assert product([[1, 2], [3, 0, 1]]) == [3, 6, 1, 2]
