"""Numbers at many places: every bracket against the oracle, and how little they cost."""

from __future__ import annotations

import math
import random
import tracemalloc
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest

from semiaudit.errors import RefusedError
from semiaudit.model.loss import (
    ApproxLoss,
    DiscreteGaussianLoss,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    PrivacyLoss,
    SubsampledGaussianLoss,
)
from semiaudit.privacy.loss import DEFAULT, Accuracy, Bracket, refinement
from semiaudit.privacy.loss import brackets as together
from semiaudit.privacy.loss.bracket import Number
from semiaudit.privacy.loss.brackets import brackets
from semiaudit.privacy.loss.courses import Run, course_of, leaning, runs_of
from semiaudit.privacy.loss.delta_points import delta_points
from semiaudit.privacy.loss.direction import direction_of
from semiaudit.privacy.loss.engine import (
    delta_bracket,
    epsilon_bracket,
    power_bracket,
    type_ii_bracket,
)
from semiaudit.privacy.loss.laws.folded import FewFrequencies
from semiaudit.privacy.loss.normal_form import normal_form
from semiaudit.privacy.loss.tilted_product import on_common_lattice, on_grid
from tests.oracles.losses import DIGITS, Truth, exactly
from tests.privacy.loss.instances import Case, random_case
from tests.privacy.loss.test_soundness import epsilon_outside, outside, reported_type_ii
from tests.samples import sampled

mp: Any = mpmath.mp

ASKED: dict[Number, Callable[..., Bracket]] = {
    "delta": delta_bracket,
    "epsilon": epsilon_bracket,
    "type_ii": type_ii_bracket,
    "power": power_bracket,
}


def places_around(chance: random.Random, number: Number, case: Case) -> list[Fraction]:
    """Ten places of a curve with that of the case among them."""
    if number == "delta":
        first = float(case.epsilon) or 1.0
        return [case.epsilon, *(Fraction(first * chance.uniform(0, 2)) for _ in range(9))]
    if number == "epsilon":
        others = [case.delta ** Fraction(chance.randint(1, 8), 4) for _ in range(9)]
        return [case.delta, *(Fraction(other) for other in others)]
    return [case.type_i, *(Fraction(chance.random() ** chance.choice([1, 8])) for _ in range(9))]


def violations(case: Case, chance: random.Random) -> Iterator[str]:
    """What curves of a product claim at their first and at some other place that is not true."""
    truth = Truth(case.loss)
    slow = any(
        isinstance(part, LaplaceLoss | SubsampledGaussianLoss) for part, _ in case.loss.parts
    )
    accuracy = Accuracy(10.0 ** chance.uniform(-8, -1), 1.0)
    for number, ask in ASKED.items():
        places = [place for place in places_around(chance, number, case) if place >= 0]
        if number != "delta":
            places = [place for place in places if 0 < place < 1]
        together = accuracy.at(places)
        for place in places[:1] if slow else (places[0], places[-1]):
            try:
                found = ask(case.loss, place, together)
            except RefusedError:
                continue
            with mp.workdps(DIGITS):
                if number == "epsilon":
                    wrong = list(epsilon_outside(found, truth, place))
                elif number == "delta":
                    wrong = list(outside(found, truth.delta(place)))
                else:
                    missed = reported_type_ii(truth, place)
                    own = missed if number == "type_ii" else 1 - missed.value
                    wrong = list(outside(found, missed)) if number == "type_ii" else []
                    if number == "power":
                        error = missed.error
                        if exactly(found.upper) < own - error or exactly(found.lower) > own + error:
                            wrong = ["the power lies elsewhere"]
            told = f"{number} of {case.loss} at {place!r} of {places!r}: {found}"
            yield from (f"{told}: {one}" for one in wrong)


@pytest.mark.parametrize("seed", sampled(range(400), fast=(1, 2, 4, 5, 7)))
def test_every_bracket_of_a_curve_encloses_the_truth(seed: int) -> None:
    chance = random.Random(seed)
    found = list(violations(random_case(chance), chance))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("seed", sampled(range(7000, 7100), fast=(3, 9)))
