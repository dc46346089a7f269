"""Sampled noise at a distance: what k records lose, however the steps are written."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from scipy.optimize import brentq
from scipy.special import ndtr

from semiaudit.mechanisms.mechanism_loss import loss_at, loss_composition_first
from semiaudit.mechanisms.parts import flattened
from semiaudit.mechanisms.randomizers import randomized_response, shuffled, subsampled_gaussian
from semiaudit.model.loss import PrivacyLoss, SubsampledGaussianLoss
from semiaudit.model.measure import GDP, ZCDP, Measure, PiecewiseLinear, PureDP
from semiaudit.model.mechanism import (
    Composition,
    Mechanism,
    RandomizedResponse,
    Shuffled,
    SubsampledGaussian,
)
from semiaudit.privacy.epsilons import epsilon_lower_at, epsilons_at
from semiaudit.privacy.tradeoff import function
from tests.mechanisms.fakes import NoSpaces
from tests.oracles.sampled import delta_of_two_steps

RATE, DELTA = Fraction(0.01), Fraction(1, 10**5)
SPACES = NoSpaces()


def noise(steps: int, removals: int, rate: Fraction = RATE) -> SubsampledGaussian:
    return SubsampledGaussian(Fraction(1), rate, steps, removals)


def epsilon(measures: tuple[Measure, ...]) -> float:
    points, _ = epsilons_at(measures, DELTA)
    return float(points[0].epsilon.value)


SPELLINGS: list[Mechanism] = [
    noise(1000, 2),
    Composition(((noise(1, 2), 1000),)),
    Composition(((noise(10, 2), 50), (Composition(((noise(500, 2), 1),)), 1))),
]


@pytest.mark.parametrize("mechanism", SPELLINGS)
def test_steps_and_repeats_are_one_mechanism(mechanism: Mechanism) -> None:
    assert [(part, times) for part, times in flattened(mechanism)] == [(noise(1000, 2), 1)]
    assert loss_composition_first(mechanism, 2, SPACES) is None
    found = epsilon(loss_at(mechanism, 1, "D", SPACES, steps=True).measures)
    # The pair (1 - q) N(0) + q N(-1) against (1 - q) N(0) + q N(1) has 2.843440 at delta 1e-5.
    assert 2.84344 <= found < 2.843442


def test_composing_first_takes_pairs_further_and_not_only_mu() -> None:
    """Of two records one by one: 4.2271 where both steps are alike, by the calculus of before."""
    halves = Composition(((noise(500, 1), 1), (noise(500, 1, Fraction(0.010000001)), 1)))
    measures = loss_composition_first(halves, 2, SPACES)
    assert measures is not None
    assert 4.2 < epsilon(measures) < 4.25


def test_composing_many_responses_first_keeps_their_tradeoff_function() -> None:
    """Close to Gaussian noise, which mu^2 = 200 (1/100 + 1/400) of one record is in the limit."""
    many = Composition(tuple((RandomizedResponse(Fraction(1, size), 2), 200) for size in (10, 20)))
    measures = loss_composition_first(many, 2, SPACES)
    assert measures is not None
    mu = 2 * math.sqrt(2.5)

    def delta(epsilon: float) -> float:
        right = math.exp(epsilon) * ndtr(-epsilon / mu - mu / 2)
        return float(ndtr(-epsilon / mu + mu / 2) - right)

    truth = brentq(lambda epsilon: delta(epsilon) - DELTA, 1, 50)
    assert epsilon((GDP(Fraction(10)),)) == pytest.approx(truth, rel=1e-6)
    assert truth * 0.98 <= epsilon(measures) <= truth * 1.03


def test_mu_and_rho_are_those_of_the_noise_without_sampling() -> None:
    for removals, records in ((1, 3), (2, 6)):
        measures = subsampled_gaussian(noise(10, removals), 3)
        assert GDP(Fraction(10 * records**2), exact=False) in measures
        assert ZCDP(Fraction(5 * records**2), exact=False) in measures


def test_a_distance_is_as_many_records_of_one_pair() -> None:
    entering, replaced = (subsampled_gaussian(noise(10, k), 3)[0] for k in (1, 2))
    assert entering == PrivacyLoss(((SubsampledGaussianLoss(Fraction(1), RATE, 3), 10),))
    assert replaced == PrivacyLoss(((SubsampledGaussianLoss(Fraction(1), RATE, 3, True), 10),))


@pytest.mark.slow
def test_beyond_the_largest_listed_group_pairs_are_taken_further_and_lose_more() -> None:
    listed, beyond = (subsampled_gaussian(noise(2, 2), k) for k in (16, 17))
    (polygon,) = [measure for measure in beyond if isinstance(measure, PiecewiseLinear)]
    assert not any(isinstance(measure, PrivacyLoss) for measure in beyond)
    assert epsilon(listed) <= epsilon(beyond)
    assert function.advantage_from_above(polygon) <= 1


@pytest.mark.parametrize(("bound", "levels"), [(0, 2), (0, 5), (3, 1)])
def test_a_response_that_never_depends_on_the_record_loses_nothing(bound: int, levels: int) -> None:
    measures = randomized_response(RandomizedResponse(Fraction(bound), levels), 4)
    assert PureDP(Fraction(0)) in measures
    assert not any(isinstance(one, PureDP) and one.epsilon for one in measures)


def test_the_epsilon_of_several_records_is_the_sum_of_theirs() -> None:
    measures = randomized_response(RandomizedResponse(Fraction(1, 3), 2), 4)
    assert [one for one in measures if isinstance(one, PureDP)] == [PureDP(Fraction(4, 3))]


def test_records_beyond_the_listed_ones_lose_no_more_than_one_by_one() -> None:
    """Of nine records, (9 epsilon, delta (e^(9 epsilon) - 1) / (e^epsilon - 1)) by single steps."""
    part = SubsampledGaussian(Fraction(16), Fraction(1, 10), 3, 1)
    points, _ = epsilons_at(subsampled_gaussian(part, 1), Fraction(1, 10**6))
    one = float(points[0].epsilon.value)
    delta = 1e-6 * math.expm1(9 * one) / math.expm1(one)
    points, _ = epsilons_at(subsampled_gaussian(part, 9), Fraction(delta))
    assert float(points[0].epsilon.value) <= 9 * one * 1.01


def test_reports_that_say_nothing_lose_nothing_shuffled() -> None:
    assert epsilon(shuffled(Shuffled(Fraction(0), 10), 1)) == 0
    assert epsilon(shuffled(Shuffled(Fraction(0), 10), 3)) == 0


def lower_and_upper(part: SubsampledGaussian, delta: Fraction) -> tuple[float, float]:
    measures = subsampled_gaussian(part, 1)
    upper = min(float(point.epsilon.value) for point in epsilons_at(measures, delta)[0])
    return float(epsilon_lower_at(measures, delta).value), upper


@pytest.mark.parametrize(("rate", "sigma"), [("1/10", 2), ("1/3", 1), ("0.001", 1)])
def test_no_epsilon_below_the_lower_bound_of_a_record_that_enters_or_leaves_holds(
    rate: str, sigma: int
) -> None:
    part = SubsampledGaussian(Fraction(sigma**2), Fraction(rate), 2, 1)
    low, high = lower_and_upper(part, DELTA)
    deltas = [
        max(delta_of_two_steps(a, 1 - a, float(Fraction(rate)), sigma, at) for a in (0, 1))
        for at in (low, high)
    ]
    assert deltas[0] >= float(DELTA) * (1 - 1e-6)
    assert deltas[1] <= float(DELTA) * (1 + 1e-6)
    assert high * 0.99 < low <= high


def test_replaced_and_further_records_have_no_lower_bound() -> None:
    for measures in (subsampled_gaussian(noise(2, 2), 1), subsampled_gaussian(noise(2, 1), 2)):
        assert not epsilon_lower_at(measures, DELTA).value


@pytest.mark.slow
def test_both_bounds_agree_with_bounds_of_discretized_losses() -> None:
    """50 sets; dp_accounting rounds the losses of a step up, or down, to a grid."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    rng = random.Random(58)
    for _ in range(50):
        sigma, rate = rng.choice((0.6, 1.0, 1.7, 4.0)), round(10 ** rng.uniform(-3, -0.3), 5)
        steps, delta = rng.choice((1, 7, 60, 500)), rng.choice(("1e-3", "1e-5", "1e-8"))
        low, high = lower_and_upper(
            SubsampledGaussian(Fraction(str(sigma)) ** 2, Fraction(str(rate)), steps, 1),
            Fraction(delta),
        )
        above, below = (
            pld.from_gaussian_mechanism(
                sigma,
                sampling_prob=rate,
                value_discretization_interval=1e-4,
                pessimistic_estimate=pessimistic,
                use_connect_dots=False,
            )
            .self_compose(steps)
            .get_epsilon_for_delta(float(delta))
            for pessimistic in (True, False)
        )
        assert low <= above + 1e-9
        assert below - 1e-9 <= high
        assert high * 0.98 - 1e-6 <= low <= high
