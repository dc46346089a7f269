"""Attributes that hang together, and the cells that no invariant tells apart.

Attributes that share an invariant, a structural zero or a nesting form a component; the table's
possible cells are the product of the components' possible cells. Inside a component, cells with
the same column in every linear invariant, the same key and the same public bounds form a class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.dataspace import Condition, TableSpace
from semiaudit.model.invariant import Count, Invariant, Keys, Linear, Margin, PublicBound, Total
from semiaudit.model.published import PublishedCounts

MAX_COMPONENT_CELLS = 200_000
"""A component of attributes is enumerated up to this many cells."""

MAX_LOOKS = 20_000_000
"""Cells times invariants and structural zeros of a component, at most."""

RowKey = tuple[int, int]
"""(the place of the invariant, which of its rows); (-1, 0) is the number of records."""

Numbers = tuple[int, ...]
Places = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of one component.

    Attributes:
        positions: the places of its attributes in the order of the spec, ascending.
        members: the row-major cells of every class.
        rows: the linear invariants' rows, as coefficients by class.
        keys: for each ``Keys``, its place and the row-major cell of its attributes by class.
        bounds: for each ``PublicBound``, its place and whether it speaks of the class.
    """

    positions: Places
    sizes: Numbers
    members: tuple[Numbers, ...]
    rows: tuple[tuple[RowKey, Numbers], ...]
    keys: tuple[tuple[int, Numbers], ...]
    bounds: tuple[tuple[int, Numbers], ...]


def levels_of(cell: int, sizes: Sequence[int]) -> Numbers:
    """The level index of each attribute in a row-major cell."""
    levels = []
    for size in reversed(sizes):
        cell, level = divmod(cell, size)
        levels.append(level)
    return tuple(reversed(levels))


def cell_of(levels: Sequence[int], sizes: Sequence[int]) -> int:
    """The row-major cell of level indices."""
    cell = 0
    for level, size in zip(levels, sizes, strict=True):
        cell = cell * size + level
    return cell


