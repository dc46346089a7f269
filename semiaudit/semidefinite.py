"""Symmetric matrices that may be positive semidefinite: told exactly, in whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm


@dataclass(frozen=True, slots=True)
class Elimination:
    """What the elimination of a symmetric matrix tells.

    Attributes:
        pivots: places of rows and columns whose submatrix is regular and has the matrix's rank,
            where the matrix is positive semidefinite; else those before it was seen not to be.
        bad: a row that shows that it is not positive semidefinite; None where it is.
        rows: for every pivot whole numbers l by place and a whole number d, with which the matrix
            is the sum of l l' / d, where it is positive semidefinite.
    """

    pivots: tuple[int, ...]
    bad: int | None
    rows: tuple[tuple[dict[int, int], int], ...] = ()


def eliminated(matrix: Sequence[Sequence[Fraction]]) -> Elimination:
    """Symmetric elimination with the largest entry of the diagonal as the next pivot.

    What is left after each pivot is a Schur complement times a positive number. One with a
    negative entry on its diagonal is not semidefinite, nor one with a 0 there and another entry
    beside it; one of zeros is. The entries stay whole numbers, each a minor of the matrix
    (Bareiss 1968).

    Args:
        matrix: symmetric.
    """
    common = lcm(*(value.denominator for row in matrix for value in row), 1)
    rows = [[int(value * common) for value in row] for row in matrix]
    shared = gcd(*(value for row in rows for value in row)) or 1
    rows = [[value // shared for value in row] for row in rows]
    left = list(range(len(rows)))
    pivots: list[int] = []
    found: list[tuple[dict[int, int], int]] = []
    before = 1
    while left:
        pivot = max(left, key=lambda at: rows[at][at])
        worst = min(left, key=lambda at: rows[at][at])
        if rows[worst][worst] < 0:
            return Elimination(tuple(pivots), worst)
        top = rows[pivot][pivot]
        if not top:
            beside = (at for at in left if any(rows[at][other] for other in left))
            return Elimination(tuple(pivots), next(beside, None), tuple(found))
        pivots.append(pivot)
        # The minors of this pivot: the complement's row is they over the last pivot's minor.
        minors = {at: shared * rows[pivot][at] for at in left if rows[pivot][at]}
        found.append((minors, shared * common * top * before))
        left.remove(pivot)
        for place, at in enumerate(left):
            factor = rows[at][pivot]
            for other in left[place:]:
                value = (top * rows[at][other] - factor * rows[pivot][other]) // before
                rows[at][other] = rows[other][at] = value
        before = top
    return Elimination(tuple(pivots), None, tuple(found))
