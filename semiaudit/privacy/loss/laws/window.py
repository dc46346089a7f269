"""Which points of the grid a sum of losses reaches, and how little of it lies beyond."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from semiaudit.privacy.loss.laws.rounding import Tilted
from semiaudit.privacy.loss.sources.loss_source import RAISED, UNIT, TooLong

WINDOW_NATS = 50.0
"""Outside of the window lies about exp(-50) of the weight: below the rounding of its sums."""

_WIDEST = 1e30
"""A standard deviation, in points, that no window has."""

_SPEEDS = 12
"""Exponents that are tried for Chernoff's bound, each half of the one before."""

_AT_ONCE = 1 << 16
"""Points of several parts that are summed together."""

_ADDED = 32
"""1e-14 of the size is more than the rounding of a sum of so many moments, several times."""

_CLOSE = 1.05
"""A window that is longer by this part at most is short enough."""

_ENOUGH_NATS = 45.0
"""A weight outside that is bounded by exp(-45) needs no better bound."""

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
    mean = sum(repeat * tilted.mean for tilted, repeat in parts)
    for sign in (1, -1):
        best = math.inf
        for speed in _speeds(parts):
            end = (_log_moment(parts, sign * speed) + WINDOW_NATS) / speed
            if end > best:
                break
            best = end
            # Moments around the mean are at least 1, so that half the speed leads no nearer.
            if best - sign * mean <= _CLOSE * 2 * WINDOW_NATS / speed:
                break
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
            if best < -_ENOUGH_NATS:
                break
        total += RAISED * math.exp(best)
    return total


def _speeds(parts: Parts) -> Iterator[float]:
    """Exponents for Chernoff's bound: from the best one of a normal law down, ever slower."""
    best = math.sqrt(2 * WINDOW_NATS) / max(deviation(parts), _LEAST_DEVIATION)
    return (best / 2**k for k in range(_SPEEDS))


def _log_moment(parts: Parts, speed: float) -> float:
    """An upper bound on ln E exp(speed * sum)."""
    total, size = 0.0, 0.0
    for run in _runs(parts):
        counts = [len(tilted.points) for tilted, _ in run]
        starts = np.cumsum([0, *counts[:-1]])
        means = np.array([tilted.mean for tilted, _ in run])
        points = np.concatenate([tilted.points for tilted, _ in run])
        weights = np.concatenate([tilted.weights + tilted.errors for tilted, _ in run])
        exponent = speed * (points - np.repeat(means, counts))
        peak = np.maximum.reduceat(exponent, starts)
        sums = np.add.reduceat(weights * np.exp(exponent - np.repeat(peak, counts)), starts)
        # Added one by one, in the worst case.
        own = peak + np.log(sums) + 1e-13 + 2 * UNIT * np.array(counts) + speed * means
        repeats = np.array([float(repeat) for _, repeat in run])
        total += float(repeats @ own)
        size += float(repeats @ np.abs(own))
    return total + 1e-14 * size * (1 + len(parts) / _ADDED)


def _runs(parts: Parts) -> Iterator[Parts]:
    """The parts in runs of at most some points, but for a part that has more by itself."""
    run: list[tuple[Tilted, int]] = []
    points = 0
    for part in parts:
        if run and points + len(part[0].points) > _AT_ONCE:
            yield run
            run, points = [], 0
        run.append(part)
        points += len(part[0].points)
    if run:
        yield run
