"""a(t) of records without attributes: whoever may enter, leave, or change can do so alone."""

from __future__ import annotations

import pytest

from semiaudit import Spec
from semiaudit.universe.semi_adjacency import universe_of


@pytest.mark.parametrize(
    ("dataspace", "metric", "distance"),
    [
        ("{unit: person}", "symmetric_difference", 1),
        ("{size: 10}", "hamming", 1),
        ("{size: 10}", "symmetric_difference", 2),  # one leaves and one enters
    ],
)
def test_a_record_that_nothing_counts_can_change_alone(
    dataspace: str, metric: str, distance: int
) -> None:
    spec = Spec.from_text(
        f"semiaudit: 1\ndataspace: {dataspace}\nadjacency: {{metric: {metric}}}\n"
        "mechanism: {zcdp: {rho: 1}}\n"
    )
    found = universe_of(spec._release).semi_adjacency
    for known in (found.covering, found.definition_13):
        assert (known.lower, known.upper) == (distance, distance)
