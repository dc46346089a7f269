"""Whether a table with published margins has the records of a move."""

from __future__ import annotations

import pytest

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Margin
from semiaudit.model.published_invariants import PublishedCounts
from semiaudit.numeric.limits import Limits
from semiaudit.universe.sensitivity.start_table import can_start
from semiaudit.universe.system.plain_system import plain_system
from tests.universe.instances import release_of


@pytest.mark.parametrize(
    ("needed", "starts"),
    [
        ([(0, 0)], True),
        ([(0, 1), (1, 0)], True),
        ([(0, 0), (0, 1)], False),
        ([(1, 1), (1, 1), (1, 1)], True),
        ([(0, 0), (1, 1), (1, 1), (1, 1)], True),
        ([(0, 1), (1, 1), (1, 1), (1, 1)], False),
    ],
)
def test_a_table_with_two_margins_has_some_records_together(
    needed: list[tuple[int, int]], starts: bool
) -> None:
    """Four records: one has the first level of a, and one that of b."""
    space = TableSpace("record", 4, (Attribute("a", 2), Attribute("b", 2)))
    published = PublishedCounts(4, ((("a",), (1, 3)), (("b",), (1, 3))))
    release = release_of(space, [Margin(("a",)), Margin(("b",))], published)
    plain = plain_system(release, space, 4)
    assert plain is not None
    need: dict[int, int] = {}
    for record in needed:
        place = plain.class_of(record)
        assert place is not None
        need[place] = need.get(place, 0) + 1
    assert can_start(plain.system, need, [], Limits()) is starts
