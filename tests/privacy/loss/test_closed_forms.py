"""A single pair in closed form, against definitions in 70 digits."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from semiaudit.model.loss import (
    ApproxLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
)
from semiaudit.privacy.loss import Accuracy, Bracket
from semiaudit.privacy.loss.engine import (
    delta_bracket,
    epsilon_bracket,
    single_pair,
    type_ii_bracket,
)
from semiaudit.privacy.loss.pairs.discrete_gaussian import SingleDiscreteGaussian
from semiaudit.privacy.loss.pairs.pair_kind import probability
from semiaudit.privacy.special.discrete_noise import normalizer
from tests.oracles.discrete_gaussian import delta_of_discrete_gaussian, loss_at
from tests.oracles.losses import DIGITS, Enclosure, Truth, exactly, mp
from tests.privacy.loss.instances import (
    approx,
    discrete_gaussian,
    discrete_laplace,
    finite,
    laplace,
    once,
    random_epsilon,
    random_type_i,
    randomized_response,
)
from tests.samples import repeated, sampled

PAIRS: list[Loss] = [
    LaplaceLoss(Fraction(7, 5)),
    LaplaceLoss(Fraction(1, 100)),
    RandomizedResponseLoss(Fraction(1)),
    RandomizedResponseLoss(Fraction(3), 5),
    ApproxLoss(Fraction(1), Fraction(1, 10**6)),
    DiscreteLaplaceLoss(1, Fraction(2)),
    DiscreteLaplaceLoss(5, Fraction(3)),
    DiscreteGaussianLoss(1, Fraction(1)),
    DiscreteGaussianLoss(3, Fraction(104, 7)),
    DiscreteGaussianLoss(1, Fraction(400)),
    FiniteLoss(
        (Fraction(1, 3), Fraction(1, 2), Fraction(1, 6)),
        (Fraction(1, 2), Fraction(1, 10), Fraction(2, 5)),
    ),
]
LOPSIDED = FiniteLoss(
    (Fraction(1, 10), Fraction(9, 10), Fraction(0)),
    (Fraction(1, 5), Fraction(1, 10**12), Fraction(4, 5) - Fraction(1, 10**12)),
)


@cache
def truth_of(part: Loss) -> Truth:
    return Truth(once(part))


def exact(ends: tuple[float, float]) -> Bracket:
    return Bracket(*ends, "exact", True)


def meets(found: Bracket, truth: Enclosure) -> bool:
    with mp.workdps(DIGITS):
        return bool(exactly(found.lower) <= truth.high and truth.low <= exactly(found.upper))


@pytest.mark.parametrize("part", PAIRS, ids=repr)
@pytest.mark.parametrize("epsilon", ["0", "1/1000", "1/3", "3/5"])
def test_delta_of_one_pair_is_exact_to_twelve_digits(part: Loss, epsilon: str) -> None:
    found = delta_bracket(once(part), Fraction(epsilon), Accuracy(1e-12))
    assert found.complete
    assert found.upper - found.lower <= 1e-12 * found.upper
    assert meets(found, truth_of(part).delta(Fraction(epsilon)))


@pytest.mark.parametrize("part", PAIRS, ids=repr)
@pytest.mark.parametrize("exponent", sampled([1, 10, 5, 15], fast=(0, 1)))
def test_epsilon_of_one_pair_is_exact_to_twelve_digits(part: Loss, exponent: int) -> None:
    delta = Fraction(1, 10**exponent)
    found = epsilon_bracket(once(part), delta, Accuracy(1e-11))
    truth = truth_of(part).epsilon(delta)
    assert found.complete
    assert meets(found, truth)


@pytest.mark.parametrize(
    "part", [part for part in PAIRS if not isinstance(part, DiscreteGaussianLoss)], ids=repr
)
@pytest.mark.parametrize("type_i", ["1e-12", "1e-5", "1/20", "1/3", "9/10"])
def test_the_type_ii_error_of_one_pair_is_exact(part: Loss, type_i: str) -> None:
    alpha = Fraction(type_i)
    found = type_ii_bracket(once(part), alpha, Accuracy(1e-12))
    assert found.method == "exact"
    assert found.complete
    assert meets(found, truth_of(part).type_ii(alpha))


def test_a_lopsided_pair_has_a_useful_lower_end() -> None:
    """At alpha 1e-5 the test that rejects where P has 9/10 misses nearly 1/10."""
    found = type_ii_bracket(once(LOPSIDED), Fraction(1, 10**5))
    assert found.upper - found.lower <= 1e-12
    assert meets(found, truth_of(LOPSIDED).type_ii(Fraction(1, 10**5)))


def test_laplace_noise_of_shift_one_has_the_delta_of_its_formula() -> None:
    """1 - exp(-1/4) at epsilon 1/2, and 2 ln(1 - delta) less than 1 at a delta."""
    with mp.workdps(DIGITS):
        delta = 1 - mp.exp(mp.mpf(-1) / 4)
        epsilon = 1 + 2 * mp.log(mp.mpf(9) / 10)
        at = delta_bracket(once(LaplaceLoss(Fraction(1))), Fraction(1, 2))
        root = epsilon_bracket(once(LaplaceLoss(Fraction(1))), Fraction(1, 10))
        assert exactly(at.lower) <= delta <= exactly(at.upper)
        assert exactly(root.lower) <= epsilon <= exactly(root.upper)
    assert at.upper - at.lower <= 1e-16
    assert root.upper - root.lower <= 2e-16


@pytest.mark.parametrize(
    ("part", "mass", "growth"),
    [
        (ApproxLoss(Fraction(1), Fraction(1, 10**6)), Fraction(1, 10**6), mp.e),
        # The outcomes that both laws have are of ratios 3 and 3/7; swapped, 1/3 and 7/3.
        (
            FiniteLoss(
                (Fraction(1, 4), Fraction(1, 2), Fraction(1, 4), Fraction(0)),
                (Fraction(0), Fraction(1, 6), Fraction(7, 12), Fraction(1, 4)),
            ),
            Fraction(1, 4),
            mp.mpf(3),
        ),
    ],
    ids=["approx", "finite"],
)
def test_a_delta_that_covers_just_the_revealed_mass_leaves_the_largest_other_loss(
    part: Loss, mass: Fraction, growth: Any
) -> None:
    """No smaller delta has an epsilon: the revealed outcomes occur under one law alone."""
    found = epsilon_bracket(once(part), mass)
    with mp.workdps(DIGITS):
        assert exactly(found.lower) <= mp.log(growth) <= exactly(found.upper)
    assert found.upper - found.lower <= 1e-15
    below = epsilon_bracket(once(part), mass - Fraction(1, 10**30))
    assert below.lower == below.upper == math.inf


@pytest.mark.parametrize("repeat", [2, 3])
def test_a_pair_that_occurs_twice_is_not_taken_for_a_single_one(repeat: int) -> None:
    loss = PrivacyLoss(((LaplaceLoss(Fraction(1)), repeat),))
    assert single_pair(loss) is None
    twice = PrivacyLoss(((LaplaceLoss(Fraction(1)), 1),) * repeat)
    assert single_pair(twice) is None


def test_a_bad_parameter_of_a_single_pair_is_refused() -> None:
    with pytest.raises(ValueError, match="scale is positive"):
        DiscreteLaplaceLoss(1, Fraction(0))
    with pytest.raises(ValueError, match="sum to 1"):
        FiniteLoss((Fraction(1),), (Fraction(1, 2),))
    with pytest.raises(ValueError, match="epsilon is at least 0"):
        delta_bracket(once(LaplaceLoss(Fraction(1))), Fraction(-1))
    with pytest.raises(ValueError, match="delta lies in"):
        epsilon_bracket(once(LaplaceLoss(Fraction(1))), Fraction(2))


MAKERS: dict[str, Any] = {
    "laplace": laplace,
    "response": randomized_response,
    "approx": approx,
    "finite": finite,
    "discrete_laplace": lambda chance: discrete_laplace(chance)[0],
    "discrete_gaussian": lambda chance: discrete_gaussian(chance)[0],
}


@pytest.mark.parametrize("cases", sampled([8, 25], fast=(0,)))
@pytest.mark.parametrize("kind", MAKERS)
def test_random_single_pairs_enclose_the_truth(kind: str, cases: int) -> None:
    chance = random.Random(kind)
    for _ in range(cases):
        part = MAKERS[kind](chance)
        truth = truth_of(part)
        epsilon = random_epsilon(chance, [(part, 1)])
        type_i = random_type_i(chance)
        pair = single_pair(once(part))
        at = pair.delta(epsilon) if pair else None
        assert at is None or meets(exact(at), truth.delta(epsilon)), (part, epsilon)
        cut = pair.type_ii(type_i) if pair else None
        assert cut is None or meets(exact(probability(cut)), truth.type_ii(type_i)), (part, type_i)


@cache
def exact_delta(part: DiscreteGaussianLoss, epsilon: Fraction) -> Fraction:
    """Delta as the rational that its 80 digits are."""
    found = delta_of_discrete_gaussian(part.shift, part.sigma_squared, epsilon)
    mantissa, exponent = found.man_exp
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def contains(part: DiscreteGaussianLoss, ends: tuple[float, float], delta: Fraction) -> bool:
    """Delta is reached at the lower end and not exceeded at the upper one, to 60 digits."""
    close = Fraction(1, 10**60)
    reached = not ends[0] or exact_delta(part, Fraction(ends[0])) >= delta * (1 - close)
    return reached and exact_delta(part, Fraction(ends[1])) <= delta * (1 + close)


def random_discrete_gaussian(chance: random.Random) -> DiscreteGaussianLoss:
    """Sigma^2 from 1/1000 to 10^6, shifts from 1 to 50."""
    size = Fraction(10 ** chance.uniform(-3, 6))
    variance = size.limit_denominator(chance.choice([1, 7, 1000, 10**9]))
    shift = chance.choice([1, 1, 2, 3, chance.randint(1, 50)])
    return DiscreteGaussianLoss(shift, max(variance, Fraction(1, 1000)))


def random_delta_of_pair(chance: random.Random, part: DiscreteGaussianLoss) -> Fraction:
    """From 1e-300 to 0.999; now and then that of one of the losses, where epsilon has a corner."""
    shape = chance.random()
    if shape < 0.15 and part.sigma_squared < 10**4:
        y = chance.randint(0, 2 + int(6 * float(part.sigma_squared) ** 0.5))
        return exact_delta(part, loss_at(part.shift, part.sigma_squared, y))
    if shape < 0.8:
        return Fraction(10 ** chance.uniform(chance.choice([-300, -20]), -0.001))
    return Fraction(chance.uniform(0.001, 0.999))


def campaign(seed: str, cases: int) -> int:
    """How many of so many random questions about a discrete Gaussian its closed form answers."""
    chance, answered = random.Random(seed), 0
    for _ in range(cases):
        part = random_discrete_gaussian(chance)
        delta = random_delta_of_pair(chance, part)
        pair = SingleDiscreteGaussian.of(part)
        ends = pair.epsilon(delta) if pair else None
        if pair is None or ends is None:
            continue
        answered += 1
        assert contains(part, ends, delta), (part, delta, ends)
        point = Fraction(chance.choice([*ends, chance.uniform(0, 2 * ends[1])]))
        at = pair.delta(point)
        if at is not None:
            low, high = map(Fraction, at)
            truth, close = exact_delta(part, point), Fraction(1, 10**60)
            assert low <= truth * (1 + close), (part, point, at)
            assert truth * (1 - close) <= high, (part, point, at)
            assert high - low <= high * Fraction(1, 10**11) or high < Fraction(1, 10**290)
    return answered


@repeated(20, 40)
def test_a_discrete_gaussian_encloses_its_epsilon_and_delta(times: int) -> None:
    assert campaign("discrete gaussian", times) >= 0.75 * times


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_a_discrete_gaussian_encloses_its_numbers_in_many_cases(seed: int) -> None:
    assert campaign(f"campaign {seed}", 4000) >= 3000


@pytest.mark.parametrize(
    ("variance", "width"),
    [("1/2", 1e-12), ("1", 1e-13), ("104/7", 1e-13), ("400", 1e-12), ("65536", 1e-10)],
)
@pytest.mark.parametrize("delta", ["1e-300", "1e-15", "1e-10", "1e-5", "1/100"])
def test_epsilon_of_a_discrete_gaussian_is_narrow(variance: str, width: float, delta: str) -> None:
    part = DiscreteGaussianLoss(3, Fraction(variance))
    pair = SingleDiscreteGaussian.of(part)
    assert pair is not None
    ends = pair.epsilon(Fraction(delta))
    assert ends is not None
    assert contains(part, ends, Fraction(delta))
    assert ends[1] - ends[0] <= width * ends[1]


@pytest.mark.parametrize(
    "variance", ["1/1000", "1/12", "1/2", "99/100", "1", "10001/10000", "7/5", "30", "65536"]
)
def test_the_normalizing_sum_is_within_eight_units(variance: str) -> None:
    with mp.workdps(DIGITS):
        double = 2 * exactly(Fraction(variance))
        beyond = int(mp.sqrt(double * 200)) + 2
        truth = 1 + 2 * mp.fsum(mp.exp(-(y**2) / double) for y in range(1, beyond))
        assert (
            abs(exactly(normalizer(float(Fraction(variance)))) / truth - 1) <= 8 * mp.mpf(2) ** -53
        )


@pytest.mark.parametrize("variance", ["1/3", "1", "7/5", "9", "1000"])
@pytest.mark.parametrize("shift", [1, 2, 7])
def test_epsilon_at_a_loss_is_that_loss(variance: str, shift: int) -> None:
    """There two tests have the same power, and rounding must not choose between them."""
    part = DiscreteGaussianLoss(shift, Fraction(variance))
    for y in (0, 1, 3, int(4 * float(part.sigma_squared) ** 0.5)):
        loss = loss_at(shift, part.sigma_squared, y)
        delta = exact_delta(part, loss)
        if delta < Fraction(1, 10**250):
            continue
        found = epsilon_bracket(once(part), delta)
        close = Fraction(1, 10**50)
        assert Fraction(found.lower) <= loss * (1 + close)
        assert loss * (1 - close) <= Fraction(found.upper)
        assert contains(part, (found.lower, found.upper), delta)


@pytest.mark.parametrize("variance", ["1/1000", "1/100", "1/3", "9"])
@pytest.mark.parametrize("shift", [1, 2, 7])
def test_delta_at_a_loss_is_enclosed_also_where_it_underflows(variance: str, shift: int) -> None:
    """Only the outcomes beyond that loss count, and these may be below every double."""
    part = DiscreteGaussianLoss(shift, Fraction(variance))
    for y in range(6):
        loss = loss_at(shift, part.sigma_squared, y)
        found, truth = delta_bracket(once(part), loss), exact_delta(part, loss)
        assert truth > 0
        assert Fraction(found.lower) <= truth <= Fraction(found.upper)


@pytest.mark.parametrize("shift", [1, 2, 7])
def test_a_delta_above_the_advantage_needs_no_epsilon(shift: int) -> None:
    part = DiscreteGaussianLoss(shift, Fraction(9, 4))
    advantage = exact_delta(part, Fraction(0))
    above = epsilon_bracket(once(part), advantage + Fraction(1, 10**9))
    below = epsilon_bracket(once(part), advantage - Fraction(1, 10**9))
    assert (above.lower, above.upper, above.complete) == (0.0, 0.0, True)
    assert below.lower > 0
    assert contains(part, (below.lower, below.upper), advantage - Fraction(1, 10**9))


@pytest.mark.parametrize(
    ("variance", "delta"), [("1/2000", "1e-5"), ("70000", "1e-5"), ("1", "1e-320"), ("1", "0")]
)
def test_what_the_closed_form_does_not_reach_is_left_to_the_lattice(
    variance: str, delta: str
) -> None:
    part = DiscreteGaussianLoss(1, Fraction(variance))
    pair = single_pair(once(part))
    assert pair is None or pair.epsilon(Fraction(delta)) is None


def test_the_type_ii_error_of_one_pair_is_that_of_its_worse_order() -> None:
    # T(P, Q)(.3) = .2289 and T(Q, P)(.3) = .2546; the convex function below both has .1592.
    first = tuple(map(Fraction, ("1/2", "4/13", "1/13", "3/26")))
    second = tuple(map(Fraction, ("1/83", "40/83", "2/83", "40/83")))
    found = type_ii_bracket(PrivacyLoss(((FiniteLoss(first, second), 1),)), Fraction(3, 10))
    assert (round(found.lower, 4), round(found.upper, 4)) == (0.2289, 0.2289)


@pytest.mark.parametrize("together", [False, True])
def test_the_type_ii_error_of_composed_pairs_is_that_of_their_worse_order(together: bool) -> None:
    # By all outcomes of both: T(P, Q) and T(Q, P) of the products at each type I error.
    first = FiniteLoss(
        tuple(map(Fraction, ("1/2", "4/13", "1/13", "3/26"))),
        tuple(map(Fraction, ("1/83", "40/83", "2/83", "40/83"))),
    )
    second = FiniteLoss((Fraction(4, 5), Fraction(1, 5)), (Fraction(1, 3), Fraction(2, 3)))
    loss = PrivacyLoss(((first, 2), (second, 1)))
    truth, rates = Truth(loss), [Fraction(k, 40) for k in range(1, 13)]
    accuracy = Accuracy(1e-3).at(rates) if together else Accuracy(1e-3)
    above = 0
    for type_i in rates if together else rates[3::8]:
        found = type_ii_bracket(loss, type_i, accuracy)
        assert meets(found, truth.type_ii(type_i)), type_i
        above += found.lower > truth.symmetrised_type_ii(type_i).high * 1.003
    assert above
