"""Roots and minima in floats, to start a certified search from. Nothing is certified here."""

from __future__ import annotations

import math
from collections.abc import Callable

_ROUNDS = 60
"""Evaluations at most; false position takes a dozen as a rule."""

_NARROW, _FLAT = 1e-13, 1e-12
"""A bracket so narrow, relatively, or a value so small is a root as good as floats tell."""

_GOLDEN = (math.sqrt(5) - 1) / 2
"""The part of an interval that a golden section keeps."""

_SCANNED = 48
"""Intervals of the scan that finds the valley of a minimum before golden sections narrow it."""

_SECTIONS = 40
"""They leave 4e-9 of a grid step; next to a minimum no double changes by so little."""

_LEAST = 1e-300
"""A root smaller than this is 0."""


def falling_root(function: Callable[[float], float], guess: float, limit: float) -> float:
    """A point near the root of a falling function on (0, limit).

    From a guess outward by factors of 2 to a bracket, then false position, the value of an end
    that stays twice halved (Illinois).
    """
    (low, at_low), (high, at_high) = _bracket(function, min(guess, limit / 2), limit)
    side = 0
    for _ in range(_ROUNDS):
        if high - low <= _NARROW * high or at_low <= 0 or at_high >= 0:
            break
        point = low + (high - low) * at_low / (at_low - at_high)
        if not low < point < high:
            point = low + (high - low) / 2
        value = function(point)
        if abs(value) <= _FLAT:
            return point
        if value > 0:
            low, at_low = point, value
            at_high, side = (at_high / 2 if side > 0 else at_high), 1
        else:
            high, at_high = point, value
            at_low, side = (at_low / 2 if side < 0 else at_low), -1
    return low


_Point = tuple[float, float]


def _bracket(
    function: Callable[[float], float], guess: float, limit: float
) -> tuple[_Point, _Point]:
    """(argument, value) below and above the root."""
    here = (guess, function(guess))
    if here[1] > 0:
        while 2 * here[0] < limit:
            there = (2 * here[0], function(2 * here[0]))
            if there[1] <= 0:
                return here, there
            here = there
        return here, (limit, function(limit))
    while here[0] > _LEAST:
        there = (here[0] / 2, function(here[0] / 2))
        if there[1] > 0:
            return there, here
        here = there
    return (0.0, function(0.0)), here


def valley(function: Callable[[float], float], low: float, high: float) -> float:
    """A point near a minimum: a coarse scan, then golden sections."""
    steps = _SCANNED
    grid = [low + (high - low) * i / steps for i in range(steps + 1)]
    best = min(range(steps + 1), key=lambda i: function(grid[i]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, steps)]
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(_SECTIONS):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = function(right)
    return (low + high) / 2
