"""Integer vectors of a subspace: bases, and their reduction by LLL.

FLINT does the reduction; it is loaded at the first call that needs it. Its calls cannot be
interrupted: the size is bounded here, and the deadline is checked before each call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm

from semiaudit import deadline

MAX_ENTRIES = 40_000
"""The most entries of a basis that is reduced: LLL takes at most some seconds."""

Whole = dict[int, int]
"""An integer vector: entries by coordinate, without zeros."""


def integer_basis(rows: Sequence[Mapping[int, Fraction]]) -> list[Whole]:
    """Return a basis of the integer vectors in the span of rows in reduced echelon form.

    Each row is 1 in a coordinate where all others are 0, so the integer vectors are integer
    combinations of the rows. A combination w is one if in every other coordinate the sum of w k is
    an integer z: the vectors (w, z) are the kernel of whole numbers after the denominators are
    multiplied out.

    Returns:
        The rows themselves if they are integers; otherwise a basis, reduced if it is not too large.
    """
    broken = sorted({place for row in rows for place, k in row.items() if k.denominator > 1})
    if not broken:
        return [{place: int(k) for place, k in row.items()} for row in rows]
    touched = [at for at, row in enumerate(rows) if any(place in row for place in broken)]
    equations = []
    for z, place in enumerate(broken):
        column = [rows[at].get(place, Fraction(0)) for at in touched]
        modulus = lcm(*(k.denominator for k in column))
        penalties = [-modulus * int(z == other) for other in range(len(broken))]
        equations.append([*(int(k * modulus) for k in column), *penalties])
    weights = _kernel(equations)
    combined = [_combined([rows[at] for at in touched], line[: len(touched)]) for line in weights]
    old = set(touched)
    others = [
        {place: int(k) for place, k in row.items()} for at, row in enumerate(rows) if at not in old
    ]
    return [*others, *combined]


def reduced(basis: Sequence[Mapping[int, int]]) -> list[Whole] | None:
    """Return an LLL-reduced basis of the lattice of independent integer vectors; None if too large.

    Source: Lenstra, Lenstra, Lovasz 1982.
    """
    places = sorted({place for row in basis for place in row})
    if len(basis) * len(places) > MAX_ENTRIES:
        return None
    lines = _lll([[row.get(place, 0) for place in places] for row in basis])
    return [
        {place: value for place, value in zip(places, line, strict=True) if value} for line in lines
    ]


def _kernel(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return a basis of the integer vectors whose product with every row is 0.

    LLL turns the columns of the rows into zeros and independent vectors by a unimodular matrix. Its
    rows that give the zeros are a basis (Pohst 1987).
    """
    from flint import fmpz_mat

    deadline.check()
    columns = fmpz_mat([list(column) for column in zip(*rows, strict=True)])
    images, transform = columns.lll(True)
    pairs = zip(transform.tolist(), images.tolist(), strict=True)
    return _lll([[int(value) for value in line] for line, image in pairs if not any(image)])


def _lll(lines: Sequence[Sequence[int]]) -> list[list[int]]:
    from flint import fmpz_mat

    if not lines:
        return []
    deadline.check()
    basis = fmpz_mat([list(line) for line in lines]).lll()
    return [[int(value) for value in line] for line in basis.tolist()]


def _combined(rows: Sequence[Mapping[int, Fraction]], weights: Sequence[int]) -> Whole:
    total: dict[int, Fraction] = {}
    for weight, row in zip(weights, rows, strict=True):
        if weight:
            for place, k in row.items():
                total[place] = total.get(place, Fraction(0)) + weight * k
    return {place: int(k) for place, k in total.items() if k}
