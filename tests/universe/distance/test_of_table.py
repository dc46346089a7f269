"""What is said of a(t) if no method fits."""

from __future__ import annotations

import pytest

from semiaudit.model.adjacency import Metric
from semiaudit.universe.distance.of_table import _open


@pytest.mark.parametrize(
    ("metric", "size", "most", "upper", "trivial"),
    [
        ("hamming", 9, None, 9, True),
        ("multiset_hamming", 9, None, 9, True),
        ("symmetric_difference", 9, None, 18, True),
        ("hamming", 9, 4, 4, False),
        ("hamming", None, 4, 4, False),
        ("symmetric_difference", None, None, None, False),
    ],
)
def test_without_a_method_a_t_is_at_most_what_is_proven_else_all_records(
    metric: Metric, size: int | None, most: int | None, upper: int | None, trivial: bool
) -> None:
    for known in _open(metric, size, most):
        assert (known.lower, known.upper, known.method) == (0, upper, "none")
        assert known.trivial is trivial
        assert known.witness is None
