"""Roots and minima in floats, as the start of a certified search. Nothing here is certified."""

from __future__ import annotations

import math
from collections.abc import Callable

_ROUNDS = 60
"""The most evaluations; false position usually takes about twelve."""

_NARROW, _FLAT = 1e-13, 1e-12
"""The relative width of a bracket, or the size of a value, that counts as a root in floats."""

_GOLDEN = (3 - math.sqrt(5)) / 2
"""The part of an interval that a golden section removes."""

_SCANNED = 48
"""Intervals of the scan that finds the valley of a minimum before it is narrowed."""

_NARROWINGS = 60
"""The most evaluations; parabolas usually take about twelve."""

_LEVEL = 1e-14
"""Values with this relative difference count as equal: rounding decides between them."""

_PARABOLAS = 12
"""The most evaluations with parabolas only; half of them are typical."""

_NEAR = 1e-6
"""The part of a grid step at which the search ends; near a minimum, smaller moves change
nothing."""

_SETTLED = 2e4
"""The search by parabolas ends if its last two points are within this multiple of that part."""

_SMALL, _CLOSE = 1e-3, 2.0**-51
"""The first point at which an increasing function is evaluated; the relative move of its root at
the end."""

_LEAST = 1e-300
"""A smaller root counts as 0."""


def falling_root(function: Callable[[float], float], guess: float, limit: float) -> float:
    """Return a point near the root of a decreasing function on (0, limit).

    Factors of 2 from a guess outward give a bracket. Then false position follows; the value of an
    end that stays twice is halved (Illinois).
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
    """Return (argument, value) below and above the root."""
    first = (guess, function(guess))
    if first[1] > 0:
        while 2 * first[0] < limit:
            second = (2 * first[0], function(2 * first[0]))
            if second[1] <= 0:
                return first, second
            first = second
        return first, (limit, function(limit))
    while first[0] > _LEAST:
        second = (first[0] / 2, function(first[0] / 2))
        if second[1] > 0:
            return second, first
        first = second
    return (0.0, function(0.0)), first


def rising_root(function: Callable[[float], float], limit: float) -> float:
    """Estimate the root of an increasing function on (0, limit / 2).

    A larger point if there is none.

    The search doubles a small point to a bracket, and then uses false position.
    """
    low, at_low, high = 0.0, 0.0, _SMALL
    value = function(high)
    while value < 0:
        low, at_low, high = high, value, 2 * high
        if high > limit:
            return high
        value = function(high)
    at_low, at_high = (at_low if low else function(low)), value
    point, side = high, 0
    for _ in range(_ROUNDS):
        last, point = point, low + (high - low) * at_low / (at_low - at_high)
        if not low < point < high or abs(point - last) <= _CLOSE * point:
            break
        value = function(point)
        if value < 0:
            low, at_low = point, value
            at_high, side = (at_high / 2 if side < 0 else at_high), -1
        else:
            high, at_high = point, value
            at_low, side = (at_low / 2 if side > 0 else at_low), 1
    return point


def valley(
    function: Callable[[float], float], low: float, high: float, steps: int = _SCANNED
) -> float:
    """Return a point near a minimum: a coarse scan, then parabolas through the three best points.

    If a parabola does not make progress, a golden section replaces it (Brent 1973, chapter 5).

    Args:
        steps: intervals of the scan; a valley that is narrower than two of them may be missed.
    """
    grid = [low + (high - low) * i / steps for i in range(steps + 1)]
    values = [function(point) for point in grid]
    start = min(range(steps + 1), key=values.__getitem__)
    near = _NEAR * (high - low) / steps
    low, high = grid[max(start - 1, 0)], grid[min(start + 1, steps)]
    return _narrowed(function, low, (values[start], grid[start]), high, near)


def valley_near(
    function: Callable[[float], float],
    guess: float,
    reach: float,
    low: float,
    high: float,
    steps: int = _SCANNED,
) -> float:
    """Find a minimum near a guess, without a scan, for a function with a single valley.

    Args:
        guess: between low and high.
        reach: the expected distance of the minimum from the guess.
    """

    def at(point: float) -> _Point:
        point = min(max(point, low), high)
        return function(point), point

    left, here, right = at(guess - reach), at(guess), at(guess + reach)
    while left[0] < here[0] and left[1] > low:
        left, here, right = at(left[1] - 2 * (here[1] - left[1])), left, here
    while right[0] < here[0] and right[1] < high:
        left, here, right = here, right, at(right[1] + 2 * (right[1] - here[1]))
    near = _NEAR * (high - low) / steps
    best, second, third = sorted((left, here, right))
    for _ in range(_PARABOLAS):
        step = _to_vertex(best, second, third)
        if third[0] - best[0] <= _LEVEL * abs(best[0]):
            return best[1]
        if abs(step) <= near:
            if abs(second[1] - best[1]) <= _SETTLED * near:
                return best[1]
            # Midway between two points of one value, any point is the vertex of a parabola.
            break
        if not left[1] < best[1] + step < right[1]:
            break
        newest = at(best[1] + step)
        best, second, third = sorted((newest, best, second))
    return _narrowed(function, left[1], min(left, here, right), right[1], near)


def _narrowed(
    function: Callable[[float], float], low: float, best: _Point, high: float, near: float
) -> float:
    second = third = best
    step = before = 0.0
    for _ in range(_NARROWINGS):
        middle = (low + high) / 2
        if abs(best[1] - middle) <= 2 * near - (high - low) / 2:
            break
        before, last = step, before
        step = _to_vertex(best, second, third)
        if not (abs(step) < abs(last) / 2 and low + near < best[1] + step < high - near):
            before = (low if best[1] >= middle else high) - best[1]
            step = _GOLDEN * before
        point = best[1] + (step if abs(step) >= near else math.copysign(near, step))
        here = (function(point), point)
        if here[0] <= best[0]:
            low, high = (best[1], high) if point >= best[1] else (low, best[1])
            best, second, third = here, best, second
            continue
        low, high = (point, high) if point < best[1] else (low, point)
        if here[0] <= second[0] or second[1] == best[1]:
            second, third = here, second
        elif here[0] <= third[0] or third[1] in (best[1], second[1]):
            third = here
    return best[1]


def _to_vertex(best: _Point, second: _Point, third: _Point) -> float:
    """Return the distance from the best of three points to the vertex of their parabola.

    Args:
        best, second, third: value and argument each.

    Returns:
        NaN if there is no vertex.
    """
    left, right = best[1] - second[1], best[1] - third[1]
    at_left, at_right = best[0] - third[0], best[0] - second[0]
    over = left * left * at_left - right * right * at_right
    under = 2 * (left * at_left - right * at_right)
    return -over / under if under and math.isfinite(over) else math.nan
