"""Whether a row is a combination of other rows, and of which, exactly.

The combination is found modulo a prime; it counts only after it was checked in integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

PRIME = (1 << 31) - 1
"""Products of two residues fit into 63 bits."""

MOST = 1 << 14
"""Numerators and denominators of coefficients that are looked for: below the root of half the
prime, so that a residue stands for one fraction at most. Others count as no combination."""


class RowSpace:
    """Integer rows of one length.

    Args:
        rows: at most some hundred, of at most some thousand entries.
    """

    def __init__(self, rows: Sequence[Sequence[int]], width: int) -> None:
        import numpy as np

        self.rows = [list(row) for row in rows]
        residues = np.zeros((len(rows), width), dtype=np.int64)
        for place, row in enumerate(self.rows):
            residues[place] = [value % PRIME for value in row]
        own = np.eye(len(rows), dtype=np.int64)
        self._reduced = np.hstack([residues, own])
        self._pivots: list[tuple[int, int]] = []
        self._width, top = width, 0
        for column in range(width):
            places = np.flatnonzero(self._reduced[top:, column])
            if not len(places):
                continue
            at = top + int(places[0])
            self._reduced[[top, at]] = self._reduced[[at, top]]
            inverse = pow(int(self._reduced[top, column]), PRIME - 2, PRIME)
            self._reduced[top] = self._reduced[top] * inverse % PRIME
            others = self._reduced[:, column].copy()
            others[top] = 0
            touched = np.flatnonzero(others)
            self._reduced[touched] = (
                self._reduced[touched] - others[touched, None] * self._reduced[top]
            ) % PRIME
            self._pivots.append((top, column))
            top += 1

    def combination(self, target: Sequence[int]) -> list[Fraction] | None:
        """Coefficients of the rows that add up to a row; None where none are found."""
        import numpy as np

        wanted = np.array([value % PRIME for value in target], dtype=np.int64)
        coefficients = np.zeros(len(self.rows), dtype=np.int64)
        for top, column in self._pivots:
            factor = int(wanted[column])
            if factor:
                wanted = (wanted - factor * self._reduced[top, : self._width]) % PRIME
                own = self._reduced[top, self._width :]
                coefficients = (coefficients + factor * own) % PRIME
        if wanted.any():
            return None
        found = [_fraction(int(value)) for value in coefficients]
        known = [value for value in found if value is not None]
        if len(known) < len(found) or not self._is_exact(known, target):
            return None
        return known

    def _is_exact(self, coefficients: Sequence[Fraction], target: Sequence[int]) -> bool:
        common = lcm(*(value.denominator for value in coefficients))
        found = [0] * self._width
        for value, row in zip(coefficients, self.rows, strict=True):
            if value:
                found = [a + int(value * common) * k for a, k in zip(found, row, strict=True)]
        return found == [common * value for value in target]


def _fraction(residue: int) -> Fraction | None:
    """The small fraction that a residue stands for, by Euclid's algorithm; None for most."""
    before, now = (PRIME, 0), (residue, 1)
    while now[0] > MOST:
        quotient = before[0] // now[0]
        before, now = now, (before[0] - quotient * now[0], before[1] - quotient * now[1])
    if not now[1] or abs(now[1]) > MOST:
        return None
    return Fraction(now[0], now[1])
