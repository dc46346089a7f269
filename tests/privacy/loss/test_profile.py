"""delta of a law that is written down: every term of its bounds is there, on its own side."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from semiaudit.privacy.loss.laws.folded import Convolved
from semiaudit.privacy.loss.profile import GridScale, LossProfile, points_above

HALF = Fraction(1, 2)
SCALE = GridScale(0.5, HALF, Fraction(0), 0.0, 0.0, (0.0, 0.0))


def profile(
    tilt: float = 0.0,
    slack: float = 0.0,
    infinite: tuple[float, float] = (0.0, 0.0),
    outside: float = 0.0,
    omitted: float = 0.0,
) -> LossProfile:
    """Losses -1/2, 0, 1/2 and 1, each with the weight 1/4 under the tilt."""
    scale = replace(SCALE, tilt=tilt, slack=slack, infinite=infinite)
    law = Convolved(np.full(4, 0.25), -1, 0.0)
    return LossProfile(scale, law, 0.0, 0.0, outside, omitted)


def delta(epsilon: float, tilt: float = 0.0) -> float:
    """The sum over losses above epsilon of mass times 1 - e^(epsilon - loss)."""
    losses = (-0.5, 0.0, 0.5, 1.0)
    return math.fsum(
        0.25 * math.exp(-tilt * loss) * (1 - math.exp(epsilon - loss))
        for loss in losses
        if loss > epsilon
    )


@pytest.mark.parametrize("tilt", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.25, 0.5, 0.75, 1.0, 2.0])
def test_both_ends_are_the_sum_over_larger_losses(epsilon: float, tilt: float) -> None:
    found, truth = profile(tilt), delta(epsilon, tilt)
    assert found.lower(epsilon) <= truth <= found.upper(epsilon)
    assert found.upper(epsilon) == pytest.approx(truth, rel=1e-12, abs=1e-30)
    assert found.lower(epsilon) == pytest.approx(truth, rel=1e-12, abs=1e-30)


@pytest.mark.parametrize(("tilt", "most"), [(0.0, 1.0), (1.0, 1 / 4), (2.0, 4 / 27)])
def test_tilted_weight_that_is_not_listed_may_all_be_where_it_counts_most(
    tilt: float, most: float
) -> None:
    # e^(-t x) (1 - e^-x) is largest at x = ln(1 + 1/t), where it is t^t / (1 + t)^(1 + t).
    epsilon = 0.25
    factor = most * math.exp(-tilt * epsilon)
    truth = delta(epsilon, tilt)
    for outside, omitted in ((0.01, 0.0), (0.0, 0.02), (0.01, 0.02)):
        found = profile(tilt, outside=outside, omitted=omitted)
        assert found.upper(epsilon) == pytest.approx(truth + (outside + omitted) * factor)
    # What is omitted is missing from the listed weight, and lowers nothing; what lies outside of
    # the window is folded into it.
    assert profile(0.0, omitted=0.02).lower(epsilon) == pytest.approx(delta(epsilon))
    assert profile(0.0, outside=0.01).lower(epsilon) == pytest.approx(delta(epsilon) - 0.01)
    assert profile(0.0, outside=1.0).lower(epsilon) == 0


def test_each_end_takes_its_own_bound_of_the_mass_at_an_infinite_loss() -> None:
    found = profile(infinite=(0.1, 0.2))
    for epsilon in (0.25, 5.0):
        assert found.lower(epsilon) == pytest.approx(0.1 + delta(epsilon))
        assert found.upper(epsilon) == pytest.approx(0.2 + delta(epsilon))
    assert profile(infinite=(0.9, 0.95)).upper(0.0) <= 1
    assert profile(infinite=(1.0, 1.0)).lower(0.0) == pytest.approx(1.0)


def test_losses_that_are_known_within_a_slack_are_moved_against_each_end() -> None:
    found = profile(slack=0.125)
    assert found.upper(0.25) == pytest.approx(delta(0.125), rel=1e-12)
    assert found.lower(0.25) == pytest.approx(delta(0.375), rel=1e-12)
    # At the largest loss, 1, it may still be exceeded.
    assert found.upper(1.0) == pytest.approx(0.25 * (1 - math.exp(-0.125)), rel=1e-12)
    assert found.lower(0.9) == 0


@pytest.mark.parametrize("log_scale", [0.0, -3.0, -650.0])
def test_each_end_moves_the_scale_by_its_error_once_and_no_further(log_scale: float) -> None:
    # ln of the factor of all weights is known within 1/100. -650 is a scale that is combined with
    # the sum by logarithms.
    found = replace(profile(1.0), log_scale=log_scale, scale_error=0.01)
    for epsilon in (0.0, 0.25, 0.75):
        truth = delta(epsilon, 1.0)
        least, most = (truth * math.exp(log_scale + error) for error in (-0.01, 0.01))
        assert found.lower(epsilon) == pytest.approx(least, rel=1e-9)
        assert found.upper(epsilon) == pytest.approx(most, rel=1e-9)
        assert found.lower(epsilon) <= least
        assert found.upper(epsilon) >= most


@pytest.mark.parametrize("seed", range(20))
def test_the_point_above_a_loss_and_its_distances_are_those_of_exact_fractions(seed: int) -> None:
    chance = random.Random(seed)
    steps = Fraction(chance.random()), Fraction(2.0**-40), Fraction(3, 7), Fraction(1, 10**30)
    step = chance.choice(steps)
    offset = Fraction(chance.randint(-(10**20), 10**20), chance.randint(1, 10**18))
    move = chance.choice([0.0, -1e-12, chance.random()])
    losses = [chance.uniform(0, 50), 0.0, 5e-324, float(offset + 3 * step), 1e9 * chance.random()]
    least = chance.choice([None, -(10**6), 10**40])
    found = points_above(np.array(losses), move, offset, step, least)
    for loss, (point, near, distance) in zip(losses, found, strict=True):
        exact = Fraction(loss) + Fraction(move) - offset
        assert near == float(point * step - exact)
        assert distance == float(exact)
        assert least is None or point >= least
        assert point * step > exact
        assert point == least or (point - 1) * step <= exact
