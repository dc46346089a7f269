"""Roots of a falling curve that is known only through bounds, on the safe side."""

from __future__ import annotations

import math
from collections.abc import Callable

_CLOSE = 4e-14
"""A root is found when the ends of its bracket are this close, relatively."""

Curve = Callable[[float], float]


def smallest_kept(
    curve: Curve,
    target: float,
    guess: float,
    slope: float,
    close: float = _CLOSE,
    *,
    limit: float = math.inf,
    positive: bool = False,
) -> float:
    """A point from 0 on at which ``curve`` is at most ``target``, as small as a search finds it.

    Args:
        curve: from above; it need not be monotone.
        target: rounded down. guess: where to begin. slope: about -d ln(curve).
        close: relative distance to the root at which the search ends.
        limit: what the root is known not to exceed.
        positive: the root is known not to be 0.

    Returns:
        The point, at which the curve was evaluated; the limit if none was found.
    """
    if not positive and curve(0.0) <= target:
        return 0.0
    _, above = _enclose(curve, target, guess, slope, limit, close)
    return above


def largest_reached(curve: Curve, target: float, guess: float, slope: float, limit: float) -> float:
    """A point at which ``curve`` is still above ``target``, as large as a search finds it; or 0.

    Args:
        curve: from below; it may be far too low away from the guess.
        target: rounded up. guess, slope: as in :func:`smallest_kept`.
        limit: what the root does not exceed.
    """
    point = guess if guess < limit else limit * (1 - _CLOSE)
    below, _ = _enclose(curve, target, point, slope, limit)
    return below


def _enclose(
    curve: Curve,
    target: float,
    guess: float,
    slope: float,
    above: float,
    close: float = _CLOSE,
) -> tuple[float, float]:
    """Close points with the curve above the target at the first, not above at the second.

    Secants of ln(curve), overshooting by a hair so that both ends close in; bisection where a
    secant leaves the bracket.
    """
    below = 0.0
    rate = max(slope, 0.1)
    point = guess if 0 < guess < math.inf else 1e-9
    previous: tuple[float, float] | None = None
    for attempt in range(200):
        value = curve(point)
        # Not by the logarithms: values a few units in the last place apart share one.
        over = value > target
        below, above = (max(below, point), above) if over else (below, min(above, point))
        height = _log(value) - _log(target)
        if (math.isfinite(above) and above - below <= close * above) or point > 1e300:
            break
        if previous is not None and math.isfinite(height) and previous[0] != point:
            measured = (previous[1] - height) / (point - previous[0])
            rate = measured if measured > 0 and math.isfinite(measured) else rate
        previous = (point, height)
        hair = 0.4 * close * point * (1 if over else -1)
        following = point + height / rate + hair
        if math.isinf(above):
            least = below * (1 + close * 8.0 ** min(attempt, 40))
            following = min(max(following, least), 10 * below + 1)
        elif not below < following < above:
            following = (below + above) / 2
        point = following
    return below, above


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -1e9
