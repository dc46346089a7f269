"""The noise's null space: steps of a query projected on null(C), where T = C phi."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm, prod
from operator import mul
from typing import assert_never

from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import (
    Constraint,
    SameCellSums,
    SameMargin,
    SameSize,
    SameSums,
    SameSupport,
    Within,
    is_margin,
    linear_rows,
)
from semiaudit.numeric.matrices import solve
from semiaudit.numeric.row_space import RowSpace, TooLongError
from semiaudit.universe.sensitivity.answer_null_space import Sparse, answer_equations, rows_of
from semiaudit.universe.sensitivity.answers import Answers, Records
from semiaudit.universe.system.components import places_of

MAX_CELLS = 150
"""Tables of up to this many cells are projected by exact elimination, in fractions."""

MAX_ATTRIBUTES = 6
"""The most attributes of published margins whose interactions are enumerated: 2^6 sets against
2^6."""

MAX_PROJECTED = 3_000_000
"""The most products of fractions for the projection of all steps."""


def projected(
    release: Release,
    space: TableSpace,
    answers: Answers,
    full: Fraction | float,
    *,
    pairs: bool,
) -> Fraction | None:
    """Return the largest squared norm of a projected step, or an upper bound.

    None if T is not C phi.

    For the table of all cells, C contains the invariants' own rows. There is a closed form for
    margins: their row space is the sum of the interactions of all sets of attributes inside a
    margin, and |P_I (e_i - e_j)|^2 of an interaction I depends on the attributes in which i and j
    differ.

    Args:
        full: the largest squared norm of a step without projection: an upper bound of the result.
        pairs: a step turns a record into another; otherwise it adds or removes one.
    """
    if not isinstance(full, Fraction):
        return None
    constraints = linear_rows(constraints_of(release.invariants))
    if constraints is None:
        return None
    if not constraints:
        return full
    if answers.is_table:
        if space.cells <= MAX_CELLS:
            share = _of_table(space, constraints, pairs=pairs)
            if share is not None:
                return min(share, full)
        if all(map(is_margin, constraints)):
            return min(_of_margins(space, constraints, full, pairs=pairs), full)
        return full
    return _of_query(space, answers, constraints, full, pairs=pairs)


def _of_table(
    space: TableSpace, constraints: Sequence[Constraint], *, pairs: bool
) -> Fraction | None:
    """Compute v'v less the part of v in the row space of C, by elimination, over all steps v.

    Cells in which no record is possible are 0 in every answer, and so in the null space.
    """
    possible = list(_possible(space))
    independent = _independent(rows_of(space, constraints, possible))
    if independent is None:
        return None
    columns: list[Mapping[int, int]] = [{cell: 1} for cell in range(len(possible))]
    return _largest(independent, columns, pairs=pairs)


def _possible(space: TableSpace) -> Iterator[tuple[int, ...]]:
    records = Records(space)
    return records.some(records.components)


def _independent(rows: Sequence[Sparse]) -> list[Sparse] | None:
    space = RowSpace()
    try:
        return [row for row in rows if space.add(row)]
    except TooLongError:
        return None


def _largest(
    rows: Sequence[Mapping[int, int | Fraction]],
    columns: Sequence[Mapping[int, int]],
    *,
    pairs: bool,
) -> Fraction | None:
    """Return max |P v|^2 over v = q_i - q_j, or v = q_i; P projects on the rows' null space."""
    if len(rows) ** 3 + len(rows) * len(columns) ** 2 > MAX_PROJECTED:
        return None
    zero = Fraction(0)
    gram = [
        [sum((Fraction(k) * other.get(c, 0) for c, k in row.items()), zero) for other in rows]
        for row in rows
    ]
    right = [
        [sum((Fraction(k) * row.get(c, 0) for c, k in q.items()), zero) for q in columns]
        for row in rows
    ]
    solved = solve(gram, right)
    if solved is None:
        return None

    # In whole numbers, as multiples of one fraction.
    number = len(columns)
    (images, grain), (factors, unit) = _whole(right, number), _whole(solved, number)
    unit_length = grain * unit

    def product_of(i: int, j: int) -> int:
        plain = sum(k * columns[j].get(c, 0) for c, k in columns[i].items())
        total: int = sum(map(mul, images[i], factors[j]))
        return plain * unit_length - total

    norms = [product_of(i, i) for i in range(number)]
    if not pairs:
        return Fraction(max(norms, default=0), unit_length)
    ends = (norms[i] + norms[j] - 2 * product_of(i, j) for i, j in combinations(range(number), 2))
    return Fraction(max(ends, default=0), unit_length)


