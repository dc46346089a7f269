"""Which element of a sensitivity space is the worst under integer noise (E15)."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import mpmath
import pytest

from semiaudit.model.loss import DiscreteGaussianLoss, DiscreteLaplaceLoss, PrivacyLoss
from tests.oracles.losses import Truth
from tests.oracles.shifts import (
    IntegerNoise,
    Shift,
    delta_of_shift,
    discrete_gaussian,
    discrete_laplace,
    worst_delta,
)
from tests.samples import repeated, sampled

mp: Any = mpmath.mp


def random_noise(chance: random.Random, largest: int) -> IntegerNoise:
    parameter = Fraction(chance.randint(1, 20 * largest), 20)
    return (
        discrete_gaussian(parameter)
        if chance.random() < 0.6
        else discrete_laplace(min(parameter, Fraction(largest, 4)))
    )


def random_epsilon(chance: random.Random) -> Fraction:
    return Fraction(chance.randint(0, 60), 10)


def test_enumerated_outputs_agree_with_the_convolution_of_losses() -> None:
    chance = random.Random(1)
    for _ in range(12):
        shift = (chance.randint(-3, 3), chance.randint(-3, 3))
        epsilon, parameter = random_epsilon(chance), Fraction(chance.randint(2, 12), 8)
        for noise, parts in (
            (
                discrete_gaussian(parameter),
                tuple((DiscreteGaussianLoss(v, parameter), 1) for v in shift if v),
            ),
            (
                discrete_laplace(parameter / 2),
                tuple((DiscreteLaplaceLoss(v, parameter / 2), 1) for v in shift if v),
            ),
        ):
            low, high = delta_of_shift(noise, shift, epsilon)
            truth = Truth(PrivacyLoss(parts)).delta(epsilon)
            assert high - low < mp.mpf("1e-14")
            assert low <= truth.high
            assert truth.low <= high


@pytest.mark.parametrize(("seed", "times"), sampled([(2, 9), (2, 30), (20, 30)], fast=(0,)))
def test_one_cell_that_moves_by_two_is_worse_than_two_that_move_by_one(
    seed: int, times: int
) -> None:
    chance = random.Random(seed)
    strict = 0
    for _ in range(times):
        noise, epsilon = random_noise(chance, 3), random_epsilon(chance)
        one_cell, two_cells = (delta_of_shift(noise, shift, epsilon) for shift in ((2,), (1, 1)))
        assert one_cell[1] >= two_cells[0]
        strict += one_cell[0] > two_cells[1]
    assert strict > times / 3


@repeated(3, 12)
def test_one_cell_that_moves_by_three_is_worse_than_any_way_to_split_the_move(times: int) -> None:
    chance = random.Random(3)
    for _ in range(times):
        noise, epsilon = random_noise(chance, 1), random_epsilon(chance)
        whole = delta_of_shift(noise, (3,), epsilon)
        for split in ((2, 1), (2, -1), (1, -2), (1, 1, 1)):
            assert whole[1] >= delta_of_shift(noise, split, epsilon)[0]


@pytest.mark.parametrize(
    ("epsilon", "laplace"), sampled(product(map(Fraction, (0, 1, 5)), (False, True)), fast=(2,))
)
def test_two_identical_records_that_move_together_are_the_worst_at_distance_two(
    epsilon: Fraction, laplace: bool
) -> None:
    """Among (1,-1), (2,-1,-1), (1,1,-2), (1,1,-1,-1) and (2,-2), in any cells."""
    rest: list[Shift] = [(1, -1, 0, 0), (2, -1, -1, 0), (1, 1, -2, 0), (1, 1, -1, -1)]
    some = [order for shape in rest for order in sorted(set(permutations(shape)))[::5]]
    noise = discrete_laplace(Fraction(1, 10)) if laplace else discrete_gaussian(Fraction(1, 5))
    # cells that do not move tell nothing and are left out
    moved = sorted({tuple(v for v in shift if v) for shift in some})
    together = delta_of_shift(noise, (2, -2), epsilon)
    assert together[1] >= worst_delta(noise, moved, epsilon)[0]
    assert worst_delta(noise, [*moved, (2, -2)], epsilon) == together
