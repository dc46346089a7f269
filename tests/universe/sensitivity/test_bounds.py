"""Which moves of records start inside D_t, for margins with a junction tree."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from semiaudit.model.audit import PublishedCounts
from semiaudit.universe.sensitivity.bounds import Bounds

TREE: Any = SimpleNamespace(nodes=[SimpleNamespace(places=(0, 1)), SimpleNamespace(places=(1, 2))])
COUNTS = [{(0, 0): 2, (1, 0): 1, (1, 1): 3}, {(0, 0): 1, (0, 1): 2, (1, 1): 3}]
"""Records of six, by the levels of the first two attributes and of the last two."""


def starts(moved: dict[Any, int], size: int | None = 6, *, counted: bool = True) -> bool:
    space = SimpleNamespace(size=size)
    counts = COUNTS if counted else None
    bounds: Any = SimpleNamespace(_change_of=Bounds._change_of, _counts=counts, space=space)
    return Bounds._starts_glued(bounds, TREE, moved)


@pytest.mark.parametrize("counted", [False, True])
def test_a_move_starts_inside_if_no_margin_changes(counted: bool) -> None:
    exchange = {(0, 0, 0): -1, (1, 0, 1): -1, (0, 0, 1): 1, (1, 0, 0): 1}
    assert starts(exchange, counted=counted)
    assert not starts({(0, 0, 0): -1, (1, 0, 0): 1}, counted=counted)
    assert not starts({(0, 0, 0): -1, (0, 0, 1): 1}, counted=counted)
    assert not starts({(0, 0, 0): 1}, counted=counted)


def test_records_leave_only_if_there_are_so_many() -> None:
    twice = {(0, 0, 0): -2, (1, 0, 1): -2, (0, 0, 1): 2, (1, 0, 0): 2}
    assert not starts(twice)
    assert starts(twice, counted=False)
    assert not starts(twice, 3, counted=False)
    assert starts(twice, 4, counted=False)
    assert starts(twice, None, counted=False)


def question(plain: Any = None, *, possible: bool = True) -> SimpleNamespace:
    """A question with records that can all occur, or none, and with a system, or none."""
    return SimpleNamespace(plain=plain, records=SimpleNamespace(possible=lambda record: possible))


@pytest.mark.parametrize("possible", [False, True])
def test_no_move_and_no_impossible_record_starts_anywhere(possible: bool) -> None:
    bounds: Any = SimpleNamespace(
        _tree=TREE, _starts_glued=lambda tree, moved: True, question=question(possible=possible)
    )
    limits: Any = None
    assert not Bounds._starts(bounds, {}, limits)
    assert Bounds._starts(bounds, {(0, 0, 0): 1}, limits) is possible


def test_the_first_half_of_a_pattern_leaves_and_the_second_one_enters() -> None:
    """Blocks that leave most often get the levels that occur most often: 2, then 0, then 1."""
    bounds: Any = SimpleNamespace(_ranked=lambda place: [2, 0, 1])
    assert Bounds._moved(bounds, [(0, 1)]) == {(2,): -1, (0,): 1}
    assert Bounds._moved(bounds, [(0, 1, 1, 2)]) == {(2,): -1, (1,): 1}
    assert Bounds._moved(bounds, [(1, 1, 0, 0), (0, 1, 0, 0)]) == {
        (2, 2): -1, (2, 0): -1, (0, 2): 2,
    }  # fmt: skip


@pytest.mark.parametrize("free", [False, True])
def test_a_move_without_a_system_starts_if_its_margins_allow_it(free: bool) -> None:
    bounds: Any = SimpleNamespace(
        _tree=None, _starts_freely=lambda moved: free, question=question()
    )
    limits: Any = None
    assert Bounds._starts(bounds, {(0,): 1}, limits) is free


def test_a_move_with_a_system_starts_if_no_row_changes_and_its_records_are_there() -> None:
    """Two classes of at most five records, whose sum is a row."""
    rows = (((0, 1), (1, 1)),)
    system = SimpleNamespace(classes=2, rows=rows)
    plain = SimpleNamespace(system=system, class_of={(0,): 0, (1,): 1}.get)
    bounds: Any = SimpleNamespace(_tree=None, _starts_freely=None, question=question(plain))
    limits: Any = None
    moves: list[dict[Any, int]] = [{(0,): 1}, {(0,): 2, (1,): -1}, {(0,): 1, (2,): -1}]
    for moved in moves:
        assert not Bounds._starts(bounds, moved, limits)


@pytest.mark.parametrize(
    ("norms", "starts", "simple", "reached"),
    [
        ((4, 8, 2), True, False, True),
        ((4, 8, 2), False, False, False),
        ((4, 8, 2), True, True, False),
        ((4, 8, 1), True, False, False),
        ((2, 4, 1), True, False, False),
    ],
)
def test_patterns_are_not_needed_if_a_move_that_starts_attains_all_bounds(
    norms: tuple[int, int, int], starts: bool, simple: bool, reached: bool
) -> None:
    bounds: Any = SimpleNamespace(
        simple=simple,
        _candidates=lambda *_: [{(0,): 1}],
        _norms=lambda _: norms,
        _starts=lambda *_: starts,
    )
    limits: Any = None
    assert Bounds._plainly_reached(bounds, (4, 8, 2), limits) is reached


def freely(moved: dict[Any, int], size: int | None, counts: tuple[int, ...] | None = None) -> bool:
    """Whether a move starts if one margin is published, of the first of two attributes."""
    margin = frozenset({0})
    published = None if counts is None else PublishedCounts(size, ((("a",), counts),))
    space = SimpleNamespace(size=size, attributes=[SimpleNamespace(name="a")])
    margins = SimpleNamespace(only_margins=True, attributes_of={margin: (0,)})
    bounds: Any = SimpleNamespace(
        release=SimpleNamespace(published=published), space=space, published=(margin,),
        question=SimpleNamespace(margins=margins), answers=SimpleNamespace(sizes=[3, 3]),
        _change_of=Bounds._change_of,
    )  # fmt: skip
    return Bounds._starts_freely(bounds, moved)


def test_without_counts_a_move_starts_if_the_size_has_its_records() -> None:
    twice = {(0, 0): -2, (0, 1): 2}
    assert freely(twice, None)
    assert freely(twice, 2)
    assert not freely(twice, 1)
    assert not freely({(0, 0): -1, (1, 0): 1}, 5)


def test_with_the_counts_of_a_margin_a_move_starts_if_each_has_its_records() -> None:
    moved = {(0, 0): -2, (0, 1): 2, (2, 0): -1, (2, 2): 1}
    assert freely(moved, 3, (2, 0, 1))
    assert not freely(moved, 4, (1, 2, 1))
    assert not freely(moved, 4, (4, 0, 0))
