"""The weight outside of a window, against the tails of a binomial law."""

from __future__ import annotations

import math

import pytest

from semiaudit.privacy.loss.laws.window import outside, reach
from tests.privacy.loss.laws.instances import law


def tails(number: int, first: int, length: int) -> float:
    """The share of coins, of 2^number, with fewer heads than first, or first + length or more."""
    inside = range(first, first + length)
    beyond = [math.comb(number, k) for k in range(number + 1) if k not in inside]
    return math.ldexp(sum(beyond), -number)


@pytest.mark.parametrize(
    ("first", "length"), [(0, 101), (30, 64), (0, 64), (40, 64), (40, 16), (60, 64), (-20, 64)]
)
def test_the_bound_covers_both_tails_and_nothing_that_no_sum_reaches(
    first: int, length: int
) -> None:
    coins = [(law(0, [1, 1]), 100)]
    truth, found = tails(100, first, length), outside(coins, first, length)
    assert truth <= found
    # Chernoff's bound of a binomial tail is off by a small power of the number of coins.
    assert found <= 40 * truth


def test_the_reach_leaves_out_less_than_the_rounding_of_its_sums() -> None:
    coins = [(law(0, [1, 1]), 1000), (law(-3, [1, 2, 1]), 500)]
    low, high = reach(coins)
    assert outside(coins, low, high - low + 1) < 1e-20
    assert -1500 <= low < high <= 1000
    assert high - low < 1000
