"""The oracle of sampled noise against closed forms, integrals, and itself."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from tests.oracles.sampled import (
    delta_by_quadrature,
    delta_of_step,
    delta_of_two_steps,
    delta_of_vectors,
    ends,
)
from tests.samples import sampled

TAILS = [
    (*records, epsilon)
    for epsilon in (-1.0, 0.5)
    for records in ((0, 1), (1, 0), (1, 1), (2, 1), (0, 3))
]


@pytest.mark.parametrize(("removed", "added", "epsilon"), sampled(TAILS, fast=(1, 5, 7)))
def test_tails_agree_with_an_integral(removed: int, added: int, epsilon: float) -> None:
    with mp.workdps(20):
        first, second = ends(removed, added, mp.mpf("0.3"), mp.mpf(1))
        found = delta_by_quadrature(first, second, mp.mpf(epsilon), 100)
        assert mp.almosteq(delta_of_step(first, second, mp.mpf(epsilon)), found, 1e-3, 1e-6)


def test_sampling_everyone_is_the_gaussian_in_one_step_and_in_two() -> None:
    with mp.workdps(20):
        first, second = ends(1, 1, mp.mpf(1), mp.mpf(2))
        for mu, found in (
            (mp.mpf(1), delta_of_step(first, second, mp.mpf(1))),
            (mp.sqrt(2), delta_of_two_steps(1, 1, 1.0, 2.0, 1.0)),
        ):
            truth = mp.ncdf(mu / 2 - 1 / mu) - mp.e * mp.ncdf(-mu / 2 - 1 / mu)
            assert mp.almosteq(found, truth, 1e-10)


def test_a_grid_in_the_plane_agrees_with_the_line() -> None:
    right, left = np.array([0.6, 0.8]), np.array([-0.6, -0.8])
    found = delta_of_vectors([right, right], [left], 0.3, np.exp([0.0, 1.0]), 700)
    first, second = ends(2, 1, mp.mpf("0.3"), mp.mpf(1))
    for epsilon, value in zip((0, 1), found, strict=True):
        assert abs(value - float(delta_of_step(first, second, mp.mpf(epsilon)))) < 1e-5
