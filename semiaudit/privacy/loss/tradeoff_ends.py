"""Bounds on a tradeoff function at type I errors, of one order of two datasets or of both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from semiaudit.numeric.rationals import float_down, float_up
from semiaudit.privacy.loss.merged_law import Tests
from semiaudit.privacy.loss.pairs.pair_kind import Ends
from semiaudit.privacy.loss.sources.loss_source import UNIT, Floats
from semiaudit.privacy.loss.tilted_product import TiltedProduct

_LARGEST = 700.0
"""The exponential of a much larger epsilon is not a double."""

_COARSE, _SMOOTH = 1025, 257
"""The epsilons at which delta is computed before the search for the best dual of every place."""

_BEYOND = 1.5
"""The largest of these epsilons, relative to the furthest loss that a tilt centers."""

_FURTHER = 4
"""The grid is so much longer as long as a dual still increases at its end."""

_LEAST_REACH = 1e-9
"""Replaces a reach of 0."""

_STEEPEST = 690.0
"""The exponential of an epsilon much larger is no double."""

_INNER, _ZOOMS, _ZOOMS_ALONE = 9, 3, 8
"""Places around the best dual at which others are compared with it, and how often that is done, for
listed laws and for a single type I error of others: each time, a quarter of the interval is left.
"""

_HALF = 0.5
"""For a larger type II error, the search uses the power, in which doubles keep more digits."""

_LEAST_DELTA = 1e-300
"""Stands for a delta of 0, of which there is no logarithm."""

Dual = tuple[float, float]
"""(lower bound on the type II error, minus an upper bound on the power)."""


def chord_of_tests(errors: Sequence[tuple[Floats, Floats]], type_i: float, epsilon: float) -> float:
    """Return an upper bound on the symmetrised function at a type I error: a chord of tests.

    The function is the largest convex one below both directions, so the two tests of a chord can be
    from different directions.

    Args:
        errors: both errors of the tests of each direction, from above.
        type_i: rounded down. epsilon: the slope of the best dual is about -e^epsilon, or
            -e^-epsilon: the tests that are nearest to its line are joined.
    """
    x = np.concatenate([[0.0], *(side for pair in errors for side in pair), [1.0]])
    y = np.concatenate([[1.0], *(side for pair in errors for side in pair[::-1]), [0.0]])
    before, best = x <= type_i, 1.0
    for slope in (math.exp(-epsilon), math.exp(min(epsilon, _LARGEST))):
        height = y + slope * x
        start = int(np.argmin(np.where(before, height, np.inf)))
        end = int(np.argmin(np.where(before, np.inf, height)))
        share = (type_i - x[start]) / (x[end] - x[start])
        best = min(best, float(y[start] + (y[end] - y[start]) * share) * (1 + 16 * UNIT) + 8 * UNIT)
    return max(best, 0.0)


def worse_order(each: Sequence[tuple[Ends, Ends]]) -> tuple[Ends, Ends]:
    """Return the bounds of the order with the smaller type II error, and the larger power."""
    missed, powers = ([ends[place] for ends in each] for place in (0, 1))
    smallest = min(low for low, _ in missed), min(high for _, high in missed)
    return smallest, (max(low for low, _ in powers), max(high for _, high in powers))


def dual_of(epsilon: float, delta: float, mirrored_delta: float, type_i: float) -> Dual:
    """Return the dual bound by delta(epsilon): on the type II error, and minus that on the power.

    Args:
        delta, mirrored_delta: of (P, Q) and of (Q, P), from above. type_i: rounded up.
    """
    if epsilon > _LARGEST:
        # The other dual is close to 0.
        spent = math.exp(min(epsilon + math.log(type_i), _LARGEST)) * (1 + 4000 * UNIT)
        return 1 - delta - spent - 4 * UNIT * (1 + spent), -(delta + spent) * (1 + 4 * UNIT)
    growth = math.exp(epsilon) * (1 + 4 * UNIT)
    spent = growth * type_i
    direct = 1 - delta - spent - 4 * UNIT * (1 + spent)
    mirrored = (1 - mirrored_delta - type_i - 4 * UNIT) / growth
    mirrored *= 1 - 4 * UNIT if mirrored > 0 else 1 + 4 * UNIT
    power = min((delta + spent) * (1 + 4 * UNIT), 1 - mirrored + 2 * UNIT)
    return max(direct, mirrored), -power


def operating_ends(
    products: Sequence[TiltedProduct],
    mirrored: Sequence[TiltedProduct],
    rates: Sequence[Fraction],
    reach: float,
    centres: Sequence[Floats],
    largest: Fraction | None,
) -> list[tuple[Ends, Ends]]:
    """Return certified bounds on the type II errors, and on the powers, at type I errors in (0, 1).

    Args:
        products: the composition of every direction that counts.
        mirrored: the reversed ones; for the symmetrised function, the same.
        reach: about the largest loss at which a test decides.
        centres: for each product, about the losses at which single tests decide; no bound depends
            on it.
        largest: an upper bound on all finite losses in all directions; None if they are unbounded.
    """
    # The type II error decreases in the type I error: its value at the smaller ``low`` bounds it
    # from above, and its value at the larger ``high`` from below.
    low, high = ([side(rate) for rate in rates] for side in (float_down, float_up))
    errors = np.array(high)
    slopes = _best_slopes(products, mirrored, errors, reach)
    tests = [own for p in products for own in (p.tests_at(slopes[0]), p.tests_at(-slopes[0]))]
    if len(rates) == 1:
        tests += [p.tests_at(at) for p, at in zip(products, centres, strict=True)]
    achieved = [
        _achieved([own[place] for own in tests], rate, slope, chord=mirrored is products)
        for place, (rate, slope) in enumerate(zip(low, slopes[0].tolist(), strict=True))
    ]
    # If likelihood ratios are cut at e^c, the slope is that of the dual at epsilon = |c|.
    thresholds = np.abs([threshold for _, threshold, _ in achieved])
    step = max(product.profile.scale.step for product in products)
    slopes += [np.maximum(thresholds + move * step, 0.0) for move in (-1, 0, 1)]
    duals = [_duals(products, mirrored, own, errors) for own in (*slopes, np.zeros(len(low)))]
    if largest is not None and largest >= 0:
        # Above it, delta is the mass with an infinite loss.
        delta, other = (max(p.profile.scale.infinite[1] for p in o) for o in (products, mirrored))
        duals.append([dual_of(float_up(largest), delta, other, rate) for rate in high])
    missed, powers = np.max(duals, axis=0).T.tolist()
    return [
        # ``min`` can only decrease a lower bound, so it is on the safe side.
        ((min(max(below, 0.0), upper), upper), (min(power, -above, 1.0), min(-above, 1.0)))
        for below, above, (upper, _, power) in zip(missed, powers, achieved, strict=True)
    ]


def _achieved(
    tests: Sequence[Tests], type_i: float, slope: float, *, chord: bool
) -> tuple[float, float, float]:
    """Return what some tests achieve at a type I error.

    Returns:
        The type II error from above, the threshold of the test, and the power from below.
    """
    each = [test.type_ii(type_i) for test in tests]
    upper, threshold, _ = min(each)
    # The symmetrised function and the smaller function are below both directions, so a test of
    # either one bounds them.
    power = max(max(power, 1 - missed - 2 * UNIT) for missed, _, power in each)
    if chord:
        lowest = chord_of_tests([test.errors for test in tests if len(test.first)], type_i, slope)
        upper, power = min(upper, lowest), max(power, 1 - lowest - 2 * UNIT)
    return upper, threshold, power


def _duals(
    products: Sequence[TiltedProduct],
    mirrored: Sequence[TiltedProduct],
    epsilons: Floats,
    rates: Floats,
) -> list[Dual]:
    # A larger delta holds for all products, so the dual bounds all of them from below.
    deltas = [
        np.max([product.profile.upper_at(epsilons) for product in side], axis=0).tolist()
        for side in (products, mirrored)
    ]
    points = zip(epsilons.tolist(), *deltas, rates.tolist(), strict=True)
    return [dual_of(*point) for point in points]


def _best_slopes(
    products: Sequence[TiltedProduct],
    mirrored: Sequence[TiltedProduct],
    rates: Floats,
    reach: float,
) -> list[Floats]:
    """Epsilons with about the best duals: the best of a grid, and of closer ones around it.

    A composed law has its losses on a grid, and the best dual is at one of them: the points on
    either side follow.
    """
    listed = all(p.profile.law.everywhere for p in (*products, *mirrored))
    end = min(max(_BEYOND * reach, _LEAST_REACH), _STEEPEST)

    def heights(epsilons: Floats, errors: Floats) -> Floats:
        """Return the duals, less 1 where they are large."""
        delta = np.max([p.profile.upper_at(epsilons.ravel()) for p in products], axis=0)
        other = delta
        if mirrored is not products:
            other = np.max([p.profile.upper_at(epsilons.ravel()) for p in mirrored], axis=0)
        delta, other = delta.reshape(epsilons.shape), other.reshape(epsilons.shape)
        growth = np.exp(epsilons)
        spent, rest = delta + growth * errors, (1 - other - errors) / growth
        duals = np.maximum(np.maximum(1 - spent, rest), 0.0)
        large = duals.max(axis=1, keepdims=True) > _HALF
        found: Floats = np.where(large, np.maximum(-spent, rest - 1), duals)
        return found

    while True:
        grid = np.linspace(0.0, end, _COARSE if listed else _SMOOTH)
        found = heights(grid, rates[:, None])
        best = np.argmax(found, axis=1)
        if best.max() < len(grid) - 1 or end >= _STEEPEST:
            break
        end = min(_FURTHER * end, _STEEPEST)
    spacing, place, best = grid[1], np.arange(len(rates)), np.clip(best, 1, len(grid) - 2)
    if not listed and len(rates) > 1:
        # A law of few frequencies is smooth, and each of its sums costs as much as the first.
        before, here, after = (found[place, best + move] for move in (-1, 0, 1))
        bend = np.minimum(before - 2 * here + after, -_LEAST_DELTA)
        return [grid[best] + spacing * np.clip((before - after) / bend / 2, -1.0, 1.0)]
    center = grid[best]
    for _ in range(_ZOOMS if listed else _ZOOMS_ALONE):
        moves = np.linspace(-spacing, spacing, _INNER)
        points = np.clip(center[:, None] + moves, 0.0, grid[-1])
        center = points[place, np.argmax(heights(points, rates[:, None]), axis=1)]
        spacing = moves[1] - moves[0]
    slopes = [center]
    for product in products if mirrored is products else [*products, *mirrored]:
        scale = product.profile.scale
        firsts = [scale.first_above(Fraction(slope)) for slope in center.tolist()]
        for move in (-1, 0):
            losses = [float_up(scale.loss_at(first + move)) for first in firsts]
            slopes.append(np.clip(np.array(losses), 0.0, _STEEPEST))
    return slopes
