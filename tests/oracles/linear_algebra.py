"""Exact linear algebra as a textbook has it: dense elimination in fractions, and minors."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from math import gcd

Matrix = Sequence[Sequence[int | Fraction]]


def echelon(rows: Matrix) -> list[list[Fraction]]:
    """The nonzero rows of the reduced row echelon form."""
    left = [[Fraction(value) for value in row] for row in rows]
    width, top = len(left[0]) if left else 0, 0
    for column in range(width):
        at = next((place for place in range(top, len(left)) if left[place][column]), None)
        if at is None:
            continue
        left[top], left[at] = left[at], left[top]
        scale = left[top][column]
        left[top] = [value / scale for value in left[top]]
        for place, row in enumerate(left):
            if place != top and row[column]:
                factor = row[column]
                left[place] = [a - factor * b for a, b in zip(row, left[top], strict=True)]
        top += 1
    return left[:top]


def rank(rows: Matrix) -> int:
    """The dimension of the span."""
    return len(echelon(rows))


def times(matrix: Matrix, other: Matrix) -> list[list[Fraction]]:
    """The product of two matrices."""
    return [
        [sum((Fraction(a) * b for a, b in zip(row, column, strict=True)), Fraction(0))
         for column in zip(*other, strict=True)]
        for row in matrix
    ]  # fmt: skip


def determinant(matrix: Matrix) -> Fraction:
    """By Laplace's expansion along the first row."""
    if not matrix:
        return Fraction(1)
    total = Fraction(0)
    for at, value in enumerate(matrix[0]):
        minor = [[*row[:at], *row[at + 1 :]] for row in matrix[1:]]
        total += (-1) ** at * value * determinant(minor)
    return total


def is_saturated(basis: Sequence[Sequence[int]]) -> bool:
    """Whether independent integer vectors generate every integer vector of their span.

    They do if and only if the greatest common divisor of their maximal minors is 1.
    """
    if not basis:
        return True
    columns = range(len(basis[0]))
    minors = (
        int(determinant([[row[c] for c in chosen] for row in basis]))
        for chosen in combinations(columns, len(basis))
    )
    return gcd(*minors) == 1


def integer_vectors(rows: Matrix, width: int, largest: int) -> list[tuple[int, ...]]:
    """Every integer vector with entries up to a size whose product with each row is 0."""
    box = product(range(-largest, largest + 1), repeat=width)
    return [
        vector
        for vector in box
        if not any(sum(a * b for a, b in zip(row, vector, strict=True)) for row in rows)
    ]
