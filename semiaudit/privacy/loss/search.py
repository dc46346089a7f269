"""Certified roots of a decreasing curve that is known only through bounds."""

from __future__ import annotations

import math
from collections.abc import Callable

CLOSE = 4e-14
"""A root is precise enough when the bounds of its bracket have this relative distance: some 200
doubles, the uncertainty from the rounding of a curve."""

_ROUNDS = 200
"""The most evaluations of a curve for one root; bisection alone needs about 60."""

_LEAST_SLOPE = 0.1
"""Replaces a flatter slope of ln(curve) until a secant measures one."""

_SMALL, _LARGE = 1e-9, 1e300
"""The start of a search without a guess, and the end of a search without a root."""

_OVERSHOT = 0.4
"""A secant overshoots the root by this part of the requested distance, so that both bounds move."""

_LEAP = 8.0
"""Without an upper bound, the least step onward grows by this factor with every evaluation."""

_LEAPS = 40
"""The most such steps: 8^40 times 4e-14 takes a point across all relevant doubles."""

_NO_LOGARITHM = -1e9
"""Replaces the logarithm of 0."""

Curve = Callable[[float], float]
"""A certified upper or lower bound on delta as a function of epsilon."""


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
    """Find a small point, 0 or more, at which ``curve`` is at most ``target``.

    Args:
        curve: from above; it need not be monotone.
        target: rounded down. guess: where to begin. slope: about -d ln(curve).
        close: relative distance to the root at which the search ends.
        limit: a known upper bound on the root.
        positive: the root is known not to be 0.

    Returns:
        The point, at which the curve was evaluated; the limit if none was found.
    """
    if not positive and curve(0.0) <= target:
        return 0.0
    # The curve was evaluated at every upper bound that replaced the limit. So delta holds there,
    # wherever the search went and whether or not it ended.
    _, above = _enclose(curve, target, guess, slope, limit, close)
    return above


def largest_reached(curve: Curve, target: float, guess: float, slope: float, limit: float) -> float:
    """Find a large point at which ``curve`` is still above ``target``; 0 if there is none.

    Args:
        curve: from below; it may be far too low away from the guess.
        target: rounded up. guess, slope: as in :func:`smallest_kept`.
        limit: an upper bound on the root.
    """
    point = guess if guess < limit else limit * (1 - CLOSE)
    # The curve was also evaluated at every lower bound except 0.
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
    """Return close points with the curve above the target at the first, not above at the second.

    The search uses secants of ln(curve) that overshoot slightly, so that both bounds move, and
    bisection if a secant leaves the bracket.
    """
    below = 0.0
    rate = max(slope, _LEAST_SLOPE)
    point = guess if 0 < guess < math.inf else _SMALL
    previous: tuple[float, float] | None = None
    for attempt in range(_ROUNDS):
        value = curve(point)
        # Compare the values, not their logarithms: values a few units in the last place apart share
        # one.
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
