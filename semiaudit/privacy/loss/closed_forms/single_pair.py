"""The interface of a pair's closed form: certified bounds on delta, epsilon and type II errors."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.rationals import float_down, float_up

LARGEST_LOSS = 10**6
"""For larger losses, the engine (with its own limits) replaces the closed form."""

Ends = tuple[float, float]


class SinglePair(Protocol):
    """Certified bounds on one pair's numbers; None outside of the range of the closed form."""

    def delta(self, epsilon: Fraction) -> Ends | None:
        """Return the larger of both directions' delta at an epsilon of 0 or more."""

    def epsilon(self, delta: Fraction) -> Ends | None:
        """Return the smallest epsilon at a delta in [0, 1)."""

    def type_ii(self, type_i: Fraction) -> Interval | None:
        """Return the symmetrised tradeoff function at a type I error in [0, 1), in decimals.

        Near 1, a double would keep few digits of the power.
        """


def probability(value: Interval) -> Ends:
    """Return the doubles around an enclosure, within [0, 1]."""
    clipped = value.clip(0, 1)
    return max(float_down(clipped.low), 0.0), min(float_up(clipped.high), 1.0)
