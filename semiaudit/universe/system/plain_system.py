"""D_t over the classes of cells that the invariants distinguish, for any query."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import assert_never

from semiaudit.frozen import dataclass
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
from semiaudit.universe.system.classes_of_cells import System, build_system
from semiaudit.universe.system.components import (
    Classes,
    Numbers,
    Places,
    cell_of,
    classes_of,
    components_of,
    places_of,
)

MAX_WORK = 4_000_000
"""The most cells of a component times rows about it: coefficients are kept as tuples of
integers."""


def is_manageable(space: TableSpace, constraints: Sequence[Constraint]) -> bool:
    """Return whether no component of attributes has too many cells for the rows about it."""
    return all(
        _work(space, constraints, positions) <= MAX_WORK
        for positions in components_of(space, constraints)
    )


def _work(space: TableSpace, constraints: Sequence[Constraint], positions: Places) -> int:
    rows = 1
    for constraint in constraints:
        match constraint:
            case SameMargin():
                places = places_of(space, constraint)
                if set(places) <= set(positions):
                    rows += prod(space.attributes[place].size for place in places)
            case SameCellSums():
                rows += len(constraint.rows)
            case SameSums():
                rows += len(constraint.rows) - 1
            case SameSize() | SameSupport() | Within():
                pass  # one row, or a few
            case _:
                assert_never(constraint)
    return rows * prod(space.attributes[place].size for place in positions)


@dataclass(frozen=True, slots=True)
class PlainSystem:
    """The system of a release over the invariants' own classes, and the class of every cell.

    Attributes:
        system: D_t over these classes.
        parts: the classes of each component of attributes.
        class_of_cell: for each component, the class of a row-major cell.
        class_of_choice: the system's class by the class in each component.
    """

    system: System
    parts: tuple[Classes, ...]
    class_of_cell: tuple[dict[int, int], ...]
    class_of_choice: dict[Numbers, int]

    def class_of(self, levels: Sequence[int]) -> int | None:
        """Return the class of a record; None if it cannot occur, or if t shows that it does not."""
        choice = []
        for part, known in zip(self.parts, self.class_of_cell, strict=True):
            number = known.get(cell_of([levels[place] for place in part.positions], part.sizes))
            if number is None:
                return None
            choice.append(number)
        return self.class_of_choice.get(tuple(choice))


def plain_system(release: Release, space: TableSpace, size: int | None) -> PlainSystem | None:
    """Return the system of a release over the invariants' classes; None if it is too large."""
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
