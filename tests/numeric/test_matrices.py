"""Solutions and inverses of dense matrices, put in again."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import pytest

from semiaudit.numeric.matrices import determinant, inverse, solve
from tests.oracles.linear_algebra import rank, times


def random_matrix(chance: random.Random, rows: int, columns: int) -> list[list[Fraction]]:
    return [
        [Fraction(chance.randint(-3, 3), chance.choice((1, 1, 2, 5))) for _ in range(columns)]
        for _ in range(rows)
    ]


def test_a_solution_solves_and_there_is_none_just_where_the_matrix_is_singular() -> None:
    chance = random.Random(1)
    singular = 0
    for _ in range(400):
        size, width = chance.randint(1, 5), chance.randint(1, 3)
        matrix, right = random_matrix(chance, size, size), random_matrix(chance, size, width)
        found = solve(matrix, right)
        assert (found is None) == (rank(matrix) < size)
        singular += found is None
        if found is not None:
            assert times(matrix, found) == right
    assert singular > 20


def by_permutations(matrix: list[list[Fraction]]) -> Fraction:
    """The determinant by its definition."""
    total = Fraction(0)
    for order in itertools.permutations(range(len(matrix))):
        turned = sum(a > b for at, a in enumerate(order) for b in order[at + 1 :])
        product = math.prod((matrix[i][j] for i, j in enumerate(order)), start=Fraction(1))
        total += (-1) ** turned * product
    return total


def test_a_determinant_is_the_sum_over_permutations() -> None:
    chance = random.Random(3)
    for _ in range(100):
        size = chance.randint(0, 4)
        matrix = random_matrix(chance, size, size)
        assert determinant(matrix) == by_permutations(matrix)


def test_an_inverse_times_its_matrix_is_the_identity() -> None:
    chance = random.Random(2)
    for _ in range(300):
        size = chance.randint(1, 5)
        matrix = random_matrix(chance, size, size)
        if rank(matrix) < size:
            with pytest.raises(ZeroDivisionError):
                inverse(matrix)
            continue
        numerators, denominator = inverse(matrix)
        found = [[Fraction(k, denominator) for k in row] for row in numerators]
        unit = [[Fraction(at == other) for other in range(size)] for at in range(size)]
        assert times(matrix, found) == unit


def test_nothing_has_an_empty_inverse_and_an_empty_solution() -> None:
    assert inverse([]) == ([], 1)
    assert solve([], []) == []