def components_of(space: TableSpace, invariants: Sequence[Invariant]) -> tuple[Places, ...]:
    """The attributes' places, grouped by what links them, in the order of the spec."""
    links = [[space.position(name) for name, _ in condition] for condition in space.impossible]
    for place, attribute in enumerate(space.attributes):
        if attribute.within is not None:
            links.append([place, space.position(attribute.within)])
    links += [list(_places(space, invariant)) for invariant in invariants]
    parent = list(range(len(space.attributes)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = place = parent[parent[place]]
        return place

    for linked in links:
        for place in linked[1:]:
            parent[root(place)] = root(linked[0])
    found: dict[int, list[int]] = {}
    for place in range(len(space.attributes)):
        found.setdefault(root(place), []).append(place)
    return tuple(tuple(places) for places in found.values())


def _places(space: TableSpace, invariant: Invariant) -> Places:
    if isinstance(invariant, Margin | Keys):
        return tuple(space.position(name) for name in invariant.attributes)
    if isinstance(invariant, Count | PublicBound):
        return tuple(space.position(name) for name, _ in invariant.where)
    if isinstance(invariant, Linear):
        return tuple(range(len(space.attributes)))
    return ()


def speaks_of(space: TableSpace, invariant: Invariant, positions: Places) -> bool:
    """True if an invariant is about the attributes of a component (``Total`` is about none)."""
    places = _places(space, invariant)
    return bool(places) and set(places) <= set(positions)


def possible_cells(space: TableSpace, positions: Places) -> Iterator[int]:
    """The row-major cells of a component that are no structural zero, ascending."""
    sizes = [space.attributes[place].size for place in positions]
    zeros = [
        _allowed(space, condition, positions)
        for condition in space.impossible
        if {space.position(name) for name, _ in condition} <= set(positions)
    ]
    nested = [
        (at, positions.index(space.position(attribute.within)), attribute.parents)
        for at, attribute in enumerate(space.attributes[place] for place in positions)
        if attribute.within is not None
    ]
    for cell in range(prod(sizes)):
        levels = levels_of(cell, sizes) if nested or zeros else ()
        if any(levels[parent] != parents[levels[child]] for child, parent, parents in nested):
            continue
        if not any(_matches(levels, zero) for zero in zeros):
            yield cell


_Allowed = tuple[tuple[int, frozenset[int]], ...]


def _allowed(space: TableSpace, condition: Condition, positions: Places) -> _Allowed:
    found = []
    for name, levels in condition:
        place = space.position(name)
        indices = space.attributes[place].indices(levels)
        allowed = frozenset(index for index in indices if index is not None)
        found.append((positions.index(place), allowed))
    return tuple(found)


def _matches(levels: Sequence[int], allowed: _Allowed) -> bool:
    return all(levels[at] in indices for at, indices in allowed)


def matches(space: TableSpace, condition: Condition, levels: Sequence[int]) -> bool:
    """True if a full record, as level indices, satisfies a condition."""
    return _matches(levels, _allowed(space, condition, tuple(range(len(space.attributes)))))


def classes_of(space: TableSpace, invariants: Sequence[Invariant], positions: Places) -> Classes:
    """Enumerate a component's possible cells and sort them into classes.

    Raises:
        RefusedError: the component has more than ``MAX_COMPONENT_CELLS`` cells.
    """
    sizes = tuple(space.attributes[place].size for place in positions)
    looks = sum(speaks_of(space, i, positions) for i in invariants) + len(space.impossible)
    if prod(sizes) > MAX_COMPONENT_CELLS or prod(sizes) * looks > MAX_LOOKS:
        raise RefusedError(_too_large(space, invariants, positions))
    about = [
        (index, invariant)
        for index, invariant in enumerate(invariants)
        if speaks_of(space, invariant, positions)
    ]
    views = [_View(space, invariant, positions, sizes) for _, invariant in about]
    found: dict[tuple[Numbers, ...], list[int]] = {}
    for cell in possible_cells(space, positions):
        levels = levels_of(cell, sizes)
        found.setdefault(tuple(view(cell, levels) for view in views), []).append(cell)
    height = sum(
        len({signature[at][0] for signature in found}) if isinstance(i, Margin) else 1
        for at, (_, i) in enumerate(about)
    )
    if height * len(found) > MAX_LOOKS:
        raise RefusedError(_too_large(space, invariants, positions))
    rows: list[tuple[RowKey, Numbers]] = []
    keys: list[tuple[int, Numbers]] = []
    bounds: list[tuple[int, Numbers]] = []
    for at, (index, invariant) in enumerate(about):
        seen = [signature[at] for signature in found]
        column = tuple(values[0] for values in seen)
        if isinstance(invariant, Keys):
            keys.append((index, column))
        elif isinstance(invariant, PublicBound):
            bounds.append((index, column))
        elif isinstance(invariant, Margin):
            for value in sorted(set(column)):
                rows.append(((index, value), tuple(int(other == value) for other in column)))
        else:
            for number in range(len(seen[0])):
                rows.append(((index, number), tuple(values[number] for values in seen)))
    return Classes(
        positions,
        sizes,
        tuple(tuple(cells) for cells in found.values()),
        tuple(rows),
        tuple(keys),
        tuple(bounds),
    )


class _View:
    """What an invariant sees of a cell of a component."""

    def __init__(
        self, space: TableSpace, invariant: Invariant, positions: Places, sizes: Numbers
    ) -> None:
        self.rows = invariant.rows if isinstance(invariant, Linear) else None
        self.at: Places = ()
        self.sizes: Numbers = ()
        self.allowed: _Allowed | None = None
        if isinstance(invariant, Margin | Keys):
            places = sorted(space.position(name) for name in invariant.attributes)
            self.at = tuple(positions.index(place) for place in places)
            self.sizes = tuple(sizes[at] for at in self.at)
        elif isinstance(invariant, Count | PublicBound):
            self.allowed = _allowed(space, invariant.where, positions)

    def __call__(self, cell: int, levels: Numbers) -> Numbers:
        if self.rows is not None:
            return tuple(row[cell] for row in self.rows)
        if self.allowed is not None:
            return (int(_matches(levels, self.allowed)),)
        return (cell_of([levels[at] for at in self.at], self.sizes),)


def _too_large(space: TableSpace, invariants: Sequence[Invariant], positions: Places) -> Refusal:
    names = ", ".join(space.attributes[place].name for place in positions)
    numbered = list(enumerate(invariants))
    joint = [item for item in numbered if speaks_of(space, item[1], positions)]
    about = [item for item in joint if not isinstance(item[1], Margin)] or joint or numbered
    index, invariant = about[0] if about else (0, Total())
    return Refusal(
        f"the attributes {names} hang together and have too many cells (more than "
        f"{MAX_COMPONENT_CELLS}, or {MAX_LOOKS} with every invariant and structural zero)",
        "publish their joint margin, or describe them by fewer levels",
        path=f"invariants[{index}]",
        line=invariant.mark.line,
        column=invariant.mark.column,
    )


class PublishedRows:
    """The published value of every row of every invariant."""

    def __init__(
        self, space: TableSpace, invariants: Sequence[Invariant], published: PublishedCounts
    ) -> None:
        margins, others = dict(published.margins), dict(published.others)
        self.values: dict[int, Numbers] = {}
        for index, invariant in enumerate(invariants):
            if isinstance(invariant, Margin):
                names = tuple(sorted(invariant.attributes, key=space.position))
                self.values[index] = margins[names]
            elif index in others:
                self.values[index] = others[index]

    def __getitem__(self, key: RowKey) -> int:
        return self.values[key[0]][key[1]]

    def occurs(self, index: int, cell: int) -> bool:
        """True if a combination of levels occurs, by the ``Keys`` at a place."""
        return cell in self.values[index]
