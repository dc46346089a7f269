"""What is listed: the room of moves, columns, kinds of moves, and tables in which they start."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.model.audit import PublishedCounts
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Margin
from semiaudit.numeric.limits import Limits
from semiaudit.universe.sensitivity import listed_space, move_patterns
from semiaudit.universe.sensitivity.one_step import distinct_columns
from semiaudit.universe.sensitivity.start_table import can_start
from semiaudit.universe.system.plain_system import plain_system
from tests.clocks import Ticks
from tests.universe.instances import release_of


def test_the_room_of_a_move_is_that_of_its_tightest_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes of at most 5, 5 and 1 records; the last move needs 3 records of the third."""
    monkeypatch.setattr(listed_space, "upper_ends", lambda *_: [5, 5, 1])
    system: Any = SimpleNamespace(size=9)
    moves = np.array([[1, -1, 0], [2, -4, 0], [0, -3, 3]])
    assert listed_space._room(system, moves).tolist() == [4, 1, -2]


@pytest.mark.parametrize(("most", "number"), [(6, 6), (7, 6), (5, None)])
def test_columns_are_listed_up_to_their_largest_number(most: int, number: int | None) -> None:
    answers: Any = SimpleNamespace(
        matrix=None, space=SimpleNamespace(product_cells=True), sizes=[2, 3], relevant=(0, 1),
        column=lambda levels: ((levels, 1),),
    )  # fmt: skip
    records: Any = SimpleNamespace(
        components=[(0,), (1,)], within=lambda *_: True,
        some=lambda _: product(range(2), range(3)),
    )  # fmt: skip
    found = distinct_columns(answers, records, most)
    assert (None if found is None else len(found)) == number


def test_moves_of_too_many_kinds_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One record keeps its first attribute and changes its second: two cells, each by 1."""
    levels, published, asked = [2, 2], [frozenset({0})], [frozenset({0, 1})]
    found = move_patterns.largest(levels, published, asked, 1)
    assert found is not None
    assert (found.l1, found.l2_squared, found.linf) == (2, 2, 1)
    move_patterns._states.cache_clear()
    monkeypatch.setattr(move_patterns, "MAX_STEPS", 0)
    assert move_patterns.largest(levels, published, asked, 1) is None
    move_patterns._states.cache_clear()


def test_a_listing_of_many_moves_looks_at_the_time_now_and_then_until_its_end() -> None:
    """Two records leave and two enter: 8 partitions into 1 or 2 blocks for each of 4 attributes.

    Each attribute begins with a look at the time; the last one extends 8^3 = 2 * 256 kinds of
    moves, with a second look halfway.
    """
    levels, asked = [2] * 4, [frozenset({place}) for place in range(4)]
    move_patterns._states.cache_clear()
    for seconds in (0.5, 2.5, 4.5):
        with deadline.running(seconds, Ticks(1.0)), pytest.raises(OutOfTimeError):
            move_patterns.largest(levels, [], asked, 2)
    with deadline.running(5.5, Ticks(1.0)):
        found = move_patterns.largest(levels, [], asked, 2)
    # In every attribute, both records leave one level and enter the other one.
    assert found is not None
    assert (found.l1, found.l2_squared, found.linf) == (4 * 4, 4 * 8, 2)


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
