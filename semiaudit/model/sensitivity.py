"""A sensitivity space in numbers: by how much a query can change between neighbours."""

from __future__ import annotations

from dataclasses import dataclass

from semiaudit.model.bound import Bound


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The sensitivity space S of a query between datasets within a distance (Definition 4).

    Attributes:
        distance: datasets at a distance of at most this are neighbours.
        l1, linf: the largest norm of an element of S; exact, or a certified upper bound.
        l2_squared: the square of the largest Euclidean norm, an exact rational or its upper bound.
        gauge: the largest gauge norm of an element with respect to the hull of the query's
            sensitivity space in all of D at distance 1 (the K of an optimal K-norm mechanism).
        rank: the dimension of the span of S, or None where it is not known.
        elements: how many elements S has, 0 included, or None where they were not listed.
        method: how it was obtained.
    """

    distance: int
    l1: Bound
    l2_squared: Bound
    linf: Bound
    gauge: Bound
    rank: int | None
    elements: int | None
    method: str
