"""Hulls of the changes that keep both margins of a table."""

from __future__ import annotations

import pytest

from semiaudit.mechanisms.sampling.hulls.hull_samplers import _walks
from semiaudit.model.adjacency import Metric
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Count, Invariant, Margin
from semiaudit.model.query import TableQuery
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.universe.instances import release_of

BOTH: list[Invariant] = [Margin(("a",)), Margin(("b",))]


@pytest.mark.parametrize(
    ("invariants", "distance", "metric", "known"),
    [
        (BOTH, 2, "hamming", True),
        (BOTH, 3, "multiset_hamming", True),
        (BOTH, 4, "hamming", False),
        (BOTH, None, "hamming", False),
        (BOTH, 2, "symmetric_difference", False),
        (BOTH[:1], 2, "hamming", False),
        ([*BOTH, Count((("a", (0,)), ("b", (1,))))], 2, "hamming", False),
    ],
)
def test_walks_are_for_both_margins_of_a_table_and_two_or_three_records(
    invariants: list[Invariant], distance: int | None, metric: Metric, known: bool
) -> None:
    """Tables of 4 x 5 cells with margins 0 have 3 x 4 dimensions."""
    space = TableSpace("record", 9, (Attribute("a", 4), Attribute("b", 5)))
    spaces = SensitivitySpaces(release_of(space, invariants, None, metric))
    found = _walks(TableQuery(), spaces, distance)
    assert (found is not None) is known
    if found is not None:
        assert (found[0].rank, found[0].width) == (12, 20)
