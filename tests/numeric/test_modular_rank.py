"""The rank of batches of rows modulo primes against exact elimination."""

from __future__ import annotations

import random

import numpy as np

from semiaudit.numeric.modular_rank import PRIMES, Basis
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
