"""Sampled noise of several records: what dominates, how it composes, and that it is monotone.

One step of sampled noise in closed form, against its oracle in 40 digits.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from numpy.typing import NDArray

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import RefusedError
from semiaudit.model.loss import (
    DiscreteLaplaceLoss,
    FiniteLoss,
    GaussianLoss,
    PrivacyLoss,
    SubsampledGaussianLoss,
)
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.loss.bracket import Accuracy
from semiaudit.privacy.loss.engine import delta_bracket, epsilon_bracket, type_ii_bracket
from semiaudit.privacy.loss.normal_form import normal_form
from semiaudit.privacy.loss.pairs import subsampled_gaussian
from semiaudit.privacy.loss.pairs.pair_kinds import kind_of
from semiaudit.privacy.loss.pairs.subsampled_gaussian import StepDirection
from semiaudit.privacy.loss.sources.loss_source import TooLong
from tests.clocks import Ticks
from tests.oracles.sampled import (
    Mixture,
    Mpf,
    above,
    delta_of_step,
    delta_of_two_steps,
    delta_of_vectors,
    ends,
)
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


ONE, HALF = Fraction(1), Fraction(1, 2)
Vector = NDArray[np.float64]


def vector(chance: random.Random, size: int, sign: int, sigma: float) -> Vector:
    """In the unit ball over sigma: near one of its poles, or anywhere."""
    found = np.array([chance.gauss(0, 1) for _ in range(size)])
    if chance.random() < 0.5:
        found = 0.2 * found
        found[0] += sign
    norm = float(np.linalg.norm(found))
    shrunk = max(norm, 1.0) if chance.random() < 0.7 else norm
    return found / shrunk / sigma


def never_told_apart_better(chance: random.Random, size: int, cells: int) -> None:
    removed, added = chance.choice([(1, 1), (2, 0), (0, 2), (2, 1), (1, 2), (2, 2), (0, 3)])
    sigma, rate = 2 ** chance.uniform(-1, 1), chance.choice([0.01, 0.1, 0.5, 0.9, chance.random()])
    vectors = [[vector(chance, size, 1, sigma) for _ in range(removed)]]
    vectors += [[vector(chance, size, -1, sigma) for _ in range(added)]]
    factors = np.exp([chance.uniform(-3, 3) for _ in range(8)])
    found = delta_of_vectors(vectors[0], vectors[1], rate, factors, cells)
    with mp.workdps(16):
        pair = ends(removed, added, mp.mpf(rate), mp.mpf(sigma))
        for factor, value in zip(factors, found, strict=True):
            # The grid is good to some 1e-4 of the positive part.
            assert value <= float(delta_of_step(*pair, mp.log(factor))) + 2e-4


@pytest.mark.parametrize("seed", range(12))
def test_no_directions_of_records_are_told_apart_better_than_opposite_ones(seed: int) -> None:
    never_told_apart_better(random.Random(seed), 2, 300)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_no_directions_are_told_apart_better_at_length(seed: int) -> None:
    chance = random.Random(f"directions {seed}")
    for _ in range(100):
        never_told_apart_better(chance, 2, 300)
    for _ in range(5):
        never_told_apart_better(chance, 3, 130)


TWO_STEPS = [
    (ONE, Fraction(3, 10), 1, True),
    (Fraction(9, 4), HALF, 2, True),
    (ONE, Fraction(1, 10), 2, False),
    (Fraction(4), Fraction(9, 10), 3, False),
]


@pytest.mark.parametrize(
    ("variance", "rate", "records", "replaced", "epsilon"),
    sampled(
        [(*case, at) for at in (Fraction(0), HALF, Fraction(3)) for case in TWO_STEPS],
        fast=(0, 2, 5, 7, 9),
    ),
)
def test_two_steps_agree_with_an_integral_over_the_first(
    variance: Fraction, rate: Fraction, records: int, replaced: bool, epsilon: Fraction
) -> None:
    pair = SubsampledGaussianLoss(variance, rate, records, replaced)
    found = delta_bracket(PrivacyLoss(((pair, 2),)), epsilon)
    counts = [(k, records - k) for k in range(records + 1)]
    truth = max(
        delta_of_two_steps(own, other, float(rate), math.sqrt(variance), float(epsilon))
        for own, other in ([(records, records)] if replaced else counts)
    )
    assert found.lower * (1 - 1e-9) <= truth <= found.upper * (1 + 1e-9)
    assert found.upper - found.lower <= 2e-6 * found.upper


def test_a_thousand_steps_of_a_replaced_record_have_the_number_of_the_antipodal_pair() -> None:
    """2.843440, by another accountant's grid; two records that enter or leave had 4.2271."""
    replaced = SubsampledGaussianLoss(ONE, Fraction(1, 100), 1, replaced=True)
    found = epsilon_bracket(PrivacyLoss(((replaced, 1000),)), Fraction(1, 10**5))
    assert found.lower <= 2.843441 <= found.upper + 1e-6
    assert found.upper < 2.843442


