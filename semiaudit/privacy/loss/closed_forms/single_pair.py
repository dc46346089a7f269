"""The interface of a pair's closed form: delta, epsilon and type II error with certified ends."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.rationals import float_down, float_up

LARGEST_LOSS = 10**6
"""Beyond it the exponentials of a closed form are left to the engine, which has its own limits."""

Ends = tuple[float, float]


class SinglePair(Protocol):
    """Certified ends of one pair's numbers; None if the closed form does not reach."""

    def delta(self, epsilon: Fraction) -> Ends | None:
        """The larger one of both directions' delta at an epsilon of 0 or more."""

    def epsilon(self, delta: Fraction) -> Ends | None:
        """The smallest epsilon at a delta in [0, 1)."""

    def type_ii(self, type_i: Fraction) -> Interval | None:
        """The symmetrised tradeoff function at a type I error in [0, 1), in decimals: where it is
        next to 1, a double would keep few digits of the power."""


def probability(value: Interval) -> Ends:
    """The doubles around an enclosure, within [0, 1]."""
    clipped = value.clip(0, 1)
    return max(float_down(clipped.low), 0.0), min(float_up(clipped.high), 1.0)
