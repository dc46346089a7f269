"""Joining moves in one coordinate loses more: exact products of small log-concave noises."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from semiaudit.model.loss import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    Loss,
    PrivacyLoss,
)
from semiaudit.privacy.ordering.matching import loss_implies
from tests.oracles.domination import Pair, Pmf, fits, hockey_stick, shifted_pair, type_ii

WEIGHTS = [(1,), (1, 1, 1), (1, 2, 1), (1, 4, 6, 4, 1), (1, 2, 4, 2, 1), (1, 3, 5, 6, 5, 3, 1)]
"""Symmetric and log-concave."""


def noise_of(weights: Sequence[int]) -> Pmf:
    middle, total = len(weights) // 2, sum(weights)
    return {at - middle: Fraction(weight, total) for at, weight in enumerate(weights)}


def joined(chance: random.Random, values: Sequence[int]) -> list[int]:
    """Values put together in bins at random, some of which are enlarged."""
    bins: list[int] = []
    for value in values:
        if bins and chance.random() < 0.6:
            bins[chance.randrange(len(bins))] += value
        else:
            bins.append(value)
    return [size + chance.choice((0, 0, 1)) for size in bins]


def assert_loses_more(worse: Pair, better: Pair) -> None:
    """At every slope, in both orders: the profile decides the tradeoff function."""
    for swap in (False, True):
        pairs = [[(q, p) for p, q in pair] if swap else pair for pair in (worse, better)]
        slopes = {q / p for pair in pairs for p, q in pair if p}
        for slope in {Fraction(0), *slopes, *(slope / 2 for slope in slopes)}:
            assert hockey_stick(pairs[0], slope) >= hockey_stick(pairs[1], slope)
        for k in range(1, 8):
            assert type_ii(pairs[0], Fraction(k, 8)) <= type_ii(pairs[1], Fraction(k, 8))


@pytest.mark.parametrize("seed", range(60))
def test_moves_in_bins_never_lose_more_than_the_bins(seed: int) -> None:
    chance = random.Random(seed)
    noise = noise_of(chance.choice(WEIGHTS))
    values = [chance.randint(1, 3) for _ in range(chance.randint(1, 3))]
    bins = joined(chance, values)
    assert fits(values, [Fraction(size) for size in bins])
    signed = [chance.choice((-1, 1)) * value for value in values]
    assert_loses_more(shifted_pair(noise, bins), shifted_pair(noise, signed))


def test_erratum_15_two_records_that_move_together_are_the_worst_of_all() -> None:
    # (2, -2) dominates (1, 1, -1, -1), (2, -1, -1) and (1, -1).
    noise = noise_of((1, 4, 6, 4, 1))
    worst = shifted_pair(noise, (2, -2))
    for other in ((1, 1, -1, -1), (2, -1, -1), (1, -1)):
        assert_loses_more(worst, shifted_pair(noise, other))


def test_noise_that_is_not_log_concave_breaks_the_rule() -> None:
    # The rule is no truism: with two far peaks, moving by both halves hides again.
    noise = {-2: Fraction(49, 100), 0: Fraction(1, 50), 2: Fraction(49, 100)}
    whole, halves = shifted_pair(noise, (4,)), shifted_pair(noise, (2, 2))
    assert hockey_stick(whole, 1) < hockey_stick(halves, 1)


def of(*moves: tuple[int, int], sigma_squared: int = 4) -> PrivacyLoss:
    pairs: list[tuple[Loss, int]] = [
        (DiscreteGaussianLoss(size, Fraction(sigma_squared)), number) for size, number in moves
    ]
    return PrivacyLoss(tuple(pairs))


def test_losses_are_ordered_pair_by_pair() -> None:
    assert loss_implies(of((1, 2)), of((2, 2)))
    assert loss_implies(of((1, 2)), of((1, 1), (2, 1)))
    assert loss_implies(of((1, 3)), of((2, 2)))
    assert not loss_implies(of((1, 5)), of((2, 2)))
    assert not loss_implies(of((1, 1), (2, 1)), of((2, 1)))
    assert not loss_implies(of((2, 2)), of((1, 2)))
    assert not loss_implies(of((1, 1)), of((1, 1), sigma_squared=5))
    assert loss_implies(PrivacyLoss(()), of((1, 1)))
    halves = PrivacyLoss(((GaussianLoss(Fraction(1, 2)), 2),))
    assert loss_implies(halves, PrivacyLoss(((GaussianLoss(Fraction(1)), 1),)))
    assert not loss_implies(halves, PrivacyLoss(((GaussianLoss(Fraction(9, 10)), 1),)))


def test_pairs_are_matched_exactly_where_counting_every_size_says_so() -> None:
    chance = random.Random(14)
    seen = set()
    for _ in range(400):
        sides = [
            {DiscreteGaussianLoss(chance.randint(1, 5), Fraction(9)): chance.randint(1, 2)
             for _ in range(chance.randint(1, 3))}
            for _ in range(2)
        ]  # fmt: skip
        strong, weak = (PrivacyLoss(tuple(pairs.items())) for pairs in sides)
        sizes = [
            [pair.shift for pair, repeat in pairs.items() for _ in range(repeat)] for pairs in sides
        ]
        counted = all(
            sum(k >= at for k in sizes[0]) <= sum(k >= at for k in sizes[1]) for at in range(1, 6)
        )
        if counted:
            assert loss_implies(strong, weak)
        elif not fits(sizes[0], [Fraction(size) for size in sizes[1]]):
            assert not loss_implies(strong, weak)
        seen.add(counted)
    assert seen == {True, False}


def outcomes_of(moves: Sequence[tuple[int, Fraction]]) -> tuple[np.ndarray, np.ndarray]:
    """The masses of discrete Laplace noise, and of the same moved, by whether x <= 0, ..., >= k."""
    p, q = np.ones(1), np.ones(1)
    for shift, scale in moves:
        a, x = np.exp(-1 / float(scale)), np.arange(shift + 1)
        mass = (1 - a) / (1 + a) * a**x
        mass[0], mass[-1] = 1 / (1 + a), a**shift / (1 + a)
        p, q = np.outer(p, mass).ravel(), np.outer(q, mass[::-1]).ravel()
    return p, q


def test_discrete_laplace_noise_of_a_larger_scale_loses_less() -> None:
    chance = random.Random(7)
    proven = 0
    for _ in range(3000):
        sides = [
            [(chance.randint(1, 3), Fraction(chance.randint(1, 12), 4))
             for _ in range(chance.randint(1, 3))]
            for _ in range(2)
        ]  # fmt: skip
        losses = [
            PrivacyLoss(tuple((DiscreteLaplaceLoss(*move), 1) for move in side)) for side in sides
        ]
        if loss_implies(*losses):
            proven += 1
            pairs = [outcomes_of(side) for side in sides]
            slopes = np.unique(np.concatenate([q / p for p, q in pairs]))[:, None]
            strong, weak = (np.maximum(q - slopes * p, 0).sum(axis=1) for p, q in pairs)
            assert (strong <= weak + 1e-12).all(), sides
        elif len(sides[0]) == len(sides[1]) == 1:
            ((k, s),), ((other, t),) = sides
            assert k > other or s < t
    assert proven > 500, proven


def test_discrete_gaussian_noise_of_a_larger_scale_can_lose_more() -> None:
    losses = [of((1, 1), sigma_squared=square) for square in (9, 4)]
    assert not loss_implies(*losses)
