"""zCDP beside privacy losses: never below adaptive compositions listed whole, and as tight as E."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest

from semiaudit.model.loss import ApproxLoss, ConcentratedLoss, PrivacyLoss, RandomizedResponseLoss
from semiaudit.model.measure import GDP, ZCDP, ApproxZCDP, PureDP
from semiaudit.privacy import loss as losses
from semiaudit.privacy.composition import compose
from semiaudit.privacy.domination import dominating_loss
from semiaudit.privacy.loss.normal_form import normal_form
from semiaudit.privacy.loss.pairs import concentrated
from semiaudit.privacy.loss.pairs.concentrated import profile_of_zcdp, source_of_zcdp
from semiaudit.privacy.loss.sources.loss_source import UNIT
from semiaudit.privacy.measures.zcdp import epsilon_cks20
from tests.oracles import concentrated as oracle
from tests.samples import sampled

mp: Any = mpmath.mp

HAIR = 1e-7


@pytest.fixture(scope="module", autouse=True)
def tangents_once() -> Iterator[None]:
    """The lines of one rho are found once for all tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(concentrated, "_tangents", cache(concentrated._tangents))
        yield


def random_pair(chance: random.Random) -> oracle.Pair:
    q = chance.uniform(0.02, 0.98)
    gap = math.exp(chance.uniform(-2, 1)) * chance.choice((-1, 1))
    return oracle.binary(q * math.exp(gap) / (1 - q + q * math.exp(gap)), q)


def response(epsilon: float) -> oracle.Pair:
    return oracle.binary(1 / (1 + math.exp(-epsilon)), 1 / (1 + math.exp(epsilon)))


def check_adaptive(chance: random.Random) -> None:
    """zCDP answers what a response said, and a response answers what zCDP said."""
    strength = chance.choice((0.3, 1.0, 2.0))
    told = response(strength)
    answers = [random_pair(chance) for _ in told]
    before = random_pair(chance)
    rho = max(oracle.rho(answer) for answer in answers) + oracle.rho(before)
    both = oracle.following(told, answers)
    # The first zCDP outcome chooses nothing here but is seen first: a product in the other order.
    whole = oracle.product(before, both)
    parts = (
        (RandomizedResponseLoss(Fraction(strength)), 1),
        (ConcentratedLoss(Fraction(rho * (1 + 1e-9))), 1),
    )
    ours = PrivacyLoss(parts)
    for epsilon in (0.0, 0.4, 1.1):
        found = losses.delta_at(ours, Fraction(epsilon))
        assert found is not None
        assert found.upper >= oracle.delta(whole, epsilon) * (1 - HAIR)
    for delta in (0.2, 0.01, 1e-4):
        found = losses.epsilon_at(ours, Fraction(delta))
        assert found is not None
        assert found.upper >= oracle.epsilon(whole, delta) * (1 - HAIR)


def test_adaptive_compositions_stay_below_what_their_pairs_say() -> None:
    chance = random.Random(3)
    for _ in range(2):
        check_adaptive(chance)


@pytest.mark.slow
def test_many_adaptive_compositions_stay_below_what_their_pairs_say() -> None:
    chance = random.Random(4)
    for _ in range(200):
        check_adaptive(chance)


@pytest.mark.parametrize("pairs", sampled([3, 10], fast=(0,)))
def test_the_profile_is_never_below_pairs_with_this_rho(pairs: int) -> None:
    chance = random.Random(5)
    for _ in range(pairs):
        pair = random_pair(chance)
        places, deltas = profile_of_zcdp(oracle.rho(pair) * (1 + 1e-9))
        for place in np.linspace(0, len(places) - 1, 12).astype(int):
            truth = oracle.delta(pair, float(places[place]))
            assert deltas[place] >= truth * (1 - 1e-12)


@pytest.mark.parametrize(
    "rho", sampled([1e-20, 1e-9, 1e-3, 0.5, 30.0, 147.9664501133873, 900.0, 4e4], fast=(0, 3, 5, 7))
)
def test_the_profile_falls_convexly_in_the_exponential_of_epsilon(rho: float) -> None:
    places, deltas = profile_of_zcdp(rho)
    assert 200 < len(places) < 61_000
    assert places[0] >= 0
    assert (np.diff(places) > 0).all()
    assert (np.diff(deltas) <= 0).all()
    assert deltas[-1] < 1e-90


@pytest.mark.parametrize("rho", [114.02943315, 147.9664501133873, 188.2669907, 847.3168])
def test_a_rho_whose_smaller_ratio_is_lost_beside_1_has_a_profile(rho: float) -> None:
    """Some once had a knot at minus infinity. Gaussian noise with this rho stays below."""
    places, deltas = profile_of_zcdp(rho)
    assert np.isfinite(places).all()
    with mp.workdps(40):
        mu = mp.sqrt(2 * mp.mpf(rho))
        for place in np.linspace(0, len(places) - 1, 12).astype(int):
            t = mp.mpf(float(places[place]))
            near, far = mp.ncdf(mu / 2 - t / mu), mp.ncdf(-mu / 2 - t / mu)
            assert near - mp.exp(t) * far <= deltas[place]
    # A best order's epsilon, from above, is no smaller than the smallest of all orders.
    for place in (2000, 20_000):
        alone = float(epsilon_cks20(ZCDP(Fraction(rho)), Fraction(float(deltas[place]))))
        assert places[place] <= alone * (1 + 1e-6)


