"""Roots of a falling curve that is known only through bounds, on the safe side."""

from __future__ import annotations

import math
from collections.abc import Callable

CLOSE = 4e-14
"""A root is found when the ends of its bracket are this close, relatively: some 200 doubles, which
is what the rounding of a curve leaves uncertain."""

_ROUNDS = 200
"""Evaluations of a curve for one root at most; bisection of a bracket alone needs some 60."""

_LEAST_SLOPE = 0.1
"""Stands for a flatter slope of ln(curve) until a secant measured one."""

_SMALL, _LARGE = 1e-9, 1e300
"""Where a search begins that has no guess, and beyond which it gives up."""

_OVERSHOT = 0.4
"""A secant's root is passed by this part of the distance asked for, so that both ends close in."""

_LEAP = 8.0
"""Without an upper bound, the least way onward grows by this factor with every evaluation..."""

_LEAPS = 40
"""The most leaps: 8^40 times 4e-14 takes a point across all doubles that matter."""

_NO_LOGARITHM = -1e9
"""Stands for the logarithm of 0."""

Curve = Callable[[float], float]
"""A certified bound of delta as a function of epsilon, from above or from below."""


def smallest_kept(
    curve: Curve,
    target: float,
    guess: float,
    slope: float,
    close: float = CLOSE,
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
    # The curve was evaluated at every upper bound that replaced the limit: delta is kept there,
    # wherever the search went and whether or not it came to an end.
    _, above = _enclose(curve, target, guess, slope, limit, close)
    return above


def largest_reached(curve: Curve, target: float, guess: float, slope: float, limit: float) -> float:
    """A point at which ``curve`` is still above ``target``, as large as a search finds it; or 0.

    Args:
        curve: from below; it may be far too low away from the guess.
        target: rounded up. guess, slope: as in :func:`smallest_kept`.
        limit: what the root does not exceed.
    """
    point = guess if guess < limit else limit * (1 - CLOSE)
    # Likewise the curve was evaluated at every lower bound but 0.
    below, _ = _enclose(curve, target, point, slope, limit)
    return below


def _enclose(
    curve: Curve,
    target: float,
    guess: float,
    slope: float,
    above: float,
    close: float = CLOSE,
) -> tuple[float, float]:
    """Close points with the curve above the target at the first, not above at the second.

    Secants of ln(curve), overshooting by a hair so that both ends close in; bisection where a
    secant leaves the bracket.
    """
    below = 0.0
    rate = max(slope, _LEAST_SLOPE)
    point = guess if 0 < guess < math.inf else _SMALL
    previous: tuple[float, float] | None = None
    for attempt in range(_ROUNDS):
        value = curve(point)
        # Not by the logarithms: values a few units in the last place apart share one.
        over = value > target
        below, above = (max(below, point), above) if over else (below, min(above, point))
        height = _log(value) - _log(target)
        if (math.isfinite(above) and above - below <= close * above) or point > _LARGE:
            break
        if previous is not None and math.isfinite(height) and previous[0] != point:
            measured = (previous[1] - height) / (point - previous[0])
            rate = measured if measured > 0 and math.isfinite(measured) else rate
        previous = (point, height)
        hair = _OVERSHOT * close * point * (1 if over else -1)
        following = point + height / rate + hair
        if math.isinf(above):
            least = below * (1 + close * _LEAP ** min(attempt, _LEAPS))
            following = min(max(following, least), 10 * below + 1)
        elif not below < following < above:
            following = (below + above) / 2
        point = following
    return below, above


def _log(value: float) -> float:
    return math.log(value) if value > 0 else _NO_LOGARITHM
