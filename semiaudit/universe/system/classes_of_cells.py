"""D_t as an integer system over classes of cells: equal sums, bounds, keys.

Records move freely between the cells of one class, so only their sum matters, except for the record
that moves. A class that t shows to be empty is omitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import prod

from semiaudit.frozen import dataclass
from semiaudit.model.audit import PublishedCounts, Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.universe.system.components import (
    Classes,
    Numbers,
    PublishedRows,
    RowKey,
    levels_of,
)

MAX_CLASSES = 4_096
"""The most classes of a system: programs have at least one variable for each."""

ABOVE = 2
"""The distance from the lower bounds of its sums at which an open count is cut off: at + 1 or more,
the class is not needed, and one more record makes another table."""

MAX_COUNT = 100_000_000
"""The largest count for the programs' floating-point arithmetic: a double keeps seven digits after
the point, and the solver's tolerance is 1e-6."""

Table = tuple[int, ...]
"""A count for every class."""

Sum = tuple[tuple[int, int], ...]
"""A linear function of a table: (class, coefficient), without zeros."""


@dataclass(frozen=True, slots=True)
class Limited:
    """A sum with public bounds; a ``most`` of None means no upper bound."""

    sum: Sum
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class System:
    """The datasets of D_t as tables over classes.

    Attributes:
        cells: for every class, up to two of its cells, as level indices of all attributes.
        multiplicity: the number of cells of each class.
        choices: for every class, its class in each component.
        rows: sums that all datasets of D_t share.
        values: their published values, or None if t is not given.
        keys: groups of classes; which of them are empty is shared too (only without t).
        bounds: sums within public bounds.
        size: the number of records of every dataset of D; None if it is free.
        zero_cells: the number of possible cells that t shows to be empty.
    """

    cells: tuple[tuple[Numbers, ...], ...]
    multiplicity: Numbers
    rows: tuple[Sum, ...]
    values: Numbers | None
    keys: tuple[tuple[Numbers, ...], ...]
    bounds: tuple[Limited, ...]
    size: int | None
    zero_cells: int = 0
    choices: tuple[Numbers, ...] = ()

    @property
    def classes(self) -> int:
        """Return the number of classes."""
        return len(self.cells)

    def invariants(self, table: Sequence[int]) -> tuple[Numbers, tuple[tuple[bool, ...], ...]]:
        """Return the shared values of a table: the rows' sums, and which groups occur."""
        sums = tuple(total(row, table) for row in self.rows)
        supports = tuple(
            tuple(any(table[c] for c in group) for group in groups) for groups in self.keys
        )
        return sums, supports

    def admits(self, table: Sequence[int]) -> bool:
        """Return whether a table has the size, meets the bounds and has the values of a given t."""
        if any(count < 0 for count in table):
            return False
        if self.size is not None and sum(table) != self.size:
            return False
        for bound in self.bounds:
            value = total(bound.sum, table)
            if value < bound.least or (bound.most is not None and value > bound.most):
                return False
        return self.values is None or self.invariants(table)[0] == self.values

    @property
    def has_free_count(self) -> bool:
        """Return whether no row, upper bound or size limits the count of some class.

        D_t is infinite then (``capped`` has a finite system with the same a(t)).
        """
        if self.size is not None:
            return False
        bounded = {c for row in self.rows for c, _ in row}
        bounded |= {c for bound in self.bounds if bound.most is not None for c, _ in bound.sum}
        return len(bounded) < self.classes

    @property
    def moves_preserve_size(self) -> bool:
        """Return whether the number of records is fixed, by the dataspace or by a row of ones."""
        return self.size is not None or any(
            len(row) == self.classes and all(k == 1 for _, k in row) for row in self.rows
        )


def universes_of(
    system: System, tables: Sequence[Table]
) -> dict[tuple[Numbers, tuple[tuple[bool, ...], ...]], list[Table]]:
    """Return the tables of every D_t, by the values that they share."""
    universes: dict[tuple[Numbers, tuple[tuple[bool, ...], ...]], list[Table]] = {}
    for table in tables:
        universes.setdefault(system.invariants(table), []).append(table)
    return universes


