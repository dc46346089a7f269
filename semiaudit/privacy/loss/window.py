"""Which points of the grid a sum of losses reaches, and how little of it lies beyond."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from semiaudit.privacy.loss.rounding import Tilted

WINDOW_NATS = 50.0
"""Outside of the window lies about exp(-50) of the weight."""

Parts = Sequence[tuple[Tilted, int]]


def deviation(parts: Parts) -> float:
    """The standard deviation of the sum, in points."""
    return math.sqrt(sum(repeat * tilted.variance for tilted, repeat in parts))


def reach(parts: Parts) -> tuple[int, int]:
    """The first and last point between which all but about exp(-50) of the sum's weight lies."""
    low = sum(repeat * tilted.first for tilted, repeat in parts)
    high = sum(repeat * tilted.last for tilted, repeat in parts)
    for speed in _speeds(parts):
        high = min(high, math.ceil((_log_moment(parts, speed) + WINDOW_NATS) / speed))
        low = max(low, -math.ceil((_log_moment(parts, -speed) + WINDOW_NATS) / speed))
    return low, max(low, high)


def outside(parts: Parts, first: int, length: int) -> float:
    """A bound on the weight of the sum outside of a window: Chernoff's, with exact moments."""
    low = sum(repeat * tilted.first for tilted, repeat in parts)
    high = sum(repeat * tilted.last for tilted, repeat in parts)
    above = 0.0 if high < first + length else 1.0
    below = 0.0 if low >= first else 1.0
    for speed in _speeds(parts):
        if above:
            above = min(above, _exp(_log_moment(parts, speed) - speed * (first + length)))
        if below:
            below = min(below, _exp(_log_moment(parts, -speed) + speed * (first - 1)))
    return above + below


def _speeds(parts: Parts) -> list[float]:
    spread = deviation(parts)
    best = math.sqrt(2 * WINDOW_NATS) / max(spread, 1e-3)
    return [best * factor for factor in (1.0, 0.5, 0.2)]


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


def _exp(exponent: float) -> float:
    return 1.01 * math.exp(min(exponent, 0.0))