def _whole(matrix: Sequence[Sequence[Fraction]], columns: int) -> tuple[list[list[int]], int]:
    """Return the columns of a matrix, which can have no rows, as multiples of 1 / n, and n."""
    unit = lcm(*(entry.denominator for row in matrix for entry in row))
    return [[int(row[place] * unit) for row in matrix] for place in range(columns)], unit


def _of_margins(
    space: TableSpace, constraints: Sequence[Constraint], full: Fraction, *, pairs: bool
) -> Fraction:
    """Compute by interactions, over all cells; structural zeros only add steps to the maximum."""
    sizes = [attribute.size for attribute in space.attributes]
    subsets = _interactions(space, constraints)
    if subsets is None:
        return full
    determined = sorted({place for subset in subsets for place in subset})
    cells = prod(sizes)
    if not pairs:
        return Fraction(_free(sizes, subsets), cells)
    varying = [place for place in determined if sizes[place] > 1]
    others = any(size > 1 for place, size in enumerate(sizes) if place not in determined)
    best = Fraction(0)
    for number in range(0 if others else 1, len(varying) + 1):
        for differ in combinations(varying, number):
            total = Fraction(0)
            for subset in subsets:
                factor = prod(sizes[p] - 1 for p in subset)
                cross = prod(-1 if p in differ else sizes[p] - 1 for p in subset)
                total += 2 * Fraction(factor - cross, cells)
            best = max(best, 2 - total)
    return best


def free_of_margins(space: TableSpace, constraints: Sequence[Constraint]) -> int | None:
    """Return the dimension of the null space of margins over all cells; None for other constraints.

    All cells are equivalent there: the squared length of a projected unit vector is this dimension
    over the number of cells.
    """
    if not constraints or not all(map(is_margin, constraints)):
        return None
    subsets = _interactions(space, constraints)
    sizes = [attribute.size for attribute in space.attributes]
    return None if subsets is None else _free(sizes, subsets)


def _interactions(
    space: TableSpace, constraints: Sequence[Constraint]
) -> set[frozenset[int]] | None:
    margins = [frozenset(places_of(space, constraint)) for constraint in constraints]
    if len({place for margin in margins for place in margin}) > MAX_ATTRIBUTES:
        return None
    return {
        frozenset(chosen)
        for margin in margins
        for number in range(len(margin) + 1)
        for chosen in combinations(sorted(margin), number)
    }


def _free(sizes: Sequence[int], subsets: set[frozenset[int]]) -> int:
    return prod(sizes) - sum(prod(sizes[p] - 1 for p in subset) for subset in subsets)


def _of_query(
    space: TableSpace,
    answers: Answers,
    constraints: Sequence[Constraint],
    full: Fraction,
    *,
    pairs: bool,
) -> Fraction | None:
    """Solve T = C phi for C, and project on the null space of C and of all relations of answers.

    That null space does not depend on the choice of C (docs/theory/queries.md, The null space).
    None if T is not linear in the query; ``full`` if the projection is too large: a projection only
    shrinks a step.
    """
    equations = answer_equations(space, answers, constraints)
    if equations is None:
        return full if is_in_a_margin(space, answers, constraints) else None
    if equations.rows is None:
        return None
    if len(equations.columns) > MAX_CELLS:
        return full
    rows = RowSpace()
    independent = [row for row in (*equations.relations, *equations.rows) if rows.add(row)]
    numbered = {coordinate: at for at, coordinate in enumerate(equations.coordinates)}
    largest = _largest(
        independent,
        [{numbered[c]: k for c, k in column.items()} for column in equations.columns],
        pairs=pairs,
    )
    return full if largest is None else min(largest, full)


def is_in_a_margin(space: TableSpace, answers: Answers, constraints: Sequence[Constraint]) -> bool:
    """Return whether, of each constraint, all attributes are in one margin of the query.

    A nested attribute determines the attributes that it is within. If so, T is linear in the query,
    at any size.
    """
    names = [attribute.name for attribute in space.attributes]
    margins = [space.determined_by(names[p] for p in places) for places in answers.margins]
    for constraint in constraints:
        match constraint:
            case SameSize() | SameMargin() | SameSums():
                needed = {names[place] for place in places_of(space, constraint)}
            case SameCellSums() | SameSupport() | Within():
                return False
            case _:
                assert_never(constraint)
        if not any(needed <= margin for margin in margins):
            return False
    return True
