"""The integer vectors of the null space of a large table's invariants.

The general elimination carries the query in addition to the table, and ends at a few thousand
cells. For the table of all cells the rows of C are those that are published, and two ways go
further.

Margins: call an attribute moved in a cell where its level is not the first, and a set of attributes
    covered if some margin contains them all. The cells whose moved attributes are not covered are
    free. The
other cells follow one after the other, those with the most moved attributes first: a margin is 0 at
a cell's moved levels, and there the cell itself stands for the only unknown, with coefficient 1. So
the whole vectors are all whole numbers in the free cells, and no product of margins is inverted.

Other rows, and cells that cannot occur: a sparse elimination of the rows themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, product
from math import prod

from semiaudit import deadline
from semiaudit.errors import RefusedError
from semiaudit.mechanisms.kind import refused
from semiaudit.mechanisms.sampling.lattice import Lattice, null_lattice
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import Constraint, is_margin, linear_rows
from semiaudit.model.mechanism import NoisePart
from semiaudit.model.query import Query, TableQuery
from semiaudit.universe.sensitivity.answer_null_space import MAX_SOLVED, rows_of
from semiaudit.universe.sensitivity.answers import Records
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from semiaudit.universe.system.components import cell_of, places_of

MAX_CELLS = 50_000
"""The most cells of a table whose noise is sampled."""

MAX_TOLD = 2_000
"""The most cells that follow from others: a matrix of this size is inverted in doubles."""

MAX_ELIMINATED = 10_000
"""The most cells of a table whose published rows are eliminated one by one."""

Moved = frozenset[int]


def large_null_lattice(part: NoisePart, query: Query, spaces: SensitivitySpaces) -> Lattice:
    """Return the integer vectors of the null space, if the general elimination takes too long.

    Raises:
        RefusedError: the query is not the table, or the table or C is too large.
    """
    space = spaces.table
    if not isinstance(query, TableQuery):
        what = (
            "the null space of the invariants is too large to compute: for a query other "
            f"than the table, the limit is the work for {MAX_SOLVED} cells"
        )
        raise refused(part, what, "use `query: table`, or a smaller table")
    if space.cells > MAX_CELLS:
        raise _too_many(part, f"the table has {space.cells} cells", MAX_CELLS)
    constraints = linear_rows(constraints_of(spaces.stated.invariants)) or ()
    if space.product_cells and constraints and all(map(is_margin, constraints)):
        sizes = [attribute.size for attribute in space.attributes]
        margins = [places_of(space, constraint) for constraint in constraints]
        determined = determined_sets(margins)
        number = sum(prod(sizes[place] - 1 for place in one) for one in determined)
        if number > MAX_TOLD:
            raise _too_many(part, f"the margins determine {number} numbers of the table", MAX_TOLD)
        return margins_lattice(sizes, determined)
    return _eliminated(part, constraints, spaces)


def _eliminated(
    part: NoisePart, constraints: Sequence[Constraint], spaces: SensitivitySpaces
) -> Lattice:
    space = spaces.table
    if space.cells > MAX_ELIMINATED:
        what = f"the invariants are not margins alone, and the table has {space.cells} cells"
        raise _too_many(part, what, MAX_ELIMINATED)
    sizes = [attribute.size for attribute in space.attributes]
    records = Records(space)
    able = {cell_of(levels, sizes) for levels in records.some(records.components)}
    rows = [{c: k for c, k in row.items() if c in able} for row in rows_of(space, constraints)]
    # A coordinate that counts no record is 0 in all answers, and follows from no other.
    idle = [{cell: 1} for cell in range(space.cells) if cell not in able]
    if len(rows) > MAX_TOLD:
        raise _too_many(part, f"the invariants publish {len(rows)} numbers", MAX_TOLD)
    return null_lattice([*rows, *idle], space.cells)


def determined_sets(margins: Iterable[Sequence[int]]) -> frozenset[Moved]:
    """Return the sets of attributes in a margin; without margins, none."""
    return frozenset(
        frozenset(chosen)
        for margin in margins
        for number in range(len(margin) + 1)
        for chosen in combinations(margin, number)
    )


def margins_lattice(sizes: Sequence[int], determined: frozenset[Moved]) -> Lattice:
    """Return the integer tables whose margins are 0.

    Args:
        sizes: the numbers of levels of the attributes.
        determined: the sets of attributes of some margin, with all their subsets.
    """
    steps = [prod(sizes[place + 1 :]) for place in range(len(sizes))]
    weights: dict[Moved, list[tuple[Moved, int]]] = {}
    rows, free = [], []
    for cell, levels in enumerate(product(*map(range, sizes))):
        moved = frozenset(place for place, level in enumerate(levels) if level)
        if moved in determined:
            continue
        if moved not in weights:
            deadline.check()
            weights[moved] = _weights(moved, determined)
        row = {sum(levels[p] * steps[p] for p in kept): k for kept, k in weights[moved] if k}
        rows.append({cell: 1, **row})
        free.append(cell)
    return Lattice(prod(sizes), tuple(rows), tuple(free))


def _weights(moved: Moved, determined: frozenset[Moved]) -> list[tuple[Moved, int]]:
    """Return the effect of a free cell on cells with some of its moved levels, largest sets first.

    A margin at the levels of a covered set S sums the free cell itself, once, and the cells of the
    covered sets above S, so that the cell of S takes all of that away.
    """
    weights: list[tuple[Moved, int]] = []
    for kept in sorted((one for one in determined if one < moved), key=len, reverse=True):
        weights.append((kept, -1 - sum(k for other, k in weights if kept < other)))
    return weights


def _too_many(part: NoisePart, what: str, most: int) -> RefusedError:
    remedy = "use a smaller query, or noise without a support"
    return refused(part, f"{what}, and samples in its null space are limited to {most}", remedy)
