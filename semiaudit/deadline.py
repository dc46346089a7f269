"""One deadline for all that an audit computes, and a cache that keeps nothing it cut short.

A long computation calls ``check`` between two steps, and ``left`` before it starts a program. A
computation that is cut short gives looser certified bounds, or is refused. The deadline is in the
context, so that no formula passes it on; without a deadline there is no limit.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

from semiaudit.errors import Refusal, RefusedError

Arguments = ParamSpec("Arguments")
Found = TypeVar("Found")
Place = TypeVar("Place", bound=Hashable)

Clock = Callable[[], float]
"""Seconds since some moment; it never goes back."""

GRACE = 0.4
"""Seconds after the deadline in which closed forms may still be computed, so that a row of a few
parts is stated, and one of very many is not waited for."""


class OutOfTimeError(RefusedError):
    """The time limit was reached, and nothing that was found by then is certified."""

    def __init__(self) -> None:
        what = "the time limit was reached before it was done"
        super().__init__(Refusal(what, "raise --time-limit"))


class Deadline:
    """The time at which the computations of an audit must have ended.

    Attributes:
        clock: returns the time.
        end: the time at which everything must have ended.
        cuts: how often something was cut short.
        whole: the deadline of which this one is an earlier part.
        latest: when the grace of the deadline ends within which this one runs: many audits in one
            limit share one grace.
    """

    def __init__(
        self,
        seconds: float,
        clock: Clock = time.monotonic,
        whole: Deadline | None = None,
        latest: float = math.inf,
    ) -> None:
        self.clock = clock
        self.end = clock() + seconds
        self.cuts = 0
        self.whole = whole
        self.latest = latest

    @property
    def left(self) -> float:
        """Seconds that are left, 0 or more."""
        return max(self.end - self.clock(), 0.0)

    @property
    def was_reached(self) -> bool:
        """Return whether something was cut short, so that another run may find more."""
        return self.cuts > 0 and self is not _NEVER


_NEVER = Deadline(math.inf)
_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def running(seconds: float, clock: Clock = time.monotonic) -> Iterator[Deadline]:
    """A deadline for what is computed meanwhile."""
    around = current()
    latest = min(around.latest, around.end + GRACE) if around.clock is clock else math.inf
    token = _current.set(Deadline(seconds, clock, latest=latest))
    try:
        yield current()
    finally:
        _current.reset(token)


@contextmanager
def part(share: float) -> Iterator[Deadline]:
    """A deadline for a part of what is computed: a share of the time that is left."""
    whole = _current.get()
    token = _current.set(whole and Deadline(whole.left * share, whole.clock, whole, whole.latest))
    try:
        yield current()
    finally:
        _current.reset(token)


def in_turn(
    places: Sequence[Place],
    one: Callable[[Place], Found],
    nothing: Callable[[Place], Found],
    *,
    together: bool = False,
) -> tuple[dict[Place, Found], tuple[Place, ...]]:
    """Compute one number at each place, in this order, with a share of the time for each.

    Each place has an equal share of the time that is left, so that a slow one does not cut the
    others short. What it does not use is shared by those after it.

    Args:
        places: distinct, the easy ones first.
        nothing: the number at a place of which nothing is known.
        together: the first number computes what all numbers share, and has half of the time.

    Returns:
        The numbers; and the places whose numbers were cut short.

    Raises:
        OutOfTimeError: nothing is known at any place.
    """
    numbers: dict[Place, Found] = {}
    late: list[Place] = []
    empty = 0
    for at, place in enumerate(places):
        equal = 1 / (len(places) - at)
        before = cuts()
        with part(max(equal, 0.5) if together and not at else equal):
            try:
                numbers[place] = one(place)
            except OutOfTimeError:
                empty += 1
                if empty == len(places):
                    raise
                numbers[place] = nothing(place)
        if cuts() != before:
            late.append(place)
    return numbers, tuple(late)


def current() -> Deadline:
    """The deadline in force; where there is none, one that never comes."""
    return _current.get() or _NEVER


def now() -> float:
    """The time on the clock of the deadline in force."""
    return current().clock()


def left() -> float:
    """Seconds that are left until the deadline in force; infinite if there is none."""
    return current().left


def cut() -> None:
    """Note that something was cut short by the time, be it a limit of its own."""
    innermost: Deadline | None = current()
    while innermost is not None:
        innermost.cuts += 1
        innermost = innermost.whole


def cuts() -> int:
    """Return the number of cuts so far; results are complete if it does not change meanwhile.

    All parts of one deadline have the same count.
    """
    whole = current()
    while whole.whole is not None:
        whole = whole.whole
    return whole.cuts


def check(grace: float = 0.0) -> None:
    """Go on only while there is time.

    Args:
        grace: seconds after the deadline that still count as time: ``GRACE`` between pieces of
            work that are short by themselves.

    Raises:
        OutOfTimeError: the deadline in force has come.
    """
    innermost = current()
    if innermost.clock() >= min(innermost.end + grace, innermost.latest):
        cut()
        raise OutOfTimeError


ANSWERS = 4096
"""Numbers that a function keeps: 200 deltas of every row of an audit, so that rows that ask for the
same one after another find it."""


def cached(
    most: int,
) -> Callable[[Callable[Arguments, Found]], Callable[Arguments, Found]]:
    """Keep what a function found, of the last calls; but not what the time cut short.

    With more time that may be narrower, and one audit must not answer for another. A call that
    leaves out arguments is one with their defaults.

    Args:
        most: calls that are kept.
    """

    def decorated(function: Callable[Arguments, Found]) -> Callable[Arguments, Found]:
        answers: dict[Hashable, Found] = {}
        defaults: tuple[object, ...] = getattr(function, "__defaults__", None) or ()
        required = function.__code__.co_argcount - len(defaults)

        @wraps(function)
        def answer(*arguments: Arguments.args, **named: Arguments.kwargs) -> Found:
            left_out = defaults[max(len(arguments) - required, 0) :]
            key = (arguments if named else (*arguments, *left_out), tuple(named.items()))
            if key in answers:
                return answers[key]
            before = cuts()
            result = function(*arguments, **named)
            if cuts() == before:
                while len(answers) >= most:
                    answers.pop(next(iter(answers)), None)
                answers[key] = result
            return result

        return answer

    return decorated
