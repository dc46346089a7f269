"""a(t) if the order of records is ignored and the invariants fix the count of every class.

Let p' features vary. A value y that X lacks is reached from a record r that shares y's level in a
feature (t implies that there is one): each of the other features, at most p' - 1, is compensated by
one record, so p' changes are enough. A value that X contains needs another table that keeps it: if
the other records differ in more than one feature, two of them exchange one level, which is two
changes; if not, and if their classes have one cell each, there is no other table. So multiset
covering a(t) is at most max(1, p'), and without t it is p' if n >= p' >= 2: let p' records each
have y's level in their own feature.
"""

from __future__ import annotations

from semiaudit.model.adjacency import Metric, per_record
from semiaudit.model.semi_adjacency import Parameter, Witness
from semiaudit.universe.distance.closed_form import filled, labelled, spare_class, sparse_cells
from semiaudit.universe.system.grouped_table import GroupedTable

SOURCE = "Definition 13 on multisets (erratum E38), after Theorem 16's proof"


def most_changes(table: GroupedTable, metric: Metric) -> int:
    """Return an upper bound on covering a(t) for the given t, or for every t if none is given."""
    state = filled(table)
    roomy = spare_class(state) is not None
    if not table.counts_given:
        roomy = any(group.multiplicity(group.roomiest) > 1 for group in table.groups)
    varying = _varying(table)
    most = varying if varying > 1 else int(roomy and state.size > 0)
    return most * per_record(metric)


def _varying(table: GroupedTable) -> int:
    if table.counts_given:
        return len(filled(table).varying)
    able = sum(group.able > 1 for group in table.groups)
    return able if table.size is None or table.size > 1 else 0


def supremum(table: GroupedTable, metric: Metric) -> tuple[Parameter, Parameter] | None:
    """Return both definitions, if the structure alone determines covering a(t).

    This is so without t (then definition_13 is between 0 and covering a(t)), and if at most one
    feature varies (then both are exact). None otherwise, or if there are fewer records than
    features.
    """
    if _varying(table) < 2:
        return _inside_classes(table, metric)
    if table.counts_given:
        return None
    able = [place for place, group in enumerate(table.groups) if group.able > 1]
    size = table.size if table.size is not None else len(able) + 1
    if len(able) < 2 or size < len(able):
        return None
    base = tuple(0 for _ in table.groups)

    def with_levels(places: list[int]) -> tuple[int, ...]:
        return tuple(int(place in places) for place in range(len(table.groups)))

    records = [with_levels([place]) for place in able]
    rest = size - len(able)
    start = [(labelled(table, record), 1) for record in records] + [(labelled(table, base), rest)]
    target = labelled(table, with_levels(able))
    end = [(target, 1), (labelled(table, base), size - 1)]
    value = len(able) * per_record(metric)
    witness = Witness(
        labelled(table, records[0]), target, value, sparse_cells(start), sparse_cells(end)
    )
    method = "supremum_over_t"
    return (
        Parameter(value, value, method, SOURCE, witness),
        Parameter(0, value, method, SOURCE, None),
    )


def _inside_classes(table: GroupedTable, metric: Metric) -> tuple[Parameter, Parameter]:
    """At most one feature varies: tables of D_t differ by moves inside classes, one at a time."""
    state = filled(table)
    counts, size = state.counts, state.size
    if not table.counts_given:
        counts = tuple(((group.roomiest, size),) if size else () for group in table.groups)
    value = most_changes(table, metric)
    method = "closed_form" if table.counts_given else "supremum_over_t"
    if not value:
        known = Parameter(0, 0, method, SOURCE, None)
        return known, known
    wide = [
        (place, c)
        for place, (group, held) in enumerate(zip(table.groups, counts, strict=True))
        for c, _ in held
        if group.multiplicity(c) > 1
    ]
    place, spare = wide[0]
    varying = next((at for at, held in enumerate(counts) if len(held) > 1), 0)
    rows = [
        (tuple(c if at == varying else held[0][0] for at, held in enumerate(counts)), number)
        for c, number in counts[varying]
    ]
    moving = next(row for row, _ in rows if row[place] == spare)
    start = [(labelled(table, row), number) for row, number in rows]
    target = labelled(table, moving, moved=place)
    end = [(labelled(table, row), number - int(row == moving)) for row, number in rows]
    witness = Witness(
        labelled(table, moving),
        target,
        value,
        sparse_cells(start),
        sparse_cells([*end, (target, 1)]),
    )
    known = Parameter(value, value, method, SOURCE, witness)
    return known, known
