"""The rank of very many integer rows modulo a prime, with numpy.

Listings of a sensitivity space have up to millions of rows of small numbers, which arrive in
batches. Exact elimination of each would take hours. Modulo a prime, it is one product of matrices,
and the rank is never above the true rank.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

PRIMES = (1_048_573, 1_048_571)
"""The largest two primes below 2^20: sums of 2^23 products of residues fit 64 bits. There are two,
because one of them can divide a determinant and give too low a rank."""

BLOCK = 256
"""Rows that are eliminated together: the later blocks are mostly sums of rows of the first ones."""

MOST_IN_DOUBLES = 1 << 13
"""Sums of up to this many products of residues are below 2^53, so that doubles hold them exactly;
their matrix product is many times as fast as that of integers."""

Integers = npt.NDArray[np.int64]
"""Integer rows."""


class Basis:
    """A growing row space, modulo a prime: its rank is never above the rank over the rationals."""

    def __init__(self, columns: int, prime: int = PRIMES[0]) -> None:
        self.prime = prime
        self.rows: Integers = np.zeros((0, columns), dtype=np.int64)
        self.pivots: list[int] = []

    @property
    def rank(self) -> int:
        """Return the number of independent rows so far."""
        return len(self.pivots)

    def add(self, batch: Integers) -> bool:
        """Add the rows of a matrix; return whether some were independent of the earlier ones."""
        before = self.rank
        for start in range(0, len(batch), BLOCK):
            if self.rank == self.rows.shape[1]:
                break
            self._extend(self._reduced(batch[start : start + BLOCK] % self.prime))
        return self.rank > before

    def _reduced(self, residues: Integers) -> Integers:
        """Subtract multiples of the basis from residues; return the rows that are not zero then."""
        if self.rank > MOST_IN_DOUBLES:
            residues = (residues - residues[:, self.pivots] @ self.rows) % self.prime
        elif self.pivots:
            product = residues[:, self.pivots].astype(np.float64) @ self.rows.astype(np.float64)
            residues = (residues - product.astype(np.int64)) % self.prime
        return np.asarray(residues[residues.any(axis=1)])

    def _extend(self, residues: Integers) -> None:
        while len(residues):
            row = residues[0]
            pivot = int(np.flatnonzero(row)[0])
            row = row * pow(int(row[pivot]), -1, self.prime) % self.prime
            if self.pivots:
                self.rows = (self.rows - self.rows[:, [pivot]] * row) % self.prime
            self.rows = np.vstack([self.rows, row])
            self.pivots.append(pivot)
            residues = (residues - residues[:, [pivot]] * row) % self.prime
            residues = residues[residues.any(axis=1)]
