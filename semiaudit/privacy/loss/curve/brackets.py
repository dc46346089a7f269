"""Numbers of one product at many places, from compositions that they share.

A tilt centers a composed law at one loss, and its weights give delta within some nats around it as
precisely as at the center. So the places of a curve, in their order, fall into few runs with one
tilt each: a run is composed once, on the grid that its most demanding place needs, and the law is
summed once for all of its places. Every bracket is certified by itself; a place whose bracket is
too wide is left out, and computed by itself.

The bounds of a number at many places come from the same compositions, as in ``refinement`` and
``tradeoff_ends`` at one place: delta from above by the dominating version, from below by tests;
epsilon by a search for the root; operating points by duality and by tests. Searches go on at
all places at once, because a law is summed for many places at the cost of one. A search may go
anywhere: the number that it returns was evaluated.

Places of a curve in runs that one tilt each serves: estimates, on which no bound rests.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple, assert_never

import numpy as np

from semiaudit import deadline
from semiaudit.errors import RefusedError
from semiaudit.frozen import dataclass
from semiaudit.numeric.rationals import float_down, float_up
from semiaudit.privacy.loss.bracket import Accuracy, Bracket, Number, hull_of_maxima
from semiaudit.privacy.loss.direction import Direction, direction_of
from semiaudit.privacy.loss.laws.spectrum import Integers
from semiaudit.privacy.loss.merged_law import Tests
from semiaudit.privacy.loss.normal_estimate import (
    NormalEstimate,
    variance_allowed,
    with_threshold_of_test,
)
from semiaudit.privacy.loss.normal_form import NormalForm
from semiaudit.privacy.loss.pairs.pair_kind import Ends
from semiaudit.privacy.loss.refinement import Plan, first_step, refined_together
from semiaudit.privacy.loss.sources.loss_source import UNIT, Floats
from semiaudit.privacy.loss.tilted_product import TiltedProduct
from semiaudit.privacy.loss.tradeoff_ends import chord_of_tests, dual_of, worse_order

_NODES = 5
"""Places for which a tilt is looked for; those between get one between."""

_MOST_COMPARED = 256
"""The most places that are compared with each other, of more every second, third, ... one."""

_SHALLOWER = (0.85, 0.7, 0.55, 0.4, 0.25)
"""Parts of the depth that are tried once the number of runs is known."""


@dataclass(frozen=True, slots=True)
class Course:
    """The tilts of one direction along a curve, all estimated: no bound depends on them.

    Attributes:
        tilts: for each place. moments: ln E exp(tilt L). losses: what the tilt centers.
        spreads: the standard deviation at that tilt.
    """

    direction: Direction
    tilts: Floats
    moments: Floats
    losses: Floats
    spreads: Floats

    @property
    def estimate(self) -> NormalEstimate:
        """The tilted losses as normal laws, with what the tilts center as thresholds."""
        return NormalEstimate(self.tilts, self.moments, self.losses, self.spreads, self.losses)

    def depths(self, places: Integers, centres: Integers | int) -> Floats:
        """Nats by which the tilts of centers weigh places less than their own tilts do."""
        own = self.moments[places] - self.tilts[places] * self.losses[places]
        here = self.moments[centres] - self.tilts[centres] * self.losses[places]
        return np.maximum(here - own, 0.0)


@dataclass(frozen=True, slots=True)
class Run:
    """Neighboring places, and the one whose tilts serve all of them."""

    places: Integers
    centre: int
    depth: float


def course_of(direction: Direction, keys: Floats, tilt_of: Callable[[int], float]) -> Course:
    """The tilts along a curve: looked for at some places, and between them interpolated."""
    nodes = sorted({round(place) for place in np.linspace(0, len(keys) - 1, _NODES)})
    known_tilts = [tilt_of(node) for node in nodes]
    cumulants = [direction.cumulants(tilt) for tilt in known_tilts]
    tilts = np.interp(keys, keys[nodes], known_tilts)
    means = np.interp(keys, keys[nodes], [mean for _, mean, _ in cumulants])
    spreads = np.interp(keys, keys[nodes], [math.sqrt(variance) for *_, variance in cumulants])
    last = np.searchsorted(nodes, np.arange(len(keys)), side="right") - 1
    begin = np.array(nodes)[last]
    # The mean is the derivative of the logarithm of the moment.
    moved = (tilts - tilts[begin]) * (means + means[begin]) / 2
    moments = np.array([moment for moment, _, _ in cumulants])[last] + moved
    return Course(direction, tilts, moments, means, spreads)


def runs_of(courses: Sequence[Course], places: Integers, deepest: float) -> list[Run]:
    """The places in as few runs as the depth allows, each no deeper than that number needs.

    Of very many places some stand for their neighbors, so that time and memory grow with the number
    of places, not with its square.
    """
    stride = -(-len(places) // _MOST_COMPARED)
    some = places[::stride]
    depths = _depths(courses, some[:, None], some)
    cuts = _greedy(depths, deepest)
    for share in _SHALLOWER:
        shallower = _greedy(depths, share * deepest)
        if len(shallower) > len(cuts):
            break
        cuts = shallower
    runs = []
    for first, end, centre in cuts:
        own = places[first * stride : end * stride]
        depth = float(_depths(courses, own, some[centre]).max())
        runs.append(Run(own, int(some[centre]), depth))
    return runs


def leaning(courses: Sequence[Course], run: Run, deepest: float) -> Run:
    """The run with its center halfway to the largest tilt, if that reaches all places too.

    Sampled noise is listed coarsely where the tilted law has hardly any mass. Places with larger
    tilts feel that, those with smaller ones do not.
    """
    steepest = int(run.places[np.argmax(courses[0].tilts[run.places])])
    centre = (run.centre + steepest) // 2
    depth = float(_depths(courses, run.places, centre).max())
    return Run(run.places, centre, depth) if depth <= deepest else run


def _greedy(depths: Floats, deepest: float) -> list[tuple[int, int, int]]:
    """Runs from the first place on, each as long as some center reaches: first, end, and center."""
    runs: list[tuple[int, int, int]] = []
    first, number = 0, len(depths)
    while first < number:
        # Of each center the first place that it does not reach.
        within = depths[first:] <= deepest
        ends = np.where(within.all(axis=0), number - first, np.argmin(within, axis=0))
        end = first + max(int(ends[first:].max()), 1)
        worst = depths[first:end, first:end].max(axis=0)
        runs.append((first, end, first + int(np.argmin(worst))))
        first = end
    return runs


def _depths(courses: Sequence[Course], places: Integers, centres: Integers | int) -> Floats:
    depths: Floats = np.max([course.depths(places, centres) for course in courses], axis=0)
    return depths


_ROUNDS = 24
"""Evaluations of each root at most; six are the rule."""

_CLOSE_SHARE = 0.02
"""Roots are looked for to this part of the tolerance."""

_LEAST_SLOPE = 0.1
"""Stands for a flatter slope of ln delta until a secant measured one."""

_OVERSHOT = 0.4
"""A secant's root is passed by this part of the distance asked for, so that both ends close in."""

