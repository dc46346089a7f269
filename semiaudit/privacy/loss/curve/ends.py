"""Certified ends of a number at many places, read off the same compositions.

As ``refinement`` and ``tradeoff_ends`` read them off at one place: delta from above by the
dominating version, from below by tests; epsilon by a search for the root; operating points by
duality and by tests. Searches go on at all places at once, because a law is summed for many places
at the cost of one. Where a search goes is free: what it returns was evaluated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from semiaudit.numeric.rationals import float_down, float_up
from semiaudit.privacy.loss.closed_forms.single_pair import Ends
from semiaudit.privacy.loss.merged_law import Tests
from semiaudit.privacy.loss.sources.loss_source import UNIT, Floats
from semiaudit.privacy.loss.tilted_product import TiltedProduct
from semiaudit.privacy.loss.tradeoff_ends import chord_of_tests, dual_of

_ROUNDS = 24
"""Evaluations of each root at most; six are the rule."""

_CLOSE_SHARE = 0.02
"""Roots are looked for to this part of the tolerance."""

_LEAST_SLOPE = 0.1
"""Stands for a flatter slope of ln delta until a secant measured one."""

_OVERSHOT = 0.4
"""A secant's root is passed by this part of the distance asked for, so that both ends close in."""

_LEAST_START = 1e-9
"""Where a search begins that has no guess above 0."""

_LARGEST_EPSILON = 1e300
"""Beyond it a search gives up."""

_COARSE = 129
"""The epsilons at which delta is computed before the search for the best dual of every place."""

_BEYOND = 1.5
"""The largest of these epsilons, relative to the furthest loss that a tilt centers."""

_STEEPEST = 690.0
"""The exponential of an epsilon much larger is no double."""

_INNER, _ZOOMS = 9, 6
"""Places inside an interval at which an interpolated dual is compared, and how often that is done:
each time an interval a fifth as long is left."""

_LEAST_DELTA = 1e-300
"""Stands for a delta of 0, of which there is no logarithm."""


def delta_ends(product: TiltedProduct, epsilons: Sequence[Fraction]) -> list[Ends]:
    """Ends of delta at epsilons."""
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
    """Whether each delta is certified to be kept at a floor; not asked if all floors are 0."""
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
    """Ends of epsilon at deltas.

    Args:
        guesses: about the epsilons, and the slopes of -ln delta there.
        cap: what no epsilon exceeds.
        tolerance: the relative width that is asked for.
    """
    low = np.array([float_down(delta) for delta in deltas])
    high = np.array([float_up(delta) for delta in deltas])
    close = _CLOSE_SHARE * tolerance
    upper = np.minimum(_roots(product, low, guesses, close), cap)
    begin = np.where(np.isfinite(upper), upper, np.maximum(guesses[0], 0.0))
    if product.merged is None:
        lower = np.zeros(len(low))
        # Next to a root from above lies one from below, unless the two bounds are far apart.
        for gap in (2 * close, 8 * close, 64 * close, 1024 * close):
            point = begin * (1 - min(gap, 1.0))
            reached = product.profile.lower_at(point) > high
            lower = np.where(reached & (lower == 0), point, lower)
    else:
        tests = product.merged.tests_at(begin)
        lower = np.array([own.epsilon(delta) for own, delta in zip(tests, high, strict=True)])
    return [
        (min(below, above), above)
        for below, above in zip(lower.tolist(), upper.tolist(), strict=True)
    ]


def _roots(
    product: TiltedProduct, targets: Floats, guesses: tuple[Floats, Floats], close: float
) -> Floats:
    """Epsilons at which delta is certified to be at most the targets, close to the least ones.

    As ``search.smallest_kept``, at all places at once; infinite if none was found.
    """
    curve = product.profile.upper_at
    above = np.where(curve(np.zeros(1))[0] <= targets, 0.0, math.inf)
    below = np.zeros(len(targets))
    point = np.where(guesses[0] > 0, guesses[0], _LEAST_START)
    rate = np.maximum(guesses[1], _LEAST_SLOPE)
    previous: tuple[Floats, Floats] | None = None
    for _ in range(_ROUNDS):
        wide = (above - below > close * above) | np.isinf(above)
        wide &= (above > 0) & (point < _LARGEST_EPSILON)
        if not wide.any():
            break
        value = np.zeros(len(targets))
        value[wide] = curve(point[wide])
        over = value > targets
        below = np.where(wide & over, np.maximum(below, point), below)
        above = np.where(wide & ~over, np.minimum(above, point), above)
        height = np.log(np.maximum(value, _LEAST_DELTA)) - np.log(targets)
        if previous is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                measured = (previous[1] - height) / (point - previous[0])
            rate = np.where(np.isfinite(measured) & (measured > 0), measured, rate)
        previous = (point, height)
        hair = _OVERSHOT * close * point * np.where(over, 1.0, -1.0)
        following = point + height / rate + hair
        inside = (below < following) & (following < above)
        onward = np.clip(following, below * (1 + close), 10 * below + 1)
        halved = np.where(inside, following, (below + np.minimum(above, _LARGEST_EPSILON)) / 2)
        point = np.where(np.isinf(above), onward, halved)
    return above


