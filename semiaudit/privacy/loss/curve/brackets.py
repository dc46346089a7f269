"""Numbers of one product at many places, from compositions that they share.

A tilt centers a composed law at one loss, and its weights give delta within some nats around it as
precisely as at the center. So the places of a curve, in their order, fall into few runs with one
tilt each: a run is composed once, on the grid that its most demanding place needs, and the law is
summed once for all of its places. Every bracket is certified by itself; a place whose bracket is
too wide is left out, and asked for by itself.
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
from semiaudit.privacy.loss.closed_forms.single_pair import Ends
from semiaudit.privacy.loss.curve.ends import delta_ends, epsilon_ends, keeps, operating_ends
from semiaudit.privacy.loss.curve.runs import Course, Run, course_of, leaning, runs_of
from semiaudit.privacy.loss.direction import Direction, direction_of
from semiaudit.privacy.loss.normal_estimate import variance_allowed, with_threshold_of_test
from semiaudit.privacy.loss.normal_form import NormalForm
from semiaudit.privacy.loss.refinement import Plan, first_step, refined_together
from semiaudit.privacy.loss.sources.loss_source import Floats
from semiaudit.privacy.loss.tilted_product import TiltedProduct

_PASSES = 3
"""How often places that are still too wide are composed for again, with runs of their own."""

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
    """How fine a grid the numbers of a curve need, estimated.

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
    asked = sorted(set(epsilons))
    if not asked or not all(direction.finite for direction in directions):
        return {}
    keys = np.array([float_down(epsilon) for epsilon in asked])

    def one(direction: Direction, floors: Sequence[float]) -> list[Bracket | None]:
        largest = direction.largest
        inside = sum(largest is None or epsilon < largest for epsilon in asked)
        # No finite loss exceeds the others: delta is the mass at an infinite one.
        beyond = [Bracket(*direction.infinite, "exact", True)] * (len(asked) - inside)
        if not inside:
            return [*beyond]
        own = keys[:inside]
        course = course_of(
            direction, own, lambda place: direction.tilt_for_epsilon(float(own[place]))
        )
        centred = replace(course, losses=np.where(course.tilts > 0, own, course.losses))

        def ends(products: list[TiltedProduct], places: Sequence[int]) -> Sequence[Ends]:
            return delta_ends(products[0], [asked[place] for place in places])

        ratio = replace(centred.estimate, threshold=own).delta_ratio
        sharpness = Sharpness([ratio], np.ones(inside))
        return [*_bracketed([centred], sharpness, accuracy, ends, floors[:inside]), *beyond]

    return _worst_sides(directions, asked, accuracy, one)


def _epsilons(
    form: NormalForm, deltas: Sequence[Fraction], accuracy: Accuracy
) -> Mapping[Fraction, Bracket]:
    directions = [direction_of(form, side) for side in reversed(range(form.sides))]
    least = max(direction.infinite[1] for direction in directions)
    asked = sorted({delta for delta in deltas if least < float_down(delta) < 1})
    if not asked or not all(direction.finite for direction in directions):
        return {}
    keys = np.array([_log(delta) for delta in asked])

    def one(direction: Direction, floors: Sequence[float]) -> list[Bracket | None]:
        course = course_of(
            direction, keys, lambda place: direction.tilt_for_delta(float_down(asked[place]))
        )
        estimate = course.estimate
        cap = math.inf if direction.largest is None else max(float_up(direction.largest), 0.0)

        def ends(products: list[TiltedProduct], places: Sequence[int]) -> Sequence[Ends]:
            known = np.array([floors[place] for place in places])
            kept = keeps(products[0], [asked[place] for place in places], known)
            left = [place for place, enough in zip(places, kept, strict=True) if not enough]
            own = [asked[place] for place in left]
            guesses = course.losses[left], course.tilts[left]
            all_ends = epsilon_ends(products[0], own, guesses, cap, accuracy.tolerance)
            by_place = dict(zip(left, all_ends, strict=True))
            # Nothing narrower is asked for of an epsilon that does not exceed its floor.
            return [by_place.get(place, (0.0, floors[place])) for place in places]

        sharpness = Sharpness([estimate.epsilon_ratio], estimate.gain_of_epsilon)
        return _bracketed([course], sharpness, accuracy, ends, floors)

    return _worst_sides(directions, asked, accuracy, one)


def _operating_points(
    form: NormalForm, rates: Sequence[Fraction], accuracy: Accuracy, number: int
) -> Mapping[Fraction, Bracket]:
    """Bracket type II errors (0) or powers (1) at type I errors."""
    directions = [direction_of(form, side) for side in range(form.sides)]
    asked = sorted({rate for rate in rates if 0 < rate < 1})
    if not asked or not all(direction.finite for direction in directions):
        return {}
    keys = np.array([_log(rate) - _log(1 - rate) for rate in asked])
    courses = [course_of(d, keys, _tilt_for_type_i(d, asked)) for d in directions]
    errors = np.array([float(rate) for rate in asked])
    tests = [with_threshold_of_test(course.estimate, errors) for course in courses]
    ratios = [test.power_ratio(errors) if number else test.type_ii_ratio(errors) for test in tests]
    reach = float(max(np.abs(course.losses).max() for course in courses))

    def ends(products: list[TiltedProduct], places: Sequence[int]) -> Sequence[Ends]:
        own = [asked[place] for place in places]
        return [both[number] for both in operating_ends(products, own, reach)]

    floors = [0.0] * len(asked)
    brackets_found = _bracketed(
        courses, Sharpness(ratios, np.ones(len(asked))), accuracy, ends, floors
    )
    pairs = zip(asked, brackets_found, strict=True)
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
    left = list(range(len(floors)))
    for attempt in range(_PASSES):
        for run in runs_of(courses, np.array(left), deepest):
            places = run.places.tolist()
            coarse = not attempt and max(floors) > 0
            factor = _COARSER if coarse else 1.0 if many else _FINER
            own_run = run if many else leaning(courses, run, deepest)
            plan = _plan(courses, own_run, accuracy, sharpness, factor)
            own = _of_places(ends, places)
            with suppress(RefusedError), deadline.part(_SHARE_OF_TIME):
                kept = refined_together(plan, accuracy, own, [floors[p] for p in places])
                for place, bracket in zip(places, kept, strict=True):
                    bracketed[place] = bracket if bracket.complete else None
        left = [place for place in left if bracketed[place] is None]
        if len(left) < 2:
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
    asked: Sequence[Fraction],
    accuracy: Accuracy,
    one: Callable[[Direction, Sequence[float]], list[Bracket | None]],
) -> Mapping[Fraction, Bracket]:
    """The largest of all sides' numbers at each place; see ``refinement``."""
    worst: dict[int, Bracket] | None = None
    for direction in directions:
        known = worst or {}
        floors = [known[p].lower if p in known else 0.0 for p in range(len(asked))]
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
        asked[place]: worst_by_place[place]
        for place in sorted(worst_by_place)
        if worst_by_place[place].complete
    }


def _log(value: Fraction) -> float:
    number = float(value)
    return math.log(number) if number > 0 else _LEAST_KEY