def test_rare_losses_far_out_leave_narrow_brackets() -> None:
    """The tilt that centres the losses at epsilon lies where the law jumps to the rare ones.

    dp_accounting's dominating grids of the steps 1e-4 and 3e-5 give 0.1048410 and 0.1047798; their
    errors fall with the square of the step, to 0.1047738.
    """
    parts = (
        (SubsampledGaussianLoss(Fraction(7), Fraction(1, 329)), 1230),
        (SubsampledGaussianLoss(Fraction(4), Fraction(1, 384)), 6),
    )
    found = epsilon_bracket(PrivacyLoss(parts), Fraction(1, 10**4))
    assert found.upper - found.lower <= 1e-6 * found.upper
    assert found.upper == pytest.approx(0.1047738, abs=1e-7)


@pytest.mark.slow
def test_rare_losses_far_out_leave_narrow_brackets_beside_discrete_noise() -> None:
    laplace = [DiscreteLaplaceLoss(shift, Fraction(312)) for shift in (9, 3)]
    sampled = SubsampledGaussianLoss(Fraction(4), Fraction(1, 191), 3)
    loss = PrivacyLoss(((sampled, 10), (laplace[0], 1), (laplace[1], 2)))
    found = epsilon_bracket(loss, Fraction(1, 10**6))
    assert found.upper - found.lower <= 1e-6 * found.upper


def epsilon_of(variance: Fraction, rate: Fraction, records: int, times: int) -> list[float]:
    """Upper ends where as many records enter or leave, and where as many are replaced."""
    return [
        epsilon_bracket(
            PrivacyLoss(((SubsampledGaussianLoss(variance, rate, records, replaced), times),)),
            Fraction(1, 10**6),
        ).upper
        for replaced in (False, True)
    ]


@pytest.mark.parametrize(
    ("smaller", "larger"),
    sampled(
        [
            ((ONE, Fraction(1, 10), 1, 20), (ONE, Fraction(1, 10), 1, 21)),
            ((ONE, Fraction(1, 10), 2, 20), (ONE, Fraction(1, 10), 3, 20)),
            ((ONE, Fraction(1, 10), 2, 20), (ONE, Fraction(1001, 10000), 2, 20)),
            ((ONE + Fraction(1, 1000), Fraction(1, 10), 2, 20), (ONE, Fraction(1, 10), 2, 20)),
            ((ONE, Fraction(1, 10), 2, 1), (ONE, Fraction(1, 10), 2, 2)),
        ],
        fast=(0, 4),
    ),
)
def test_more_steps_records_and_samples_and_less_noise_lose_more(
    smaller: tuple[Fraction, Fraction, int, int], larger: tuple[Fraction, Fraction, int, int]
) -> None:
    for less, more in zip(epsilon_of(*smaller), epsilon_of(*larger), strict=True):
        assert less <= more * (1 + 1e-6)


def test_of_a_group_every_split_counts() -> None:
    """Never below that of any one side, here of both that are known by themselves."""
    pair = SubsampledGaussianLoss(ONE, Fraction(1, 10), 2)
    group = epsilon_bracket(PrivacyLoss(((pair, 10),)), Fraction(1, 10**5))
    one = SubsampledGaussianLoss(ONE, Fraction(1, 10), 1, replaced=True)
    split = epsilon_bracket(PrivacyLoss(((one, 10),)), Fraction(1, 10**5))
    assert split.lower <= group.upper


def test_sampling_everyone_is_the_noise_without_sampling() -> None:
    for replaced, square in ((False, 9), (True, 36)):
        form = normal_form(PrivacyLoss(((SubsampledGaussianLoss(ONE, ONE, 3, replaced), 2),)))
        assert form.gaussian == 2 * square
        assert form.parts == ()


