"""What a branch counts: the records at y's levels, over the closures that stand apart."""

from __future__ import annotations

from semiaudit.universe.distance.cover_bound import Branch, _closed, _with

CHILD = Branch(True, 2, 4, 11, (1,), (), (8, 9))
KNOWN = Branch(True, 1, 5, 3, (0,), (), (7,))


def test_a_child_that_stands_apart_adds_its_records_and_one_closure() -> None:
    joined = _with(KNOWN, CHILD, 2)
    assert joined.apart == (7, 8, 9, 2)
    assert joined.records == 4
    assert joined.total == 3 + 11 + 4
    assert (joined.is_open, joined.count, joined.levels, joined.below) == (True, 5, (0,), (CHILD,))


def test_a_child_that_does_not_stand_apart_adds_what_lies_below_it() -> None:
    joined = _with(KNOWN, CHILD, -1)
    assert (joined.apart, joined.records, joined.total) == ((7, 8, 9), 3, 3 + 11)


def test_the_first_closure_is_counted_if_it_is_open() -> None:
    whole = _closed(CHILD, 3)
    assert (whole.is_open, whole.apart, whole.records, whole.total) == (False, (8, 9, 3), 3, 15)
    assert _closed(whole, 5) == whole
