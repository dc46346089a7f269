"""A sensitivity space in numbers: by how much a query can change between neighbors."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from semiaudit.model.bound import Bound


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
        """Whether all three norms are."""
        return {self.l1.side, self.l2_squared.side, self.linf.side} == {"exact"}
