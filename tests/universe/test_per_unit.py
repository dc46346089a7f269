"""Changes of an answer for each unit of distance, listed by hand."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Margin
from semiaudit.model.published_invariants import PublishedCounts
from semiaudit.model.query import TableQuery
from semiaudit.universe.per_unit import unit_changes, unit_l2_squared
from tests.universe.instances import release_of


def test_two_records_change_one_by_one_or_both_by_half_for_each_unit() -> None:
    """Each record keeps its first attribute; the second one of either, or of both, changes."""
    space = TableSpace("record", 2, (Attribute("a", 2), Attribute("b", 2)))
    published = PublishedCounts(2, ((("a",), (1, 1)),))
    release = release_of(space, [Margin(("a",))], published)
    found = unit_changes(release, TableQuery())
    assert found is not None
    half = Fraction(1, 2)
    expected = [
        (1, -1, 0, 0), (0, 0, 1, -1), (half, -half, half, -half), (half, -half, -half, half),
    ]  # fmt: skip
    assert {frozenset({unit, tuple(-k for k in unit)}) for unit in found} == {
        frozenset({unit, tuple(-k for k in unit)}) for unit in expected
    }
    assert len(found) == 4
    assert unit_l2_squared(release, TableQuery()) == 2
