"""A nonnegative solution of a rational linear system: floats propose, rationals decide."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

_SUPPORT = 1e-9
"""Floats above it count as positive; a wrong guess only loses the solution, which is checked."""


def nonnegative_solution(
    rows: Sequence[Sequence[Fraction]], right: Sequence[Fraction]
) -> list[Fraction] | None:
    """Some x >= 0 with rows x = right, exactly; None where none was found.

    Args:
        rows: m rows of n coefficients. right: m numbers.

    Returns:
        n rationals that satisfy every equation. None says nothing: not found is not impossible.

    Rounding: a vertex in floats, by the dual simplex method of HiGHS; then its support is solved
    by elimination, and the signs and all equations are checked.
    """
    from scipy.optimize import linprog

    size = len(rows[0])
    found = linprog(
        [0.0] * size,
        A_eq=[[float(v) for v in row] for row in rows],
        b_eq=[float(v) for v in right],
        bounds=(0, None),
        method="highs-ds",
    )
    if found.x is None:
        return None
    support = [place for place in range(size) if found.x[place] > _SUPPORT]
    part = _solved([[row[place] for place in support] for row in rows], right)
    if part is None or min(part, default=Fraction(0)) < 0:
        return None
    values = [Fraction(0)] * size
    for place, value in zip(support, part, strict=True):
        values[place] = value
    if any(
        sum((a * x for a, x in zip(row, values, strict=True)), Fraction(0)) != b
        for row, b in zip(rows, right, strict=True)
    ):
        return None
    return values


def _solved(rows: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> list[Fraction] | None:
    """A solution by Gauss and Jordan's elimination, free unknowns zero; None where none is."""
    table = [[*row, b] for row, b in zip(rows, right, strict=True)]
    size = len(table[0]) - 1
    pivots: list[int] = []
    for column in range(size):
        top = len(pivots)
        pivot = next((r for r in range(top, len(table)) if table[r][column]), None)
        if pivot is None:
            continue
        table[top], table[pivot] = table[pivot], table[top]
        scale = table[top][column]
        table[top] = [v / scale for v in table[top]]
        for other in range(len(table)):
            factor = table[other][column]
            if other != top and factor:
                table[other] = [
                    v - factor * w for v, w in zip(table[other], table[top], strict=True)
                ]
        pivots.append(column)
    if any(row[-1] for row in table[len(pivots) :]):
        return None
    values = [Fraction(0)] * size
    for row, column in zip(table, pivots, strict=False):
        values[column] = row[-1]
    return values