_LEAST_START = 1e-9
"""The start of a search that has no guess above 0."""

_LARGEST_EPSILON = 1e300
"""Beyond it a search gives up."""

_COARSE, _SMOOTH = 1025, 257
"""The epsilons at which delta is computed before the search for the best dual of every place."""

_BEYOND = 1.5
"""The largest of these epsilons, relative to the furthest loss that a tilt centers."""

_STEEPEST = 690.0
"""The exponential of an epsilon much larger is no double."""

_INNER, _ZOOMS = 9, 3
"""Places around the best dual at which others are compared with it, and how often that is done:
each time an interval a quarter as long is left."""

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
    products: Sequence[TiltedProduct],
    mirrored: Sequence[TiltedProduct],
    rates: Sequence[Fraction],
    reach: float,
) -> list[tuple[Ends, Ends]]:
    """Ends of the type II error, and of the power, at type I errors in (0, 1).

    Args:
        products: the composition of every direction that counts.
        mirrored: the reversed ones; for the symmetrised function, the same.
        reach: about the largest loss at which a test decides.
    """
    low = [float_down(rate) for rate in rates]
    high = np.array([float_up(rate) for rate in rates])
    best = _best_slopes(products, mirrored, high, reach)
    duals = [_duals(products, mirrored, slopes, high) for slopes in best]
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
        slope = float(slopes[place])
        upper, power = _achieved(own, type_i, slope, chord=mirrored is products)
        below, reached = float(lower[place]), float(above[place])
        ends_of_points.append(((min(below, upper), upper), (min(power, reached), reached)))
    return ends_of_points


