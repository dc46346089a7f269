"""a(t) of a table under margins of groups that do not overlap, in closed form.

Changing record i from x to y takes a count from y's level and gives one to x's level in every
differing group. Each such group needs one *other* record that gives y's level back; one record
can serve several groups. So the distance from X is 1 + (fewest records of X that together have
y's level in every differing group), and covering a(t) is 1 + the worst such number over X, x, y.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Metric, per_record
from semiaudit.model.dataspace import Level, TableSpace
from semiaudit.model.semi_adjacency import Cell, Disclosed, Parameter, Witness
from semiaudit.universe.distance.transversal import Arrangement, transversal_bounds
from semiaudit.universe.method import ProvenBounds
from semiaudit.universe.system.grouped_table import GroupedTable

COVERING = "Cho and Awan, Definition 13 as read by Example 5 and Theorem 16's proof; set cover"
DEFINITION_13 = "Cho and Awan, Definition 13 as printed"
MOST_CELLS = 10**15
"""The most cells that a report counts: doubles, which JSON readers use, are exact up to here."""

Counts = tuple[tuple[int, int], ...]
"""(class, count) of the classes of one group that occur."""

Record = tuple[int, ...]
"""A record's class in each group."""

Run = tuple[int, Record, int]
"""(the type of the records, their cell in each group, their number)."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A table under representative counts: the given ones, or a t for which a(t) is largest."""

    table: GroupedTable
    size: int
    counts: tuple[Counts, ...]

    @property
    def varying(self) -> tuple[int, ...]:
        """Return the indices of the groups with two or more cells that occur."""
        return tuple(i for i, counts in enumerate(self.counts) if len(counts) > 1)


def covering(table: GroupedTable) -> Parameter:
    """Return covering a(t): the worst starting dataset.

    Returns:
        Exact for up to three differing groups, if the minimum counts sum to at most n - 1, and
        without given counts (then the supremum over all t). Otherwise an interval that is certified
        by a witness and a counting bound.
    """
    method = "closed_form" if table.counts_given else "supremum_over_t"
    state = filled(table)
    if not state.varying:
        return _free_only(state, method, COVERING)
    rarest = [min(state.counts[g], key=lambda item: (item[1], item[0])) for g in state.varying]
    sizes = [count for _, count in rarest]
    # The rarest level of each group is the worst y: fewer records with y's level in a group never
    # need fewer payers.
    bounds = transversal_bounds(sizes, state.size - 1)
    if sum(sizes) > state.size - 1:
        method = "set_cover"
    target = [counts[0][0] for counts in state.counts]
    for place, (cell, _) in zip(state.varying, rarest, strict=True):
        target[place] = cell
    witness = _witness(state, target, bounds.arrangement)
    return Parameter(1 + bounds.lower, 1 + bounds.upper, method, COVERING, witness)


def definition_13(table: GroupedTable) -> Parameter:
    """Return a(t) by Definition 13 as printed: the infimum over both datasets.

    It is 2 if any group can vary.

    Two records that differ in one varying group exchange their levels: distance 2, and no pair
    with a changed group is closer, since one record alone changes a margin.
    """
    method = "closed_form" if table.counts_given else "supremum_over_t"
    state = filled(table)
    if not state.varying:
        return _free_only(state, method, DEFINITION_13)
    group = state.varying[0]
    to_cell, number = state.counts[group][1]
    target = [counts[0][0] for counts in state.counts]
    target[group] = to_cell
    others = state.size - 1 - number
    runs = ((1, number), (0, others)) if others else ((1, number),)
    witness = _witness(state, target, Arrangement(runs, (1,)), only=(group,))
    return Parameter(2, 2, method, DEFINITION_13, witness)


def remark_14(table: GroupedTable) -> tuple[int | None, int | None]:
    """Return a_min and a_maxmin, in closed form.

    None without a known t or with one dataset in D_t.
    """
    if not table.counts_given or not table.size:
        return None, None
    state = filled(table)
    if spare_class(state) is not None:
        return 1, 1
    return (2, 2) if state.varying else (None, None)


def theorem_16_bound(table: GroupedTable) -> int | None:
    """Return p + 1 for p published groups (Remark 17 merges attributes).

    None if none is published.
    """
    return table.published + 1 if table.published else None


def disclosed(table: GroupedTable) -> Disclosed:
    """Return what t alone discloses of the table; without a known t, what every t discloses."""
    if not table.space.attributes:
        return Disclosed()
    if not table.counts_given or table.size is None:
        varying = sum(group.able > 1 for group in table.groups)
        known = all(group.members is None or group.cells == group.able for group in table.groups)
        return Disclosed(table_is_public=True if known and varying <= 1 else None)
    state = filled(table)
    cells = table.cells if table.cells <= MOST_CELLS else None
    possible, mixed = _possible_and_mixed(state)
    few = len(state.varying) <= 1
    public = table.size == 0 or (few and not mixed)
    open_cells = 0 if table.size == 0 else mixed if few else possible
    return Disclosed(
        table_is_public=public,
        constant_attributes=_constant_attributes(state),
        forced_cells=None if cells is None else cells - open_cells,
        cells=cells,
    )


