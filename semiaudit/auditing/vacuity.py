"""Whether a guarantee says anything: two close tables that differ, and answers that can change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import NOWHERE, RefusedError
from semiaudit.frameworks.context import Context
from semiaudit.mechanisms.parts import flattened, queries_of
from semiaudit.model.adjacency import has_places, per_record
from semiaudit.model.audit import Finding, Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.frameworks import LEADING
from semiaudit.model.guarantee import GuaranteeRow
from semiaudit.model.invariants import constraints_of, known
from semiaudit.model.invariants.constraint import attributes_of, is_margin
from semiaudit.model.mechanism import Mechanism
from semiaudit.model.query import TableQuery
from semiaudit.model.rules import CANNOT_CHANGE, finding_of
from semiaudit.model.semi_adjacency import Cell, Parameter, Universe
from semiaudit.universe.connected import connected
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces


def without_loss(context: Context, rows: Sequence[GuaranteeRow]) -> list[Finding]:
    """Return a finding for each part of a mechanism whose output is known not to change."""
    parts = [*enumerate([part for part, _ in flattened(context.made)], 1)]
    still = [(place, part) for place, part in parts if _cannot_change(part, context)]
    if any(row.guarantee.framework == LEADING and row.numbers.is_zero for row in rows):
        still = still or parts
    return [
        finding_of(
            CANNOT_CHANGE,
            f"nothing that {getattr(part, 'kind', 'this mechanism')} publishes can change between "
            "the datasets that are compared, so its privacy loss is 0",
            getattr(part, "mark", NOWHERE),
            f"part {place}",
        )
        for place, part in still
    ]


def _cannot_change(part: Mechanism, context: Context) -> bool:
    shifts, queries, distance = getattr(part, "shifts", ()), queries_of(part), context.distance
    if shifts or not (queries and distance):
        return bool(shifts) and not any(shifts)
    try:
        return all(context.spaces.within(query, distance).l1.value == 0 for query in queries)
    except OutOfTimeError:
        return False


def tables_differ(
    universe: Universe, spaces: SensitivitySpaces, distance: int | None
) -> bool | None:
    """Return whether D_t has two datasets with different tables within a distance.

    Without t, the result is for any D_t. Two records that exchange their places are at distance 2
    under ``hamming`` with one table, so a(t) alone does not decide.

    A witness of a(t) can prove it, and so can a D_t of several tables that is connected at the
    distance. Otherwise the sensitivity space of the table decides, which can take integer programs.
    Records that the spec does not specify can differ.

    Returns:
        True with a reason, False with a proof, None if unknown.

    Raises:
        RefusedError: the kind of an invariant is unknown.
    """
    known(spaces.release.invariants)
    if universe.disclosed.table_is_public:
        return False
    if not distance:
        return None
    semi, space = universe.semi_adjacency, spaces.release.dataspace
    places = not isinstance(space, TableSpace) and has_places(semi.metric)
    if any(_shows(interval, distance, places) for interval in (semi.definition_13, semi.covering)):
        return True
    if _moves_unseen(universe, spaces.release, distance):
        return True
    try:
        if not isinstance(space, TableSpace):
            from semiaudit.universe.explicit.other_tables import explicit_tables_differ

            return explicit_tables_differ(spaces.release, space, distance)
        if not space.attributes:
            return True if universe.whole else None
        # D_t has at least two tables, and steps within the distance link them: each step is a pair.
        if universe.disclosed.table_is_public is False and connected(spaces, distance):
            return True
        sensitivity = spaces.within(TableQuery(), distance)
    except RefusedError:
        return None
    # The norm is an upper bound. If it is 0, no two datasets within the distance have different
    # tables. If it is exact and above 0, a pair attains it. A bound that is not exact proves no
    # pair.
    if sensitivity.l1.value == 0:
        return False
    listed = sensitivity.elements is not None and sensitivity.elements > 1
    return True if listed or sensitivity.l1.side == "exact" else None


def _moves_unseen(universe: Universe, release: Release, distance: int) -> bool:
    """Return whether a record can take another level of an attribute in no invariant.

    Then each dataset with a record has a neighbor with another table in its D_t, at distance 1. A
    nonzero a(t) shows that there is a record. This needs no integer program.
    """
    space, semi = release.dataspace, universe.semi_adjacency
    if not isinstance(space, TableSpace) or not space.product_cells or semi.covering.lower < 1:
        return False
    constraints = constraints_of(release.invariants)
    if not all(is_margin(constraint) for constraint in constraints):
        return False
    seen = {name for constraint in constraints for name in attributes_of(constraint, space)}
    least = per_record(semi.metric)
    free = any(a.size > 1 and a.name not in seen for a in space.attributes)
    return free and distance >= least


def _shows(parameter: Parameter, distance: int, places: bool) -> bool:
    """Return whether the witness is a pair of different tables within the distance.

    Args:
        places: whether its cells are (place, value), which distinguishes ordered datasets with
            equal tables.
    """
    witness = parameter.witness
    if witness is None or witness.distance > distance:
        return False
    tables: list[Counter[Cell]] = []
    for counts in (witness.start, witness.end):
        table: Counter[Cell] = Counter()
        for cell, count in counts:
            table[cell[1:] if places else cell] += count
        tables.append(table)
    return tables[0] != tables[1]