def test_every_bracket_of_a_curve_by_few_frequencies_encloses_the_truth(
    seed: int, eager: list[FewFrequencies]
) -> None:
    chance = random.Random(seed)
    found = [wrong for _ in range(4) for wrong in violations(random_case(chance, "many"), chance)]
    assert not found, "\n".join(found)
    assert eager


MIXED = PrivacyLoss(((GaussianLoss(Fraction(1, 25)), 20), (LaplaceLoss(Fraction(1, 3)), 20)))
SAMPLED = PrivacyLoss(((SubsampledGaussianLoss(Fraction(1), Fraction(1, 20)), 50),))
INTEGER = PrivacyLoss(
    ((DiscreteGaussianLoss(1, Fraction(20)), 6), (DiscreteGaussianLoss(1, Fraction(7, 2)), 3))
)
ATOMS = PrivacyLoss(((DiscreteGaussianLoss(1, Fraction(4)), 5), (LaplaceLoss(Fraction(1, 3)), 10)))
PRODUCTS = {"mixed": MIXED, "sampled": SAMPLED, "integer": INTEGER, "atoms": ATOMS}
PLACES: dict[Number, list[Fraction]] = {
    "delta": [Fraction(k, 20) for k in range(1, 201)],
    "epsilon": [
        Fraction(1, 10) / Fraction(10) ** Fraction(k, 20).__floor__() / (1 + k % 20)
        for k in range(200)
    ],
    "type_ii": [Fraction(k, 201) for k in range(1, 201)],
    "power": [Fraction(k, 201) for k in range(1, 201)],
}

every_other = pytest.mark.parametrize(
    ("name", "number"), sampled(product(PRODUCTS, PLACES), fast=(0, 2, 5, 8, 9, 11, 12, 15))
)
"""Each product and each number in the fast suite; the curves that take seconds are slow."""


@cache
def whole_curve(name: str, number: Number) -> tuple[dict[Fraction, Bracket], int]:
    """The brackets of 200 places that are computed together, and the number of compositions."""
    composed: list[object] = []

    def counted(compose: Callable[..., object]) -> Callable[..., object]:
        def composing(*arguments: object) -> object:
            composed.append(compose)
            return compose(*arguments)

        return composing

    accuracy = Accuracy(1e-6).at(PLACES[number])
    with pytest.MonkeyPatch.context() as patch:
        for compose in (on_grid, on_common_lattice):
            patch.setattr(refinement, compose.__name__, counted(compose))
        found = {p: ASKED[number](PRODUCTS[name], p, accuracy) for p in PLACES[number]}
    return found, len(composed)


@every_other
def test_a_curve_agrees_with_numbers_that_are_asked_one_by_one(name: str, number: Number) -> None:
    found, _ = whole_curve(name, number)
    for place in PLACES[number][::60]:
        together, alone = found[place], ASKED[number](PRODUCTS[name], place, Accuracy(1e-5))
        assert together.complete
        assert max(together.lower, alone.lower) <= min(together.upper, alone.upper)


@every_other
def test_two_hundred_numbers_take_a_few_compositions(name: str, number: Number) -> None:
    found, compositions = whole_curve(name, number)
    assert all(bracket.complete for bracket in found.values())
    assert 0 < compositions <= 16


def test_what_a_place_gets_depends_on_its_curve_alone() -> None:
    places = PLACES["delta"][::10]
    accuracy = Accuracy(1e-4)
    rising = [delta_bracket(MIXED, place, accuracy.at(places)) for place in places]
    accuracy = accuracy.at(places)
    falling = [delta_bracket(MIXED, place, accuracy) for place in reversed(places)]
    assert rising == falling[::-1]


def test_a_few_places_are_asked_for_one_by_one() -> None:
    places = PLACES["delta"][:3]
    assert Accuracy().at(places).curve is None
    assert Accuracy().at(places * 4).curve is None


