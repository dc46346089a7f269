"""The order in which the values of a dataset are searched, and the bounds that are left."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from semiaudit.universe.distance.all_values import NODES, QUICK_NODES, worst_of_all
from semiaudit.universe.distance.interval import ParameterInterval


@dataclass
class Search:
    """A search that knows how far the farthest start of each value is.

    Attributes:
        hard: values whose answers need many nodes.
        asked: (value, threshold, nodes) of every question.
    """

    farthest: dict[int, int]
    hard: frozenset[int] = frozenset()
    enough: int | None = None
    limits: Any = field(default_factory=lambda: SimpleNamespace(left=True))
    asked: list[tuple[int, int, int]] = field(default_factory=list)
    targets: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.targets = list(self.farthest)

    def beyond(self, y: int, threshold: int, nodes: int) -> Any:
        self.asked.append((y, threshold, nodes))
        if y in self.hard and nodes == QUICK_NODES:
            return "limit"
        if self.farthest[y] > threshold:
            return ParameterInterval(self.farthest[y])
        return "none"


def test_the_farthest_start_of_all_values_is_found_and_proven() -> None:
    search = Search({0: 2, 1: 5, 2: 3})
    best, upper = worst_of_all(search, ParameterInterval(1))
    assert (best.lower, upper) == (5, 5)
    assert {nodes for _, _, nodes in search.asked} == {QUICK_NODES}


def test_after_the_first_hard_value_all_others_get_more_nodes() -> None:
    search = Search({0: 2, 1: 5, 2: 3, 3: 4}, frozenset({1, 2, 3}))
    best, upper = worst_of_all(search, ParameterInterval(1))
    assert (best.lower, upper) == (5, 5)
    quick = [y for y, _, nodes in search.asked if nodes == QUICK_NODES]
    assert quick == [0, 0, 1]
    assert {nodes for _, _, nodes in search.asked} == {QUICK_NODES, NODES[0]}


def test_a_start_that_is_far_enough_ends_the_search_without_a_bound() -> None:
    search = Search({0: 2, 1: 5, 2: 9}, enough=4)
    best, upper = worst_of_all(search, ParameterInterval(1))
    assert (best.lower, upper) == (5, None)
    assert 2 not in [y for y, _, _ in search.asked]