def test_a_mixture_is_as_tight_as_the_expectation_over_its_loss() -> None:
    """8.959423 is E over four responses of zCDP's delta, 8.959445 the best Renyi order's."""
    zcdp, pure = ZCDP(Fraction(1, 2)), PureDP(Fraction(1))
    loss = compose([((zcdp,), 1), ((pure,), 4)])[0]
    assert isinstance(loss, PrivacyLoss)
    found = losses.epsilon_at(loss, Fraction(1, 10**6))
    assert found is not None
    assert 8.95941 <= found.upper <= 8.959423


def test_adding_a_part_never_lowers_epsilon() -> None:
    last = 0.0
    for part in (PureDP(Fraction(1, 100)), GDP(Fraction(1, 10**6)), ZCDP(Fraction(1, 10**4))):
        measures = compose(
            [((ZCDP(Fraction(1, 2)),), 1), ((PureDP(Fraction(1)),), 2), ((part,), 1)]
        )
        loss = next(m for m in measures if isinstance(m, PrivacyLoss))
        found = losses.epsilon_at(loss, Fraction(1, 10**5))
        less = losses.epsilon_at(PrivacyLoss(loss.parts[:2]), Fraction(1, 10**5))
        assert found is not None
        assert less is not None
        assert found.upper >= less.upper * (1 - 1e-6) > last


def test_several_zcdp_parts_are_one_with_the_sum_of_their_rhos() -> None:
    half, third = ConcentratedLoss(Fraction(1, 2)), ConcentratedLoss(Fraction(1, 3))
    form = normal_form(PrivacyLoss(((half, 2), (third, 3))))
    assert form.parts == ((ConcentratedLoss(Fraction(2)), 1),)


def test_a_delta_set_aside_is_told_apart() -> None:
    found = dominating_loss((ApproxZCDP(Fraction(1), Fraction(1, 100)),))
    assert found is not None
    assert found.parts == (
        (ApproxLoss(Fraction(0), Fraction(1, 100)), 1),
        (ConcentratedLoss(Fraction(1)), 1),
    )


def test_zcdp_alone_stays_zcdp() -> None:
    found = compose([((ZCDP(Fraction(1)),), 2), ((ZCDP(Fraction(3)),), 1)])
    assert found == (ZCDP(Fraction(5)),)


@pytest.mark.parametrize(
    "rho",
    [Fraction(1, 10**60), Fraction(1, 10**12), Fraction(1, 10), Fraction(10), Fraction(10**6)],
)
def test_the_atoms_are_two_distributions(rho: Fraction) -> None:
    """Of the other law only differences of large logarithms are kept, each within its rounding."""
    source = source_of_zcdp(rho)
    infinite = float(source.infinite)
    assert math.fsum(np.exp(source.log_mass).tolist()) + infinite == pytest.approx(1, abs=1e-14)
    other = np.exp(source.log_mass - source.losses)
    rounding = math.fsum((other * 8 * UNIT * (1 + np.abs(source.log_mass))).tolist())
    assert math.fsum(other.tolist()) + infinite == pytest.approx(1, abs=1e-14 + rounding)


@pytest.mark.parametrize("rho", [1e-20, 1e-12, 1e-4, 0.1, 30.0, 1e5])
def test_every_knot_lies_above_its_line_in_many_digits(rho: float) -> None:
    with np.errstate(all="ignore"):
        runs = concentrated._tangents(rho)
        bounds = [concentrated._bounds(rho, run) for run in runs]
    for run, (places, deltas) in zip(runs, bounds, strict=True):
        for at in np.linspace(0, len(places) - 1, 25).astype(int):
            if not deltas[at] < 1:
                continue
            low = 1 - Fraction(float(np.exp(run.log_fall[at])))
            excess, log_ratio = float(run.excess[at]), float(run.log_ratio[at])
            place, delta = oracle.line(rho, excess, log_ratio, low)
            assert place <= places[at] <= place + 2e-11 * log_ratio + 1e-13 * abs(place)
            assert delta <= deltas[at] <= delta * (1 + 1e-6)


@pytest.mark.parametrize(("rho", "repeat"), [(Fraction(1, 10), 10), (Fraction(10), 40)])
def test_next_to_certain_tests_no_end_contradicts_another(rho: Fraction, repeat: int) -> None:
    """The lower end of a type II error once lay above the upper one, and nothing was printed."""
    response = RandomizedResponseLoss(Fraction(223, 200))
    loss = PrivacyLoss(((ConcentratedLoss(rho), 1), (response, repeat)))
    found = losses.type_ii_at(loss, Fraction(1, 3))
    assert found is not None
    assert 0 < found.upper - found.lower <= 1e-2 * found.upper


def test_a_rho_of_hardly_anything_hardly_raises_a_number() -> None:
    """With 1e-30 the advantage was once 1."""
    pure = (RandomizedResponseLoss(Fraction(1)), 3)
    alone = losses.advantage(PrivacyLoss((pure,)))
    assert alone is not None
    for digits in (55, 30, 14):
        rho = ConcentratedLoss(Fraction(1, 10**digits))
        found = losses.advantage(PrivacyLoss((pure, (rho, 1))))
        assert found is not None
        assert alone.lower <= found.upper <= alone.upper * (1 + 1e-6)
