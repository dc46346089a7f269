"""The largest norms of a sensitivity space, each exact or certified as an upper bound."""

from __future__ import annotations

from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Metric, compares_sizes, per_record

Norm = tuple[int, bool]
"""A largest norm, and whether it is exact; otherwise it is an upper bound."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The largest number of records of a table that can change.

    Attributes:
        records: the largest number of records that leave (and as many enter); with ``free``, of
            records that enter or leave. 0 or more.
        free: the size is free: records enter and leave by themselves.
    """

    records: int
    free: bool = False

    @property
    def most(self) -> int:
        """Return the largest sum of the absolute changes of the counts."""
        return self.records if self.free else 2 * self.records


def most_changed_records(metric: Metric, distance: int, size: int | None, *, fixed: bool) -> Reach:
    """Return how many records can change within a distance.

    Args:
        size: of the datasets, if it is known.
        fixed: all relevant datasets have one size.
    """
    if compares_sizes(metric) and not fixed:
        return Reach(distance, free=True)
    records = distance // per_record(metric)
    return Reach(records if size is None else min(records, size))


@dataclass(frozen=True, slots=True)
class Certified:
    """The largest norms, and the method that computed them.

    Attributes:
        l1, l2_squared, linf: in units of the query's answer.
        method: ``moves``, ``moves_checked`` or ``proposition_24``.
        rank: the dimension of the span, if a formula gives it; else None.
        margins: the number of margins of the query that can change; 0 for a matrix.
    """

    l1: Norm
    l2_squared: Norm
    linf: Norm
    method: str
    rank: int | None = None
    margins: int = 0


def better(one: Norm, other: Norm) -> Norm:
    """Return the smaller of two norms of one space, the exact one if they are equal.

    Both are upper bounds, and an exact norm is attained, so no upper bound is below it.
    """
    return one if (one[0], not one[1]) <= (other[0], not other[1]) else other
