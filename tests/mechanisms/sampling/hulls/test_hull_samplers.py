"""Hulls of the changes that keep both margins of a table."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

import pytest

from semiaudit.errors import RefusedError
from semiaudit.mechanisms.sampling.hulls.hull_samplers import _round_hull, _walks
from semiaudit.model.adjacency import Metric
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Count, Invariant, Margin
from semiaudit.model.mechanism import KNorm, Support
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


@pytest.mark.parametrize(
    ("hull_of", "support", "distance"),
    [("D", None, 2), ("D_t", "null_space", 2), ("D_t", None, None)],
)
def test_no_ball_replaces_a_hull_in_d_or_on_a_support_or_without_a_distance(
    hull_of: Literal["D", "D_t"], support: Support | None, distance: int | None
) -> None:
    part = KNorm(
        query=TableQuery(), support=support, made_for=distance, epsilon=Fraction(1), hull_of=hull_of
    )
    spaces: Any = None
    with pytest.raises(RefusedError, match="corners"):
        _round_hull(part, TableQuery(), spaces)
