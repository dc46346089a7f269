"""Whether a symmetric matrix is positive semidefinite, exactly, by elimination in whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm


def negative_direction(matrix: Sequence[Sequence[Fraction]]) -> int | None:
    """A row at which the elimination shows that a matrix is not positive semidefinite.

    Pivots stand on the diagonal and the elimination keeps symmetric Schur complements of the
    pivots so far. A complement with a negative entry on its diagonal is not semidefinite, nor one
    with a 0 there and an entry beside it; one of zeros is. The entries stay whole numbers, each a
    minor of the matrix (Bareiss 1968).

    Args:
        matrix: symmetric.

    Returns:
        None where it is positive semidefinite.
    """
    common = lcm(*(value.denominator for row in matrix for value in row), 1)
    rows = [[int(value * common) for value in row] for row in matrix]
    shared = gcd(*(value for row in rows for value in row)) or 1
    rows = [[value // shared for value in row] for row in rows]
    left = list(range(len(rows)))
    before = 1
    while left:
        pivot = max(left, key=lambda at: rows[at][at])
        worst = min(left, key=lambda at: rows[at][at])
        if rows[worst][worst] < 0:
            return worst
        top = rows[pivot][pivot]
        if not top:
            return next((at for at in left if any(rows[at][other] for other in left)), None)
        left.remove(pivot)
        for place, at in enumerate(left):
            factor = rows[at][pivot]
            for other in left[place:]:
                value = (top * rows[at][other] - factor * rows[pivot][other]) // before
                rows[at][other] = rows[other][at] = value
        before = top
    return None
