"""Kinds of moves are listed up to a number of steps."""

from __future__ import annotations

import pytest

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.universe.sensitivity import move_patterns
from tests.clocks import Ticks


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
