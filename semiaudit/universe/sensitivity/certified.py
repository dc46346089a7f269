"""Largest norms with the side they are certified on."""

from __future__ import annotations

from dataclasses import dataclass

Norm = tuple[int, bool]
"""A largest norm, and whether it is exact; otherwise it is an upper end."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How far tables are apart.

    Attributes:
        records: how many records leave and as many enter, at most; or with ``free`` how many
            enter or leave.
    """

    records: int
    free: bool = False

    @property
    def most(self) -> int:
        """The largest sum of the absolute changes of the counts."""
        return self.records if self.free else 2 * self.records


@dataclass(frozen=True, slots=True)
class Certified:
    """The largest norms, and how they were found.

    Attributes:
        rank: the dimension of the span, where a formula tells it.
        margins: how many margins of the query can move; 0 for a matrix.
    """

    l1: Norm
    l2_squared: Norm
    linf: Norm
    method: str
    rank: int | None = None
    margins: int = 0


def better(one: Norm, other: Norm) -> Norm:
    """The lower end of two; an upper end below an exact norm cannot be."""
    return one if (one[0], not one[1]) <= (other[0], not other[1]) else other
