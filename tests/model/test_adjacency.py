"""What each metric compares, and how far."""

from __future__ import annotations

import pytest

from semiaudit.model.adjacency import Metric, compares_sizes, has_places, per_record, table_distance


@pytest.mark.parametrize(
    ("metric", "places", "sizes", "one_record"),
    [
        ("hamming", True, False, 1),
        ("multiset_hamming", False, False, 1),
        ("symmetric_difference", False, True, 2),
    ],
)
def test_a_record_that_changes_moves_two_counts(
    metric: Metric, places: bool, sizes: bool, one_record: int
) -> None:
    assert has_places(metric) is places
    assert compares_sizes(metric) is sizes
    assert per_record(metric) == table_distance(metric, 2) == one_record
    assert table_distance(metric, 6) == 3 * one_record
