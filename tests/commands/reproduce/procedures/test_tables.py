"""Sensitivity spaces of tables that the rows of `reproduce` do not have."""

from __future__ import annotations

import pytest

from semiaudit.commands.reproduce.procedures.tables import table_space


@pytest.mark.slow
def test_the_norm_of_a_ten_by_ten_table_is_that_of_the_listed_ones() -> None:
    for distance, squared in ((2, 4), (3, 6)):
        assert table_space(10, 10, distance).l2_squared.value == squared
        assert table_space(10, 10, distance).rank == 81
