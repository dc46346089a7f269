"""A single pair in closed form, against definitions in 70 digits."""

from __future__ import annotations

import random
from fractions import Fraction
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
from semiaudit.privacy.loss import (
    Accuracy,
    Bracket,
    delta_bracket,
    epsilon_bracket,
    single,
    type_ii_bracket,
)
from tests.oracles.losses import DIGITS, Enclosure, Truth, exactly, mp
from tests.privacy.loss.instances import (
    approx,
    discrete_gaussian,
    discrete_laplace,
    finite,
    laplace,
    random_epsilon,
    random_type_i,
    randomized_response,
)

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


def once(part: Loss) -> PrivacyLoss:
    return PrivacyLoss(((part, 1),))


def encloses(found: Bracket, truth: Enclosure) -> bool:
    with mp.workdps(DIGITS):
        return bool(exactly(found.lower) <= truth.high and truth.low <= exactly(found.upper))


@pytest.mark.parametrize("part", PAIRS, ids=repr)
@pytest.mark.parametrize("epsilon", ["0", "1/1000", "1/3", "3/5"])
def test_delta_of_one_pair_is_exact_to_twelve_digits(part: Loss, epsilon: str) -> None:
    found = delta_bracket(once(part), Fraction(epsilon), Accuracy(1e-12))
    assert found.complete
    assert found.upper - found.lower <= 1e-12 * found.upper
    assert encloses(found, Truth(once(part)).delta(Fraction(epsilon)))


@pytest.mark.parametrize("part", PAIRS, ids=repr)
@pytest.mark.parametrize("exponent", [1, 5, 10, 15])
def test_epsilon_of_one_pair_is_exact_to_twelve_digits(part: Loss, exponent: int) -> None:
    delta = Fraction(1, 10**exponent)
    found = epsilon_bracket(once(part), delta, Accuracy(1e-11))
    truth = Truth(once(part)).epsilon(delta)
    assert found.complete
    assert encloses(found, truth)


@pytest.mark.parametrize(
    "part", [part for part in PAIRS if not isinstance(part, DiscreteGaussianLoss)], ids=repr
)
@pytest.mark.parametrize("type_i", ["1e-12", "1e-5", "1/20", "1/3", "9/10"])
def test_the_type_ii_error_of_one_pair_is_exact(part: Loss, type_i: str) -> None:
    alpha = Fraction(type_i)
    found = type_ii_bracket(once(part), alpha, Accuracy(1e-12))
    assert found.method == "exact"
    assert found.complete
    assert encloses(found, Truth(once(part)).symmetrised_type_ii(alpha))


def test_a_lopsided_pair_has_a_useful_lower_end() -> None:
    """At alpha 1e-5 the test that rejects where P has 9/10 misses nearly 1/10."""
    found = type_ii_bracket(once(LOPSIDED), Fraction(1, 10**5))
    assert found.upper - found.lower <= 1e-12
    assert encloses(found, Truth(once(LOPSIDED)).symmetrised_type_ii(Fraction(1, 10**5)))


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


@pytest.mark.parametrize("repeat", [2, 3])
def test_a_pair_that_occurs_twice_is_not_taken_for_a_single_one(repeat: int) -> None:
    loss = PrivacyLoss(((LaplaceLoss(Fraction(1)), repeat),))
    assert single.delta_bracket(loss, Fraction(1, 2), Accuracy()) is None
    twice = PrivacyLoss(((LaplaceLoss(Fraction(1)), 1),) * repeat)
    assert single.delta_bracket(twice, Fraction(1, 2), Accuracy()) is None


def test_a_bad_parameter_of_a_single_pair_is_refused() -> None:
    with pytest.raises(ValueError, match="scale is positive"):
        delta_bracket(once(DiscreteLaplaceLoss(1, Fraction(0))), Fraction(1))
    with pytest.raises(ValueError, match="sum to 1"):
        epsilon_bracket(once(FiniteLoss((Fraction(1),), (Fraction(1, 2),))), Fraction(1, 10))
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


@pytest.mark.parametrize("kind", MAKERS)
def test_random_single_pairs_enclose_the_truth(kind: str) -> None:
    chance = random.Random(kind)
    for _ in range(25):
        part = MAKERS[kind](chance)
        truth = Truth(once(part))
        epsilon = random_epsilon(chance, [(part, 1)])
        alpha = random_type_i(chance)
        at = single.delta_bracket(once(part), epsilon, Accuracy())
        assert at is None or encloses(at, truth.delta(epsilon)), (part, epsilon)
        cut = single.type_ii_bracket(once(part), alpha, Accuracy())
        assert cut is None or encloses(cut, truth.symmetrised_type_ii(alpha)), (part, alpha)
