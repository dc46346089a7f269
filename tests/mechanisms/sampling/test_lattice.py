from __future__ import annotations

from itertools import product

import numpy as np

from semiaudit.mechanisms.sampling.lattice import everything, null_lattice, span_lattice
from semiaudit.numeric.lattices import MAX_ENTRIES
from tests.oracles.sampling import margin_moves, margin_rows


def test_a_null_lattice_holds_exactly_the_whole_vectors_of_the_null_space() -> None:
    generator = np.random.default_rng(0)
    for _ in range(25):
        width = int(generator.integers(2, 5))
        matrix = generator.integers(-3, 4, (int(generator.integers(1, width)), width))
        lattice = null_lattice([dict(enumerate(row)) for row in matrix.tolist()], width)
        assert lattice.rank == width - np.linalg.matrix_rank(matrix)
        assert not (matrix @ lattice.dense.T).any()
        for vector in product(range(-2, 3), repeat=width):
            inside = not (matrix @ vector).any()
            weights = lattice.weights(vector)
            assert (weights is not None) == inside
            if weights is not None:
                assert (np.array(weights) @ lattice.dense == vector).all()


def test_the_span_of_a_tables_moves_is_the_null_space_of_its_margins() -> None:
    moves = margin_moves(3, 4, 3)
    span = span_lattice([dict(enumerate(move)) for move in moves.tolist()], 12)
    null = null_lattice(margin_rows(3, 4), 12)
    assert (span.rank, span.free) == (6, null.free)
    assert (span.dense == null.dense).all()


def test_sums_on_a_power_of_2_are_exact() -> None:
    lattice = null_lattice(margin_rows(5, 5), 25)
    weights = np.random.default_rng(1).integers(-(2**40), 2**40, (10, 16)).astype(np.float64)
    weights *= 2.0**-20
    vectors = lattice.vectors(weights).reshape(10, 5, 5)
    assert not vectors.sum(axis=1).any()
    assert not vectors.sum(axis=2).any()
    assert everything(2).vectors(weights[:, :2]).tolist() == weights[:, :2].tolist()


def test_noise_is_projected_where_only_a_reduced_basis_is_straight_enough_for_doubles() -> None:
    """The vectors (a v + b w, v, w) of a plane: (a, 1, 0) and (b, 0, 1) are almost parallel."""
    normal = np.array([1.0, -1_000_000.0, -1_000_001.0])
    lattice = null_lattice([{place: int(k) for place, k in enumerate(normal)}], 3)
    vectors = np.random.default_rng(2).standard_normal((20, 3))
    expected = vectors - np.outer(vectors @ normal, normal) / (normal @ normal)
    found = lattice.vectors(lattice.projected(vectors))
    assert np.abs(found - expected).max() < 1e-6
    # b - a = 1
    weights = lattice.weights((1, -1, 1))
    assert weights is not None
    assert (np.array(weights) @ lattice.dense == (1, -1, 1)).all()


def test_a_basis_that_is_too_large_to_be_reduced_is_used_as_it_is() -> None:
    """The first of 202 coordinates is 2^15 times the sum of the others."""
    width, factor = 202, 2**15
    assert (width - 1) * width > MAX_ENTRIES
    row = {0: 1} | dict.fromkeys(range(1, width), -factor)
    lattice = null_lattice([row], width)
    assert lattice.rank == width - 1
    others = list(range(width - 1))
    assert lattice.weights([factor * sum(others), *others]) == tuple(others)
    assert lattice.weights([factor * sum(others) + 1, *others]) is None
