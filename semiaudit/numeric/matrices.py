"""Exact solutions and inverses of dense rational matrices, by FLINT.

FLINT is loaded at the first call. Its calls cannot be interrupted: callers bound the size, and the
deadline is checked before each call.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING

from semiaudit import deadline

if TYPE_CHECKING:
    from flint import fmpq_mat

Vector = Sequence[int | Fraction]
Matrix = Sequence[Vector]


def solve(matrix: Matrix, right: Matrix) -> list[list[Fraction]] | None:
    """Return X with matrix X = right for a square matrix; None if it is singular.

    Args:
        matrix: n x n.
        right: n x m.
    """
    if not matrix or not right[0]:
        return [[] for _ in matrix]
    first, scale = _whole(matrix)
    second, other = _whole(right)
    deadline.check()
    try:
        solution = first.solve(second)
    except ZeroDivisionError:
        return None
    ratio = Fraction(scale, other)
    return [[value * ratio for value in row] for row in _fractions(solution)]


def inverse(matrix: Matrix) -> tuple[list[list[int]], int]:
    """Return an integer matrix A and a positive integer d with matrix^-1 = A / d.

    Raises:
        ZeroDivisionError: the matrix is singular.
    """
    if not matrix:
        return [], 1
    integers, scale = _whole(matrix)
    deadline.check()
    numerators, denominator = integers.inv().numer_denom()
    scaled = [[scale * int(value) for value in row] for row in numerators.tolist()]
    return scaled, int(denominator)


def determinant(matrix: Matrix) -> Fraction:
    """Return the determinant of a square matrix; 1 without rows."""
    if not matrix:
        return Fraction(1)
    integers, scale = _whole(matrix)
    deadline.check()
    result = integers.det()
    return Fraction(int(result.p), int(result.q) * scale ** len(matrix))


def _whole(matrix: Matrix) -> tuple[fmpq_mat, int]:
    from flint import fmpq_mat, fmpz_mat

    scale = lcm(*(value.denominator for row in matrix for value in row))
    return fmpq_mat(fmpz_mat([[int(value * scale) for value in row] for row in matrix])), scale


def _fractions(matrix: fmpq_mat) -> list[list[Fraction]]:
    numerators, denominator = matrix.numer_denom()
    common = int(denominator)
    return [[Fraction(int(value), common) for value in row] for row in numerators.tolist()]
