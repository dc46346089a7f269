"""The exact simplex method against all basic solutions."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

from semiaudit.numeric.simplex import feasible_point
from tests.oracles.linear_algebra import echelon, rank, times

Rows = list[list[Fraction]]


def basic_solution_exists(rows: Rows, right: list[Fraction]) -> bool:
    """Whether some set of columns gives a nonnegative solution: one does if any solution exists."""
    width = len(rows[0])
    for size in range(width + 1):
        for chosen in combinations(range(width), size):
            part = [[row[c] for c in chosen] for row in rows]
            both = [[*row, value] for row, value in zip(part, right, strict=True)]
            if rank(part) == size == rank(both):
                solution = [row[-1] for row in echelon(both)]
                if min(solution, default=Fraction(0)) >= 0:
                    return True
    return False


def test_a_solution_is_put_in_and_its_absence_has_a_proof() -> None:
    chance = random.Random(1)
    seen = {True: 0, False: 0}
    for _ in range(400):
        number, width = chance.randint(1, 3), chance.randint(1, 4)
        rows = [[Fraction(chance.randint(-2, 3)) for _ in range(width)] for _ in range(number)]
        right = [Fraction(chance.randint(0, 4)) for _ in range(number)]
        solution, dual = feasible_point([list(row) for row in rows], list(right))
        assert (solution is not None) == basic_solution_exists(rows, right)
        seen[solution is not None] += 1
        if solution is not None:
            assert min(solution) >= 0
            assert times(rows, [[x] for x in solution]) == [[value] for value in right]
            continue
        # Farkas: y A <= 0 and y b > 0 leave no x >= 0 with A x = b.
        assert all(value <= 0 for value in times([dual], rows)[0])
        assert times([dual], [[value] for value in right])[0][0] > 0
    assert min(seen.values()) > 50
