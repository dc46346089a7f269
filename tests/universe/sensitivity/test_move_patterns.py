"""Kinds of moves are listed up to a number of steps."""

from __future__ import annotations

import pytest

from semiaudit.universe.sensitivity import move_patterns


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
