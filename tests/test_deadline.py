"""One deadline for an audit, and a cache that keeps nothing which it cut short."""

from __future__ import annotations

import math

import pytest

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import RefusedError
from tests.clocks import Ticks


def test_without_a_deadline_there_is_no_limit() -> None:
    assert deadline.left() == math.inf
    deadline.check()
    deadline.cut()
    assert not deadline.current().was_reached


def test_work_goes_on_until_the_time_is_up_and_is_noted_as_cut() -> None:
    with deadline.running(3.5, Ticks(1.0)) as running:
        deadline.check()
        deadline.check()
        assert not running.was_reached
        assert running.left == 0.5
        with pytest.raises(OutOfTimeError, match="--time-limit"):
            deadline.check()
        assert running.was_reached
    assert deadline.left() == math.inf


def test_a_cut_is_a_refusal_with_a_reason() -> None:
    assert issubclass(OutOfTimeError, RefusedError)


def test_a_part_ends_before_its_whole_and_its_cuts_count_for_both() -> None:
    with deadline.running(100, Ticks(1.0)) as whole:
        with deadline.part(0.1) as part:
            while part.left:
                pass
            with pytest.raises(OutOfTimeError):
                deadline.check()
        assert part.was_reached
        assert whole.was_reached
        deadline.check()
        assert whole.left > 50


def test_deadlines_within_one_share_its_grace() -> None:
    clock = Ticks(0.05)
    with deadline.running(1, clock):
        with deadline.running(0.5, clock):
            while deadline.left():
                pass
            deadline.check(deadline.GRACE)
        with deadline.running(0.8, clock):
            while deadline.left():
                pass
            with pytest.raises(OutOfTimeError):
                deadline.check(deadline.GRACE)


def test_a_part_of_no_deadline_is_none() -> None:
    with deadline.part(0.1):
        assert deadline.left() == math.inf


def test_the_cache_keeps_what_is_whole_and_computes_again_what_was_cut() -> None:
    calls = []

    @deadline.cached(2)
    def found(number: int) -> tuple[int, bool]:
        calls.append(number)
        cut = not deadline.left()
        if cut:
            deadline.cut()
        return number, cut

    with deadline.running(0, Ticks(1.0)):
        assert found(1) == (1, True)
        assert found(1) == (1, True)
    assert calls == [1, 1]
    assert found(1) == found(1) == (1, False)
    assert calls == [1, 1, 1]
    assert [found(2), found(3), found(1)] == [(2, False), (3, False), (1, False)]
    assert calls == [1, 1, 1, 2, 3, 1]


def test_what_a_limit_of_its_own_cuts_is_noted_and_not_kept_without_a_deadline() -> None:
    calls = []

    @deadline.cached(2)
    def found(number: int) -> int:
        calls.append(number)
        deadline.cut()
        return number

    before = deadline.cuts()
    assert found(1) == found(1) == 1
    assert calls == [1, 1]
    assert deadline.cuts() == before + 2
    assert not deadline.current().was_reached


def test_short_work_may_go_on_for_a_grace_after_the_deadline() -> None:
    with deadline.running(2, Ticks(1.0)) as running:
        for _ in range(3):
            deadline.check(grace=1.5)
        assert not running.was_reached
        with pytest.raises(OutOfTimeError):
            deadline.check(grace=1.5)
        assert running.was_reached


def test_a_call_that_leaves_out_a_default_is_known_from_the_call_with_it() -> None:
    calls = []

    @deadline.cached(8)
    def found(number: int, tolerance: float = 0.5, floor: float = 0.0) -> float:
        calls.append((number, tolerance, floor))
        return number + tolerance + floor

    assert found(1) == found(1, 0.5) == found(1, 0.5, 0.0) == 1.5
    assert len(calls) == 1
    assert found(1, 0.25) == found(1, 0.25, 0.0) == found(1, tolerance=0.25)
    assert found(1, 0.25, 1.0) == 2.25
    assert calls[1:] == [(1, 0.25, 0.0), (1, 0.25, 0.0), (1, 0.25, 1.0)]


def test_each_place_has_its_share_and_a_slow_one_does_not_cut_the_others_short() -> None:
    clock = Ticks(0.0)
    takes = {"easy": 1.0, "slow": 100.0, "other": 1.0, "last": 3.0}
    shares = {}

    def one(place: str) -> str:
        shares[place] = deadline.left()
        spent = min(takes[place], deadline.left())
        clock.time += spent
        if spent < takes[place]:
            deadline.cut()
        return place.upper()

    with deadline.running(16.0, clock) as whole:
        found, late = deadline.in_turn([*takes], one, lambda _: "")
    # 16/4; 15/3; 10/2; and all of the 9 that are left.
    assert shares == {"easy": 4.0, "slow": 5.0, "other": 5.0, "last": 9.0}
    assert found == {place: place.upper() for place in takes}
    assert late == ("slow",)
    assert whole.was_reached


def test_what_is_computed_together_has_half_of_the_time() -> None:
    clock = Ticks(0.0)
    with deadline.running(16.0, clock):
        found, late = deadline.in_turn(
            [1, 2, 3, 4], lambda _: deadline.left(), lambda _: 0.0, together=True
        )
    assert (found[1], late) == (8.0, ())


def test_a_place_without_a_number_in_its_share_does_not_refuse_the_others() -> None:
    clock = Ticks(0.0)

    def one(takes: int) -> int:
        clock.time += min(takes, deadline.left())
        deadline.check()
        return takes

    with deadline.running(12.0, clock):
        assert deadline.in_turn([1, 99, 2], one, lambda _: 0) == ({1: 1, 99: 0, 2: 2}, (99,))
    with deadline.running(12.0, clock), pytest.raises(OutOfTimeError):
        deadline.in_turn([98, 99], one, lambda _: 0)
