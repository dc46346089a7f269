"""Numbers of one product at many places, from compositions that they share.

A tilt centres a composed law at one loss, and its weights tell delta within some nats around it as
precisely as at the centre. So the places of a curve, in their order, fall into few runs with one
tilt each: a run is composed once, on the grid that its most demanding place needs, and the law is
summed once for all of its places. Every bracket is certified by itself; a place whose bracket is
too wide is left out, and asked for by itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import RefusedError
from semiaudit.numeric.rationals import float_down, float_up
from semiaudit.privacy.loss.bracket import Accuracy, Bracket, hull_of_maxima
from semiaudit.privacy.loss.closed_forms.single_pair import Ends
from semiaudit.privacy.loss.curve_ends import delta_ends, epsilon_ends, operating_ends
from semiaudit.privacy.loss.direction import Direction, direction_of
from semiaudit.privacy.loss.normal_form import NormalForm
from semiaudit.privacy.loss.refinement import (
    SHARE_OF_TOLERANCE,
    Plan,
    first_step,
    refined_together,
)
from semiaudit.privacy.loss.sources.loss_source import Floats
from semiaudit.privacy.loss.tilted_product import TiltedProduct

_NODES = 9
"""Places for which a tilt is looked for; those between get one between."""

_PASSES = 3
"""How often places that are still too wide are composed for again, with runs of their own."""

_SPARE = 0.7
"""The first grid aims at this part of the tolerance: a second one costs more than a finer first."""

_COARSER = 32.0
"""The first grid of a further direction is so much coarser."""

_LARGEST_DEPTH = 12.0
"""Nats by which a law may weigh a place less than its centre, at most."""

_RESOLUTION = 1e-11
"""About the least part of the weight at the centre that the sums of a law resolve."""

_ROUNDING_SHARE = 0.1
"""The part of the tolerance that this resolution may take."""

_SHARE_OF_TIME = 0.5
"""The part of the time that is left which shared compositions may take."""

_LEAST_TILT, _LEAST_LOSS = 0.1, 1e-3
"""As in ``refinement``: smaller ones say little of how sensitive a number is."""

_LEAST_KEY = -1e5
"""Stands for the logarithm of a place that is no double."""

_LEAST_ERROR = 1e-300
"""Stands for a type I error that is no double."""


EndsOfPlaces = Callable[[list[TiltedProduct], Sequence[int]], Sequence[Ends]]
"""The lower and the upper ends that products give of the numbers at some places."""


@dataclass(frozen=True, slots=True)
class _Course:
    """The tilts of one direction along a curve, each estimated: no bound depends on them.

    Attributes:
        tilts, losses: for each place, and the loss that its tilt centres.
        nodes: the places whose tilts were looked for. moments: ln E exp(tilt L) at their tilts.
    """

    direction: Direction
    tilts: Floats
    losses: Floats
    nodes: Sequence[int]
    moments: Floats

    def at(self, places: Sequence[int]) -> _Course:
        """The same for some of the places, by the tilts that are known."""
        if len(places) == len(self.tilts):
            return self
        tilts, nodes = self.tilts[list(places)], _nodes(len(places))
        moments = np.array([self.direction.cumulants(float(tilts[node]))[0] for node in nodes])
        return _Course(self.direction, tilts, self.losses[list(places)], nodes, moments)

    def depth(self, place: int, centre: int) -> float:
        """Nats by which the law of one node's tilt weighs the loss of another one too little."""
        at, to = self.nodes[place], self.nodes[centre]
        own = self.moments[place] - self.tilts[at] * self.losses[at]
        other = self.moments[centre] - self.tilts[to] * self.losses[at]
        return max(float(other - own), 0.0)


@dataclass(frozen=True, slots=True)
class _Run:
    """Neighbouring places, and the tilt of each direction that serves all of them."""

    places: Sequence[int]
    tilts: Sequence[float]
    depth: float


def deltas(
    form: NormalForm, epsilons: Sequence[Fraction], accuracy: Accuracy
) -> Mapping[Fraction, Bracket]:
    """Brackets of delta at many epsilons; those that need a composition of their own are left out.

    Args, Rounding: as of ``engine.delta_bracket``.
    """
    directions = [direction_of(form, side) for side in reversed(range(form.sides))]
    ends = [d.largest for d in directions if d.largest is not None]
    asked = sorted({e for e in epsilons if not ends or e < min(ends)})
    if not asked or not all(direction.finite for direction in directions):
        return {}
    keys = np.array([float_down(epsilon) for epsilon in asked])

    def one(direction: Direction, floors: Sequence[float]) -> list[Bracket | None]:
        def tilt_of(place: int) -> float:
            return direction.tilt_for_epsilon(float(keys[place]))

        course = _course(direction, keys, tilt_of)
        centred = replace(course, losses=np.where(course.tilts > 0, keys, course.losses))
        blunt = [direction.bluntness(t, e) for t, e in zip(course.tilts, keys, strict=True)]

        def ends(products: list[TiltedProduct], places: Sequence[int]) -> Sequence[Ends]:
            return delta_ends(products[0], [asked[place] for place in places])

        return _bracketed([centred], np.array(blunt), np.ones(len(asked)), accuracy, ends, floors)

    return _worst_sides(directions, asked, accuracy, one)


