"""Components of attributes that share invariants, and classes of cells that none distinguishes.

Attributes that share an invariant, a structural zero or a nesting form a component; the table's
possible cells are the product of the components' possible cells. Inside a component, cells with
the same column in every linear invariant, the same key and the same public bounds form a class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import assert_never

from semiaudit.errors import NOWHERE, Refusal, RefusedError, listed
from semiaudit.frozen import dataclass
from semiaudit.model.audit import PublishedCounts
from semiaudit.model.dataspace import Condition, TableSpace
from semiaudit.model.invariants.constraint import (
    Constraint,
    SameCellSums,
    SameMargin,
    SameSize,
    SameSums,
    SameSupport,
    Within,
    attributes_of,
)

MAX_COMPONENT_CELLS = 200_000
"""The most cells of a component of attributes that are enumerated, in Python."""

MAX_LOOKS = 20_000_000
"""The most cells times invariants and structural zeros of a component; each is a check in
Python."""

RowKey = tuple[int, int]
"""(the index of the invariant, which of its rows); (-1, 0) is the number of records."""

Numbers = tuple[int, ...]
"""Integers in some order: counts, cells, or coefficients by class."""

Places = tuple[int, ...]
"""Indices of attributes in the order of the spec."""


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of one component.

    Attributes:
        positions: the indices of its attributes in the order of the spec, ascending.
        sizes: their numbers of levels.
        members: the row-major cells of every class.
        rows: the rows that all tables of D_t share, as coefficients by class.
        keys: for each ``SameSupport``, its index and the row-major cell of its attributes by class.
        bounds: for each ``Within``, its index, itself, and whether it covers the class.
    """

    positions: Places
    sizes: Numbers
    members: tuple[Numbers, ...]
    rows: tuple[tuple[RowKey, Numbers], ...]
    keys: tuple[tuple[int, Numbers], ...]
    bounds: tuple[tuple[int, Within, Numbers], ...]


def levels_of(cell: int, sizes: Sequence[int]) -> Numbers:
    """Return the level index of each attribute in a row-major cell."""
    levels = []
    for size in reversed(sizes):
        cell, level = divmod(cell, size)
        levels.append(level)
    return tuple(reversed(levels))


def cell_of(levels: Sequence[int], sizes: Sequence[int]) -> int:
    """Return the row-major cell of level indices."""
    cell = 0
    for level, size in zip(levels, sizes, strict=True):
        cell = cell * size + level
    return cell


