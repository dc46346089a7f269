"""D_t over classes of cells that neither the invariants nor the query tell apart.

Merging such cells changes no sensitivity space: a table over classes becomes one over cells by
putting each count on one cell of its class, which keeps distances, rows, keys and bounds; and the
other way round distances only shrink.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import assert_never

from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import (
    Constraint,
    SameCellSums,
    SameMargin,
    SameSize,
    SameSums,
    SameSupport,
    Within,
)
from semiaudit.universe.answers import Answers, Coordinate
from semiaudit.universe.components import (
    Classes,
    Numbers,
    Places,
    cell_of,
    classes_of,
    components_of,
    places_of,
)
from semiaudit.universe.rational import RowSpace
from semiaudit.universe.system import System, build_system

MAX_COMPONENT = 2_048
"""Components of more cells than this are not sorted by what a query tells apart."""

MAX_WORK = 4_000_000
"""Cells of a component times rows about it."""

MAX_IMAGES = 4_000_000
"""Classes times coordinates."""


@dataclass(frozen=True, slots=True)
class CellSystem:
    """A system, and what the query answers for a record of each class.

    Attributes:
        coordinates: the coordinates of the answer that some class has, in order.
        images: for every class its column over them.
    """

    system: System
    coordinates: tuple[Coordinate, ...]
    images: tuple[Numbers, ...]

    def is_told(self, *, fixed: bool) -> bool:
        """True if every coordinate is a combination of the invariants' rows, exactly.

        Args:
            fixed: all datasets of D_t have one size.
        """
        known = RowSpace()
        rows = [dict(row) for row in self.system.rows]
        if fixed:
            rows.append(dict.fromkeys(range(self.system.classes), 1))
        if any(known.add(row) is None for row in rows):
            return False
        for place in range(len(self.coordinates)):
            row = {c: image[place] for c, image in enumerate(self.images) if image[place]}
            left = known.rest(row)
            if left is None or left:
                return False
        return True


def cell_system(
    release: Release, space: TableSpace, answers: Answers, size: int | None
) -> CellSystem | None:
    """The system of a release with classes fine enough for a query; None where it is too large."""
    constraints = constraints_of(release.invariants)
    apart = (*constraints, *answers.as_constraints())
    if not is_manageable(space, apart):
        return None
    number = len(constraints)
    parts = []
    for positions in components_of(space, apart):
        if prod(space.attributes[place].size for place in positions) > MAX_COMPONENT:
            return None
        part = classes_of(space, apart, positions)
        parts.append(replace(part, rows=tuple(row for row in part.rows if row[0][0] < number)))
    system = build_system(space, release, parts, size)
    if system is None:
        return None
    columns = [dict(answers.column(cells[0])) for cells in system.cells]
    coordinates = tuple(sorted({coordinate for column in columns for coordinate in column}))
    if len(columns) * len(coordinates) > MAX_IMAGES:
        return None
    images = tuple(tuple(column.get(at, 0) for at in coordinates) for column in columns)
    return CellSystem(system, coordinates, images)


def is_manageable(space: TableSpace, constraints: Sequence[Constraint]) -> bool:
    """True if no component of attributes has too many cells for the rows about it."""
    return all(
        _work(space, constraints, positions) <= MAX_WORK
        for positions in components_of(space, constraints)
    )


def _work(space: TableSpace, constraints: Sequence[Constraint], positions: Places) -> int:
    """How many coefficients the rows of a component have at most, zeros included."""
    rows = 1
    for constraint in constraints:
        match constraint:
            case SameMargin():
                places = places_of(space, constraint)
                if set(places) <= set(positions):
                    rows += prod(space.attributes[place].size for place in places)
            case SameCellSums():
                rows += len(constraint.rows)
            case SameSize() | SameSums() | SameSupport() | Within():
                pass  # a row or few
            case _:
                assert_never(constraint)
    return rows * prod(space.attributes[place].size for place in positions)


@dataclass(frozen=True, slots=True)
class PlainSystem:
    """The system of a release over the invariants' own classes, and where every cell belongs."""

    system: System
    parts: tuple[Classes, ...]
    class_of_cell: tuple[dict[int, int], ...]
    class_of_choice: dict[Numbers, int]

    def class_of(self, levels: Sequence[int]) -> int | None:
        """The class of a record; None where it cannot occur, or t shows that it does not."""
        choice = []
        for part, known in zip(self.parts, self.class_of_cell, strict=True):
            found = known.get(cell_of([levels[place] for place in part.positions], part.sizes))
            if found is None:
                return None
            choice.append(found)
        return self.class_of_choice.get(tuple(choice))


def plain_system(release: Release, space: TableSpace, size: int | None) -> PlainSystem | None:
    """The system of a release over the invariants' classes; None where it is too large."""
    constraints = constraints_of(release.invariants)
    if not is_manageable(space, constraints):
        return None
    parts = tuple(
        classes_of(space, constraints, positions) for positions in components_of(space, constraints)
    )
    system = build_system(space, release, parts, size)
    if system is None:
        return None
    cells = tuple(
        {cell: c for c, members in enumerate(part.members) for cell in members} for part in parts
    )
    return PlainSystem(system, parts, cells, {choice: c for c, choice in enumerate(system.choices)})
