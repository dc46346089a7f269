"""The window of grid points that a sum of losses reaches, and a bound on the mass outside."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from semiaudit.privacy.loss.laws.rounding import Tilted
from semiaudit.privacy.loss.sources.loss_source import RAISED, UNIT, TooLong

WINDOW_NATS = 50.0
"""The weight outside of the window is about exp(-50): less than the rounding of its sums."""

_WIDEST = 1e30
"""No window has a standard deviation as large as this, in points."""

_SPEEDS = 12
"""Exponents that are tried for Chernoff's bound, each half of the previous one."""

_AT_ONCE = 1 << 16
"""Points of several parts that are summed in one step."""

_ADDED = 32
"""The sum of this many moments has a rounding error below 1e-14 of its size."""

_CLOSE = 1.05
"""A window that is longer by at most this factor is short enough."""

_ENOUGH_NATS = 45.0
"""A bound of exp(-45) on the weight outside need not be improved."""

_LEAST_DEVIATION = 1e-3
"""Replaces a smaller standard deviation: then the law has one point."""

Parts = Sequence[tuple[Tilted, int]]
"""Tilted weights, with how often each occurs in the sum."""


def deviation(parts: Parts) -> float:
    """The standard deviation of the sum, in points."""
    return math.sqrt(sum(repeat * tilted.variance for tilted, repeat in parts))


def reach(parts: Parts) -> tuple[int, int]:
    """Return the first and last point that contain all but about exp(-50) of the sum's weight.

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
            # Moments around the mean are at least 1, so that half the exponent does not lead
            # closer.
            if best - sign * mean <= _CLOSE * 2 * WINDOW_NATS / speed:
                break
        ends.append(math.ceil(best))
    low, high = max(low, -ends[1]), min(high, ends[0])
    return low, max(low, high)


def outside(parts: Parts, first: int, length: int) -> float:
    """Bound the weight of the sum outside of a window by Chernoff's bound with exact moments."""
    low = sum(repeat * tilted.first for tilted, repeat in parts)
    high = sum(repeat * tilted.last for tilted, repeat in parts)
    total = 0.0
    for sign, edge, limit in ((1, first + length, high), (-1, 1 - first, -low)):
        if limit < edge:
            # No sum reaches this side.
            continue
        # Every exponent gives a bound; 0 gives the bound 1.
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
    """Iterate over exponents for Chernoff's bound, from the best one of a normal law downward."""
    best = math.sqrt(2 * WINDOW_NATS) / max(deviation(parts), _LEAST_DEVIATION)
    return (best / 2**k for k in range(_SPEEDS))


def _log_moment(parts: Parts, speed: float) -> float:
    """Return an upper bound on ln E exp(speed * sum)."""
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
    """Split the parts into runs with a limited number of points; a long part is its own run."""
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