def _achieved(
    tests: Sequence[Tests], type_i: float, slope: float, *, chord: bool
) -> tuple[float, float]:
    """A type II error that some tests achieve, from above, and a power, from below."""
    each = [test.type_ii(type_i) for test in tests]
    upper = min(missed for missed, _, _ in each)
    power = max(max(power, 1 - missed - 2 * UNIT) for missed, _, power in each)
    if chord:
        lowest = chord_of_tests([test.errors for test in tests if len(test.first)], type_i, slope)
        upper, power = min(upper, lowest), max(power, 1 - lowest - 2 * UNIT)
    return upper, power


def _duals(
    products: Sequence[TiltedProduct],
    mirrored: Sequence[TiltedProduct],
    epsilons: Floats,
    rates: Floats,
) -> tuple[Floats, Floats]:
    deltas = [
        np.max([product.profile.upper_at(epsilons) for product in side], axis=0).tolist()
        for side in (products, mirrored)
    ]
    points = zip(epsilons.tolist(), *deltas, rates.tolist(), strict=True)
    both = np.array([dual_of(*point) for point in points])
    return both[:, 0], both[:, 1]


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
    end = min(max(_BEYOND * reach, _LEAST_START), _STEEPEST)
    grid = np.linspace(0.0, end, _COARSE if listed else _SMOOTH)

    def values(epsilons: Floats, errors: Floats) -> Floats:
        delta = np.max([p.profile.upper_at(epsilons.ravel()) for p in products], axis=0)
        other = delta
        if mirrored is not products:
            other = np.max([p.profile.upper_at(epsilons.ravel()) for p in mirrored], axis=0)
        delta, other = delta.reshape(epsilons.shape), other.reshape(epsilons.shape)
        growth = np.exp(epsilons)
        value: Floats = np.maximum(1 - delta - growth * errors, (1 - other - errors) / growth)
        return value

    heights, spacing, place = values(grid, rates[:, None]), grid[1] - grid[0], np.arange(len(rates))
    best = np.clip(np.argmax(heights, axis=1), 1, len(grid) - 2)
    if not listed:
        # A law of few frequencies is smooth, and each of its sums costs as much as the first.
        before, here, after = (heights[place, best + move] for move in (-1, 0, 1))
        bend = np.minimum(before - 2 * here + after, -_LEAST_DELTA)
        return [grid[best] + spacing * np.clip((before - after) / bend / 2, -1.0, 1.0)]
    center = grid[best]
    for _ in range(_ZOOMS):
        moves = np.linspace(-spacing, spacing, _INNER)
        points = np.clip(center[:, None] + moves, 0.0, grid[-1])
        center = points[place, np.argmax(values(points, rates[:, None]), axis=1)]
        spacing = moves[1] - moves[0]
    slopes = [center]
    for product in products if mirrored is products else [*products, *mirrored]:
        scale = product.profile.scale
        firsts = [scale.first_above(Fraction(slope)) for slope in center.tolist()]
        for move in (-1, 0):
            losses = [float_up(scale.loss_at(first + move)) for first in firsts]
            slopes.append(np.clip(np.array(losses), 0.0, _STEEPEST))
    return slopes


