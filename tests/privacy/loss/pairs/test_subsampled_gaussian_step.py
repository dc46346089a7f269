"""One step of sampled noise in closed form, against its oracle in 40 digits."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import mpmath as mp
import pytest

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.model.loss import PrivacyLoss, SubsampledGaussianLoss
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.loss.engine import delta_bracket, epsilon_bracket, type_ii_bracket
from semiaudit.privacy.loss.pairs.subsampled_gaussian_step import StepDirection
from tests.clocks import Ticks
from tests.oracles.sampled import Mixture, Mpf, above, delta_of_step, ends
from tests.samples import sampled

ONE = Fraction(1)


def real(value: Fraction | float) -> Mpf:
    exact = Fraction(value)
    return mp.mpf(exact.numerator) / exact.denominator


def sides(pair: SubsampledGaussianLoss) -> list[tuple[Mixture, Mixture]]:
    rate, sigma = real(pair.rate), mp.sqrt(real(pair.sigma_squared))
    if pair.replaced:
        return [ends(pair.records, pair.records, rate, sigma)]
    return [ends(k, pair.records - k, rate, sigma) for k in range(pair.records + 1)]


def worst_delta(pair: SubsampledGaussianLoss, epsilon: Mpf) -> Mpf:
    return max(delta_of_step(first, second, epsilon) for first, second in sides(pair))


def worst_test(pair: SubsampledGaussianLoss, type_i: Mpf) -> Mpf:
    """The least type II error of a test of some side, by bisection for its threshold."""
    found = []
    for first, second in sides(pair):
        low, high = mp.mpf(-100), mp.mpf(100)
        while high - low > mp.mpf(10) ** (3 - mp.mp.dps):
            middle = (low + high) / 2
            low, high = (middle, high) if above(second, middle) > type_i else (low, middle)
        found.append(1 - above(first, high))
    return min(found)


def drawn(chance: random.Random) -> SubsampledGaussianLoss:
    sigma = Fraction(chance.choice([1, 1, 2, 7, chance.randint(30, 400)]), 4)
    rate = Fraction(chance.randint(1, 999), 10 ** chance.choice([3, 3, 3, 4, 6, 12]))
    return SubsampledGaussianLoss(sigma * sigma, rate, chance.randint(1, 3), chance.random() < 0.5)


def check(chance: random.Random) -> None:
    pair = drawn(chance)
    loss = PrivacyLoss(((pair, 1),))
    epsilon = Fraction(chance.choice([0.0, 2.0**-30, chance.uniform(0, 0.1), chance.uniform(0, 5)]))
    with mp.workdps(45):
        found = delta_bracket(loss, epsilon)
        assert found.method == "exact"
        assert real(found.lower) <= worst_delta(pair, real(epsilon)) <= real(found.upper)
        assert found.upper - found.lower <= 1e-12 * found.upper + 5e-324
        delta = Fraction(1, 10 ** chance.randint(1, 15))
        inverse = epsilon_bracket(loss, delta)
        assert inverse.upper - inverse.lower <= 1e-12 * inverse.upper + 5e-324
        assert worst_delta(pair, real(inverse.upper)) <= real(delta)
        if inverse.lower:
            assert worst_delta(pair, real(inverse.lower)) >= real(delta)


@pytest.mark.parametrize("seed", sampled(range(12), fast=range(5)))
def test_delta_and_epsilon_of_one_step_enclose_the_truth(seed: int) -> None:
    check(random.Random(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_delta_and_epsilon_of_one_step_enclose_the_truth_at_length(seed: int) -> None:
    chance = random.Random(f"step {seed}")
    for _ in range(100):
        check(chance)


@pytest.mark.parametrize("replaced", [True, False])
@pytest.mark.parametrize(
    "type_i", sampled([Fraction(1, 20), Fraction(1, 1000), Fraction(9, 10)], fast=(0,))
)
def test_the_type_ii_error_of_one_step_lies_between_its_duals_and_its_tests(
    replaced: bool, type_i: Fraction
) -> None:
    pair = SubsampledGaussianLoss(ONE, Fraction(3, 10), 1, replaced)
    found = type_ii_bracket(PrivacyLoss(((pair, 1),)), type_i)
    with mp.workdps(30):
        x, test = real(type_i), worst_test(pair, real(type_i))
        duals = [mp.mpf(0)]
        for place in range(100):
            growth = mp.exp(mp.mpf(place) / 40)
            rest = 1 - worst_delta(pair, mp.log(growth))
            duals += [rest - growth * x, (rest - x) / growth]
        assert max(duals) <= real(found.upper)
        assert real(found.lower) <= test
        assert real(found.upper) <= max(duals) + mp.mpf("1e-4")
    assert found.upper - found.lower < 1e-12


@pytest.mark.parametrize("rate", ["1e-12", "1e-9", "1e-6", "1e-3"])
def test_a_step_that_is_sampled_rarely_costs_its_rate_times_the_noise_s_own(rate: str) -> None:
    """delta(0) of one record is rate (2 Phi(1/2) - 1); replaced, rate (2 Phi(1) - 1)."""
    for replaced, reach in ((False, 0.5), (True, 1.0)):
        pair = SubsampledGaussianLoss(ONE, Fraction(rate), 1, replaced)
        found = delta_bracket(PrivacyLoss(((pair, 1),)), 0)
        with mp.workdps(30):
            truth = mp.mpf(rate) * mp.erf(reach / mp.sqrt(2))
            assert abs(real(found.upper) - truth) <= truth * mp.mpf("1e-14")


def test_a_step_is_not_searched_for_once_the_time_is_up() -> None:
    """A number of its closed form takes tenths of a second, and an audit asks for many."""
    loss = PrivacyLoss(((SubsampledGaussianLoss(Fraction(9, 4), Fraction(1, 2), 1, True), 1),))
    asked: list[Callable[[], object]] = [
        lambda: epsilon_bracket(loss, Fraction(1, 10**300)),
        lambda: delta_bracket(loss, Fraction(1)),
        lambda: type_ii_bracket(loss, Fraction(1, 20)),
    ]
    for ask in asked:
        with deadline.running(0, Ticks(1.0)) as running, pytest.raises(OutOfTimeError):
            ask()
        assert running.was_reached


@pytest.mark.parametrize("ulps", [1, 2, 100, 10**6])
def test_ends_of_epsilon_are_moved_until_they_are_certified(
    ulps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The moves double from one unit on, so that no end is moved twice as far as it has to be."""
    side, delta = StepDirection(Fraction(1), Fraction(1, 2), 1, 0), Fraction(1, 100)
    low, high = side.epsilon(delta) or (0.0, 0.0)
    assert 0 < low <= high
    asked = []

    def further(_: StepDirection, epsilon: Fraction) -> Interval:
        """The true delta falls, and is enclosed far too widely next to the root."""
        asked.append(epsilon)
        assert len(asked) < 60
        distance = (epsilon - Fraction(high)) / Fraction(math.ulp(high))
        if abs(distance) < ulps:
            return Interval.hull(Interval.of(delta / 2), Interval.of(delta * 2))
        return Interval.of(delta / 2 if distance > 0 else delta * 2)

    monkeypatch.setattr(StepDirection, "delta", further)
    below, above = side.epsilon(delta) or (0.0, 0.0)
    assert below <= high - ulps * math.ulp(high)
    assert high + ulps * math.ulp(high) <= above < high + 2 * ulps * math.ulp(high)


@pytest.mark.parametrize("rate", ["1/100", "1/2"])
@pytest.mark.parametrize("sigma_squared", ["1/4", "1", "9"])
def test_a_threshold_takes_a_few_evaluations_and_is_known_to_40_digits(
    sigma_squared: str, rate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluated = 0
    log_ratio = StepDirection.log_ratio

    def counted(step: StepDirection, t: Decimal) -> Interval:
        nonlocal evaluated
        evaluated += 1
        return log_ratio(step, t)

    monkeypatch.setattr(StepDirection, "log_ratio", counted)
    delta = StepDirection(Fraction(sigma_squared), Fraction(rate), 1, 0).delta(Fraction(1, 10))
    assert delta is not None
    assert evaluated <= 40
    assert delta.high - delta.low <= Decimal("1e-40")