def _possible_and_mixed(state: Filled) -> tuple[int, int]:
    """Return how many cells can contain a record, and how many of them share their class."""
    possible, single = 1, 1
    for group, counts in zip(state.table.groups, state.counts, strict=True):
        possible *= sum(group.multiplicity(c) for c, _ in counts)
        single *= sum(group.multiplicity(c) == 1 for c, _ in counts)
    return possible, possible - single


def _constant_attributes(state: Filled) -> tuple[tuple[str, Level], ...]:
    table, constant = state.table, []
    for group, counts in zip(table.groups, state.counts, strict=True):
        if not group.members and group.members is not None:
            continue  # no invariant refers to these attributes
        levels = [
            group.levels_of(c, member) for c, _ in counts for member in range(group.multiplicity(c))
        ]
        for place, position in enumerate(group.positions):
            present = {cell[place] for cell in levels}
            attribute = table.space.attributes[position]
            if len(present) == 1 < attribute.size:
                constant.append((position, attribute.name, attribute.label(present.pop())))
    return tuple((name, level) for _, name, level in sorted(constant, key=lambda item: item[0]))


def spare_class(state: Filled) -> tuple[int, int] | None:
    """Return (group, class) of an occurring class with several cells, where records move freely."""
    for place, (group, counts) in enumerate(zip(state.table.groups, state.counts, strict=True)):
        for c, _ in counts:
            if group.multiplicity(c) > 1:
                return place, c
    return None


def filled(table: GroupedTable) -> Filled:
    """Return the given counts, or those of a t for which a(t) under hamming is largest."""
    if table.counts_given and table.size is not None:
        return Filled(table, table.size, tuple(group.counts or () for group in table.groups))
    possible = [i for i, group in enumerate(table.groups) if group.able > 1]
    size = table.size if table.size is not None else len(possible) + 1
    varying = set(possible[: max(size - 1, 0)])
    counts = tuple(
        _positive(((0, size - 1), (1, 1)) if i in varying else ((group.roomiest, size),))
        for i, group in enumerate(table.groups)
    )
    return Filled(table, size, counts)


def _positive(counts: Counts) -> Counts:
    return tuple(item for item in counts if item[1])


def _free_only(state: Filled, method: str, source: str) -> Parameter:
    if not state.table.space.attributes:
        return Parameter(1, 1, method, source, None)
    spare = spare_class(state)
    if state.size == 0 or spare is None:
        return Parameter(0, 0, method, source, None)
    cell = tuple(counts[0][0] for counts in state.counts)
    start = labelled(state.table, cell)
    end = labelled(state.table, cell, moved=spare[0])
    before = sparse_cells([(start, state.size)])
    after = sparse_cells([(start, state.size - 1), (end, 1)])
    return Parameter(1, 1, method, source, Witness(start, end, 1, before, after))


def _witness(
    state: Filled,
    target: Sequence[int],
    arrangement: Arrangement,
    *,
    only: tuple[int, ...] | None = None,
) -> Witness:
    """Return the datasets that an arrangement represents, with its transversal as the payers."""
    varying = state.varying if only is None else only
    runs = _records(state, target, arrangement.runs, varying)
    (_, record_x, _), others = runs[0], runs[1:]
    record_y = tuple(target[g] if g in varying else record_x[g] for g in range(len(record_x)))
    start = [(record_x, 1)] + [(record, number) for _, record, number in others]
    end = dict.fromkeys([record_y], 1)
    payers: dict[int, int] = {}
    missing = (1 << len(varying)) - 1
    for kind in arrangement.transversal:
        payers[kind] = kind & missing
        missing &= ~kind
    for kind, record, number in others:
        pays = payers.pop(kind, 0)
        if pays:
            changed = list(record)
            for bit, group in enumerate(varying):
                if pays >> bit & 1:
                    changed[group] = record_x[group]
            end[tuple(changed)] = end.get(tuple(changed), 0) + 1
            number -= 1
        end[record] = end.get(record, 0) + number
    table = state.table
    return Witness(
        labelled(table, record_x),
        labelled(table, record_y),
        1 + len(arrangement.transversal),
        sparse_cells([(labelled(table, record), number) for record, number in start]),
        sparse_cells([(labelled(table, record), number) for record, number in end.items()]),
    )


def _records(
    state: Filled, target: Sequence[int], types: Sequence[tuple[int, int]], varying: Sequence[int]
) -> list[Run]:
    """Turn types into records: x first, then runs with the target's level in some features.

    In each group, the remaining levels are assigned in order; x gets the first one that is not the
    target's.
    """
    runs: list[Run] = [(0, (), 1), *((kind, (), number) for kind, number in types)]
    for group, counts in enumerate(state.counts):
        if group in varying:
            bit = list(varying).index(group)
            with_target = {place for place, run in enumerate(runs) if place and run[0] >> bit & 1}
            supply = [item for item in reversed(counts) if item[0] != target[group]]
        else:
            with_target = set()
            supply = list(reversed(counts))
        dealt: list[Run] = []
        for place, (kind, record, number) in enumerate(runs):
            if place in with_target:
                dealt.append((kind, (*record, target[group]), number))
                continue
            while number:
                cell, available = supply.pop()
                used = min(number, available)
                dealt.append((kind, (*record, cell), used))
                number -= used
                if available > used:
                    supply.append((cell, available - used))
        runs = dealt
    return runs