def test_a_group_beside_what_is_not_symmetric_is_on_every_side() -> None:
    finite = FiniteLoss((HALF, HALF), (ONE / 3, ONE * 2 / 3))
    pair = SubsampledGaussianLoss(ONE, Fraction(1, 10), 2)
    assert normal_form(PrivacyLoss(((pair, 1), (finite, 1)))).sides == 3
    assert normal_form(PrivacyLoss(((finite, 1), (GaussianLoss(ONE), 1)))).sides == 2
    assert delta_bracket(PrivacyLoss(((pair, 1), (finite, 1))), 0, Accuracy(1e-3)).upper < 0.4


def test_groups_of_two_sizes_have_no_product() -> None:
    parts = ((SubsampledGaussianLoss(ONE, HALF, 2), 1), (SubsampledGaussianLoss(ONE, HALF), 1))
    with pytest.raises(RefusedError, match="different sizes"):
        delta_bracket(PrivacyLoss(parts), 1)


@pytest.mark.parametrize("step", [1e-3, 3e-5])
def test_a_grid_of_more_points_than_allowed_is_refused(
    step: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    loss = SubsampledGaussianLoss(Fraction(1), Fraction(1, 5))
    source = kind_of(loss, "a test").source(0)
    assert source is not None
    points = len(source.atoms(step, 0.0).positions)
    assert points > 1_000
    monkeypatch.setattr(subsampled_gaussian, "MOST_CELLS", 2 * points)
    assert len(source.atoms(step, 0.0).positions) == points
    monkeypatch.setattr(subsampled_gaussian, "MOST_CELLS", points // 2)
    with pytest.raises(TooLong):
        source.atoms(step, 0.0)


def cumulants_over_the_line(
    sigma: float, rate: float, own: int, other: int, tilt: float
) -> tuple[float, float, float]:
    """ln E exp(tilt L) under P, and the mean and variance of the tilted loss, by a fine sum."""

    def ratio(y: Vector, records: int) -> Vector:
        total = np.full_like(y, -np.inf)
        for j in range(records + 1):
            mass, move = math.comb(records, j) * rate**j * (1 - rate) ** (records - j), j / sigma
            total = np.logaddexp(total, math.log(mass) + move * y - move * move / 2)
        return total

    z = np.linspace(-14, 20 + (tilt + 1) * (own + other) / sigma, 200_001)
    loss = ratio(z, own) - ratio(-z, other)
    exponent = -z * z / 2 + ratio(z, own) + tilt * loss
    weight = np.exp(exponent - exponent.max())
    mean = float((weight * loss).sum() / weight.sum())
    spread = float((weight * (loss - mean) ** 2).sum() / weight.sum())
    total = math.log(float(weight.sum()) * (z[1] - z[0]) / math.sqrt(2 * math.pi))
    return total + float(exponent.max()), mean, spread


@pytest.mark.parametrize(("own", "other"), [(1, 0), (0, 1), (2, 1), (0, 3)])
def test_cumulants_at_close_and_distant_tilts_are_those_of_a_sum_over_the_line(
    own: int, other: int
) -> None:
    """Close tilts share cells, which reach as far as the furthest of them.

    The sums are estimates: the losses within a cell are one loss.
    """
    source = subsampled_gaussian.SubsampledGaussianSource(Fraction(4), Fraction(1, 10), own, other)
    for tilt in (0.0, 0.5, 0.51, 3.0, 3.1, 7.0, 0.5):
        truth = cumulants_over_the_line(2.0, 0.1, own, other, tilt)
        assert source.cumulants(tilt) == pytest.approx(truth, rel=2e-3, abs=1e-9)


@pytest.mark.parametrize(
    ("own", "other", "rate", "tilt"),
    [(1, 0, "1/10", 40.0), (2, 1, "1/10", 20.0), (3, 0, "1/2", 10)],
)
def test_cumulants_of_losses_far_out_are_estimated_as_well_as_those_of_near_ones(
    own: int, other: int, rate: str, tilt: float
) -> None:
    """The cells reach over some hundred standard deviations, and are no wider for that."""
    source = subsampled_gaussian.SubsampledGaussianSource(
        Fraction(1, 4), Fraction(rate), own, other
    )
    truth = cumulants_over_the_line(0.5, float(Fraction(rate)), own, other, tilt)
    assert source.cumulants(tilt) == pytest.approx(truth, rel=2e-4)