def components_of(space: TableSpace, constraints: Sequence[Constraint]) -> tuple[Places, ...]:
    """Group the attribute indices by their links, in the order of the spec."""
    links = [[space.position(name) for name, _ in condition] for condition in space.impossible]
    for place, attribute in enumerate(space.attributes):
        if attribute.within is not None:
            links.append([place, space.position(attribute.within)])
    links += [list(places_of(space, constraint)) for constraint in constraints]
    parent = list(range(len(space.attributes)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = place = parent[parent[place]]
        return place

    for linked in links:
        for place in linked[1:]:
            parent[root(place)] = root(linked[0])
    groups: dict[int, list[int]] = {}
    for place in range(len(space.attributes)):
        groups.setdefault(root(place), []).append(place)
    return tuple(tuple(places) for places in groups.values())


def places_of(space: TableSpace, constraint: Constraint) -> Places:
    """Return the indices of the attributes of a constraint, ascending."""
    return tuple(space.position(name) for name in attributes_of(constraint, space))


def speaks_of(space: TableSpace, constraint: Constraint, positions: Places) -> bool:
    """Return whether a constraint is about the attributes of a component (a size is about none)."""
    places = places_of(space, constraint)
    return bool(places) and set(places) <= set(positions)


def possible_cells(space: TableSpace, positions: Places) -> Iterator[int]:
    """Yield the row-major cells of a component that are not structural zeros, ascending."""
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
    conditions = []
    for name, levels in condition:
        place = space.position(name)
        indices = space.attributes[place].indices(levels)
        allowed = frozenset(index for index in indices if index is not None)
        conditions.append((positions.index(place), allowed))
    return tuple(conditions)


def _matches(levels: Sequence[int], allowed: _Allowed) -> bool:
    for at, indices in allowed:  # a plain loop: this runs for every cell and condition
        if levels[at] not in indices:
            break
    else:
        return True
    return False


def matches(space: TableSpace, condition: Condition, levels: Sequence[int]) -> bool:
    """Return whether a full record, as level indices, satisfies a condition."""
    return _matches(levels, _allowed(space, condition, tuple(range(len(space.attributes)))))


def rows_over(
    space: TableSpace,
    constraint: Constraint,
    cells: Sequence[Numbers],
    positions: Places | None = None,
) -> dict[int, dict[int, int]]:
    """Return the rows of a constraint over some cells, by their numbers; none of keys and bounds.

    Args:
        cells: with a level index for each of the positions.
        positions: indices of attributes, with all those of the constraint; by default all.

    Returns:
        For each row its coefficients by the index of a cell, without zeros. A cell of a margin is
        numbered row-major; one that has none of the cells has no row.
    """
    positions = tuple(range(len(space.attributes))) if positions is None else positions
    rows: dict[int, dict[int, int]] = {}
    match constraint:
        case SameSize():
            rows[0] = dict.fromkeys(range(len(cells)), 1)
        case SameMargin():
            at = [positions.index(place) for place in places_of(space, constraint)]
            sizes = [space.attributes[positions[place]].size for place in at]
            for c, levels in enumerate(cells):
                rows.setdefault(cell_of([levels[place] for place in at], sizes), {})[c] = 1
        case SameSums():
            with_level: dict[tuple[int, int], list[int]] = {}
            for c, levels in enumerate(cells):
                for item in enumerate(levels):
                    with_level.setdefault(item, []).append(c)
            for number, terms in enumerate(constraint.rows):
                row: Counter[int] = Counter()
                for k, where in terms:
                    allowed = _allowed(space, where, positions)
                    fewest = min(allowed, key=lambda one: len(one[1]))
                    for level in fewest[1]:
                        for c in with_level.get((fewest[0], level), ()):
                            if _matches(cells[c], allowed):
                                row[c] += k
                rows[number] = {c: k for c, k in sorted(row.items()) if k}
        case SameCellSums():
            sizes = [space.attributes[place].size for place in positions]
            of_cell = [cell_of(levels, sizes) for levels in cells]
            for number, coefs in enumerate(constraint.rows):
                rows[number] = {c: coefs[cell] for c, cell in enumerate(of_cell) if coefs[cell]}
        case SameSupport() | Within():
            pass
        case _:
            assert_never(constraint)
    return dict(sorted(rows.items()))


def classes_of(space: TableSpace, constraints: Sequence[Constraint], positions: Places) -> Classes:
    """Enumerate a component's possible cells and sort them into classes.

    This is one function because each kind of constraint defines its row, key or bound of a class
    here, and nowhere else.

    Args:
        space: the table of attributes.
        constraints: of the whole release.
        positions: the attributes of the component.

    Raises:
        RefusedError: the component has more than ``MAX_COMPONENT_CELLS`` cells.
    """
    sizes = tuple(space.attributes[place].size for place in positions)
    about = [
        (index, constraint)
        for index, constraint in enumerate(constraints)
        if speaks_of(space, constraint, positions)
    ]
    looks = len(about) + len(space.impossible)
    if prod(sizes) > MAX_COMPONENT_CELLS or prod(sizes) * looks > MAX_LOOKS:
        raise RefusedError(_too_large(space, constraints, positions))
    # Records of cells with one signature replace each other without a change of any invariant. So
    # tables over classes decide membership in D_t.
    conditions = {
        (at, number): where
        for at, (_, constraint) in enumerate(about)
        for number, where in enumerate(_conditions(constraint))
    }
    of_level = _conditions_by_level(space, list(conditions.values()), positions)
    views = {
        at: _view(space, constraint, positions, sizes)
        for at, (_, constraint) in enumerate(about)
        if not _conditions(constraint)
    }
    cells_by_signature: dict[tuple[int, tuple[Numbers, ...]], list[int]] = {}
    for cell in possible_cells(space, positions):
        levels = levels_of(cell, sizes)
        met = -1
        for level, conditions_met in zip(levels, of_level, strict=True):
            met &= conditions_met[level]
        seen = tuple([view(cell, levels) for view in views.values()])
        cells_by_signature.setdefault((met, seen), []).append(cell)
    signatures = list(cells_by_signature)
    seen_by = {at: [seen[i] for _, seen in signatures] for i, at in enumerate(views)}
    height = 0
    for at, (_, c) in enumerate(about):
        counts = len({seen[0] for seen in seen_by[at]}) if isinstance(c, SameMargin) else 1
        height += max(counts, len(c.rows) if isinstance(c, SameSums) else 1)
    if height * len(signatures) > MAX_LOOKS:
        raise RefusedError(_too_large(space, constraints, positions))
    inside = [[0] * len(signatures) for _ in conditions]
    for place, (met, _) in enumerate(signatures):
        while met:
            inside[met.bit_length() - 1][place] = 1
            met ^= 1 << met.bit_length() - 1
    columns = {key: tuple(column) for key, column in zip(conditions, inside, strict=True)}
    rows: list[tuple[RowKey, Numbers]] = []
    keys: list[tuple[int, Numbers]] = []
    bounds: list[tuple[int, Within, Numbers]] = []
    for at, (index, constraint) in enumerate(about):
        match constraint:
            case SameMargin():
                # A cell of the margin without a possible cell has no row: its count is 0 in every
                # dataset.
                column = [values[0] for values in seen_by[at]]
                for value in sorted(set(column)):
                    rows.append(((index, value), tuple(int(other == value) for other in column)))
            case SameSums() if at not in views:
                for number, ((k, _),) in enumerate(constraint.rows if signatures else ()):
                    met_by = columns[at, number]
                    rows.append(((index, number), tuple([k * one for one in met_by])))
            case SameSums() | SameCellSums():
                for number in range(len(constraint.rows) if signatures else 0):
                    rows.append(((index, number), tuple(v[number] for v in seen_by[at])))
            case SameSupport():
                keys.append((index, tuple(values[0] for values in seen_by[at])))
            case Within():
                bounds.append((index, constraint, columns[at, 0]))
            case SameSize():
                pass  # it belongs to no component; the system has its own row for it
            case _:
                assert_never(constraint)
    return Classes(
        positions,
        sizes,
        tuple(tuple(cells) for cells in cells_by_signature.values()),
        tuple(rows),
        tuple(keys),
        tuple(bounds),
    )


def _conditions(constraint: Constraint) -> list[Condition]:
    """Return the conditions that say all that a constraint sees of a record; else none."""
    if isinstance(constraint, Within):
        return [constraint.where]
    if isinstance(constraint, SameSums) and all(
        len(terms) == 1 and terms[0][0] for terms in constraint.rows
    ):
        return [where for ((_, where),) in constraint.rows]
    return []


def _conditions_by_level(
    space: TableSpace, conditions: Sequence[Condition], positions: Places
) -> list[list[int]]:
    """Return the conditions that a level at each position allows, as bits of an integer."""
    every = (1 << len(conditions)) - 1
    sizes = [space.attributes[place].size for place in positions]
    named, allowing = [0] * len(positions), [[0] * size for size in sizes]
    for number, condition in enumerate(conditions):
        for at, levels in _allowed(space, condition, positions):
            named[at] |= 1 << number
            for level in levels:
                allowing[at][level] |= 1 << number
    return [
        [(every ^ names) | bits for bits in levels]
        for names, levels in zip(named, allowing, strict=True)
    ]


_View = Callable[[int, Numbers], Numbers]
"""A map from a cell of a component, and its levels, to what a constraint sees of it."""


def _view(space: TableSpace, constraint: Constraint, positions: Places, sizes: Numbers) -> _View:
    match constraint:
        case SameMargin() | SameSupport():
            at = [positions.index(place) for place in places_of(space, constraint)]
            extents = [sizes[place] for place in at]
            return lambda cell, levels: (cell_of([levels[place] for place in at], extents),)
        case SameSums():
            sums = [
                [(k, _allowed(space, where, positions)) for k, where in terms]
                for terms in constraint.rows
            ]
            return lambda cell, levels: tuple(
                [sum([k for k, allowed in terms if _matches(levels, allowed)]) for terms in sums]
            )
        case SameCellSums():
            rows = constraint.rows
            return lambda cell, levels: tuple(row[cell] for row in rows)
        case SameSize() | Within():
            return lambda cell, levels: ()  # a bound is its condition
        case _:
            assert_never(constraint)


def _too_large(space: TableSpace, constraints: Sequence[Constraint], positions: Places) -> Refusal:
    names = listed([space.attributes[place].name for place in positions])
    numbered = list(enumerate(constraints))
    joint = [item for item in numbered if speaks_of(space, item[1], positions)]
    about = [item for item in joint if not isinstance(item[1], SameMargin)] or joint or numbered
    index, mark = (about[0][0], about[0][1].mark) if about else (0, NOWHERE)
    return Refusal(
        f"the attributes {names} must be counted together, and they have too many cells (more than "
        f"{MAX_COMPONENT_CELLS:,}, or {MAX_LOOKS:,} with every invariant and structural zero)",
        "publish their joint margin, or use fewer levels",
        path=f"invariants[{index}]",
        line=mark.line,
        column=mark.column,
    )


class PublishedRows:
    """The published value of every row of every constraint."""

    def __init__(
        self, space: TableSpace, constraints: Sequence[Constraint], published: PublishedCounts
    ) -> None:
        margins, others = dict(published.margins), dict(published.others)
        self.values: dict[int, Numbers] = {}
        for index, constraint in enumerate(constraints):
            match constraint:
                case SameMargin():
                    self.values[index] = margins[attributes_of(constraint, space)]
                case SameSums() | SameCellSums() | SameSupport():
                    self.values[index] = others[index]
                case SameSize() | Within():
                    pass  # the size is the system's own row; a bound has no value
                case _:
                    assert_never(constraint)

    def __getitem__(self, key: RowKey) -> int:
        return self.values[key[0]][key[1]]

    def occurs(self, index: int, cell: int) -> bool:
        """Return whether a combination of levels occurs, by the ``SameSupport`` at an index."""
        return cell in self.values[index]
