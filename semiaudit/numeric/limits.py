"""Limits on the integer programs of an audit.

The class is in its own module, so that an audit without programs loads no solver.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, field

from semiaudit import deadline

SECONDS = 60.0
"""The default time limit for all programs of an audit, in seconds."""


@dataclass(slots=True)
class Limits:
    """The limits on the programs of an audit; never more than the deadline in force leaves.

    Attributes:
        seconds: wall-clock time for all programs together.
        certify: search by CP-SAT, in integer arithmetic; by default, if it is installed (extra
            ``certify``).
        is_reached: the wall-clock limit ended a computation, so results need not be reproducible.
        started: the time of the clock at the start.
        whole: the enclosing limits. If these are reached, so are those.
        work: the remaining nodes, plus one for each program; None for no limit. Using them up does
            not set ``is_reached``, because every run uses them up.
    """

    seconds: float = SECONDS
    certify: bool = field(default_factory=lambda: can_certify())
    is_reached: bool = False
    started: float = field(default_factory=deadline.now)
    whole: Limits | None = None
    work: int | None = None

    @property
    def left(self) -> float:
        """Return the remaining seconds; set ``is_reached`` at 0, unless the work is used up."""
        if self.work is not None and self.work <= 0:
            return 0.0
        remaining = min(self.seconds - (deadline.now() - self.started), deadline.left())
        if remaining > 0:
            return remaining
        limits: Limits | None = self
        while limits is not None:
            limits.is_reached = True
            limits = limits.whole
        deadline.cut()
        return 0.0

    def share(self, part: float) -> Limits:
        """Return limits for a part of the remaining time."""
        return Limits(self.left * part, self.certify, whole=self, work=self.work)

    def counted(self, work: int) -> Limits:
        """Return limits with the remaining time and a fixed amount of work."""
        return Limits(self.left, self.certify, whole=self, work=work)

    def beyond(self, seconds: float, work: int) -> Limits:
        """Return slightly larger limits, inside the enclosing limits."""
        work_too = None if self.work is None else work
        return Limits(seconds, self.certify, whole=self, work=work_too)

    def allowed(self, nodes: int) -> int:
        """Return the number of nodes that a program can have, of the wanted number."""
        return nodes if self.work is None else min(nodes, max(self.work - 1, 1))

    def spend(self, nodes: int) -> None:
        """Count a program that was run, and its nodes."""
        if self.work is not None:
            self.work -= nodes + 1


def can_certify() -> bool:
    """Return whether CP-SAT is installed."""
    return importlib.util.find_spec("ortools") is not None