def labelled(table: GroupedTable, classes: Record, *, moved: int | None = None) -> Cell:
    """Return a cell of a class in the names of the spec: the first, or the second in a group."""
    levels = [0] * len(table.space.attributes)
    for place, (group, c) in enumerate(zip(table.groups, classes, strict=True)):
        member = group.levels_of(c, int(place == moved))
        for position, level in zip(group.positions, member, strict=True):
            levels[position] = level
    return label(table.space, levels)


def label(space: TableSpace, levels: Sequence[int]) -> Cell:
    """Return a cell in the names of the spec."""
    return tuple(
        attribute.label(level) for attribute, level in zip(space.attributes, levels, strict=True)
    )


def sparse_cells(items: Iterable[tuple[Cell, int]]) -> tuple[tuple[Cell, int], ...]:
    """Return counts by cell, without zeros, in a stable order."""
    counts: dict[Cell, int] = {}
    for cell, number in items:
        counts[cell] = counts.get(cell, 0) + number
    return tuple(sorted(((c, k) for c, k in counts.items() if k), key=lambda item: _order(item[0])))


def _order(cell: Cell) -> tuple[tuple[int, int, str], ...]:
    return tuple((0, level, "") if isinstance(level, int) else (1, 0, level) for level in cell)


SOURCE = "Definition 13 on multisets (erratum E38), after Theorem 16's proof"


def most_changes(table: GroupedTable, metric: Metric) -> int:
    """Return an upper bound on covering a(t) for the given t, or for every t if none is given."""
    state = filled(table)
    roomy = spare_class(state) is not None
    if not table.counts_given:
        roomy = any(group.multiplicity(group.roomiest) > 1 for group in table.groups)
    varying = number_varying(table)
    most = varying if varying > 1 else int(roomy and state.size > 0)
    return most * per_record(metric)


def number_varying(table: GroupedTable) -> int:
    """Return how many features can vary under t; without t, under some t."""
    if table.counts_given:
        return len(filled(table).varying)
    varying = sum(group.able > 1 for group in table.groups)
    return varying if table.size is None or table.size > 1 else 0


def supremum(table: GroupedTable, metric: Metric) -> ProvenBounds | None:
    """Return both definitions, if the structure alone determines covering a(t).

    This is so without t (then definition_13 is between 0 and covering a(t)), and if at most one
    feature varies (then both are exact). None otherwise, or if there are fewer records than
    features.
    """
    if number_varying(table) < 2:
        return _inside_classes(table, metric)
    if table.counts_given:
        return None
    varying = [place for place, group in enumerate(table.groups) if group.able > 1]
    size = table.size if table.size is not None else len(varying) + 1
    if len(varying) < 2 or size < len(varying):
        return None
    base = tuple(0 for _ in table.groups)

    def with_levels(places: list[int]) -> tuple[int, ...]:
        return tuple(int(place in places) for place in range(len(table.groups)))

    records = [with_levels([place]) for place in varying]
    others = size - len(varying)
    start = [(labelled(table, record), 1) for record in records] + [(labelled(table, base), others)]
    target = labelled(table, with_levels(varying))
    end = [(target, 1), (labelled(table, base), size - 1)]
    value = len(varying) * per_record(metric)
    witness = Witness(
        labelled(table, records[0]), target, value, sparse_cells(start), sparse_cells(end)
    )
    method = "supremum_over_t"
    return ProvenBounds(
        Parameter(value, value, method, SOURCE, witness),
        Parameter(0, value, method, SOURCE, None),
    )


def _inside_classes(table: GroupedTable, metric: Metric) -> ProvenBounds:
    """At most one feature varies: tables of D_t differ by moves inside classes, one at a time."""
    state = filled(table)
    counts, size = state.counts, state.size
    if not table.counts_given:
        counts = tuple(((group.roomiest, size),) if size else () for group in table.groups)
    value = most_changes(table, metric)
    method = "closed_form" if table.counts_given else "supremum_over_t"
    if not value:
        known = Parameter(0, 0, method, SOURCE, None)
        return ProvenBounds(known, known)
    wide = [
        (place, c)
        for place, (group, levels) in enumerate(zip(table.groups, counts, strict=True))
        for c, _ in levels
        if group.multiplicity(c) > 1
    ]
    place, spare = wide[0]
    varying = next((at for at, levels in enumerate(counts) if len(levels) > 1), 0)
    rows = [
        (tuple(c if at == varying else levels[0][0] for at, levels in enumerate(counts)), number)
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
    return ProvenBounds(known, known)