@pytest.mark.parametrize("number", PLACES)
def test_places_at_the_ends_are_left_to_closed_forms(number: Number) -> None:
    places = [Fraction(0), Fraction(1), *PLACES[number][::20]]
    found = brackets(number, normal_form(SAMPLED), places, Accuracy(1e-4))
    assert number == "delta" or Fraction(1) not in found


@every_other
def test_a_call_of_many_points_agrees_with_the_calls_of_its_parts(
    name: str, number: Number, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Points in any order, more of them than a law is summed for at once: the truth is in both."""
    monkeypatch.setattr(together, "_AT_ONCE", 8)
    loss, places, accuracy = PRODUCTS[name], PLACES[number][::5], Accuracy(1e-5)
    whole = accuracy.at(places)
    found = {place: ASKED[number](loss, place, whole) for place in places}
    random.Random(1).shuffle(places)
    shuffled = accuracy.at(places)
    assert all(found[place] == ASKED[number](loss, place, shuffled) for place in places[::8])
    for own in (places[:16], places[16:]):
        part = accuracy.at(own)
        for place in own:
            alone = ASKED[number](loss, place, part)
            assert alone.complete
            assert found[place].complete
            assert max(found[place].lower, alone.lower) <= min(found[place].upper, alone.upper)


def peak_of_runs(places: int) -> int:
    """The most bytes that the search for runs of so many places takes at a time."""
    direction = direction_of(normal_form(MIXED), 0)
    keys = np.linspace(0.1, 10.0, places)
    tracemalloc.start()
    try:
        course = course_of(direction, keys, lambda at: direction.tilt_for_epsilon(float(keys[at])))
        assert sum(len(run.places) for run in runs_of([course], np.arange(places), 4.0)) == places
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_grows_with_the_number_of_points_and_not_with_its_square() -> None:
    """Ten times the points, ten times the bytes; a table of all pairs would have 13 GB."""
    peak_of_runs(100)
    fewer, more = peak_of_runs(4000), peak_of_runs(40_000)
    assert more < 15 * fewer
    assert more < 40_000 * 1000


@pytest.mark.parametrize("deepest", [0.5, 2.0, 6.0])
def test_runs_are_as_deep_as_they_may_be_and_in_order(deepest: float) -> None:
    """Every place is in one run, within the depth of its center, which a table of all pairs has."""
    direction = direction_of(normal_form(MIXED), 0)
    keys = np.linspace(0.1, 12.0, 90)
    course = course_of(direction, keys, lambda at: direction.tilt_for_epsilon(float(keys[at])))
    tilts, losses, moments = course.tilts, course.losses, course.moments
    table = [
        [moments[c] - tilts[c] * losses[p] - moments[p] + tilts[p] * losses[p] for c in range(90)]
        for p in range(90)
    ]
    runs = runs_of([course], np.arange(90), deepest)
    assert [place for run in runs for place in run.places.tolist()] == list(range(90))
    for run in runs:
        depth = max(table[place][run.centre] for place in run.places.tolist())
        assert depth <= deepest
        assert run.depth == pytest.approx(depth)
    # As few as the best of all centers allows, one run after the other.
    fewest, first = 0, 0
    while first < 90:
        reached = [
            next((p for p in range(first, 90) if table[p][c] > deepest), 90)
            for c in range(first, 90)
        ]
        first, fewest = max(reached), fewest + 1
    assert len(runs) == fewest


def test_a_run_leans_halfway_to_its_largest_tilt_if_that_is_not_too_deep() -> None:
    """Tilts rise with epsilon: of the places 20 to 79 with center 40, that is 59, or else 40."""
    direction = direction_of(normal_form(MIXED), 0)
    keys = np.linspace(0.1, 12.0, 90)
    course = course_of(direction, keys, lambda at: direction.tilt_for_epsilon(float(keys[at])))
    tilts, losses, moments = course.tilts, course.losses, course.moments
    assert (np.diff(tilts) > 0).all()
    places = np.arange(20, 80)
    own = moments[places] - tilts[places] * losses[places]
    depths = [float((moments[c] - tilts[c] * losses[places] - own).max()) for c in (40, 59)]
    run = Run(places, 40, depths[0])
    leant = leaning([course], run, depths[1] * (1 + 1e-9))
    assert leant.places.tolist() == places.tolist()
    assert leant.centre == 59
    assert leant.depth == pytest.approx(depths[1])
    assert leaning([course], run, depths[1] * (1 - 1e-9)) is run


@pytest.mark.parametrize("pair", [("1/10 1/10 4/5", "1/100 2/5 59/100"), ("2/3 1/3", "1/3 2/3")])
def test_epsilons_of_a_bounded_loss_are_those_of_all_outcomes(pair: tuple[str, str]) -> None:
    """delta at the upper bound is at most that of the place, by the sum over all outcomes."""
    first, second = (tuple(map(Fraction, text.split())) for text in pair)
    loss = PrivacyLoss(((FiniteLoss(first, second), 3),))
    places = [Fraction(1, k) for k in (1000, 500, 200, 100, 80, 60, 50, 40, 30, 20, 15, 10)]
    found = brackets("epsilon", normal_form(loss), places, Accuracy(1e-4, None))
    assert len(found) >= len(places) // 2  # those that are as narrow as asked
    for delta, bracket in found.items():
        assert worse_delta((first, second), 3, bracket.upper) <= float(delta) * (1 + 1e-9)
        assert worse_delta((first, second), 3, bracket.lower) >= float(delta) * (1 - 1e-9)
        assert bracket.upper == pytest.approx(bracket.lower, rel=2e-4)


Masses = tuple[Fraction, ...]


def fractions(text: str) -> Masses:
    return tuple(map(Fraction, text.split()))


def worse_delta(pair: tuple[Masses, Masses], repeat: int, epsilon: float) -> float:
    """The larger of both directions' sums of (p - e^epsilon q)+."""
    laws = [[math.prod(chosen) for chosen in product(law, repeat=repeat)] for law in pair]
    first, second = ([float(mass) for mass in law] for law in laws)
    return max(
        math.fsum(max(p - math.exp(epsilon) * q, 0.0) for p, q in zip(one, other, strict=True))
        for one, other in ((first, second), (second, first))
    )


@pytest.mark.parametrize(
    "pair", [("1/2 3/8 1/8", "1/4 1/4 1/2"), ("1/10 1/10 4/5", "1/100 2/5 59/100")]
)
@pytest.mark.parametrize("repeat", [1, 4])
def test_every_point_encloses_the_worse_direction(pair: tuple[str, str], repeat: int) -> None:
    first, second = map(fractions, pair)
    points = delta_points(PrivacyLoss(((FiniteLoss(first, second), repeat),)), DEFAULT)
    assert len(points) > 24
    assert points[0].epsilon == 0
    for point in points:
        truth = worse_delta((first, second), repeat, point.epsilon)
        assert point.lower <= truth * (1 + 1e-9)
        assert truth * (1 - 1e-9) <= point.upper
    assert points[0].upper == pytest.approx(worse_delta((first, second), repeat, 0.0), rel=1e-3)


def test_the_last_delta_is_0_at_the_largest_loss() -> None:
    first, second = fractions("1/10 1/10 4/5"), fractions("1/100 2/5 59/100")
    *_, last = delta_points(PrivacyLoss(((FiniteLoss(first, second), 3),)), DEFAULT)
    assert (last.lower, last.upper) == (0, 0)
    assert last.epsilon == pytest.approx(3 * math.log(10), rel=1e-9)


def test_there_are_no_points_if_delta_never_falls_to_0() -> None:
    assert delta_points(PrivacyLoss(((ApproxLoss(Fraction(1), Fraction(1, 9)), 1),)), DEFAULT) == ()