def epsilons(
    form: NormalForm, deltas: Sequence[Fraction], accuracy: Accuracy
) -> Mapping[Fraction, Bracket]:
    """Brackets of epsilon at many deltas; likewise.

    Args, Rounding: as of ``engine.epsilon_bracket``.
    """
    directions = [direction_of(form, side) for side in reversed(range(form.sides))]
    least = max(direction.infinite[1] for direction in directions)
    asked = sorted({delta for delta in deltas if least < float_down(delta) < 1})
    if not asked or not all(direction.finite for direction in directions):
        return {}
    keys = np.array([_log(delta) for delta in asked])

    def one(direction: Direction, floors: Sequence[float]) -> list[Bracket | None]:
        course = _course(
            direction, keys, lambda place: direction.tilt_for_delta(float_down(asked[place]))
        )
        gains = np.maximum(course.losses, _LEAST_LOSS) * np.maximum(course.tilts, _LEAST_TILT)
        cap = math.inf if direction.largest is None else max(float_up(direction.largest), 0.0)

        def ends(products: list[TiltedProduct], places: Sequence[int]) -> Sequence[Ends]:
            own = [asked[place] for place in places]
            index = list(places)
            guesses = course.losses[index], course.tilts[index]
            return epsilon_ends(products[0], own, guesses, cap, accuracy.tolerance)

        return _bracketed([course], np.ones(len(asked)), gains, accuracy, ends, floors)

    return _worst_sides(directions, asked, accuracy, one)


def type_iis(
    form: NormalForm, rates: Sequence[Fraction], accuracy: Accuracy
) -> Mapping[Fraction, Bracket]:
    """Brackets of the least type II error at many type I errors; likewise."""
    return _operating_points(form, rates, accuracy, 0)


def powers(
    form: NormalForm, rates: Sequence[Fraction], accuracy: Accuracy
) -> Mapping[Fraction, Bracket]:
    """Brackets of the largest power at many type I errors; likewise."""
    return _operating_points(form, rates, accuracy, 1)


def _operating_points(
    form: NormalForm, rates: Sequence[Fraction], accuracy: Accuracy, number: int
) -> Mapping[Fraction, Bracket]:
    directions = [direction_of(form, side) for side in range(form.sides)]
    asked = sorted({rate for rate in rates if 0 < rate < 1})
    if not asked or not all(direction.finite for direction in directions):
        return {}
    keys = np.array([_log(rate) - _log(1 - rate) for rate in asked])
    courses = [_course(d, keys, _tilt_for_type_i(d, asked)) for d in directions]
    width = np.array([math.sqrt(-2 * math.log(float(rate) or _LEAST_ERROR)) for rate in asked])
    blunt = np.array(
        [
            min(_bluntness(course, place, float(width[place])) for course in courses)
            for place in range(len(asked))
        ]
    )
    reach = float(max(np.abs(course.losses).max() for course in courses))

    def ends(products: list[TiltedProduct], places: Sequence[int]) -> Sequence[Ends]:
        own = [asked[place] for place in places]
        return [both[number] for both in operating_ends(products, own, reach)]

    floors = [0.0] * len(asked)
    found = _bracketed(courses, blunt, np.ones(len(asked)), accuracy, ends, floors)
    brackets = zip(asked, found, strict=True)
    return {rate: bracket for rate, bracket in brackets if bracket is not None}


def _tilt_for_type_i(direction: Direction, rates: Sequence[Fraction]) -> Callable[[int], float]:
    return lambda place: direction.tilt_for_type_i(float(rates[place]))


def _bluntness(course: _Course, place: int, width: float) -> float:
    """See ``operating_points``: Q's threshold, if all were normal."""
    tilt = float(course.tilts[place])
    if tilt:
        return 1.0
    spread, _ = course.direction.spreads(0.0)
    return course.direction.bluntness(tilt, width * spread - float(course.losses[place]))


