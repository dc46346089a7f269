"""Optimal Gaussian noise: closed forms, numbers of another solver, and proofs that are checked.

An oracle for any covariance C: it is 1-GDP if v' C^+ v is at most 1 for all vectors v, which numpy
tells. So every covariance that is found is an upper bound on the least variance, and every lower
bound is below all of them.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from semiaudit.mechanisms.designs.optimal_gaussian import (
    Goal,
    OptimalGaussian,
    certified_least,
    optimal_gaussian,
)
from tests.mechanisms.designs.test_lengths import squares

Floats = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Moves = np.ndarray[tuple[int, int], np.dtype[np.int64]]


def optimum(moves: Moves, goal: Goal) -> tuple[OptimalGaussian, Floats]:
    """The optimum, and its covariance over all coordinates."""
    _, sizes, right = np.linalg.svd(moves.astype(float), full_matrices=False)
    basis = np.ascontiguousarray(right[sizes > 1e-9])
    found = optimal_gaussian(tuple(map(tuple, moves.tolist())), basis, goal)
    return found, basis.T @ found.covariance @ basis


def reach(covariance: Floats, moves: Moves) -> float:
    inverse = np.linalg.pinv(covariance, rcond=1e-10, hermitian=True)
    return max(float(v @ inverse @ v) for v in moves)


def variance(covariance: Floats, goal: Goal) -> float:
    diagonal = np.diag(covariance)
    return float(diagonal.sum() if goal == "total" else diagonal.max())


KNOWN: list[tuple[int, int, Goal, float]] = [
    (3, 1, "total", 24.0),
    (3, 10, "total", 176.740),
    (3, 1, "largest", 24 / 9),
    (3, 10, "largest", 101.56348),
    (4, 1, "total", 54.0),
    (4, 10, "total", 250.66564),
    (4, 10, "largest", 102.28651),
]
"""A k x k table under its margins at distance 3, with a weight on its first cell. The totals of
equal weights are rank times Delta_2^2 = 6; 24 and 176.740 are in the sources' table of numbers; the
others come from Clarabel 0.11.1 on the semidefinite program."""


@pytest.mark.parametrize(("size", "weight", "goal", "expected"), KNOWN)
def test_optima_of_tables_are_those_of_a_semidefinite_program(
    size: int, weight: int, goal: Goal, expected: float
) -> None:
    moves = squares(size, hexagons=True)
    moves[:, 0] *= weight
    found, covariance = optimum(moves, goal)
    assert reach(covariance, moves) <= 1 + 1e-7
    assert variance(covariance, goal) == pytest.approx(found.variance, rel=1e-7)
    assert found.least is not None
    assert float(found.least) <= expected * (1 + 1e-6) <= found.variance * (1 + 3e-6)
    assert found.variance <= float(found.least) * (1 + 1.1e-4)


def test_the_optimum_for_axes_has_their_squares_on_its_diagonal() -> None:
    """For +-a_i e_i any covariance has C_ii >= a_i^2."""
    moves = np.diag([1, 2, 5]).astype(np.int64)
    total, covariance = optimum(moves, "total")
    assert total.variance == pytest.approx(30, rel=1e-4)
    assert np.allclose(np.diag(covariance), [1, 4, 25], rtol=2e-3)
    largest, _ = optimum(moves, "largest")
    assert largest.variance == pytest.approx(25, rel=1e-4)


@pytest.mark.parametrize("goal", ["total", "largest"])
@pytest.mark.parametrize("seed", range(6))
def test_no_other_covariance_is_below_the_proven_bound(seed: int, goal: Goal) -> None:
    generator = np.random.default_rng(seed)
    moves = generator.integers(-3, 4, size=(30, 5)) * np.array([1, 1, 2, 5, 1])
    moves[:, 4] = moves[:, 0] - moves[:, 1]
    found, covariance = optimum(moves, goal)
    assert reach(covariance, moves) <= 1 + 1e-7
    assert found.least is not None
    assert variance(covariance, goal) <= float(found.least) * (1 + 1.5e-4)
    span = np.linalg.pinv(moves) @ moves
    for _ in range(200):
        noise = generator.normal(scale=0.2, size=(5, 5)) @ span
        other = covariance + span @ (noise.T @ noise) @ span * generator.uniform(0, 2)
        other *= reach(other, moves)
        assert variance(other, goal) >= float(found.least)


def test_a_bound_from_poor_weights_is_a_bound_all_the_same() -> None:
    moves = squares(3, hexagons=True)
    vectors = tuple(map(tuple, moves.tolist()))
    generator = np.random.default_rng(5)
    for _ in range(20):
        weights = generator.dirichlet(np.full(len(moves), 0.3))
        least = certified_least(vectors, weights, None)
        assert least is None or 0 < least <= 24
        largest = certified_least(vectors, weights, generator.dirichlet(np.ones(9)))
        assert largest is None or 0 < largest <= 24 / 9


def test_the_noise_of_prefix_sums_is_less_than_a_quarter_of_the_balls() -> None:
    """n = 24 of row 102; Corollary 3.6's error is rank * Delta_2^2 = 23 * 23 at mu = 1."""
    prefix = np.tril(np.ones((24, 24), dtype=np.int64))
    moved = np.array([prefix[:, i] - prefix[:, j] for i, j in combinations(range(24), 2)])
    found, _ = optimum(moved, "total")
    assert found.variance <= 23 * 23 / 4
    assert found.least is not None
    assert found.variance < float(found.least) * (1 + 1.1e-4)


@pytest.mark.parametrize("power", [-40, 12])
def test_a_bound_from_weights_depends_on_their_ratios_alone(power: int) -> None:
    moves = squares(3, hexagons=True)
    vectors = tuple(map(tuple, moves.tolist()))
    weights = np.random.default_rng(7).uniform(0.5, 1, len(moves))
    least = certified_least(vectors, weights, None)
    assert least is not None
    assert certified_least(vectors, weights * 2.0**power, None) == least
