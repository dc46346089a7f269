"""D_t over classes of cells that neither the invariants nor the query distinguish.

Merging such cells changes no sensitivity space: a table over classes becomes one over cells by
putting each count on one cell of its class, which keeps distances, rows, keys and bounds; in the
other direction, distances only shrink.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from semiaudit.frozen import dataclass
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.numeric.row_space import RowSpace, TooLongError
from semiaudit.universe.sensitivity.answers import Answers, Coordinate
from semiaudit.universe.system.classes_of_cells import System, build_system
from semiaudit.universe.system.components import (
    Numbers,
    classes_of,
    components_of,
)
from semiaudit.universe.system.plain_system import is_manageable

MAX_COMPONENT = 2_048
"""Components of more cells are not sorted by what a query distinguishes: there would be too many
moves between their classes."""

MAX_IMAGES = 4_000_000
"""The most classes times coordinates of the answer, which are kept as tuples of integers."""


@dataclass(frozen=True, slots=True)
class CellSystem:
    """A system, and the answer of the query for a record of each class.

    Attributes:
        coordinates: the coordinates of the answer that some class changes, in order.
        images: for every class, its column over the coordinates.
    """

    system: System
    coordinates: tuple[Coordinate, ...]
    images: tuple[Numbers, ...]

    def is_determined(self, *, fixed: bool) -> bool:
        """Return whether every coordinate is a combination of the invariants' rows, exactly.

        Args:
            fixed: all datasets of D_t have one size.
        """
        rows = [dict(row) for row in self.system.rows]
        if fixed:
            rows.append(dict.fromkeys(range(self.system.classes), 1))
        try:
            known = RowSpace(rows)
            return not any(
                known.rest({c: image[place] for c, image in enumerate(self.images)})
                for place in range(len(self.coordinates))
            )
        except TooLongError:
            return False


def cell_system(
    release: Release, space: TableSpace, answers: Answers, size: int | None
) -> CellSystem | None:
    """Return the system of a release with classes that are fine enough for a query.

    None if it is too large.
    """
    constraints = constraints_of(release.invariants)
    separating = (*constraints, *answers.as_constraints())
    if not is_manageable(space, separating):
        return None
    number = len(constraints)
    parts = []
    for positions in components_of(space, separating):
        if prod(space.attributes[place].size for place in positions) > MAX_COMPONENT:
            return None
        part = classes_of(space, separating, positions)
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
