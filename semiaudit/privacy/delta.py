"""Upper bounds on delta at an epsilon, from measures that all hold (the privacy profile).

This is the inverse of the epsilons in ``evaluate``. If a measure has a profile in closed form, or
by composition, the profile gives delta itself. If only epsilon at a delta is known, as for zCDP, a
search finds the smallest delta at which epsilon is certified to be at most the given one. The
search may use estimates: only the certified result is returned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import assert_never

from semiaudit import deadline
from semiaudit.model.loss import PrivacyLoss, WorstLoss, plain_products_of
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    Measure,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.numeric.intervals import Interval, nonnegative_ends
from semiaudit.numeric.rationals import float_up
from semiaudit.privacy import loss as losses
from semiaudit.privacy.conversion import approx_from_zcdp, without_implied_zcdp
from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.measures import gdp, zcdp
from semiaudit.privacy.tradeoff import function

Found = tuple[Fraction, str]
"""(delta, the name of the result that proves it)."""

_LOOSE = ("none", "renyi_curve")
"""The results that a loss which was not composed rests on."""

NOTHING: Found = (Fraction(1), "none")
"""delta 1 always holds."""

LARGEST_EPSILON = 10**6
"""A larger epsilon is replaced by this one, which can only raise delta."""

LEAST_LOGARITHM = -690.0
"""The search for delta does not go below exp of this."""

_STEPS = 40
"""The most steps of a search; about five are typical."""

_CLOSE = 1e-9
"""Logarithms of delta that differ by at most this much count as equal."""

_BEGIN = -10.0
"""The start of a search without any other estimate."""

_LEAST_EXCESS, _MOST_EXCESS = 1e-2, 1e100
"""The range of an order's excess over 1 in the search for a start."""

_NEXT_TO_1 = Fraction(1, 2**53)
"""The least distance from 1 of the deltas that are tried."""


def delta_at(
    measures: Iterable[Measure], epsilon: Fraction, accuracy: Accuracy = losses.DEFAULT
) -> Found:
    """Return an upper bound on the least delta at an epsilon that a measure implies; 1 if none.

    Args:
        measures: valid for the same universe and adjacency.
        epsilon: 0 or more.
        accuracy: of numbers that are computed from a composed loss.

    Rounding: up.
    """
    if epsilon < 0:
        raise ValueError("epsilon is at least 0")
    epsilon = min(epsilon, Fraction(LARGEST_EPSILON))
    best = NOTHING
    # zCDP takes a search, and GDP takes decimals. Most other measures make both unnecessary.
    for measure in sorted(measures, key=_cost):
        if not _needless(measure, best[0], epsilon):
            best = min(best, _delta_of(measure, epsilon, accuracy), key=lambda one: one[0])
    return best


def least_delta_at(measures: tuple[Measure, ...], epsilon: Fraction, accuracy: Accuracy) -> Found:
    """Return an upper bound on the least delta at an epsilon; zCDP that a loss implies comes last.

    zCDP takes a search, and gives no smaller delta than a loss that was composed within the limits.
    """
    before = deadline.cuts()
    answer = delta_at(without_implied_zcdp(measures), epsilon, accuracy)
    if answer[1] in _LOOSE or deadline.cuts() > before:
        answer = delta_at(measures, epsilon, accuracy)
    return answer


def _cost(measure: Measure) -> int:
    return 2 if isinstance(measure, ZCDP | ApproxZCDP) else int(isinstance(measure, GDP))


def _needless(measure: Measure, delta: Fraction, epsilon: Fraction) -> bool:
    if isinstance(measure, GDP) and delta < 1:
        return gdp.is_delta_larger(measure, epsilon, delta)
    if not isinstance(measure, ZCDP) or delta == 1:
        return False
    return not delta or approx_from_zcdp(measure, delta).epsilon > epsilon


def _delta_of(measure: Measure, epsilon: Fraction, accuracy: Accuracy) -> Found:
    match measure:
        case PureDP():
            if epsilon >= measure.epsilon:
                return Fraction(0), "pure"
            return _above(function.delta_at(measure, epsilon)), "pure"
        case ApproxDP():
            if epsilon == measure.epsilon:
                return measure.delta, "declared"
            return _above(function.delta_at(measure, epsilon)), "declared"
        case GDP():
            if measure.mu_squared > gdp.LARGEST_MU**2:
                return NOTHING
            return _above(function.delta_at(measure, epsilon)), "gaussian_exact"
        case PiecewiseLinear():
            method = "tradeoff_merged" if measure.merged else "tradeoff_duality"
            return _above(function.delta_at(measure, epsilon)), method
        case ZCDP():
            return _delta_of_zcdp(measure, epsilon), "joint_range"
        case ApproxZCDP():
            of_zcdp = _delta_of_zcdp(ZCDP(measure.rho), epsilon)
            return measure.delta + (1 - measure.delta) * of_zcdp, "joint_range"
        case PrivacyLoss() | WorstLoss():
            return _delta_of_losses(plain_products_of(measure), epsilon, accuracy)
        case _:
            assert_never(measure)


