"""The rank of batches of rows modulo primes against exact elimination."""

from __future__ import annotations

import random

import flint
import numpy as np
import pytest

from semiaudit.numeric import modular_rank
from semiaudit.numeric.modular_rank import BLOCK, MOST_IN_DOUBLES, PRIMES, Basis, Integers
from tests.oracles.linear_algebra import rank


def test_the_larger_of_both_ranks_is_the_exact_one_and_neither_is_above_it() -> None:
    chance = random.Random(1)
    for _ in range(200):
        width = chance.randint(1, 6)
        rows = [[chance.randint(-3, 3) for _ in range(width)] for _ in range(chance.randint(1, 8))]
        found = []
        for prime in PRIMES:
            basis = Basis(width, prime)
            for start in range(0, len(rows), 3):
                before = rank(rows[:start])
                grown = basis.add(np.array(rows[start : start + 3], dtype=np.int64))
                assert grown == (rank(rows[: start + 3]) > before)
            found.append(basis.rank)
        assert max(found) == rank(rows)


def test_a_prime_that_divides_a_row_shows_too_low_a_rank_and_the_other_does_not() -> None:
    row = np.array([[PRIMES[0], 2 * PRIMES[0]]], dtype=np.int64)
    ranks = []
    for prime in PRIMES:
        basis = Basis(2, prime)
        basis.add(row)
        ranks.append(basis.rank)
    assert ranks == [0, 1]


@pytest.mark.parametrize(("width", "true_rank"), [(40, 25), (300, 300), (300, 280)])
def test_many_rows_of_any_residues_have_the_rank_that_flint_finds(
    width: int, true_rank: int
) -> None:
    chance = np.random.default_rng(width + true_rank)
    prime, number = PRIMES[0], 3 * BLOCK
    first = residues(chance.integers(prime - 4, prime, size=(number, true_rank)))
    product = first * residues(chance.integers(0, prime, size=(true_rank, width)))
    rows = np.array([[int(entry) for entry in row] for row in product.tolist()], dtype=np.int64)
    basis = Basis(width)
    halves = [basis.add(rows[: BLOCK + 1]), basis.add(rows[BLOCK + 1 :])]
    assert basis.rank == product.rank() == true_rank
    assert halves == [True, true_rank > BLOCK + 1]
    # Every row is the sum of rows of the basis that its own entries at the pivots say.
    assert residues(rows[:, basis.pivots]) * residues(basis.rows) == product


def test_a_basis_that_is_too_large_for_doubles_has_the_rank_that_flint_finds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With sums of up to 8 products in doubles, a basis of 9 rows is too large for them."""
    monkeypatch.setattr(modular_rank, "MOST_IN_DOUBLES", 8)
    chance = np.random.default_rng(0)
    left, right = (chance.integers(0, PRIMES[0], size) for size in ((60, 20), (20, 40)))
    product = residues(left) * residues(right)
    rows = np.array([[int(entry) for entry in row] for row in product.tolist()], dtype=np.int64)
    basis = Basis(40)
    for start in range(0, 60, 4):
        basis.add(rows[start : start + 4])
        first = residues(left[: start + 4]) * residues(right)
        assert basis.rank == first.rank() == min(start + 4, 20)
    assert residues(rows[:, basis.pivots]) * residues(basis.rows) == product


def residues(rows: Integers) -> flint.nmod_mat:
    """A matrix modulo the first prime."""
    return flint.nmod_mat(len(rows), rows.shape[1], rows.ravel().tolist(), PRIMES[0])


def test_no_row_at_the_edge_of_a_block_is_left_out() -> None:
    rows = np.zeros((2 * BLOCK + 1, 4), dtype=np.int64)
    for column, place in enumerate((BLOCK - 1, BLOCK, 2 * BLOCK - 1, 2 * BLOCK)):
        rows[place, column] = 1
    basis = Basis(4)
    basis.add(rows)
    assert basis.rank == 4


def test_doubles_hold_the_sums_that_are_made_in_them() -> None:
    assert MOST_IN_DOUBLES * (max(PRIMES) - 1) ** 2 < 2**53
