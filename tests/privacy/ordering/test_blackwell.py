"""Blackwell's order: row 69, random post-processing, and kernels checked by hand."""

from __future__ import annotations

import random
from fractions import Fraction

from semiaudit.model.loss import FiniteLoss
from semiaudit.model.measure import GDP, ApproxDP
from semiaudit.privacy.ordering.blackwell import (
    compare_experiments,
    compare_functions,
    kernel_between,
    verifies,
)
from tests.privacy.instances import random_law

HALF = Fraction(1, 2)


def response(odds: int) -> FiniteLoss:
    """Randomised response that tells the truth with these odds."""
    keep = Fraction(odds, odds + 1)
    return FiniteLoss((1 - keep, keep), (keep, 1 - keep))


def processed(pair: FiniteLoss, kernel: list[tuple[Fraction, ...]]) -> FiniteLoss:
    def through(law: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        size = len(kernel[0])
        return tuple(
            sum((p * row[j] for p, row in zip(law, kernel, strict=True)), Fraction(0))
            for j in range(size)
        )

    return FiniteLoss(through(pair.first), through(pair.second))


def test_row_69_the_stronger_response_can_be_turned_into_the_weaker_one_only() -> None:
    """Odds 9 and 2 in the place of e^2 and e, which are no rationals."""
    strong, weak = response(9), response(2)
    kernel = kernel_between(strong, weak)
    assert kernel is not None
    # By hand: flip with probability h, where 0.9 (1 - h) + 0.1 h = 2/3.
    assert kernel == (
        (1 - Fraction(7, 24), Fraction(7, 24)),
        (Fraction(7, 24), 1 - Fraction(7, 24)),
    )
    assert kernel_between(weak, strong) is None
    assert compare_experiments(strong, weak).more_informative == "first"
    assert compare_experiments(weak, strong).more_informative == "second"


def test_row_69_the_gaussian_and_pure_dp_are_incomparable_with_two_witnesses() -> None:
    """The difference G_1 - f_{1,0} runs from -0.1269 to +0.0816."""
    gaussian, pure = GDP(Fraction(1)), ApproxDP(Fraction(1), Fraction(0))
    grid = [Fraction(i, 1000) for i in range(1, 1000, 7)]
    found = compare_functions(gaussian, pure, grid)
    assert found.more_informative == "incomparable"
    assert found.first_is_lower_at is not None
    assert found.second_is_lower_at is not None
    alone = compare_functions(gaussian, pure, [found.first_is_lower_at])
    assert alone.more_informative == "undecided"


def test_post_processing_never_raises_information_and_its_kernel_is_found() -> None:
    chance = random.Random(69)
    for _ in range(80):
        size = chance.randint(2, 5)
        pair = FiniteLoss(random_law(chance, size), random_law(chance, size))
        kernel = [random_law(chance, chance.choice([3])) for _ in range(size)]
        target = processed(pair, kernel)
        assert compare_experiments(pair, target).more_informative in ("first", "equal")
        found = kernel_between(pair, target)
        assert found is not None
        again = processed(pair, list(found))
        assert again == target


def test_pairs_that_cross_are_incomparable_at_the_named_places() -> None:
    first = FiniteLoss((HALF, HALF), (Fraction(1, 4), Fraction(3, 4)))
    second = FiniteLoss((Fraction(1, 10), Fraction(9, 10)), (Fraction(4, 10), Fraction(6, 10)))
    found = compare_experiments(first, second)
    assert found.more_informative == "incomparable"
    # At 1/10 the second has type II error 6/10 and the first 1 - 3/20 = 17/20; at 1/2 the first
    # has 1/4 and the second 6/10 * (5/10)/(9/10) = 1/3.
    assert found.second_is_lower_at == Fraction(1, 10)
    assert found.first_is_lower_at == HALF
    assert kernel_between(first, second) is None
    assert kernel_between(second, first) is None


def test_a_pair_is_equal_to_its_own_relabelling() -> None:
    pair = FiniteLoss((Fraction(1, 3), Fraction(2, 3)), (HALF, HALF))
    swapped = FiniteLoss((Fraction(2, 3), Fraction(1, 3)), (HALF, HALF))
    assert compare_experiments(pair, swapped).more_informative == "equal"
    kernel = kernel_between(pair, swapped)
    assert kernel == ((Fraction(0), Fraction(1)), (Fraction(1), Fraction(0)))


def test_a_wrong_kernel_is_not_accepted() -> None:
    strong, weak = response(9), response(2)
    assert not verifies(((HALF, HALF), (HALF, HALF)), strong, weak)
    assert not verifies(((Fraction(1), Fraction(0)),), strong, weak)
    assert not verifies(
        ((Fraction(2), Fraction(-1)), (Fraction(-1), Fraction(2))), strong, response(9)
    )
