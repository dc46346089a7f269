from __future__ import annotations

from itertools import product

import numpy as np

from semiaudit.mechanisms.sampling.lattice import everything, null_lattice, span_lattice
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
