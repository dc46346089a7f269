"""Bounds on a tradeoff function at one type I error, of one order of two datasets or of both."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from semiaudit.numeric.rationals import float_down, float_up
from semiaudit.privacy.loss.pairs.pair_kind import Ends
from semiaudit.privacy.loss.sources.loss_source import UNIT, Floats
from semiaudit.privacy.loss.tilted_product import TiltedProduct

_GOLDEN = (math.sqrt(5) - 1) / 2
"""The part of an interval that a golden section keeps."""

_SECTIONS = 24
"""The golden sections of a search. They leave 1e-5 of the interval; near its peak, a curve changes
by the square of that."""

_NEARBY = 64
"""Grid steps on either side of the threshold in which the search for the best dual starts."""

_FURTHER = 4
"""A side at whose end the dual still increases is extended by this factor."""

_EXTENSIONS = 20
"""The most extensions: 64 * 4^20 steps are the length of any window."""

_MOST_ROUNDS = 8
"""The most rounds of tests around the best one so far; three are typical."""

_HALF = 0.5
"""For a larger type II error, the search uses the power, in which doubles keep more digits."""

_LARGEST = 700.0
"""The exponential of a much larger epsilon is not a double."""

Dual = tuple[float, float]
"""(lower bound on the type II error, minus an upper bound on the power)."""


def tradeoff_ends(
    products: Sequence[TiltedProduct],
    mirrored: Sequence[TiltedProduct],
    type_i: Fraction,
    centres: Sequence[float],
    largest: Fraction | None,
) -> tuple[Ends, Ends]:
    """Return certified bounds on the type II error at type_i, and on the power.

    Args:
        products: the composition of every direction that counts.
        mirrored: the reversed ones; for the symmetrised function, the same.
        type_i: in (0, 1).
        centres: for each product, the epsilon around which its tests start; no bound depends on it.
        largest: an upper bound on all finite losses in all directions; None if they are unbounded.
    """
    # The type II error decreases in the type I error: its value at the smaller ``low`` bounds it
    # from above, and its value at the larger ``high`` from below.
    low, high = float_down(type_i), float_up(type_i)
    cut, power = [], 0.0
    for product, centre in zip(products, centres, strict=True):
        best = product.tests(centre).type_ii(low)
        for _ in range(0 if product.profile.law.everywhere else _MOST_ROUNDS):
            # Few tests are used, most of them near the one in the center.
            nearer = product.tests(best[1]).type_ii(low)
            if not nearer < best:
                break
            best = nearer
        cut.append(best)
        power = max(power, best[2], 1 - best[0] - 2 * UNIT)
    # The symmetrised function and the smaller function are below both directions, so a test of
    # either one bounds them.
    upper, threshold, _ = min(cut)
    # If likelihood ratios are cut at e^c, the slope is that of the dual at epsilon = |c|.
    threshold = abs(threshold)

    def dual(epsilon: float) -> Dual:
        # A larger delta holds for all products, so the dual bounds all of them from below.
        delta = max(product.profile.upper(epsilon) for product in products)
        other = max(product.profile.upper(epsilon) for product in mirrored)
        return dual_of(epsilon, delta, other, high)

    step = max(product.profile.scale.step for product in products)
    nearby = [max(threshold + move * step, 0.0) for move in (-1, 0, 1)]
    duals = [(dual(epsilon), epsilon) for epsilon in (0.0, *nearby)]
    if largest is not None and largest >= 0:
        # Above it, delta is the mass with an infinite loss.
        delta, other = (max(p.profile.scale.infinite[1] for p in o) for o in (products, mirrored))
        duals.append((dual_of(float_up(largest), delta, other, high), float_up(largest)))
    # The dual at any epsilon is a lower bound, so the search can choose any epsilon.
    place = 1 if upper > _HALF else 0
    low_end, high_end = _around_the_largest(dual, threshold, _NEARBY * step, place)
    duals += _towards_the_largest(dual, low_end, high_end, place)
    lower = max(0.0, *(products[0] for products, _ in duals))
    above = min(1.0, *(-products[1] for products, _ in duals))
    if len(products) > 1:
        _, slope = max(duals)
        chord = chord_of_tests([product.tests(slope).errors for product in products], low, slope)
        upper, power = min(upper, chord), max(power, 1 - chord - 2 * UNIT)
    # ``min`` can only decrease a lower bound, so it is on the safe side.
    return (min(lower, upper), upper), (min(power, above), above)


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


def _around_the_largest(
    curve: Callable[[float], Dual], centre: float, reach: float, place: int
) -> tuple[float, float]:
    middle = curve(centre)[place]
    for side in (-1, 1):
        end, value = centre, middle
        for attempt in range(_EXTENSIONS):
            further = max(centre + side * reach * _FURTHER**attempt, 0.0)
            next_value = curve(further)[place]
            end = further
            if next_value <= value or not further:
                break
            value = next_value
        if value > middle:
            # The curve increases on this side, so the peak is here.
            return min(centre, end), max(centre, end)
    return max(centre - reach, 0.0), centre + reach


def _towards_the_largest(
    curve: Callable[[float], Dual], low: float, high: float, place: int
) -> list[tuple[Dual, float]]:
    """Values on the way to the estimated maximum; one of the two bounds of each decides."""
    pieces: list[tuple[Dual, float]] = []
    for _ in range(_SECTIONS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        first, second = curve(left), curve(right)
        pieces += [(first, left), (second, right)]
        low, high = (low, right) if first[place] > second[place] else (left, high)
    return pieces
