"""Numbers of one product at many places, from compositions that they share.

A tilt centers a composed law at one loss, and its weights give delta within some nats around it as
precisely as at the center. So the places of a curve, in their order, fall into few runs with one
tilt each: a run is composed once, on the grid that its most demanding place needs, and the law is
summed once for all of its places. Every bracket is certified by itself; a place whose bracket is
too wide is left out, and computed by itself: a single number is a curve with one place, whose grid
is refined until it is narrow.
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
from semiaudit.numeric.rationals import float_down, float_up
from semiaudit.privacy.loss.bracket import Accuracy, Bracket, Number, hull_of_maxima
from semiaudit.privacy.loss.courses import Course, Run, course_of, leaning, runs_of
from semiaudit.privacy.loss.direction import Direction, direction_of
from semiaudit.privacy.loss.normal_estimate import (
    variance_allowed,
    with_threshold_of_test,
)
from semiaudit.privacy.loss.normal_form import NormalForm
from semiaudit.privacy.loss.pairs.pair_kind import Ends
from semiaudit.privacy.loss.profile_ends import delta_ends, epsilon_ends, keeps
from semiaudit.privacy.loss.refinement import Plan, first_step, refined, refined_together
from semiaudit.privacy.loss.sources.loss_source import Floats
from semiaudit.privacy.loss.tilted_product import TiltedProduct
from semiaudit.privacy.loss.tradeoff_ends import operating_ends, worse_order

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


def brackets(
    number: Number,
    form: NormalForm,
    places: Sequence[Fraction],
    accuracy: Accuracy,
    floor: float = 0.0,
) -> Mapping[Fraction, Bracket]:
    """Brackets of a number at the places of a curve.

    Args:
        number: what is asked for, of those of ``engine``.
        form: the product.
        places: in the range of the number.
        accuracy: of each.
        floor: numbers that are certified not to exceed it are not narrowed further.

    Returns:
        The bracket of a single place; of several, those that are as narrow as asked.

    Rounding: as in ``engine``; every bracket is certified by itself.
    """
    requested = sorted(set(places))
    match number:
        case "delta":
            found = _deltas(form, requested, accuracy, floor)
        case "epsilon":
            found = _epsilons(form, requested, accuracy, floor)
        case "type_ii":
            found = _operating_points(0, form, requested, accuracy, floor)
        case "power":
            found = _operating_points(1, form, requested, accuracy, floor)
        case _:
            assert_never(number)
    return {p: b for p, b in found.items() if b.complete or len(requested) == 1}


def _deltas(
    form: NormalForm, epsilons: Sequence[Fraction], accuracy: Accuracy, floor: float
) -> Mapping[Fraction, Bracket]:
    directions = [direction_of(form, side) for side in range(form.sides)]
    if not all(direction.finite for direction in directions):
        # P and Q have no outcome in common.
        return dict.fromkeys(epsilons, Bracket(1.0, 1.0, "exact", True))
    keys = np.array([float_down(epsilon) for epsilon in epsilons])

    def one(direction: Direction, floors: Sequence[float]) -> list[Bracket | None]:
        largest = direction.largest
        inside = sum(largest is None or epsilon < largest for epsilon in epsilons)
        # No finite loss exceeds the others: delta is the mass at an infinite one.
        beyond = [Bracket(*direction.infinite, "exact", True)] * (len(epsilons) - inside)
        if not inside:
            return [*beyond]
        own = keys[:inside]
        course = course_of(
            direction, own, lambda place: direction.tilt_for_epsilon(float(own[place]))
        )
        centred = replace(course, losses=np.where(course.tilts > 0, own, course.losses))

        def ends(products: list[TiltedProduct], places: Sequence[int]) -> Sequence[Ends]:
            return delta_ends(products[0], [epsilons[place] for place in places])

        ratio = replace(centred.estimate, threshold=own).delta_ratio
        sharpness = Sharpness([ratio], np.ones(inside))
        return [*_bracketed([centred], sharpness, accuracy, ends, floors[:inside]), *beyond]

    return _worst_sides(directions, epsilons, accuracy, one, floor)


def _epsilons(
    form: NormalForm, deltas: Sequence[Fraction], accuracy: Accuracy, floor: float
) -> Mapping[Fraction, Bracket]:
    directions = [direction_of(form, side) for side in range(form.sides)]
    infinite = max(direction.infinite[1] for direction in directions)
    if len(deltas) == 1:
        low, high = float_down(deltas[0]), float_up(deltas[0])
        if low >= 1:
            return {deltas[0]: Bracket(0.0, 0.0, "exact", True)}
        if any(not d.finite or d.infinite[0] > high for d in directions):
            # Every epsilon has at least the infinite mass as its delta.
            return {deltas[0]: Bracket(math.inf, math.inf, "exact", True)}
    else:
        deltas = [delta for delta in deltas if infinite < float_down(delta) < 1]
        if not deltas:
            return {}
    keys = np.array([_log(delta) for delta in deltas])

    def one(direction: Direction, floors: Sequence[float]) -> list[Bracket | None]:
        course = course_of(
            direction, keys, lambda place: direction.tilt_for_delta(float_down(deltas[place]))
        )
        estimate = course.estimate
        # Above the largest finite loss, only outright disclosure is left.
        largest = direction.largest if direction.infinite[1] <= float_down(deltas[0]) else None
        cap = math.inf if largest is None else max(float_up(largest), 0.0)

        def ends(products: list[TiltedProduct], places: Sequence[int]) -> Sequence[Ends]:
            own_floors = np.array([floors[place] for place in places])
            at_floor = keeps(products[0], [deltas[place] for place in places], own_floors)
            others = [place for place, enough in zip(places, at_floor, strict=True) if not enough]
            own = [deltas[place] for place in others]
            guesses = course.losses[others], course.tilts[others]
            all_ends = epsilon_ends(products[0], own, guesses, cap, accuracy.tolerance)
            by_place = dict(zip(others, all_ends, strict=True))
            # Nothing narrower is asked for of an epsilon that does not exceed its floor.
            return [by_place.get(place, (0.0, floors[place])) for place in places]

        sharpness = Sharpness([estimate.epsilon_ratio], estimate.gain_of_epsilon)
        return _bracketed([course], sharpness, accuracy, ends, floors)

    return _worst_sides(directions, deltas, accuracy, one, floor)


def _operating_points(
    number: int, form: NormalForm, rates: Sequence[Fraction], accuracy: Accuracy, floor: float
) -> Mapping[Fraction, Bracket]:
    """Bracket type II errors (0) or powers (1) at type I errors below 1.

    The lower bound of a type II error is by duality: T(Q, P) at x is at least
    1 - delta - e^epsilon x with the delta of (P, Q), and e^-epsilon (1 - delta - x) with that of
    (Q, P), at every epsilon. The upper bound is by tests. If the product has two orders, the
    smaller type II error is that of one of them; otherwise it is that of the symmetrised function,
    with the larger delta.
    """
    directions = [direction_of(form, side) for side in range(form.sides)]
    if not all(direction.finite for direction in directions):
        return dict.fromkeys(rates, Bracket(float(number), float(number), "exact", True))
    known = {
        rate: _without_false_positives(number, directions, accuracy)
        for rate in rates[:1]
        if not rate
    }
    rates = [rate for rate in rates if 0 < rate < 1]
    if not rates:
        return known
    keys = np.array([_log(rate) - _log(1 - rate) for rate in rates])
    courses = [course_of(d, keys, _tilt_for_type_i(d, rates)) for d in directions]
    errors = np.array([float(rate) for rate in rates])
    tests = [with_threshold_of_test(course.estimate, errors) for course in courses]
    ratios = [test.power_ratio(errors) if number else test.type_ii_ratio(errors) for test in tests]
    reach = float(max(np.abs(course.losses).max() for course in courses))
    bounded = [direction.largest for direction in directions if direction.largest is not None]
    largest = max(bounded) if len(bounded) == len(directions) else None

    def ends(products: list[TiltedProduct], places: Sequence[int]) -> Sequence[Ends]:
        own = [rates[place] for place in places]
        centres = [course.losses[list(places)] for course in courses]
        orders = [(products, products, centres)]
        if form.has_two_orders:
            triples = zip(products, reversed(products), centres, strict=True)
            orders = [([p], [q], [at]) for p, q, at in triples]
        each = [operating_ends(p, q, own, reach, at, largest) for p, q, at in orders]
        return [worse_order(both)[number] for both in zip(*each, strict=True)]

    sharpness = Sharpness(ratios, np.ones(len(rates)))
    found = _bracketed(courses, sharpness, accuracy, ends, [floor] * len(rates))
    return known | {r: b for r, b in zip(rates, found, strict=True) if b is not None}


def _without_false_positives(
    number: int, directions: Sequence[Direction], accuracy: Accuracy
) -> Bracket:
    """Bracket the type II error (0) or the power (1) of tests that never err under P.

    They reject outcomes with an infinite loss only.
    """
    low, high = (max(direction.infinite[end] for direction in directions) for end in (0, 1))
    if not number:
        # A difference is rounded once, to one of its two sides.
        above = 0.0 if low == 1 else min(math.nextafter(1 - low, 2.0), 1.0)
        low, high = math.nextafter(1 - high, 0.0) if high else 1.0, above
    return Bracket(low, high, "exact", Bracket(low, high, "exact", True).within(accuracy.tolerance))


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
    if len(floors) == 1:
        tilted = [(course.direction, float(course.tilts[0])) for course in courses]
        allowed = [variance_allowed(own[0], accuracy.tolerance) for own in sharpness.ratios]
        gain = float(sharpness.gains[0])

        def alone(products: list[TiltedProduct]) -> Ends:
            return ends(products, [0])[0]

        return [refined(tilted, accuracy, alone, allowed, floors[0], gain)]
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
    places: Sequence[Fraction],
    accuracy: Accuracy,
    one: Callable[[Direction, Sequence[float]], list[Bracket | None]],
    floor: float,
) -> Mapping[Fraction, Bracket]:
    """Return the largest of all sides' numbers; refine others only while they can be larger.

    Sampling loses more on the side whose first law is the mixture, so this side comes first.
    """
    worst: dict[Fraction, Bracket] = {}
    for side, direction in enumerate(reversed(directions)):
        floors = [max(worst[p].lower, floor) if p in worst else floor for p in places]
        own = {p: b for p, b in zip(places, one(direction, floors), strict=True) if b is not None}
        if side:
            own = {
                place: hull_of_maxima(worst[place], own[place], accuracy.tolerance)
                for place in worst.keys() & own.keys()
            }
        worst = own
    return worst


def _log(value: Fraction) -> float:
    number = float(value)
    return math.log(number) if number > 0 else _LEAST_KEY
