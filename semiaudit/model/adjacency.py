"""Adjacency: the neighboring datasets, and the number of records that one unit touches."""

from __future__ import annotations

from typing import Literal, assert_never

from semiaudit.errors import NOWHERE, Mark
from semiaudit.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Touched:
    """How many other records one protected unit is in, by what happens to the unit.

    Attributes:
        attribute: an attribute of it changes.
        geography, within, across: its place changes, and maybe all else: who moves leaves one
            household and enters another.
        exchange: it exchanges its place with another one; of each of the two.
        presence: it enters or leaves; None if the spec does not say.
    """

    attribute: int = 1
    geography: int = 2
    within: int = 2
    across: int = 2
    exchange: int = 2
    presence: int | None = None

    @property
    def by_change(self) -> int:
        """The most records that any change of one unit touches."""
        return max(self.attribute, self.geography, self.within, self.across, self.exchange)

    @property
    def most(self) -> int:
        """The most records that one unit touches if it changes, leaves, or enters."""
        return max(self.by_change, self.presence or 0)


USUAL = Touched()
"""The default numbers of records that a unit touches."""


Metric = Literal["hamming", "multiset_hamming", "symmetric_difference"]
Reading = Literal["covering", "definition_13"]

Neighbors = Literal["replace_one", "add_remove", "zero_out"]
"""The neighboring datasets of a declared guarantee: one record is replaced; one enters or leaves;
or one is replaced by an empty record."""


def has_places(metric: Metric) -> bool:
    """True if the metric compares ordered datasets; False if it compares their tables."""
    match metric:
        case "hamming":
            return True
        case "multiset_hamming" | "symmetric_difference":
            return False
        case _:
            assert_never(metric)


def compares_sizes(metric: Metric) -> bool:
    """True if datasets of different sizes have a distance: a record can enter or leave."""
    match metric:
        case "hamming" | "multiset_hamming":
            return False
        case "symmetric_difference":
            return True
        case _:
            assert_never(metric)


def can_be_neighbors(metric: Metric, size: int | None) -> bool:
    """Whether two datasets can be at distance 1: not if all have one size, and it is compared."""
    return size is None or not compares_sizes(metric)


def per_record(metric: Metric) -> int:
    """How far one record that becomes another moves a table."""
    return 2 if compares_sizes(metric) else 1


def table_distance(metric: Metric, moved: int) -> int:
    """The distance of two tables; of their closest orders where the metric has places.

    Args:
        moved: the sum of the absolute changes of all counts.
    """
    return moved * per_record(metric) // 2


def assumed_neighbors(metric: Metric) -> Neighbors:
    """Return the relation of datasets at distance 1, which a guarantee without a relation gets."""
    return "add_remove" if compares_sizes(metric) else "replace_one"


def steps_between(neighbors: Neighbors, metric: Metric, distance: int) -> int:
    """Return how many steps of a relation link two datasets at a distance of a metric.

    A record is replaced in two steps of ``add_remove`` and of ``zero_out``. Under a metric that
    compares sizes, ``replace_one`` and ``zero_out`` link only datasets of one size.
    """
    if neighbors == assumed_neighbors(metric):
        return distance
    replaced = distance // per_record(metric)
    return replaced if neighbors == "replace_one" else 2 * replaced


@dataclass(frozen=True, slots=True)
class Adjacency:
    """The metric, the reading of a(t), and a distance that overrides a(t)."""

    metric: Metric = "hamming"
    reading: Reading = "covering"
    distance: int | None = None
    mark: Mark = NOWHERE
