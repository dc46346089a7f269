"""Whether a kernel turns some laws into others: its entries are eliminated one by one, exactly.

The equations P K = Q, and that rows sum to 1, are solved by Gauss; what is left free is eliminated
from the inequalities K >= 0 by Fourier and Motzkin. No simplex, no polygon.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

Law = tuple[Fraction, ...]
Row = list[Fraction]


def random_law(chance: random.Random, outcomes: int) -> Law:
    weights = [chance.choice((0, 0, 1, 1, 2, 3)) for _ in range(outcomes)]
    weights[chance.randrange(outcomes)] += 1
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


def multiplied(law: Law, kernel: Sequence[Sequence[Fraction]]) -> Law:
    columns = zip(*kernel, strict=True)
    return tuple(
        sum((p * k for p, k in zip(law, column, strict=True)), Fraction(0)) for column in columns
    )


def has_kernel(source: Sequence[Law], target: Sequence[Law]) -> bool:
    """Whether some stochastic matrix turns each law of the source into the target's."""
    outcomes, answers = len(source[0]), len(target[0])
    equations: list[Row] = []
    for law, wanted in zip(source, target, strict=True):
        for j in range(answers):
            row = [Fraction(0)] * (outcomes * answers) + [wanted[j]]
            for i in range(outcomes):
                row[i * answers + j] = law[i]
            equations.append(row)
    for i in range(outcomes):
        row = [Fraction(0)] * (outcomes * answers) + [Fraction(1)]
        for j in range(answers):
            row[i * answers + j] = Fraction(1)
        equations.append(row)
    pivots = _gauss(equations, outcomes * answers)
    if pivots is None:
        return False
    free = [at for at in range(outcomes * answers) if at not in pivots]
    # (coefficients of the free entries, constant): the sum is at least 0.
    inequalities = [
        ([-pivots[at][other] for other in free], pivots[at][-1])
        if at in pivots
        else ([Fraction(int(other == at)) for other in free], Fraction(0))
        for at in range(outcomes * answers)
    ]
    return _possible(inequalities)


def _gauss(equations: list[Row], width: int) -> dict[int, Row] | None:
    """The solved equations by their leading entries; None where they contradict each other."""
    pivots: dict[int, Row] = {}
    left = equations
    for at in range(width):
        chosen = next((row for row in left if row[at]), None)
        if chosen is None:
            continue
        scaled = [value / chosen[at] for value in chosen]
        left = [
            [value - row[at] * own for value, own in zip(row, scaled, strict=True)]
            for row in left
            if row is not chosen
        ]
        pivots = {
            key: [value - row[at] * own for value, own in zip(row, scaled, strict=True)]
            for key, row in pivots.items()
        }
        pivots[at] = scaled
    return None if any(row[-1] for row in left) else pivots


def _possible(inequalities: list[tuple[Row, Fraction]]) -> bool:
    while inequalities and inequalities[0][0]:
        above = [(row, c) for row, c in inequalities if row[-1] > 0]
        below = [(row, c) for row, c in inequalities if row[-1] < 0]
        kept = {(tuple(row[:-1]), c) for row, c in inequalities if not row[-1]}
        for one, c in above:
            for other, d in below:
                a, b = one[-1], -other[-1]
                row = tuple(b * x + a * y for x, y in zip(one[:-1], other[:-1], strict=True))
                size = sum(map(abs, row)) + abs(b * c + a * d) or Fraction(1)
                kept.add((tuple(x / size for x in row), (b * c + a * d) / size))
        inequalities = [(list(row), c) for row, c in kept]
    return all(c >= 0 for _, c in inequalities)