def operating_ends(
    products: Sequence[TiltedProduct], rates: Sequence[Fraction], reach: float
) -> list[tuple[Ends, Ends]]:
    """Ends of the type II error, and of the power, at type I errors in (0, 1).

    Args:
        products: the composition of every direction that counts.
        reach: about the largest loss at which a test decides.
    """
    low = [float_down(rate) for rate in rates]
    high = np.array([float_up(rate) for rate in rates])
    best = _best_slopes(products, high, reach)
    duals = [dual for slopes in best for dual in [_duals(products, slopes, high)]]
    lower = np.maximum(np.max([direct for direct, _ in duals], axis=0), 0.0)
    above = np.minimum(np.min([-power for _, power in duals], axis=0), 1.0)
    slopes = best[0]
    tests = [
        list(zip(product.tests_at(slopes), product.tests_at(-slopes), strict=True))
        for product in products
    ]
    ends_of_points: list[tuple[Ends, Ends]] = []
    for place, type_i in enumerate(low):
        own = [test for each in tests for test in each[place]]
        upper, power = _achieved(own, type_i, float(slopes[place]))
        below, reached = float(lower[place]), float(above[place])
        ends_of_points.append(((min(below, upper), upper), (min(power, reached), reached)))
    return ends_of_points


def _achieved(tests: Sequence[Tests], type_i: float, slope: float) -> tuple[float, float]:
    """A type II error that some tests achieve, from above, and a power, from below."""
    each = [test.type_ii(type_i) for test in tests]
    upper = min(missed for missed, _, _ in each)
    power = max(max(power, 1 - missed - 2 * UNIT) for missed, _, power in each)
    chord = chord_of_tests([test.errors for test in tests if len(test.first)], type_i, slope)
    return min(upper, chord), max(power, 1 - chord - 2 * UNIT)


def _duals(
    products: Sequence[TiltedProduct], epsilons: Floats, rates: Floats
) -> tuple[Floats, Floats]:
    delta = np.max([product.profile.upper_at(epsilons) for product in products], axis=0)
    points = zip(epsilons.tolist(), delta.tolist(), rates.tolist(), strict=True)
    both = np.array([dual_of(epsilon, own, rate) for epsilon, own, rate in points])
    return both[:, 0], both[:, 1]


def _best_slopes(products: Sequence[TiltedProduct], rates: Floats, reach: float) -> list[Floats]:
    """About the epsilons with the best duals: by delta at some epsilons, and between by cubics.

    On a lattice the best one is a loss that occurs: the points on either side follow.
    """
    grid = np.linspace(0.0, min(max(_BEYOND * reach, _LEAST_START), _STEEPEST), _COARSE)
    logs = [np.log(np.maximum(p.profile.upper_at(grid), _LEAST_DELTA)) for p in products]
    ends = np.zeros(len(rates)), np.full(len(rates), grid[-1])
    low, high = ends
    inner = np.linspace(0.0, 1.0, _COARSE)
    for _ in range(_ZOOMS):
        points = low[:, None] + (high - low)[:, None] * inner
        delta = np.max([np.exp(_cubic(grid, own, points)) for own in logs], axis=0)
        growth = np.exp(points)
        direct = 1 - delta - growth * rates[:, None]
        mirrored = (1 - delta - rates[:, None]) / growth
        place = np.argmax(np.maximum(direct, mirrored), axis=1)
        spacing = (high - low) * (inner[1] - inner[0])
        best = points[np.arange(len(rates)), place]
        low, high = np.maximum(best - spacing, ends[0]), np.minimum(best + spacing, ends[1])
        inner = np.linspace(0.0, 1.0, _INNER)
    slopes = [best]
    for product in products:
        if product.merged is None:
            scale = product.profile.scale
            firsts = [scale.first_above(Fraction(slope)) for slope in best.tolist()]
            for move in (-1, 0):
                losses = [float_up(scale.loss_at(first + move)) for first in firsts]
                slopes.append(np.clip(np.array(losses), 0.0, _STEEPEST))
    return slopes


def _cubic(grid: Floats, values: Floats, points: Floats) -> Floats:
    """The cubic through the four values around each point, on an even grid; an estimate."""
    step = grid[1] - grid[0]
    first = np.clip(np.floor((points - grid[0]) / step).astype(np.int64) - 1, 0, len(grid) - 4)
    x = (points - grid[first]) / step
    a, b, c, d = (values[first + place] for place in range(4))
    estimate: Floats = (
        -a * (x - 1) * (x - 2) * (x - 3) / 6
        + b * x * (x - 2) * (x - 3) / 2
        - c * x * (x - 1) * (x - 3) / 2
        + d * x * (x - 1) * (x - 2) / 6
    )
    return estimate
