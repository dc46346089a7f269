"""Exact linear algebra over the rationals, for small matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

MAX_OPERATIONS = 300_000
"""Products of fractions in one span's eliminations, in Python."""

Row = dict[int, Fraction]
"""Coefficients by column, without zeros."""


def subtract(row: dict[int, Fraction], factor: Fraction, other: Mapping[int, Fraction]) -> None:
    """A row less a factor times another one, in place; without zeros."""
    for place, k in other.items():
        changed = row.get(place, Fraction(0)) - factor * k
        if changed:
            row[place] = changed
        else:
            row.pop(place, None)


class RowSpace:
    """The span of some rows, kept reduced; refuses to work beyond ``MAX_OPERATIONS``."""

    def __init__(self) -> None:
        self.pivots: dict[int, Row] = {}
        self.operations = 0

    @property
    def rank(self) -> int:
        """The dimension of the span."""
        return len(self.pivots)

    def rest(self, row: Mapping[int, int | Fraction]) -> Row | None:
        """What is left of a row after the span is taken out; None where that is too long."""
        left = {c: Fraction(k) for c, k in row.items() if k}
        done: set[int] = set()
        while True:
            c = min((c for c in left if c in self.pivots and c not in done), default=None)
            if c is None:
                return left
            done.add(c)
            factor, pivot = left[c], self.pivots[c]
            self.operations += len(pivot)
            if self.operations > MAX_OPERATIONS:
                return None
            subtract(left, factor, pivot)

    def add(self, row: Mapping[int, int | Fraction]) -> bool | None:
        """Take a row; True if it was independent, None where that is too long to tell."""
        left = self.rest(row)
        if left is None:
            return None
        if left:
            c = min(left)
            scale = left[c]
            self.pivots[c] = {place: k / scale for place, k in left.items()}
        return bool(left)


def solve(
    matrix: Sequence[Sequence[Fraction]], right: Sequence[Sequence[Fraction]]
) -> list[list[Fraction]] | None:
    """The solution of matrix X = right for a square matrix; None where it is singular."""
    size = len(matrix)
    rows = [[*left, *extra] for left, extra in zip(matrix, right, strict=True)]
    for at in range(size):
        pivot = next((place for place in range(at, size) if rows[place][at]), None)
        if pivot is None:
            return None
        rows[at], rows[pivot] = rows[pivot], rows[at]
        scale = rows[at][at]
        rows[at] = [value / scale for value in rows[at]]
        for place in range(size):
            factor = rows[place][at]
            if place != at and factor:
                rows[place] = [a - factor * b for a, b in zip(rows[place], rows[at], strict=True)]
    return [row[size:] for row in rows]
