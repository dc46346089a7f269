"""Symmetric matrices against their principal minors, and lengths against a solution put in."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

from semiaudit.numeric.semidefinite import RowsOf, Semidefinite, eliminated
from tests.oracles.linear_algebra import determinant, rank, times

Matrix = list[list[Fraction]]


def random_symmetric(chance: random.Random, size: int, *, semidefinite: bool) -> Matrix:
    if semidefinite:
        rows = [[Fraction(chance.randint(-2, 2)) for _ in range(size)] for _ in range(size)]
        some = rows[: chance.randint(1, size)]
        return times([list(column) for column in zip(*some, strict=True)], some)
    found = [[Fraction(0)] * size for _ in range(size)]
    for at in range(size):
        for other in range(at + 1):
            found[at][other] = found[other][at] = Fraction(chance.randint(-2, 3), 2)
    return found


def is_semidefinite(matrix: Matrix) -> bool:
    """Every principal minor is nonnegative."""
    return all(
        determinant([[matrix[a][b] for b in chosen] for a in chosen]) >= 0
        for size in range(1, len(matrix) + 1)
        for chosen in combinations(range(len(matrix)), size)
    )


def test_elimination_decides_semidefiniteness_and_its_rows_sum_to_the_matrix() -> None:
    chance = random.Random(1)
    seen = {True: 0, False: 0}
    for at in range(400):
        size = chance.randint(1, 4)
        matrix = random_symmetric(chance, size, semidefinite=bool(at % 2))
        found = eliminated(matrix)
        assert (found.bad is None) == is_semidefinite(matrix)
        seen[found.bad is None] += 1
        if found.bad is not None:
            continue
        assert len(found.pivots) == rank(matrix)
        total = [[Fraction(0)] * size for _ in range(size)]
        for row, divisor in found.rows:
            for a, one in row.items():
                for b, other in row.items():
                    total[a][b] += Fraction(one * other, divisor)
        assert total == matrix
    assert min(seen.values()) > 100


def test_the_length_of_a_vector_is_its_product_with_any_solution() -> None:
    chance = random.Random(2)
    for _ in range(200):
        size = chance.randint(1, 4)
        matrix = random_symmetric(chance, size, semidefinite=True)
        solutions = [[Fraction(chance.randint(-3, 3)) for _ in range(size)] for _ in range(3)]
        vectors = [[value for (value,) in times(matrix, [[x] for x in s])] for s in solutions]
        lengths = [
            times([u], [[x] for x in s])[0][0] for u, s in zip(vectors, solutions, strict=True)
        ]
        found = Semidefinite(matrix)
        assert found.rank == rank(matrix)
        assert found.outside(vectors) is None
        assert [found.square(u) for u in vectors] == lengths
        assert found.largest(vectors) == max(lengths)


def test_a_multiple_of_a_projector_is_recognized_with_its_factor() -> None:
    """A = 3 P / 2, where P projects on the vectors of sum 0; A A = 3 A / 2."""
    half = Fraction(1, 2)
    around = [[2 * half, -half, -half], [-half, 2 * half, -half], [-half, -half, 2 * half]]
    assert Semidefinite(around).factor == 3 * half
    assert Semidefinite([[half, 0 * half], [0 * half, half]]).factor == half
    assert Semidefinite([[half, 0 * half], [0 * half, 3 * half]]).factor is None
    assert Semidefinite([[0 * half]]).factor is None


def test_the_first_vector_outside_the_range_is_named() -> None:
    found = Semidefinite([[Fraction(1), Fraction(1)], [Fraction(1), Fraction(1)]])
    assert found.outside([[2, 2], [1, 0], [0, 1]]) == 1


def test_a_projection_is_in_the_span_and_what_is_left_is_orthogonal_to_it() -> None:
    chance = random.Random(3)
    for _ in range(200):
        width, number = chance.randint(1, 5), chance.randint(1, 4)
        rows = [
            [Fraction(chance.randint(-2, 2), chance.randint(1, 3)) for _ in range(width)]
            for _ in range(number)
        ]
        vector, other = ([Fraction(chance.randint(-3, 3), 2) for _ in range(width)] for _ in "12")
        found = RowsOf(rows)
        projected = list(found.project(vector))
        assert found.project_all([other, vector])[1] == tuple(projected)
        left = [a - b for a, b in zip(vector, projected, strict=True)]
        assert found.rank == rank(rows)
        assert found.independent == (rank(rows) == number)
        assert rank([*rows, projected]) == rank(rows)
        assert not any(value for (value,) in times(rows, [[x] for x in left]))
        assert times([found.weights(vector)], rows)[0] == projected
        inside = rank([*rows, vector]) == rank(rows)
        assert found.span([projected, vector]) == inside
        weights = found.all_weights([projected, vector])
        assert (weights is not None) == inside
        assert weights is None or times(weights, rows) == [projected, vector]
