"""The integer vectors of a part's support, and noise projected on it.

The general elimination of a null space carries the query in addition to the table, and ends at a
few thousand cells. For the table of all cells the rows of C are those that are published. Margins
go further, in time linear in the cells (``margin_lattice``); for other rows, and cells that cannot
occur, there is a sparse elimination of the rows themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, assert_never

from semiaudit.errors import RefusedError
from semiaudit.mechanisms.kind import refused
from semiaudit.mechanisms.sampling.lattice import Lattice, everything, null_lattice, span_lattice
from semiaudit.mechanisms.sampling.margin_lattice import MarginLattice
from semiaudit.mechanisms.sampling.sampling_methods import OfWeights
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import Constraint, is_margin, linear_rows
from semiaudit.model.mechanism import NoisePart
from semiaudit.model.query import Query, TableQuery, width
from semiaudit.universe.sensitivity.answer_null_space import MAX_SOLVED, AnswerNullSpace, rows_of
from semiaudit.universe.sensitivity.answers import Records
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from semiaudit.universe.system.components import cell_of, places_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


MAX_COVERED = 2_000
"""The most sets of attributes in a margin: for each one, the cells are read once."""

MAX_GENERAL = 5_000
"""The most possible cells of a table that the general elimination takes."""

MAX_TOLD = 2_000
"""The most numbers that rows publish: a matrix of this size is inverted in doubles."""

MAX_ELIMINATED = 10_000
"""The most cells of a table whose published rows are eliminated one by one."""


def large_null_lattice(part: NoisePart, query: Query, spaces: SensitivitySpaces) -> Lattice:
    """Return the integer vectors of the null space, if the general elimination takes too long.

    Raises:
        RefusedError: the query is not the table, or the table or C is too large.
    """
    space = spaces.table
    if not isinstance(query, TableQuery):
        what = (
            "the null space of the invariants is too large to compute: for a query other "
            f"than the table, the limit is the work for {MAX_SOLVED} cells"
        )
        raise refused(part, what, "use `query: table`, or a smaller table")
    constraints = linear_rows(constraints_of(spaces.stated.invariants)) or ()
    if space.product_cells and constraints and all(map(is_margin, constraints)):
        sizes = [attribute.size for attribute in space.attributes]
        margins = {places_of(space, constraint) for constraint in constraints}
        number = sum(2 ** sum(sizes[place] > 1 for place in margin) for margin in margins)
        if number > MAX_COVERED:
            what = f"the margins contain up to {number} sets of attributes"
            raise _too_many(part, what, MAX_COVERED)
        return MarginLattice(sizes, margins)
    return _eliminated(part, constraints, spaces)


def _eliminated(
    part: NoisePart, constraints: Sequence[Constraint], spaces: SensitivitySpaces
) -> Lattice:
    space = spaces.table
    if space.cells > MAX_ELIMINATED:
        what = f"the invariants are not margins alone, and the table has {space.cells} cells"
        raise _too_many(part, what, MAX_ELIMINATED)
    sizes = [attribute.size for attribute in space.attributes]
    records = Records(space)
    possible = {cell_of(levels, sizes) for levels in records.some(records.components)}
    rows = [{c: k for c, k in row.items() if c in possible} for row in rows_of(space, constraints)]
    # A coordinate that counts no record is 0 in all answers, and follows from no other.
    idle = [{cell: 1} for cell in range(space.cells) if cell not in possible]
    if len(rows) > MAX_TOLD:
        raise _too_many(part, f"the invariants publish {len(rows)} numbers", MAX_TOLD)
    return null_lattice([*rows, *idle], space.cells)


def _too_many(part: NoisePart, what: str, most: int) -> RefusedError:
    remedy = "use a smaller query, or noise without a support"
    return refused(part, f"{what}, and samples in its null space are limited to {most}", remedy)


def support_of(part: NoisePart, query: Query, spaces: SensitivitySpaces) -> Lattice:
    """Return the integer vectors of the subspace of the noise."""
    match part.support:
        case None:
            number, active = width(query, spaces.table), spaces.subspaces.active(query)
            return (
                MarginLattice([number], ()) if len(active) == number else everything(number, active)
            )
        case "null_space":
            if isinstance(query, TableQuery) and spaces.table.cells > MAX_SOLVED:
                return large_null_lattice(part, query, spaces)
            null = spaces.subspaces.null_space(query)
            large = null is None or len(null.active) > MAX_GENERAL
            if null is None or (large and isinstance(query, TableQuery)):
                return large_null_lattice(part, query, spaces)
            if len(null.rows) > MAX_TOLD:
                what = f"the invariants publish {len(null.rows)} independent numbers"
                raise _too_many(part, what, MAX_TOLD)
            return _lattice_of(null)
        case "sensitivity_space":
            return span_of_changes(part, query, spaces)
        case _:
            assert_never(part.support)


def span_of_changes(part: NoisePart, query: Query, spaces: SensitivitySpaces) -> Lattice:
    """Return the integer vectors of the span of S inside D_t, or of a space that contains it.

    In a larger space, the noise loses no more between two datasets: the output is then the exact
    part of the answer and a projection of the answer with plain noise, which the audit bounds.
    """
    subspaces = spaces.subspaces
    if part.made_for is not None:
        null = subspaces.null_space(query) if subspaces.fills(query, part.made_for) else None
        if null is not None:
            return _lattice_of(null)
        span = subspaces.span(query, part.made_for)
        if span is not None:
            sparse = (dict(enumerate(vector)) for vector in span)
            return span_lattice(sparse, width(query, spaces.table))
    enclosing = subspaces.enclosing(query)
    if enclosing is None:
        what = "the table is too large to compute the space of its changes"
        raise refused(part, what, "use a smaller query, or noise without a support")
    return _lattice_of(enclosing)


def is_enclosed(part: NoisePart, query: Query, spaces: SensitivitySpaces) -> bool:
    """Return whether the span of S inside D_t is unknown: then an enclosing space is sampled."""
    subspaces = spaces.subspaces
    if part.made_for is None:
        return True
    return (
        not subspaces.fills(query, part.made_for) and subspaces.span(query, part.made_for) is None
    )


def _lattice_of(null: AnswerNullSpace) -> Lattice:
    idle = sorted(set(range(null.width)) - set(null.active))
    return null_lattice([*null.rows, *({place: 1} for place in idle)], null.width)


class Projected:
    """Noise on all coordinates, as the weights of its projection on a lattice's span."""

    def __init__(self, noise: OfWeights, lattice: Lattice) -> None:
        self._noise, self._lattice = noise, lattice

    def draw(self, number: int, generator: np.random.Generator) -> Floats:
        """Sample weights: number x rank."""
        noise = self._noise.draw(number, generator)
        if self._lattice.rank == self._lattice.width:
            return noise
        return self._lattice.projected(noise)


class InSpan:
    """Noise inside the span of a lattice, as its weights."""

    def __init__(self, noise: OfWeights, lattice: Lattice) -> None:
        self._noise, self._lattice = noise, lattice

    def draw(self, number: int, generator: np.random.Generator) -> Floats:
        """Sample weights: number x rank."""
        noise = self._noise.draw(number, generator)
        if self._lattice.free:
            return noise[:, list(self._lattice.free)]
        return noise @ self._lattice.inverse.T


def method_of(method: str, part: NoisePart, query: Query, spaces: SensitivitySpaces) -> str:
    """Describe a method, and the projection of its noise."""
    if part.support is None:
        return method
    enclosed = part.support == "sensitivity_space" and is_enclosed(part, query, spaces)
    where = (
        "a space that contains the support, because the support is not listed"
        if enclosed
        else "the support"
    )
    return f"{method}, projected on {where}"
