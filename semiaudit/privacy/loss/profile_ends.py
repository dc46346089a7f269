"""Bounds on delta and on epsilon at many places, from one composition.

Delta is bounded from above by the dominating version, and from below by tests; epsilon by certified
roots of these bounds. Roots are looked for at all places at once, because a law is summed for many
places at the cost of one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from semiaudit.numeric.rationals import float_down, float_up
from semiaudit.privacy.loss.pairs.pair_kind import Ends
from semiaudit.privacy.loss.sources.loss_source import Floats
from semiaudit.privacy.loss.tilted_product import TiltedProduct

CLOSE = 4e-14
"""A root is precise enough when the bounds of its bracket have this relative distance: some 200
doubles, the uncertainty from the rounding of a curve."""

SHARE = 1e-3
"""The part of the requested width for a root on a grid."""

_ROUNDS = 200
"""The most evaluations of a curve for one root; bisection alone needs about 60."""

_LEAST_SLOPE = 0.1
"""Replaces a flatter slope of ln(curve) until a secant measures one."""

_SMALL, _LARGE = 1e-9, 1e300
"""The start of a search without a guess, and the end of a search without a root."""

_OVERSHOT = 0.4
"""A secant overshoots the root by this part of the requested distance, so that both bounds move."""

_LEAP, _LEAPS = 8.0, 40
"""Without an upper bound, the least step onward grows by this factor with every evaluation, at most
so often: 8^40 times 4e-14 takes a point across all relevant doubles."""

_NO_LOGARITHM = -1e9
"""Replaces the logarithm of 0."""

Curve = Callable[[Floats], Floats]
"""Certified upper or lower bounds on delta at epsilons."""


def delta_ends(product: TiltedProduct, epsilons: Sequence[Fraction]) -> list[Ends]:
    """Return bounds on delta at epsilons."""
    low = np.array([float_down(epsilon) for epsilon in epsilons])
    high = [float_up(epsilon) for epsilon in epsilons]
    upper = product.profile.upper_at(low).tolist()
    if product.merged is None:
        lower = product.profile.lower_at(np.array(high)).tolist()
    else:
        tests = product.merged.tests_at(low)
        lower = [own.delta(epsilon) for own, epsilon in zip(tests, high, strict=True)]
    return [(min(below, above), above) for below, above in zip(lower, upper, strict=True)]


def keeps(product: TiltedProduct, deltas: Sequence[Fraction], floors: Floats) -> list[bool]:
    """Return whether each delta is certified to be kept at a floor; False if all floors are 0."""
    if not floors.any():
        return [False] * len(deltas)
    upper = product.profile.upper_at(floors).tolist()
    return [value <= float_down(delta) for value, delta in zip(upper, deltas, strict=True)]


def epsilon_ends(
    product: TiltedProduct,
    deltas: Sequence[Fraction],
    guesses: tuple[Floats, Floats],
    cap: float,
    tolerance: float,
) -> list[Ends]:
    """Return bounds on epsilon at deltas.

    Args:
        guesses: about the epsilons, and the slopes of -ln delta there.
        cap: what no epsilon exceeds.
        tolerance: the relative width that is asked for.
    """
    low = np.array([float_down(delta) for delta in deltas])
    high = np.array([float_up(delta) for delta in deltas])
    guess, slope = guesses
    close = CLOSE if product.merged is None else max(SHARE * tolerance, CLOSE)
    limit = np.full(len(low), cap)
    upper = smallest_kept(product.profile.upper_at, low, guess, slope, limit, close)
    begin = np.where(np.isfinite(upper), upper, np.maximum(guess, 0.0))
    if product.merged is None:
        lower = largest_reached(product.profile.lower_at, high, begin, slope, upper)
    else:
        # A test that reaches delta is close to the root of the other side.
        tests = product.merged.tests_at(begin)
        lower = np.array([own.epsilon(delta) for own, delta in zip(tests, high, strict=True)])
    return list(zip(np.minimum(lower, upper).tolist(), upper.tolist(), strict=True))


def smallest_kept(
    curve: Curve, targets: Floats, guess: Floats, slope: Floats, limit: Floats, close: float = CLOSE
) -> Floats:
    """Find small points, 0 or more, at which ``curve`` is at most the targets.

    Args:
        curve: from above; it need not be monotone.
        targets: rounded down, shape (n,). guess: where to begin. slope: about -d ln(curve).
        limit: known upper bounds on the roots.
        close: relative distance to the root at which the search ends.

    Returns:
        The points, at each of which the curve was evaluated; the limit if none was found.
    """
    limit = np.where(curve(np.zeros(1))[0] <= targets, 0.0, limit)
    # The curve was evaluated at every upper bound that replaced the limit. So delta holds there,
    # wherever the search went and whether or not it ended.
    return _enclosed(curve, targets, guess, slope, limit, close)[1]


def largest_reached(
    curve: Curve, targets: Floats, guess: Floats, slope: Floats, limit: Floats
) -> Floats:
    """Find large points at which ``curve`` is still above the targets; 0 where there is none.

    Args:
        curve: from below; it may be far too low away from the guess.
        targets: rounded up. guess, slope: as in :func:`smallest_kept`.
        limit: upper bounds on the roots.
    """
    # The curve was also evaluated at every lower bound except 0.
    return _enclosed(curve, targets, guess, slope, limit, CLOSE)[0]


def _enclosed(
    curve: Curve, targets: Floats, guess: Floats, slope: Floats, above: Floats, close: float
) -> tuple[Floats, Floats]:
    """Return close points with the curve above the targets at the first, not above at the second.

    The search uses secants of ln(curve) that overshoot slightly, so that both bounds move, and
    bisection if a secant leaves the bracket. A place whose upper bound is 0 is not looked at.
    """
    below = np.zeros(len(targets))
    rate = np.maximum(slope, _LEAST_SLOPE)
    point = np.where((guess > 0) & np.isfinite(guess), guess, _SMALL)
    point = np.where(point < above, point, above * (1 - close))
    wide, height, before, lower = above > 0, np.zeros(len(targets)), point, _log(targets)
    for attempt in range(_ROUNDS):
        if not wide.any():
            break
        value = np.zeros(len(targets))
        value[wide] = curve(point[wide])
        # Compare the values, not their logarithms: values a few units in the last place apart share
        # one.
        over = value > targets
        below = np.where(wide & over, np.maximum(below, point), below)
        above = np.where(wide & ~over, np.minimum(above, point), above)
        last, height = height, _log(value) - lower
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            narrow = np.isfinite(above) & (above - below <= close * above)
            wide = wide & ~narrow & (point <= _LARGE)
            if attempt:
                measured = (last - height) / (point - before)
                rate = np.where(np.isfinite(measured) & (measured > 0), measured, rate)
            hair = _OVERSHOT * close * point * np.where(over, 1.0, -1.0)
            secant = point + height / rate + hair
            least = below * (1 + close * _LEAP ** min(attempt, _LEAPS))
            onward = np.minimum(np.maximum(secant, least), 10 * below + 1)
            inside = np.where((below < secant) & (secant < above), secant, (below + above) / 2)
        before, point = point, np.where(np.isinf(above), onward, inside)
    return below, above


def _log(values: Floats) -> Floats:
    logarithms: Floats = np.log(values, out=np.full(len(values), _NO_LOGARITHM), where=values > 0)
    return logarithms