def equations(system: System) -> tuple[tuple[Sum, int], ...]:
    """Return every row with its published value.

    Raises:
        ValueError: t is not given.
    """
    if system.values is None:
        raise ValueError("t is not given")
    return tuple(zip(system.rows, system.values, strict=True))


def total(terms: Sum, table: Sequence[int]) -> int:
    """Return the value of a sum at a table, exactly."""
    return sum(k * table[c] for c, k in terms)


def records(system: System) -> int | None:
    """Return the number of records if it is fixed and known."""
    if system.size is not None or system.values is None:
        return system.size
    for row, value in zip(system.rows, system.values, strict=True):
        if len(row) == system.classes and all(k == 1 for _, k in row):
            return value
    return None


def build_system(
    space: TableSpace,
    release: Release,
    components: Sequence[Classes],
    size: int | None,
) -> System | None:
    """Build the system of a release from its components' classes.

    This is one function because rows, keys and bounds are numbered by the same list of choices.

    Args:
        space: the table of attributes.
        release: the release with the invariants and published values.
        components: the classes of every component of attributes.
        size: the number of records if it is the same in all of D_t, else None.

    Returns:
        The system; None if it has more than ``MAX_CLASSES`` classes.
    """
    published = release.published if isinstance(release.published, PublishedCounts) else None
    published_rows = None
    if published is not None:
        published_rows = PublishedRows(space, constraints_of(release.invariants), published)
    # A class of one component that t shows to be empty is empty in every combination with the other
    # components, so its columns are omitted.
    occurring = [_occurring(component, published_rows) for component in components]
    if prod(len(places) for places in occurring) > MAX_CLASSES:
        return None
    choices = list(product(*occurring))
    cells = tuple(_cells(space, components, choice) for choice in choices)
    multiplicity = tuple(
        prod(len(part.members[c]) for part, c in zip(components, choice, strict=True))
        for choice in choices
    )
    rows: list[tuple[RowKey, Sum]] = []
    keys: list[tuple[Numbers, ...]] = []
    bounds: list[Limited] = []
    for at, part in enumerate(components):
        column = [choice[at] for choice in choices]
        rows += [(key, _sum(coefs, column)) for key, coefs in part.rows]
        for _, ids in part.keys:
            groups = _groups(ids, column)
            # With t the key's cells that do not occur have no class left, so the key is linear:
            # each other group has a record. Without t, which groups are empty can vary and must
            # agree between two tables.
            if published_rows is None:
                keys.append(groups)
            else:
                bounds += [Limited(_ones(group), 1, None) for group in groups]
        for _, bound, inside in part.bounds:
            group = tuple(place for place, c in enumerate(column) if inside[c])
            bounds.append(Limited(_ones(group), bound.least, bound.most))
    if size is not None:
        rows.append(((-1, 0), _ones(range(len(choices)))))
    known = {key: size or 0 for key, _ in rows if key[0] < 0}
    values = None
    if published_rows is not None:
        values = tuple(known[key] if key in known else published_rows[key] for key, _ in rows)
    possible = prod(sum(map(len, part.members)) for part in components)
    return System(
        cells,
        multiplicity,
        tuple(row for _, row in rows),
        values,
        tuple(keys),
        tuple(bounds),
        size,
        possible - sum(multiplicity),
        tuple(choices),
    )


