"""Merge levels that only their own one-way margin distinguishes, around one record's value.

Let every row except the margin of an attribute treat two of its levels equally. A change of the
merged table is then a change of the table at the same cost: each record that leaves a cell keeps
its level and takes the other values of a record that enters. Such a change preserves the margin for
any choice of the records. So for one value y, whose own levels are not merged, the distance from a
start X to the nearest dataset with y is that of their merged tables; and every merged table that
meets the merged rows is that of some table, by filling the levels one after the other. The proof is
in docs/theory/semi-adjacency.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from semiaudit.frozen import dataclass
from semiaudit.universe.system.classes_of_cells import Sum, System, Table, equations

Signature = tuple[tuple[tuple[int, ...], tuple[tuple[int, int], ...]], ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """A system with fewer classes, and the map back.

    Attributes:
        place: for every class of the first system, its class in the merged one.
        lift: maps a table of the merged system to a table of the first system with that merged
            table.
    """

    system: System
    place: tuple[int, ...]
    lift: Callable[[Table], Table]

    def held(self, table: Table, merged: int) -> int:
        """Return a class with records in a table that belongs to a merged class."""
        return next(c for c, at in enumerate(self.place) if at == merged and table[c])


def merged_around(system: System, y: int) -> Merged | None:
    """Return the merged system in which class y is separate; None if nothing can be merged.

    Args:
        system: with t given; the levels of ``cells`` distinguish its classes.
        y: a class.
    """
    merged: Merged | None = None
    for attribute in range(len(system.cells[0][0])):
        at = y if merged is None else merged.place[y]
        step = _step(system if merged is None else merged.system, attribute, at)
        if step is not None:
            merged = step if merged is None else _chained(merged, step)
    return merged


def _chained(first: Merged, second: Merged) -> Merged:
    place = tuple(second.place[c] for c in first.place)
    return Merged(second.system, place, lambda table: first.lift(second.lift(table)))


def _step(system: System, attribute: int, y: int) -> Merged | None:
    """Merge the levels of one attribute, except that of y; None if no two are equivalent."""
    if system.values is None or system.keys:
        return None
    levels: dict[int, dict[tuple[int, ...], int]] = {}
    for c, cells in enumerate(system.cells):
        level, others = cells[0][attribute], _without(cells[0], attribute)
        if others in levels.setdefault(level, {}):
            # Their levels do not distinguish classes, which the proof assumes.
            return None
        levels[level][others] = c
    rows = {row: place for place, row in enumerate(system.rows)}
    row_of: dict[int, int] = {}
    for level, classes in levels.items():
        place = rows.get(tuple((c, 1) for c in sorted(classes.values())))
        if place is not None:
            row_of[level] = place
    kept_apart = system.cells[y][0][attribute]
    groups = _indistinguishable_levels(system, levels, row_of, kept_apart)
    if all(len(group) == 1 for group in groups):
        return None
    return _merged(system, levels, row_of, groups)


def _without(cell: Sequence[int], attribute: int) -> tuple[int, ...]:
    return (*cell[:attribute], *cell[attribute + 1 :])


def _indistinguishable_levels(
    system: System,
    levels: dict[int, dict[tuple[int, ...], int]],
    row_of: dict[int, int],
    kept_apart: int,
) -> list[list[int]]:
    margins = set(row_of.values())
    columns: list[list[tuple[int, int]]] = [[] for _ in range(system.classes)]
    for place, row in enumerate(system.rows):
        if place not in margins:
            for c, k in row:
                columns[c].append((place, k))
    for at, bound in enumerate(system.bounds):
        for c, k in bound.sum:
            columns[c].append((-1 - at, k))
    single: list[list[int]] = []
    groups: dict[Signature, list[int]] = {}
    for level, classes in sorted(levels.items()):
        if level == kept_apart or level not in row_of:
            single.append([level])
            continue
        key = tuple((others, tuple(columns[c])) for others, c in sorted(classes.items()))
        groups.setdefault(key, []).append(level)
    return [*single, *(groups[key] for key in sorted(groups))]


def _merged(
    system: System,
    levels: dict[int, dict[tuple[int, ...], int]],
    own: dict[int, int],
    groups: Sequence[Sequence[int]],
) -> Merged:
    """Make the system with every group of levels as one level.

    Args:
        levels: for every level, its classes by the levels of the other attributes.
        own: for a level, the index of the row that counts it alone, if there is one.
        groups: all levels; those of a group have such rows, and no other row distinguishes them.
    """
    values = [value for _, value in equations(system)]
    place = [0] * system.classes
    rows_kept: list[int] = []
    for group in groups:
        for others, first in sorted(levels[group[0]].items()):
            for level in group:
                place[levels[level][others]] = len(rows_kept)
            rows_kept.append(first)
    # The margins of the levels of a group become one row, with their sum. A table with this sum can
    # be split into the levels again (``_spread``), so no table is lost or added.
    dropped = {own[level] for group in groups for level in group[1:]}
    joined = {own[group[0]]: [own[level] for level in group] for group in groups if len(group) > 1}
    pairs: list[tuple[Sum, int]] = []
    for at, row in enumerate(system.rows):
        if at not in dropped:
            value = sum(values[other] for other in joined.get(at, [at]))
            pairs.append((_renamed(row, place), value))
    pairs.sort()
    multiplicity = [0] * len(rows_kept)
    for c, number in enumerate(system.multiplicity):
        multiplicity[place[c]] += number
    # All other rows and the bounds have one coefficient for the levels of a group, so their sums
    # are functions of the merged table.
    smaller = replace(
        system,
        cells=tuple(system.cells[c] for c in rows_kept),
        multiplicity=tuple(multiplicity),
        choices=(),
        rows=tuple(row for row, _ in pairs),
        values=tuple(value for _, value in pairs),
        bounds=tuple(replace(b, sum=_renamed(b.sum, place)) for b in system.bounds),
    )
    filled = [
        [
            ([levels[level][others] for others in levels[group[0]]], values[own[level]])
            for level in group
        ]
        for group in groups
        if len(group) > 1
    ]
    return Merged(smaller, tuple(place), lambda table: _spread(table, place, filled))


def _renamed(terms: Sum, place: Sequence[int]) -> Sum:
    return tuple(sorted({place[c]: k for c, k in terms}.items()))


def _spread(
    table: Table, place: Sequence[int], filled: Sequence[Sequence[tuple[list[int], int]]]
) -> Table:
    remaining = list(table)
    table_of_merged = [0] * len(place)
    merged = {c for group in filled for classes, _ in group for c in classes}
    for c, at in enumerate(place):
        if c not in merged:
            table_of_merged[c] = table[at]
    for group in filled:
        for classes, margin in group:
            missing = margin
            for c in classes:
                table_of_merged[c] = min(remaining[place[c]], missing)
                remaining[place[c]] -= table_of_merged[c]
                missing -= table_of_merged[c]
    return tuple(table_of_merged)