_PASSES = 3
"""The number of further compositions, with runs of their own, for places that are too wide."""

_COARSER = 32.0
"""The first grid of a further direction is so much coarser."""

_FINER = 0.9
"""The first grid is finer by this than one place needs, as what is asked for again costs another
composition; not of many parts, of which a longer window costs as much."""

_LARGEST_DEPTH = 12.0
"""Nats by which a law may weigh a place less than its center, at most."""

_RESOLUTION = 1e-10
"""About the least part of the weight at the center that the sums of a law resolve."""

_ROUNDING_SHARE = 0.1
"""The part of the tolerance that this resolution may take."""

_PRECISION_SHARE = 0.03
"""The part of the tolerance that sums over few frequencies may take."""

_MANY, _MANY_DEPTH = 64, 4.5
"""Sums of so many parts are known by few frequencies, if not too precisely, or at a great cost: so
many nats are the most then."""

_SHARE_OF_TIME = 0.5
"""The part of the time that is left which shared compositions may take."""

_AT_ONCE = 2048
"""The most places at which a law is summed at once."""

_LEAST_KEY = -1e5
"""Stands for the logarithm of a place that is no double."""


EndsOfPlaces = Callable[[list[TiltedProduct], Sequence[int]], Sequence[Ends]]
"""The lower and upper bounds that products give of the numbers at some places."""


class Sharpness(NamedTuple):
    """The estimated fineness of the grid that the numbers of a curve need.

    Attributes:
        ratios: for each direction, of the number at each place to the density of the loss there.
        gains: for each place, the relative change of delta that changes the number by a relative 1.
    """

    ratios: Sequence[Floats]
    gains: Floats


def brackets(number: Number, form: NormalForm, accuracy: Accuracy) -> Mapping[Fraction, Bracket]:
    """Brackets of a number at the places of a curve.

    Args:
        number: what is asked for, of those of ``engine``.
        form: the product.
        accuracy: with the curve.

    Returns:
        The brackets that are as narrow as asked; other places are left out.

    Rounding: as in ``engine``; every bracket is certified by itself.
    """
    places = () if accuracy.curve is None else tuple(accuracy.curve.places)
    match number:
        case "delta":
            return _deltas(form, places, accuracy)
        case "epsilon":
            return _epsilons(form, places, accuracy)
        case "type_ii":
            return _operating_points(form, places, accuracy, 0)
        case "power":
            return _operating_points(form, places, accuracy, 1)
        case _:
            assert_never(number)


def _deltas(
    form: NormalForm, epsilons: Sequence[Fraction], accuracy: Accuracy
) -> Mapping[Fraction, Bracket]:
    directions = [direction_of(form, side) for side in reversed(range(form.sides))]
    requested = sorted(set(epsilons))
    if not requested or not all(direction.finite for direction in directions):
        return {}
    keys = np.array([float_down(epsilon) for epsilon in requested])

    def one(direction: Direction, floors: Sequence[float]) -> list[Bracket | None]:
        largest = direction.largest
        inside = sum(largest is None or epsilon < largest for epsilon in requested)
        # No finite loss exceeds the others: delta is the mass at an infinite one.
        beyond = [Bracket(*direction.infinite, "exact", True)] * (len(requested) - inside)
        if not inside:
            return [*beyond]
        own = keys[:inside]
        course = course_of(
            direction, own, lambda place: direction.tilt_for_epsilon(float(own[place]))
        )
        centred = replace(course, losses=np.where(course.tilts > 0, own, course.losses))

        def ends(products: list[TiltedProduct], places: Sequence[int]) -> Sequence[Ends]:
            return delta_ends(products[0], [requested[place] for place in places])

        ratio = replace(centred.estimate, threshold=own).delta_ratio
        sharpness = Sharpness([ratio], np.ones(inside))
        return [*_bracketed([centred], sharpness, accuracy, ends, floors[:inside]), *beyond]

    return _worst_sides(directions, requested, accuracy, one)


