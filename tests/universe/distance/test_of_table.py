"""What is said of a(t) if no method fits."""

from __future__ import annotations

import pytest

from semiaudit import Spec
from semiaudit.model.adjacency import Metric
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Count, Invariant, Margin
from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance.of_table import _fewer_levels, _open
from semiaudit.universe.semi_adjacency import universe_of
from tests.universe.instances import release_of


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


@pytest.mark.parametrize("impossible", ["", ", impossible: [{a: 0}]"])
def test_records_enter_and_leave_one_by_one_if_the_size_is_free(impossible: str) -> None:
    """a(t) is 1, by every definition."""
    text = (
        f"semiaudit: 1\ndataspace: {{attributes: {{a: 2}}{impossible}}}\n"
        "adjacency: {metric: symmetric_difference}\nmechanism: {zcdp: {rho: 1}}\n"
    )
    found = universe_of(Spec.from_text(text)._release, Limits()).semi_adjacency
    assert (found.covering.lower, found.covering.upper) == (1, 1)
    assert (found.definition_13.lower, found.definition_13.upper) == (1, 1)
    assert (found.a_min, found.a_maxmin) == (1, 1)
    assert found.covering.witness is not None


def test_only_margins_without_t_have_the_same_a_t_with_fewer_levels() -> None:
    space = TableSpace("record", 5, (Attribute("a", 9), Attribute("b", 3)))
    margins: list[Invariant] = [Margin(("a",)), Margin(("b",))]
    found = _fewer_levels(release_of(space, margins, None), space)
    assert found is not None
    assert [attribute.size for attribute in found.attributes] == [2, 2]
    counted = release_of(space, [*margins, Count((("a", (4,)),))], None)
    assert _fewer_levels(counted, space) is None
