"""a(t) of a table under margins of groups that do not overlap, in closed form.

Changing record i from x to y takes a count from y's level and gives one to x's level in every
differing group. Each such group needs one *other* record that gives y's level back; one record
can serve several groups. So the distance from X is 1 + (fewest records of X that together have
y's level in every differing group), and covering a(t) is 1 + the worst such number over X, x, y.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from semiaudit.model.semi_adjacency import Cell, Disclosed, Parameter, Witness
from semiaudit.universe.groups import GroupedTable
from semiaudit.universe.transversal import Arrangement, transversal_bounds

COVERING = "Cho and Awan, Definition 13 as read by Example 5 and Theorem 16's proof; set cover"
LITERAL = "Cho and Awan, Definition 13 as printed"
MOST_CELLS = 10**15
"""Beyond it cells are not counted in a report."""
Counts = tuple[tuple[int, int], ...]
Record = tuple[int, ...]
Run = tuple[int, Record, int]
"""(the type of the records, their cell in each group, how many)."""


@dataclass(frozen=True, slots=True)
class _Filled:
    """A table under representative counts: those given, or a t for which a(t) is largest."""

    table: GroupedTable
    size: int
    counts: tuple[Counts, ...]

    @property
    def varying(self) -> tuple[int, ...]:
        """The places of the groups with two or more cells that occur."""
        return tuple(i for i, counts in enumerate(self.counts) if len(counts) > 1)


def covering(table: GroupedTable) -> Parameter:
    """The covering reading: the worst starting dataset.

    Returns:
        Exact for up to three differing groups, wherever the minimum counts sum to at most n - 1,
        and without given counts (then the supremum over all t); otherwise an interval that a
        witness and a counting bound certify.
    """
    method = "closed_form" if table.counts_given else "supremum_over_t"
    filled = _filled(table)
    if not filled.varying:
        return _free_only(filled, method, COVERING)
    rarest = [min(filled.counts[g], key=lambda item: (item[1], item[0])) for g in filled.varying]
    sizes = [count for _, count in rarest]
    bounds = transversal_bounds(sizes, filled.size - 1)
    if sum(sizes) > filled.size - 1:
        method = "set_cover"
    target = [counts[0][0] for counts in filled.counts]
    for place, (cell, _) in zip(filled.varying, rarest, strict=True):
        target[place] = cell
    witness = _witness(filled, target, bounds.arrangement)
    return Parameter(1 + bounds.lower, 1 + bounds.upper, method, COVERING, witness)


def definition_13(table: GroupedTable) -> Parameter:
    """The reading as printed: the infimum over both datasets. 2 wherever any group can vary.

    Two records that differ in one varying group exchange their levels: distance 2, and no pair
    with a changed group is closer, since one record alone changes a margin.
    """
    method = "closed_form" if table.counts_given else "supremum_over_t"
    filled = _filled(table)
    if not filled.varying:
        return _free_only(filled, method, LITERAL)
    group = filled.varying[0]
    to_cell, number = filled.counts[group][1]
    target = [counts[0][0] for counts in filled.counts]
    target[group] = to_cell
    others = filled.size - 1 - number
    runs = ((1, number), (0, others)) if others else ((1, number),)
    witness = _witness(filled, target, Arrangement(runs, (1,)), only=(group,))
    return Parameter(2, 2, method, LITERAL, witness)


def remark_14(table: GroupedTable) -> tuple[int | None, int | None]:
    """a_min and a_maxmin, in closed form; None without a known t or with one dataset in D_t."""
    if not table.counts_given or not table.size:
        return None, None
    filled = _filled(table)
    if table.free_cells > 1:
        return 1, 1
    return (2, 2) if filled.varying else (None, None)


def theorem_16_bound(table: GroupedTable) -> int | None:
    """p + 1 for p published groups (Remark 17 merges attributes); None where none is published."""
    return len(table.groups) + 1 if table.groups else None


def disclosed(table: GroupedTable) -> Disclosed:
    """What t alone reveals of the table; without a known t, only what every t reveals."""
    if not table.space.attributes:
        return Disclosed()
    if not table.counts_given or table.size is None:
        able = sum(group.cells > 1 for group in table.groups)
        return Disclosed(table_is_public=True if table.free_cells == 1 and able <= 1 else None)
    filled = _filled(table)
    cells = table.space.cells if table.space.cells <= MOST_CELLS else None
    public = table.size == 0 or (table.free_cells == 1 and len(filled.varying) <= 1)
    possible = table.free_cells
    for counts in filled.counts:
        possible *= len(counts)
    constant = []
    for group, counts in zip(table.groups, filled.counts, strict=True):
        levels = [group.levels_of(cell) for cell, _ in counts]
        for place, position in enumerate(group.positions):
            if len({cell[place] for cell in levels}) == 1:
                attribute = table.space.attributes[position]
                constant.append((position, attribute.name, attribute.label(levels[0][place])))
    return Disclosed(
        table_is_public=public,
        constant_attributes=tuple((name, level) for _, name, level in sorted(constant)),
        forced_cells=None if cells is None else cells if public else cells - possible,
        cells=cells,
    )


def _filled(table: GroupedTable) -> _Filled:
    if table.counts_given and table.size is not None:
        return _Filled(table, table.size, tuple(group.counts or () for group in table.groups))
    able = [i for i, group in enumerate(table.groups) if group.cells > 1]
    size = table.size if table.size is not None else len(able) + 1
    varying = set(able[: max(size - 1, 0)])
    counts = tuple(
        _positive(((0, size - 1), (1, 1)) if i in varying else ((0, size),))
        for i in range(len(table.groups))
    )
    return _Filled(table, size, counts)


def _positive(counts: Counts) -> Counts:
    return tuple(item for item in counts if item[1])


def _free_only(filled: _Filled, method: str, source: str) -> Parameter:
    """No group can vary: a record moves freely in its free attributes, or not at all.

    Records without attributes are unspecified, and taken to be able to change.
    """
    if not filled.table.space.attributes:
        return Parameter(1, 1, method, source, None)
    if filled.size == 0 or filled.table.free_cells == 1:
        return Parameter(0, 0, method, source, None)
    cell = tuple(counts[0][0] for counts in filled.counts)
    start = _labelled(filled.table, cell, 0)
    end = _labelled(filled.table, cell, 1)
    before = _sparse([(start, filled.size)])
    after = _sparse([(start, filled.size - 1), (end, 1)])
    return Parameter(1, 1, method, source, Witness(start, end, 1, before, after))


def _witness(
    filled: _Filled,
    target: Sequence[int],
    arrangement: Arrangement,
    *,
    only: tuple[int, ...] | None = None,
) -> Witness:
    """The datasets that an arrangement stands for, with its transversal as the payers."""
    varying = filled.varying if only is None else only
    runs = _records(filled, target, arrangement.runs, varying)
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
    table = filled.table
    return Witness(
        _labelled(table, record_x, 0),
        _labelled(table, record_y, 0),
        1 + len(arrangement.transversal),
        _sparse([(_labelled(table, record, 0), number) for record, number in start]),
        _sparse([(_labelled(table, record, 0), number) for record, number in end.items()]),
    )


def _records(
    filled: _Filled, target: Sequence[int], types: Sequence[tuple[int, int]], varying: Sequence[int]
) -> list[Run]:
    """Turn types into records: x first, then runs that have the target's level where told.

    Group by group the remaining levels are dealt out in order; x gets the first that is not the
    target's.
    """
    runs: list[Run] = [(0, (), 1), *((kind, (), number) for kind, number in types)]
    for group, counts in enumerate(filled.counts):
        if group in varying:
            bit = list(varying).index(group)
            told = {place for place, run in enumerate(runs) if place and run[0] >> bit & 1}
            supply = [item for item in reversed(counts) if item[0] != target[group]]
        else:
            told = set()
            supply = list(reversed(counts))
        dealt: list[Run] = []
        for place, (kind, record, number) in enumerate(runs):
            if place in told:
                dealt.append((kind, (*record, target[group]), number))
                continue
            while number:
                cell, left = supply.pop()
                taken = min(number, left)
                dealt.append((kind, (*record, cell), taken))
                number -= taken
                if left > taken:
                    supply.append((cell, left - taken))
        runs = dealt
    return runs


def _labelled(table: GroupedTable, cells: Record, free_level: int) -> Cell:
    """A record as the spec names its levels; the last free attribute that can move has the level.

    ``free_level`` 0 puts every free attribute at its first level.
    """
    levels = [0] * len(table.space.attributes)
    for group, cell in zip(table.groups, cells, strict=True):
        for position, level in zip(group.positions, group.levels_of(cell), strict=True):
            levels[position] = level
    if free_level:
        movable = [p for p in table.free if table.space.attributes[p].size > 1]
        levels[movable[0]] = free_level
    return tuple(
        attribute.label(level)
        for attribute, level in zip(table.space.attributes, levels, strict=True)
    )


def _sparse(items: Sequence[tuple[Cell, int]]) -> tuple[tuple[Cell, int], ...]:
    """Counts by cell, without zeros, in a stable order."""
    counts: dict[Cell, int] = {}
    for cell, number in items:
        counts[cell] = counts.get(cell, 0) + number
    return tuple(sorted(((c, k) for c, k in counts.items() if k), key=lambda item: _order(item[0])))


def _order(cell: Cell) -> tuple[tuple[int, int, str], ...]:
    return tuple((0, level, "") if isinstance(level, int) else (1, 0, level) for level in cell)