def _epsilons(
    form: NormalForm, deltas: Sequence[Fraction], accuracy: Accuracy
) -> Mapping[Fraction, Bracket]:
    directions = [direction_of(form, side) for side in reversed(range(form.sides))]
    least = max(direction.infinite[1] for direction in directions)
    requested = sorted({delta for delta in deltas if least < float_down(delta) < 1})
    if not requested or not all(direction.finite for direction in directions):
        return {}
    keys = np.array([_log(delta) for delta in requested])

    def one(direction: Direction, floors: Sequence[float]) -> list[Bracket | None]:
        course = course_of(
            direction, keys, lambda place: direction.tilt_for_delta(float_down(requested[place]))
        )
        estimate = course.estimate
        cap = math.inf if direction.largest is None else max(float_up(direction.largest), 0.0)

        def ends(products: list[TiltedProduct], places: Sequence[int]) -> Sequence[Ends]:
            own_floors = np.array([floors[place] for place in places])
            at_floor = keeps(products[0], [requested[place] for place in places], own_floors)
            others = [place for place, enough in zip(places, at_floor, strict=True) if not enough]
            own = [requested[place] for place in others]
            guesses = course.losses[others], course.tilts[others]
            all_ends = epsilon_ends(products[0], own, guesses, cap, accuracy.tolerance)
            by_place = dict(zip(others, all_ends, strict=True))
            # Nothing narrower is asked for of an epsilon that does not exceed its floor.
            return [by_place.get(place, (0.0, floors[place])) for place in places]

        sharpness = Sharpness([estimate.epsilon_ratio], estimate.gain_of_epsilon)
        return _bracketed([course], sharpness, accuracy, ends, floors)

    return _worst_sides(directions, requested, accuracy, one)


def _operating_points(
    form: NormalForm, rates: Sequence[Fraction], accuracy: Accuracy, number: int
) -> Mapping[Fraction, Bracket]:
    """Bracket type II errors (0) or powers (1) at type I errors."""
    directions = [direction_of(form, side) for side in range(form.sides)]
    requested = sorted({rate for rate in rates if 0 < rate < 1})
    if not requested or not all(direction.finite for direction in directions):
        return {}
    keys = np.array([_log(rate) - _log(1 - rate) for rate in requested])
    courses = [course_of(d, keys, _tilt_for_type_i(d, requested)) for d in directions]
    errors = np.array([float(rate) for rate in requested])
    tests = [with_threshold_of_test(course.estimate, errors) for course in courses]
    ratios = [test.power_ratio(errors) if number else test.type_ii_ratio(errors) for test in tests]
    reach = float(max(np.abs(course.losses).max() for course in courses))

    def ends(products: list[TiltedProduct], places: Sequence[int]) -> Sequence[Ends]:
        own = [requested[place] for place in places]
        if not form.has_two_orders:
            return [both[number] for both in operating_ends(products, products, own, reach)]
        orders = zip(products, reversed(products), strict=True)
        each = [operating_ends([p], [q], own, reach) for p, q in orders]
        return [worse_order(both)[number] for both in zip(*each, strict=True)]

    floors = [0.0] * len(requested)
    brackets_found = _bracketed(
        courses, Sharpness(ratios, np.ones(len(requested))), accuracy, ends, floors
    )
    pairs = zip(requested, brackets_found, strict=True)
    return {rate: bracket for rate, bracket in pairs if bracket is not None}


def _tilt_for_type_i(direction: Direction, rates: Sequence[Fraction]) -> Callable[[int], float]:
    return lambda place: direction.tilt_for_type_i(float(rates[place]))


