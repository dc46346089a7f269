"""What an audit may spend on integer programs.

The record by itself: an audit that solves none loads no solver.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, field

from semiaudit import deadline

SECONDS = 60.0
"""Seconds for all programs of an audit, unless the caller gives another limit."""


@dataclass(slots=True)
class Limits:
    """What an audit may spend on programs; never more than the deadline in force leaves.

    Attributes:
        seconds: wall-clock time for all programs together.
        certify: search by CP-SAT, in integer arithmetic; by default where it is installed (extra
            ``certify``).
        struck: the wall-clock limit ended something, so results need not repeat.
        started: the clock when the time began to run.
        whole: the limits of which these are a part. If these are reached, so are those.
        work: nodes that may still be looked at, a program being one more; None for any number.
            Using it up does not set ``struck``: it is used up in every run.
    """

    seconds: float = SECONDS
    certify: bool = field(default_factory=lambda: can_certify())
    struck: bool = False
    started: float = field(default_factory=deadline.now)
    whole: Limits | None = None
    work: int | None = None

    @property
    def left(self) -> float:
        """Seconds that are left; at 0 ``struck`` is set, unless it is the work that is used up."""
        if self.work is not None and self.work <= 0:
            return 0.0
        left = min(self.seconds - (deadline.now() - self.started), deadline.left())
        if left > 0:
            return left
        limits: Limits | None = self
        while limits is not None:
            limits.struck = True
            limits = limits.whole
        deadline.cut()
        return 0.0

    def share(self, part: float) -> Limits:
        """Limits for a part of what is left."""
        return Limits(self.left * part, self.certify, whole=self, work=self.work)

    def counted(self, work: int) -> Limits:
        """Return limits with the time that is left and a fixed amount of work."""
        return Limits(self.left, self.certify, whole=self, work=work)

    def beyond(self, seconds: float, work: int) -> Limits:
        """A little more than these limits, inside those of which they are a part."""
        work_too = None if self.work is None else work
        return Limits(seconds, self.certify, whole=self, work=work_too)

    def allowed(self, nodes: int) -> int:
        """Return how many of the wanted nodes a program may have."""
        return nodes if self.work is None else min(nodes, max(self.work - 1, 1))

    def spend(self, nodes: int) -> None:
        """Note a program that was run, and the nodes that it looked at."""
        if self.work is not None:
            self.work -= nodes + 1


def can_certify() -> bool:
    """True if CP-SAT is installed."""
    return importlib.util.find_spec("ortools") is not None
