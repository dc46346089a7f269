"""A query, its sensitivity (by how much it changes between neighbors), and its noise in numbers."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import assert_never

from semiaudit.errors import NOWHERE, Mark
from semiaudit.frozen import dataclass
from semiaudit.model.bound import Bound
from semiaudit.model.dataspace import TableSpace


@dataclass(frozen=True, slots=True)
class TableQuery:
    """The whole table: one count a cell."""

    mark: Mark = NOWHERE

    def __str__(self) -> str:
        return "table"


@dataclass(frozen=True, slots=True)
class MarginsQuery:
    """The counts of every combination of levels, for several sets of attributes."""

    margins: tuple[tuple[str, ...], ...]
    mark: Mark = NOWHERE

    def __str__(self) -> str:
        return f"margins {', '.join('[' + ', '.join(names) + ']' for names in self.margins)}"


@dataclass(frozen=True, slots=True)
class MatrixQuery:
    """Integer rows over the cells of the table, row-major in the order of the attributes."""

    rows: tuple[tuple[int, ...], ...]
    name: str = "matrix"
    mark: Mark = NOWHERE

    def __str__(self) -> str:
        return self.name


Query = TableQuery | MarginsQuery | MatrixQuery


def width(query: Query, space: TableSpace) -> int:
    """Return the number of coordinates of the answer.

    They are the cells of the table (structural zeros too) or of each margin in turn, row-major in
    the order of the dataspace's attributes, or the rows of the matrix.
    """
    match query:
        case TableQuery():
            return space.cells
        case MarginsQuery():
            sizes = [attribute.size for attribute in space.attributes]
            return sum(
                prod(sizes[space.position(name)] for name in names) for names in query.margins
            )
        case MatrixQuery():
            return len(query.rows)
        case _:
            assert_never(query)


@dataclass(frozen=True, slots=True)
class DominatingMoves:
    """Moves of coordinates that no element of a sensitivity space exceeds.

    The absolute values of every element fall into bins, one for each move, so that no bin sums to
    more than its move. Independent log-concave noise then loses on no element more than on these
    moves (docs/theory/queries.md, "One pair that dominates").

    Attributes:
        sizes: (size of a move, how many coordinates make it), sizes above 0 and descending.
        attained: some element has exactly these absolute values.
    """

    sizes: tuple[tuple[Fraction, int], ...]
    attained: bool

    @property
    def squared(self) -> Fraction:
        """The sum of the squares."""
        return sum((size * size * number for size, number in self.sizes), Fraction(0))


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The sensitivity space S of a query between datasets within a distance (Definition 4).

    Attributes:
        distance: datasets at a distance of at most this are neighbors.
        l1, linf: the largest norm of an element of S; exact, or a certified upper bound.
        l2_squared: the square of the largest Euclidean norm, an exact rational or its upper bound.
        gauge: the largest gauge norm of an element with respect to the hull of the query's
            sensitivity space in all of D at distance 1 (the K of an optimal K-norm mechanism).
        rank: the dimension of the span of S, or None if it is not known.
        elements: how many elements S has, 0 included, or None if they were not listed.
        method: how it was obtained.
        moves: moves of coordinates that dominate every element, or None if none are known.
    """

    distance: int
    l1: Bound
    l2_squared: Bound
    linf: Bound
    gauge: Bound
    rank: int | None
    elements: int | None
    method: str
    moves: DominatingMoves | None = None

    @property
    def exact(self) -> bool:
        """Return whether all three norms are tight."""
        return {self.l1.side, self.l2_squared.side, self.linf.side} == {"exact"}


@dataclass(frozen=True, slots=True)
class Spread:
    """The covariance of one part's noise, in numbers: exact, or upper bounds for discrete noise.

    Attributes:
        query: what the noise is added to.
        kind: of the noise, as a spec names it.
        rank: of the covariance.
        variance: the largest one of a coordinate of the query.
        expected_l2_squared: the sum of the variances of all coordinates.
    """

    query: Query
    kind: str
    rank: int
    variance: Bound
    expected_l2_squared: Bound
