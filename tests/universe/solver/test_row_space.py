"""Combinations of rows: found where there are some, exact, and none where there are none."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np

from semiaudit.universe.solver.row_space import RowSpace


def test_combinations_are_exact_and_found_just_where_the_rank_does_not_rise() -> None:
    chance = random.Random(3)
    for _ in range(200):
        width = chance.randint(1, 6)
        rows = [[chance.randint(-3, 3) for _ in range(width)] for _ in range(chance.randint(1, 5))]
        target = [chance.randint(-3, 3) for _ in range(width)]
        if chance.random() < 0.5:
            target = [sum(column) for column in zip(*rows, strict=True)]
        found = RowSpace(rows, width).combination(target)
        ranks = [int(np.linalg.matrix_rank(np.array(those))) for those in (rows, [*rows, target])]
        assert (found is not None) == (ranks[0] == ranks[1])
        if found is not None:
            mixed = [
                sum(Fraction(k) * row[c] for k, row in zip(found, rows, strict=True))
                for c in range(width)
            ]
            assert mixed == target


def test_rows_whose_numbers_are_too_large_are_no_combination() -> None:
    assert RowSpace([[1 << 20]], 1).combination([1]) is None
    assert RowSpace([[(1 << 31) - 1, 1]], 2).combination([0, 1]) is None
