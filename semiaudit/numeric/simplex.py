"""The simplex method in rationals: a nonnegative solution of equations, or a proof of none."""

from __future__ import annotations

from fractions import Fraction

from semiaudit import deadline

ZERO, ONE = Fraction(0), Fraction(1)


def feasible_point(
    rows: list[list[Fraction]], right: list[Fraction]
) -> tuple[list[Fraction] | None, list[Fraction]]:
    """Return a solution of A x = b, x >= 0, with b >= 0; or y with y A <= 0 and y b > 0.

    The method minimizes the sum of an artificial variable for each equation. The artificial columns
    stay in the table and never enter again: they contain the inverse of the basis, and so the dual.
    """
    number, width = len(rows), len(rows[0])
    table = [
        [*row, *(ONE if at == place else ZERO for at in range(number)), value]
        for place, (row, value) in enumerate(zip(rows, right, strict=True))
    ]
    basis = [width + place for place in range(number)]
    # The row of reduced costs: of the sum of the artificial variables.
    cost = [-sum(column, ZERO) for column in zip(*table, strict=True)]
    cost[width : width + number] = [ZERO] * number
    while True:
        deadline.check()
        entering = next((at for at in range(width) if cost[at] < 0), None)
        if entering is None:
            break
        leaving = min(
            (place for place in range(number) if table[place][entering] > 0),
            key=lambda place: (table[place][-1] / table[place][entering], basis[place]),
        )
        _pivot(table, cost, leaving, entering)
        basis[leaving] = entering
    if cost[-1] == 0:
        solution = [ZERO] * width
        for place, column in enumerate(basis):
            if column < width:
                solution[column] = table[place][-1]
        return solution, []
    return None, [ONE - cost[width + place] for place in range(number)]


def _pivot(table: list[list[Fraction]], cost: list[Fraction], leaving: int, entering: int) -> None:
    chosen = table[leaving]
    scale = chosen[entering]
    chosen[:] = [value / scale if value else value for value in chosen]
    used = [at for at, value in enumerate(chosen) if value]
    for row in (*table, cost):
        factor = row[entering]
        if row is not chosen and factor:
            for at in used:
                row[at] -= factor * chosen[at]
