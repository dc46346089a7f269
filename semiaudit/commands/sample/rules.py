"""Rules that keep the published values of the invariants, as sums of a table's cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from semiaudit.errors import Refusal, RefusedError
from semiaudit.mechanisms.sampling.nonnegative import SumConstraint
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import SameSupport, Within
from semiaudit.universe.sensitivity.answer_null_space import rows_of
from semiaudit.universe.sensitivity.answers import Records
from semiaudit.universe.system.components import matches

Table = Mapping[tuple[int, ...], int]
"""The counts of a table by the levels of its cells; cells without records are omitted."""


def rules_of(
    release: Release,
    space: TableSpace,
    table: Table,
    possible: Sequence[tuple[int, ...]] | None = None,
) -> list[SumConstraint]:
    """Return the rules of all tables with the invariants of a table, and its dataspace.

    They contain nothing of the table except the values of its invariants, which are published.

    Args:
        possible: the cells that can occur, as the cells of the rules; by default, the rules are
            about all cells, row-major, and impossible cells are 0.

    Raises:
        RefusedError: an invariant is not a sum of cells.
    """
    constraints = constraints_of(release.invariants)
    if any(isinstance(constraint, SameSupport) for constraint in constraints):
        what = "--nonnegative-integers cannot keep which combinations of levels occur"
        raise RefusedError(Refusal(what, "remove --nonnegative-integers", "invariants"))
    cells = possible
    if cells is None:
        cells = list(product(*(range(attribute.size) for attribute in space.attributes)))
    counts = {at: table[levels] for at, levels in enumerate(cells) if levels in table}
    rows = rows_of(space, [c for c in constraints if not isinstance(c, Within)], cells)
    if space.size is not None:
        rows.append(dict.fromkeys(range(len(cells)), 1))
    rules = []
    for row in rows:
        value = sum(k * counts.get(cell, 0) for cell, k in row.items())
        rules.append(SumConstraint(row, value, value))
    for constraint in constraints:
        if isinstance(constraint, Within):
            held = {at: 1 for at, c in enumerate(cells) if matches(space, constraint.where, c)}
            rules.append(SumConstraint(held, constraint.least, constraint.most))
    if possible is None and not space.product_cells:
        records = Records(space)
        rules += [
            SumConstraint({at: 1}, 0, 0) for at, c in enumerate(cells) if not records.possible(c)
        ]
    return rules