def split(system: System) -> System:
    """Split every class of several cells in two, for metrics that ignore the order of records.

    Two are enough: the choice among the further cells of a class changes no distance.
    """
    origin = [c for c in range(system.classes) for _ in range(min(system.multiplicity[c], 2))]
    copies: dict[int, list[int]] = {}
    for place, c in enumerate(origin):
        copies.setdefault(c, []).append(place)

    def spread(terms: Sum) -> Sum:
        return tuple((place, k) for c, k in terms for place in copies[c])

    return replace(
        system,
        cells=tuple((system.cells[c][copies[c].index(place)],) for place, c in enumerate(origin)),
        multiplicity=(1,) * len(origin),
        choices=tuple(system.choices[c] for c in origin) if system.choices else (),
        rows=tuple(spread(row) for row in system.rows),
        keys=tuple(
            tuple(tuple(place for c in group for place in copies[c]) for group in groups)
            for groups in system.keys
        ),
        bounds=tuple(replace(bound, sum=spread(bound.sum)) for bound in system.bounds),
    )


def cut_offs(system: System) -> dict[int, int]:
    """For every class without an upper bound, return the count at which it can be cut off.

    If the size is free, a class c in no row and in no sum with an upper bound can take any number
    of records: D_t is infinite. Let ``least`` be the largest lower bound of a sum that contains c
    (0 without one), and cut the count of c off at least + 2. The tables stay in D_t, and a(t) does
    not change by either definition; the proof is in docs/theory/semi-adjacency.md.
    """
    if system.size is not None:
        return {}
    bounded = {c for row in system.rows for c, _ in row}
    bounded |= {c for bound in system.bounds if bound.most is not None for c, _ in bound.sum}
    least = dict.fromkeys((c for c in range(system.classes) if c not in bounded), 0)
    for bound in system.bounds:
        for c, _ in bound.sum:
            if c in least:
                least[c] = max(least[c], bound.least)
    return {c: end + ABOVE for c, end in least.items()}


def capped(system: System) -> System:
    """Return the system with open counts cut off, as public bounds; itself if there are none.

    It has the same a(t) by both definitions as the system, Remark 14's numbers, the least count of
    every class, the largest of every class that is not open, and it is connected at a distance if
    D_t is.

    Args:
        system: D_t over classes of cells; split for the metrics that ignore the order of records.
    """
    ends = cut_offs(system)
    if not ends or system.values is None:
        return system
    bounds = tuple(Limited(((c, 1),), 0, end) for c, end in sorted(ends.items()))
    return replace(system, bounds=(*system.bounds, *bounds))


def _occurring(part: Classes, rows: PublishedRows | None) -> list[int]:
    if rows is None:
        return list(range(len(part.members)))
    empty = {
        c
        for key, coefs in part.rows
        if rows[key] == 0 and min(coefs) >= 0
        for c, coef in enumerate(coefs)
        if coef
    }
    empty |= {
        c for index, ids in part.keys for c, cell in enumerate(ids) if not rows.occurs(index, cell)
    }
    return [c for c in range(len(part.members)) if c not in empty]


def _cells(
    space: TableSpace, components: Sequence[Classes], choice: Sequence[int]
) -> tuple[Numbers, ...]:
    first = [0] * len(space.attributes)
    other: list[int] | None = None
    for part, c in zip(components, choice, strict=True):
        cells = [levels_of(cell, part.sizes) for cell in part.members[c][:2]]
        for place, level in zip(part.positions, cells[0], strict=True):
            first[place] = level
            if other is not None:
                other[place] = level
        if len(cells) > 1 and other is None:
            other = list(first)
            for place, level in zip(part.positions, cells[1], strict=True):
                other[place] = level
    return (tuple(first),) if other is None else (tuple(first), tuple(other))


def _sum(coefs: Sequence[int], column: Sequence[int]) -> Sum:
    return tuple((place, coefs[c]) for place, c in enumerate(column) if coefs[c])


def _ones(places: Sequence[int]) -> Sum:
    return tuple((place, 1) for place in places)


def _groups(ids: Sequence[int], column: Sequence[int]) -> tuple[Numbers, ...]:
    groups: dict[int, list[int]] = {}
    for place, c in enumerate(column):
        groups.setdefault(ids[c], []).append(place)
    return tuple(tuple(places) for places in groups.values())
