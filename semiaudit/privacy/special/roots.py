"""Roots in floats, to start a certified search from. Nothing here is certified, nor need it be."""

from __future__ import annotations

from collections.abc import Callable

_ROUNDS = 60
"""Evaluations at most; false position takes a dozen as a rule."""

_NARROW, _FLAT = 1e-13, 1e-12
"""A bracket so narrow, relatively, or a value so small is a root as good as floats tell."""

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
