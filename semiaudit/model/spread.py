"""How large the noise of one part of a mechanism is."""

from __future__ import annotations

from dataclasses import dataclass

from semiaudit.model.bound import Bound
from semiaudit.model.query import Query


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
