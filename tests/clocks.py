"""Clocks for tests: time passes when somebody looks, so that no test depends on the machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Ticks:
    """A clock that goes on by one step whenever it is read.

    Attributes:
        step: seconds by which it goes on.
        time: what it told last.
    """

    step: float
    time: float = 0.0

    def __call__(self) -> float:
        self.time += self.step
        return self.time
