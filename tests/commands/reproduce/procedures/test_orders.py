"""What the procedures compute that no row of reproduce has."""

from __future__ import annotations

from fractions import Fraction

import pytest

from semiaudit.commands.reproduce.procedures.tables import table_space
from tests.commands.reproduce.procedures.orders import (
    multiplicative,
    processed,
    survives_processing,
    wasserstein,
)


def test_processing_never_moves_laws_apart_but_for_the_wasserstein_distance() -> None:
    """Two coins at 0 and 1, with 1/2 and 3/4 for 1: 1/4 apart, and 1/2 if outcomes are doubled."""
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    one, other = (
        {Fraction(0): half, Fraction(1): half},
        {Fraction(0): quarter, Fraction(1): 3 * quarter},
    )
    assert wasserstein(one, other) == quarter
    doubled = [processed(law, lambda x: 2 * x) for law in (one, other)]
    assert wasserstein(*doubled) == half
    assert multiplicative(one, other) == 2
    assert multiplicative(*doubled) == 2
    assert not survives_processing(wasserstein)
    assert survives_processing(multiplicative)


@pytest.mark.slow
def test_the_norm_of_a_ten_by_ten_table_is_that_of_the_listed_ones() -> None:
    for distance, squared in ((2, 4), (3, 6)):
        assert table_space(10, 10, distance).l2_squared.value == squared
        assert table_space(10, 10, distance).rank == 81
