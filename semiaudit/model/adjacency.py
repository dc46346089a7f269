"""Which datasets are neighbors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, assert_never

from semiaudit.model.source import NOWHERE, Mark

Metric = Literal["hamming", "multiset_hamming", "symmetric_difference"]
Reading = Literal["covering", "definition_13"]


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


def per_record(metric: Metric) -> int:
    """How far one record that becomes another moves a table."""
    return 2 if compares_sizes(metric) else 1


def table_distance(metric: Metric, moved: int) -> int:
    """The distance of two tables; of their closest orders where the metric has places.

    Args:
        moved: the sum of the absolute changes of all counts.
    """
    return moved * per_record(metric) // 2


@dataclass(frozen=True, slots=True)
class Adjacency:
    """The metric, the reading of a(t), and a distance that overrides a(t)."""

    metric: Metric = "hamming"
    reading: Reading = "covering"
    distance: int | None = None
    mark: Mark = NOWHERE