def _above(interval: Interval) -> Fraction:
    return nonnegative_ends(interval)[1]


def _delta_of_zcdp(measure: ZCDP, epsilon: Fraction) -> Fraction:
    """Return delta of rho-zCDP: the inverse of the best epsilon that it implies.

    Source: docs/theory/conversions.md, *What zCDP says at every delta*.
    """
    if not measure.rho:
        return Fraction(0)
    most = Fraction(zcdp.advantage(measure))
    if not epsilon:
        return most
    begin = min(_log_delta(float_up(measure.rho), float_up(epsilon)), math.log(float_up(most)))
    return _least_delta(lambda d: approx_from_zcdp(measure, d).epsilon, epsilon, most, begin)


def _delta_of_losses(plain: Sequence[PrivacyLoss], epsilon: Fraction, accuracy: Accuracy) -> Found:
    """The largest delta of several products, by composition, else by Renyi divergences."""
    bracket = losses.largest(
        plain, lambda loss, floor: losses.delta_at(loss, epsilon, accuracy, floor), accuracy
    )
    if bracket is not None and bracket.complete:
        return Fraction(bracket.upper), "loss_distribution"

    def epsilon_of(delta: Fraction) -> Fraction | float:
        epsilon = max(losses.epsilon_of_renyi(loss, delta) for loss in plain)
        return Fraction(epsilon) if epsilon.is_finite() else math.inf

    renyi = _least_delta(epsilon_of, epsilon, Fraction(1), _BEGIN), "renyi_curve"
    if bracket is None:
        return renyi
    return min((Fraction(bracket.upper), "loss_distribution"), renyi, key=lambda one: one[0])


def _log_delta(rho: float, epsilon: float) -> float:
    """Estimate the logarithm of the delta that rho-zCDP implies, in floats (cks20, good order)."""
    if epsilon <= rho:
        return 0.0
    excess = min(max((epsilon - rho) / (2 * rho), _LEAST_EXCESS), _MOST_EXCESS)
    order = 1 + excess
    gain = order * math.log(excess / order) - math.log(excess)
    return max(excess * (order * rho - epsilon) + gain, LEAST_LOGARITHM)


def _least_delta(
    epsilon_of: Callable[[Fraction], Fraction | float],
    epsilon: Fraction,
    most: Fraction,
    begin: float,
) -> Fraction:
    """Find nearly the smallest delta whose epsilon is at most the given one.

    The returned delta was evaluated, or is ``most``. The search uses secants of epsilon over ln
    delta, inside a bracket that shrinks.

    Args:
        epsilon_of: certified from above, falling; called some ten times.
        most: a delta that is large enough.
        begin: an estimate of the logarithm of the result.
    """
    least, target = most, float(epsilon)
    high, low = math.log(float_up(most)), LEAST_LOGARITHM
    points: list[tuple[float, float]] = []
    place = min(max(begin, low), high)
    for _ in range(_STEPS):
        delta = min(Fraction(math.exp(place)), Fraction(1) - _NEXT_TO_1)
        value = epsilon_of(delta)
        if value <= epsilon:
            least, high = min(least, delta), min(high, place)
        else:
            low = max(low, place)
        if high - low < _CLOSE or (points and abs(place - points[-1][0]) < _CLOSE):
            break
        if not math.isinf(value):
            points.append((place, float(value) - target))
        place = _next_place(points, low, high, place)
    return least


def _next_place(points: list[tuple[float, float]], low: float, high: float, place: float) -> float:
    """Return the root of the secant through the last two places, moved a bit to the safe side."""
    if len(points) > 1 and points[-1][1] != points[-2][1]:
        (x0, y0), (x1, y1) = points[-2:]
        following = x1 - y1 * (x1 - x0) / (y1 - y0) + _CLOSE / 4
        if low < following < high:
            return following
    elif points and points[-1][0] == place:
        step = 1e-3 if points[-1][1] <= 0 else -1e-3
        return min(max(place - step, low), high)
    return (low + high) / 2