def _bracketed(
    courses: Sequence[Course],
    sharpness: Sharpness,
    accuracy: Accuracy,
    ends: EndsOfPlaces,
    floors: Sequence[float],
) -> list[Bracket | None]:
    """A bracket of each place, narrow enough; None if the shared compositions have none."""
    resolved = math.log(max(_ROUNDING_SHARE * accuracy.tolerance / _RESOLUTION, 1.0))
    many = any(len(course.direction.parts) >= _MANY for course in courses)
    deepest = min(resolved, _MANY_DEPTH if many else _LARGEST_DEPTH)
    bracketed: list[Bracket | None] = [None] * len(floors)
    remaining = list(range(len(floors)))
    for attempt in range(_PASSES):
        for run in runs_of(courses, np.array(remaining), deepest):
            places = run.places.tolist()
            coarse = not attempt and max(floors) > 0
            factor = _COARSER if coarse else 1.0 if many else _FINER
            own_run = run if many else leaning(courses, run, deepest)
            plan = _plan(courses, own_run, accuracy, sharpness, factor)
            own = _of_places(ends, places)
            with suppress(RefusedError), deadline.part(_SHARE_OF_TIME):
                brackets = refined_together(plan, accuracy, own, [floors[p] for p in places])
                for place, bracket in zip(places, brackets, strict=True):
                    bracketed[place] = bracket if bracket.complete else None
        remaining = [place for place in remaining if bracketed[place] is None]
        if len(remaining) < 2:
            break
    return bracketed


def _of_places(ends: EndsOfPlaces, places: Sequence[int]) -> EndsOfPlaces:
    """Return the ends of some places, by their numbers among these places.

    A law is summed for some of them at once, so that memory does not grow with their number.
    """

    def own(products: list[TiltedProduct], numbers: Sequence[int]) -> Sequence[Ends]:
        all_ends: list[Ends] = []
        for first in range(0, len(numbers), _AT_ONCE):
            some = numbers[first : first + _AT_ONCE]
            all_ends += ends(products, [places[number] for number in some])
        return all_ends

    return own


def _plan(
    courses: Sequence[Course],
    run: Run,
    accuracy: Accuracy,
    sharpness: Sharpness,
    factor: float,
) -> Plan:
    """The first composition of a run: its grid is fine enough for the most demanding place.

    Args:
        factor: of the step of that grid. Where another direction has numbers already, most places
            need no more than a coarse grid.
    """
    places = run.places
    ratios, gains = sharpness.ratios, sharpness.gains
    exact = Accuracy(accuracy.tolerance)
    step = math.inf
    for course, ratio in zip(courses, ratios, strict=True):
        hardest = places[int(np.argmin(ratio[places]))]
        allowed = variance_allowed(ratio[hardest], accuracy.tolerance)
        own = first_step(course.direction, float(course.tilts[hardest]), exact, allowed)
        step = min(step, own)
    directions = [(course.direction, float(course.tilts[run.centre])) for course in courses]
    share = _PRECISION_SHARE
    gain = float(gains[places].min())
    precision = min(share * accuracy.tolerance * gain, share) * math.exp(-run.depth)
    return Plan(directions, step * factor, precision, shared=True)


def _worst_sides(
    directions: Sequence[Direction],
    requested: Sequence[Fraction],
    accuracy: Accuracy,
    one: Callable[[Direction, Sequence[float]], list[Bracket | None]],
) -> Mapping[Fraction, Bracket]:
    """The largest of all sides' numbers at each place; see ``refinement``."""
    worst: dict[int, Bracket] | None = None
    for direction in directions:
        known = worst or {}
        floors = [known[p].lower if p in known else 0.0 for p in range(len(requested))]
        own = {p: b for p, b in enumerate(one(direction, floors)) if b is not None}
        if worst is None:
            worst = own
        else:
            worst = {
                place: hull_of_maxima(worst[place], own[place], accuracy.tolerance)
                for place in worst.keys() & own.keys()
            }
    worst_by_place = worst or {}
    return {
        requested[place]: worst_by_place[place]
        for place in sorted(worst_by_place)
        if worst_by_place[place].complete
    }


def _log(value: Fraction) -> float:
    number = float(value)
    return math.log(number) if number > 0 else _LEAST_KEY
