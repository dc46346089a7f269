"""Expected lengths of noise and optimal Gaussian noise, against published numbers and samples."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest

from semiaudit.mechanisms.designs import lengths
from semiaudit.mechanisms.designs.k_norm import hull_of
from semiaudit.mechanisms.designs.optimal_gaussian import (
    Goal,
    OptimalGaussian,
    certified_least,
    optimal_gaussian,
)

FIGURE_2 = {
    2: 1.5958,
    3: 3.7599,
    4: 5.8360,
    5: 7.8761,
    6: 9.9005,
    7: 11.9170,
    8: 13.9288,
    9: 15.9376,
    10: 17.9445,
}
"""theory.md, row 47: Delta_2 = 2 as printed, mu = 1."""

CORRECTED = (4.6050, 7.1476, 9.6462, 12.1256, 14.5952, 17.0592, 19.5195, 21.9775)
"""The same with Delta_2 = sqrt(6), for k = 3, ..., 10."""

NAIVE = (7.9760, 12.3799, 16.7076, 21.0022, 25.2797, 29.5474, 33.8088, 38.0661, 42.3205)


def squares(size: int, *, hexagons: bool) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """S_Semi of a size x size table: as printed, or with what A_3 adds (E2); one of each pair."""
    found = set()
    for (i, k), (j, m) in product(combinations(range(size), 2), repeat=2):
        move = np.zeros((size, size), dtype=np.int64)
        move[i, j] = move[k, m] = 1
        move[i, m] = move[k, j] = -1
        found.add(tuple(move.ravel()))
    for rows in combinations(range(size), 3) if hexagons else ():
        for columns in permutations(range(size), 3):
            move = np.zeros((size, size), dtype=np.int64)
            for at in range(3):
                move[rows[at], columns[at]] += 1
                move[rows[at], columns[(at + 1) % 3]] -= 1
            found.add(tuple(move.ravel()))
    both = found | {tuple(-x for x in v) for v in found}
    return np.array(sorted(v for v in both if v > tuple(-x for x in v)), dtype=np.int64)


def test_the_gaussian_lengths_of_figure_2() -> None:
    for k, printed in FIGURE_2.items():
        assert lengths.of_gaussian([4.0] * (k - 1) ** 2) == pytest.approx(printed, abs=5e-5)
    for k, corrected in enumerate(CORRECTED, start=3):
        assert lengths.of_gaussian([6.0] * (k - 1) ** 2) == pytest.approx(corrected, abs=5e-5)
    for k, naive in enumerate(NAIVE, start=2):
        assert lengths.of_gaussian([18.0] * k**2) == pytest.approx(naive, abs=5e-5)


def test_the_k_norm_lengths_of_figure_3() -> None:
    """theory.md, rows 44 to 48, at epsilon 1: figures to the digits that are given there."""
    assert lengths.of_laplace(6.0, 4) == pytest.approx(15.04, abs=0.03)
    assert lengths.of_laplace(6.0, 9) == pytest.approx(23.99, abs=0.01)
    assert lengths.of_l2_ball(3 * 2**0.5, 4) == pytest.approx(16.971, abs=1e-3)
    assert lengths.of_l2_ball(3 * 2**0.5, 9) == pytest.approx(38.18, abs=0.01)
    assert lengths.of_cube(3.0, 4) == pytest.approx(16.83, abs=0.01)
    assert lengths.of_cube(3.0, 9) == pytest.approx(51.4, abs=0.06)
    for size, hexagons, length in ((2, True, 2.000), (3, False, 6.10), (3, True, 7.16)):
        hull = hull_of(squares(size, hexagons=hexagons))
        assert hull is not None
        assert (hull.rank + 1) * (hull.mean_length() or 0) == pytest.approx(length, abs=5e-3)


def test_s_semi_has_the_sizes_of_row_40() -> None:
    assert len(squares(3, hexagons=True)) == 15
    assert len(squares(3, hexagons=False)) == 9


def test_lengths_and_deviations_are_those_of_drawn_noise() -> None:
    generator = np.random.default_rng(18)
    draws = 200_000

    def holds(value: float, drawn: np.ndarray[tuple[int], np.dtype[np.float64]]) -> bool:
        return bool(abs(value - drawn.mean()) < 5 * drawn.std() / draws**0.5)

    def norms(
        noise: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    ) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.asarray(np.sqrt((noise**2).sum(axis=1)))

    uneven = np.array([1.0, 4.0, 0.25])
    assert holds(
        lengths.of_gaussian(uneven), norms(generator.normal(size=(draws, 3)) * uneven**0.5)
    )
    assert holds(lengths.of_laplace(2.0, 5), norms(generator.laplace(scale=2.0, size=(draws, 5))))
    radius = generator.gamma(4, size=draws)
    cube = generator.uniform(-1, 1, size=(draws, 3)) * radius[:, None]
    assert holds(lengths.of_cube(1.0, 3), norms(cube))
    assert holds(lengths.sd_of_cube(1.0, 3) ** 2, cube[:, 0] ** 2)
    ball = generator.normal(size=(draws, 3))
    ball *= (generator.gamma(3, size=draws) / norms(ball))[:, None]
    assert holds(lengths.of_l2_ball(1.0, 3), norms(ball))
    assert holds(lengths.sd_of_l2_ball(1.0, 3) ** 2, ball[:, 0] ** 2)


def test_a_hulls_moments_are_those_of_points_that_are_drawn_in_it() -> None:
    vectors = np.array([[2, 0, -2], [0, 1, -1], [1, -1, 0]], dtype=np.int64)
    hull = hull_of(vectors)
    assert hull is not None
    generator = np.random.default_rng(3)
    inside = vectors @ hull.basis.T
    points = generator.uniform(-3, 3, size=(400_000, 2))
    corners = np.concatenate([inside, -inside])
    order = np.argsort(np.arctan2(corners[:, 1], corners[:, 0]))
    ring = corners[order]
    kept = np.ones(len(points), dtype=bool)
    turn = np.array([[0, 1], [-1, 0]])
    for one, other in ((a, b) for a, b in combinations(ring, 2)):
        normal = turn @ (other - one)
        offset = normal @ one
        normal, offset = (normal, offset) if offset > 0 else (-normal, -offset)
        if (ring @ normal <= offset + 1e-9).all():
            kept &= points @ normal <= offset
    drawn = points[kept]
    size = np.sqrt((drawn**2).sum(axis=1))
    assert hull.mean_length() == pytest.approx(size.mean(), abs=5 * size.std() / len(size) ** 0.5)
    moments = hull.basis.T @ (drawn.T @ drawn / len(drawn)) @ hull.basis
    assert np.allclose(hull.second_moments(), moments, atol=0.02)


def test_the_hull_of_many_corners_of_few_dimensions_is_cut() -> None:
    """Whole points near a sphere: the noise of a ball of dimension 3 has the mean length 3 r."""
    grid = np.array(list(product(range(-24, 25), repeat=3)))
    near = grid[np.abs((grid**2).sum(axis=1) - 24**2) <= 8]
    half = near[[tuple(v) > tuple(-v) for v in near]]
    hull = hull_of(half.astype(np.int64))
    assert len(half) > 600
    assert hull is not None
    assert (hull.rank + 1) * (hull.mean_length() or 0) == pytest.approx(3 * 24, rel=0.02)


def test_a_hull_of_too_many_dimensions_is_not_cut() -> None:
    assert hull_of(np.eye(9, dtype=np.int64)) is None
    assert hull_of(np.zeros((0, 3), dtype=np.int64)) is None


@pytest.mark.parametrize(
    ("vectors", "mean"),
    [
        ([[2, -1], [1, -1]], 0.9414540659278852),
        ([[100, 1], [99, 1]], None),
        ([[3, -2, 0], [4, -3, 1], [1, -1, 1]], None),
    ],
)
def test_the_mean_length_of_a_flat_hull_is_that_of_an_integral(
    vectors: list[list[int]], mean: float | None
) -> None:
    """Of the first by 400 nodes of Gauss and Legendre on each edge; else by 500,000 points."""
    hull = hull_of(np.array(vectors))
    assert hull is not None
    found = hull.mean_length()
    if mean is not None:
        assert found == pytest.approx(mean, rel=1e-4)
    generator = np.random.default_rng(3)
    chosen = generator.choice(len(hull.weights), 500_000, p=hull.weights)
    inside = generator.exponential(size=(len(chosen), hull.rank + 1))
    shares = (inside / inside.sum(axis=1, keepdims=True))[:, :-1]
    sizes = np.linalg.norm(np.einsum("nv,nvs->ns", shares, hull.simplices[chosen]), axis=1)
    assert found == pytest.approx(sizes.mean(), abs=5 * sizes.std() / len(sizes) ** 0.5)


# An oracle for any covariance C: it is 1-GDP if v' C^+ v is at most 1 for all vectors v, which
# numpy tells. So every covariance that is found is an upper bound on the least variance, and every
# lower bound is below all of them.

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
