"""Values of characteristic functions at some frequencies, against sums in many digits."""

from __future__ import annotations

import random
from typing import Any

import mpmath
import numpy as np
import pytest

from semiaudit.privacy.loss.laws import spectrum
from semiaudit.privacy.loss.laws.rounding import Tilted
from semiaudit.privacy.loss.laws.spectrum import transformed, turning, values_at
from semiaudit.privacy.loss.sources.loss_source import UNIT

mp: Any = mpmath.mp

LENGTH = 1 << 17


def law(points: list[int]) -> Tilted:
    """Random weights that add up to 1, but for rounding."""
    array = np.array([random.random() ** 4 for _ in points])
    weights = array / array.sum()
    return Tilted(np.array(points), weights, np.zeros(len(points)), 0.0, -np.inf, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("points", "levels"),
    [
        ([-7], 1),
        (list(range(0, 9_000, 150)), 1),
        (list(range(40, 70_000, 1_000)), 2),
        ([3 * k // 2 for k in range(600)], 2),
        ([k // 3 for k in range(600)], 2),
        (list(range(-5, 1_400)), 3),
        (list(range(0, 40_000, 50)), 4),
    ],
)
def test_values_are_within_their_bound_of_the_sum_in_many_digits(
    points: list[int], levels: int
) -> None:
    random.seed(len(points))
    tilted = law(points)
    frequencies = np.array([0, 1, 2, 77, 4_097, LENGTH // 3, LENGTH // 2 - 1, LENGTH // 2])
    found, bound = values_at(tilted, frequencies, LENGTH)
    assert bound <= UNIT * (64 * levels + 16)
    with mp.workdps(40):
        for frequency, value in zip(frequencies.tolist(), found.tolist(), strict=True):
            truth = mp.mpc(0)
            for point, weight in zip(points, tilted.weights.tolist(), strict=True):
                turn = frequency * (point - points[0]) % LENGTH
                truth += mp.mpf(weight) * mp.expjpi(mp.mpf(-2 * turn) / LENGTH)
            assert abs(truth - mp.mpc(value)) <= bound


@pytest.mark.parametrize("length", [2, 16])
def test_a_transform_is_within_its_bound_where_many_small_weights_meet_a_large_one(
    length: int,
) -> None:
    """On a circle, weights far apart share a point, and their sum loses every small one."""
    small = UNIT * 0.49  # less than half of a unit of 1/2 in its last place
    points = [length * turn for turn in range(1_000)] + [1]
    weights = np.array([0.5] + [small] * 999 + [0.5 - 999 * small])
    tilted = Tilted(np.array(points), weights, np.zeros(1_001), 0.0, -np.inf, 0.0, 0.0, 1.0)
    found, bound = transformed(tilted, length)
    assert len(found) == length // 2 + 1
    with mp.workdps(40):
        at_0, at_1 = mp.fsum(map(mp.mpf, weights[:-1].tolist())), mp.mpf(float(weights[-1]))
        for frequency, value in enumerate(found.tolist()):
            truth = at_0 + at_1 * mp.expjpi(mp.mpf(-2 * frequency) / length)
            assert abs(truth - mp.mpc(value)) <= bound


@pytest.mark.parametrize("length", [2, 16, 1 << 13, 1 << 18, 1 << 19, 1 << 32])
def test_turns_that_are_looked_up_are_those_that_are_computed(length: int) -> None:
    rng = np.random.default_rng(length)
    frequencies, points = rng.integers(0, length // 2 + 1, 150), rng.integers(-length, length, 90)
    turns = [[f * p % length for p in points.tolist()] for f in frequencies.tolist()]
    direct = spectrum._turned(np.array(turns), length)
    assert np.array_equal(turning(frequencies, points, length), direct)
    for row in range(0, 150, 10):
        alone = turning(frequencies[row : row + 1], points[:3], length)
        assert np.array_equal(alone, direct[row : row + 1, :3])
        with mp.workdps(40):
            truth = complex(mp.expjpi(mp.mpf(-2 * turns[row][0]) / length))
        assert abs(truth - direct[row, 0]) <= 8 * UNIT
