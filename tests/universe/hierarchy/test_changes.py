"""The effect of one changed record on queries, of which each count is worked out by hand."""

from __future__ import annotations

import pytest

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.topdown import Recode, TopDownQuery
from semiaudit.universe.hierarchy import changes as module
from semiaudit.universe.hierarchy.changes import RecordChange, RecordChanges, changes

SPACE = TableSpace("person", 5, (Attribute("age", 3), Attribute("sex", 2)))
QUERIES = (
    TopDownQuery("total"),
    TopDownQuery("ages", (Recode("age", ("age",)),)),
    TopDownQuery("sexes", (Recode("sex", ("sex",)),)),
    TopDownQuery("the young", where=(("age", (0,)),)),
    TopDownQuery("women", where=(("sex", (1,)),)),
)
"""A new age is seen by two queries; a person who becomes older also leaves the young."""


def largest(most: int, monkeypatch: pytest.MonkeyPatch) -> RecordChanges:
    monkeypatch.setattr(module, "MAX_CHANGES", most)
    changes.cache_clear()
    age = frozenset({"age"})
    found = changes(SPACE, QUERIES, age, age, frozenset(), (frozenset(), frozenset()))
    changes.cache_clear()
    return found


def test_another_age_changes_the_cells_that_it_leaves_and_enters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One cell of the young if the record leaves it; two of no age if it is a woman's."""
    found = largest(1000, monkeypatch)
    assert found.attained
    assert found.largest == (RecordChange((0, 2, 0, 1, 0), (2, 2, 2, 1, 2)),)


def test_changes_that_are_too_many_to_list_have_an_upper_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The bound has two cells of each query in another unit, and else those of each query alone."""
    found = largest(0, monkeypatch)
    assert not found.attained
    assert found.largest == (RecordChange((0, 2, 0, 1, 0), (2, 2, 2, 2, 2)),)


def test_a_change_that_may_exist_counts_if_an_attribute_has_too_many_levels_to_look_at() -> None:
    """A record that goes to another plot can also change its age, and so two counts of ages."""
    plots = range(20_001)
    parents = tuple(plot // 10_000 for plot in plots)
    names = tuple(f"plot {plot}" for plot in plots)
    attributes = (
        Attribute("age", 3),
        Attribute("place", 3),
        Attribute("plot", names, within="place", parents=parents),
    )
    free, must = frozenset({"age", "plot"}), frozenset({"plot"})
    ages = (TopDownQuery("ages", (Recode("age", ("age",)),)),)
    neither: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
    found = changes(TableSpace("person", 5, attributes), ages, free, must, frozenset(), neither)
    assert found.largest == (RecordChange((2,), (2,)),)
    assert not found.attained
