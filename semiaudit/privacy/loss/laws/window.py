"""Which points of the grid a sum of losses reaches, and how little of it lies beyond."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from semiaudit.privacy.loss.laws.rounding import Tilted
from semiaudit.privacy.loss.sources.source import RAISED, TooLong

WINDOW_NATS = 50.0
"""Outside of the window lies about exp(-50) of the weight: below the rounding of its sums."""

_WIDEST = 1e30
"""A standard deviation, in points, that no window has."""

_SPEEDS = 12
"""Exponents that are tried for Chernoff's bound, each half of the one before."""

_LEAST_DEVIATION = 1e-3
"""Stands for a smaller standard deviation: the law has one point then."""

Parts = Sequence[tuple[Tilted, int]]
"""Tilted weights, with how often each occurs in the sum."""


def deviation(parts: Parts) -> float:
    """The standard deviation of the sum, in points."""
    return math.sqrt(sum(repeat * tilted.variance for tilted, repeat in parts))


def reach(parts: Parts) -> tuple[int, int]:
    """The first and last point between which all but about exp(-50) of the sum's weight lies.

    Raises:
        TooLong: the sum spreads over more points than any window.
    """
    if not deviation(parts) < _WIDEST:
        raise TooLong(_WIDEST)
    low = sum(repeat * tilted.first for tilted, repeat in parts)
    high = sum(repeat * tilted.last for tilted, repeat in parts)
    ends = []
    for sign in (1, -1):
        best = math.inf
        for speed in _speeds(parts):
            end = (_log_moment(parts, sign * speed) + WINDOW_NATS) / speed
            if end > best:
                break
            best = end
        ends.append(math.ceil(best))
    low, high = max(low, -ends[1]), min(high, ends[0])
    return low, max(low, high)


def outside(parts: Parts, first: int, length: int) -> float:
    """A bound on the weight of the sum outside of a window: Chernoff's, with exact moments."""
    low = sum(repeat * tilted.first for tilted, repeat in parts)
    high = sum(repeat * tilted.last for tilted, repeat in parts)
    total = 0.0
    for sign, edge, reached in ((1, first + length, high), (-1, 1 - first, -low)):
        if reached < edge:
            # No sum reaches beyond this side.
            continue
        # Every speed gives a bound, and so does 0, which gives 1.
        best = 0.0
        for speed in _speeds(parts):
            exponent = _log_moment(parts, sign * speed) - speed * edge
            if exponent > best and best < 0:
                break
            best = min(best, exponent)
        total += RAISED * math.exp(best)
    return total


def _speeds(parts: Parts) -> Iterator[float]:
    """Exponents for Chernoff's bound: from the best one of a normal law down, ever slower."""
    best = math.sqrt(2 * WINDOW_NATS) / max(deviation(parts), _LEAST_DEVIATION)
    return (best / 2**k for k in range(_SPEEDS))


def _log_moment(parts: Parts, speed: float) -> float:
    """An upper bound on ln E exp(speed * sum)."""
    total, size = 0.0, 0.0
    for tilted, repeat in parts:
        exponent = speed * (tilted.points - tilted.mean)
        peak = float(exponent.max())
        weights = tilted.weights + tilted.errors
        own = peak + math.log(float((weights * np.exp(exponent - peak)).sum())) + 1e-13
        own += speed * tilted.mean
        total += repeat * own
        size += repeat * abs(own)
    return total + 1e-14 * size