def _course(direction: Direction, keys: Floats, tilt_of: Callable[[int], float]) -> _Course:
    """The tilts along a curve: looked for at some places, and between them interpolated."""
    nodes = _nodes(len(keys))
    tilts = [tilt_of(node) for node in nodes]
    cumulants = [direction.cumulants(tilt) for tilt in tilts]
    where = keys[nodes]
    return _Course(
        direction,
        np.interp(keys, where, tilts),
        np.interp(keys, where, [mean for _, mean, _ in cumulants]),
        nodes,
        np.array([moment for moment, _, _ in cumulants]),
    )


def _nodes(number: int) -> list[int]:
    return sorted({round(place) for place in np.linspace(0, number - 1, _NODES)})


def _runs(courses: Sequence[_Course], deepest: float) -> list[_Run]:
    """The places in runs, each with the node whose tilts reach the furthest of them."""
    nodes, number = courses[0].nodes, len(courses[0].tilts)

    def depth(place: int, centre: int) -> float:
        return max(course.depth(place, centre) for course in courses)

    runs: list[_Run] = []
    first = 0
    while first < len(nodes):
        centre = first
        while centre + 1 < len(nodes) and depth(first, centre + 1) <= deepest:
            centre += 1
        last = centre
        while last + 1 < len(nodes) and depth(last + 1, centre) <= deepest:
            last += 1
        begin = nodes[first] if runs else 0
        end = nodes[last + 1] if last + 1 < len(nodes) else number
        own = range(first, last + 1)
        reached, centre = min((max(depth(place, node) for place in own), node) for node in own)
        tilts = [float(course.tilts[nodes[centre]]) for course in courses]
        runs.append(_Run(range(begin, end), tilts, reached))
        first = last + 1
    return runs


def _bracketed(
    courses: Sequence[_Course],
    blunt: Floats,
    gains: Floats,
    accuracy: Accuracy,
    ends: EndsOfPlaces,
    floors: Sequence[float],
) -> list[Bracket | None]:
    """A bracket of each place, narrow enough; None where the shared compositions have none."""
    deepest = math.log(max(_ROUNDING_SHARE * accuracy.tolerance / _RESOLUTION, 1.0))
    found: list[Bracket | None] = [None] * len(floors)
    left = range(len(floors))
    for attempt in range(_PASSES):
        for run in _runs([course.at(left) for course in courses], min(deepest, _LARGEST_DEPTH)):
            places = [left[place] for place in run.places]
            coarse = not attempt and max(floors) > 0
            plan = _plan(courses, run, places, accuracy, (blunt, gains), coarse=coarse)
            own = _of_places(ends, places)
            with suppress(RefusedError), deadline.part(_SHARE_OF_TIME):
                brackets = refined_together(plan, accuracy, own, [floors[p] for p in places])
                for place, bracket in zip(places, brackets, strict=True):
                    found[place] = bracket if bracket.complete else None
        left = [place for place in left if found[place] is None]
        if len(left) < 2:
            break
    return found


def _of_places(ends: EndsOfPlaces, places: Sequence[int]) -> EndsOfPlaces:
    """The same ends, asked for by the numbers of some places among themselves."""
    return lambda products, numbers: ends(products, [places[number] for number in numbers])


def _plan(
    courses: Sequence[_Course],
    run: _Run,
    places: Sequence[int],
    accuracy: Accuracy,
    sensitivity: tuple[Floats, Floats],
    *,
    coarse: bool,
) -> Plan:
    """The first composition of a run: its grid is fine enough for the most demanding place.

    Where another direction has numbers already, most places need no more than a coarse grid.
    """
    blunt, gains = (values[places] for values in sensitivity)
    exact = Accuracy(accuracy.tolerance * _SPARE)
    step = math.inf
    for course in courses:
        sharp = np.maximum(course.tilts[places], _LEAST_TILT)
        hardest = int(np.argmin(blunt * gains / (sharp * (sharp + 1))))
        tilt = float(course.tilts[places[hardest]])
        felt = float(blunt[hardest] * gains[hardest])
        step = min(step, first_step(course.direction, tilt, exact, felt))
    tilts = zip(courses, run.tilts, strict=True)
    directions = [(course.direction, tilt) for course, tilt in tilts]
    share = SHARE_OF_TOLERANCE
    precision = min(share * accuracy.tolerance * float(gains.min()), share) * math.exp(-run.depth)
    return Plan(directions, step * (_COARSER if coarse else 1.0), precision, shared=True)


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
        brackets = enumerate(one(direction, floors))
        own = {place: bracket for place, bracket in brackets if bracket is not None}
        if worst is None:
            worst = own
        else:
            worst = {
                place: hull_of_maxima(worst[place], own[place], accuracy.tolerance)
                for place in worst.keys() & own.keys()
            }
    found = worst or {}
    return {asked[place]: found[place] for place in sorted(found) if found[place].complete}


def _log(value: Fraction) -> float:
    number = float(value)
    return math.log(number) if number > 0 else _LEAST_KEY
