"""List the short changes of a table by which one class gains a record.

A change that keeps every row moves records from some classes to others. A row without negative
coefficients that counts y also counts one of the classes that records leave. So two such rows leave
few choices for two of these classes; the others are free. Both sides have random codes, and the
codes of leaving records are looked up among those of entering records.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from semiaudit.universe.distance.moves import (
    MAX_SUMS,
    Move,
    keeps_rows,
    move_columns,
    multisets,
)
from semiaudit.universe.distance.nearest import ABSENT
from semiaudit.universe.system.classes_of_cells import System

LONGEST = 5
"""The most records that leave their classes in the listed changes."""

MASK_BITS = 22
"""Size of the table of codes that is checked first, as a power of 2: 4 MB."""

Codes = NDArray[np.uint64]
Classes = NDArray[np.int64]


class MovesTo:
    """Lists changes of one system; the lists stay below ``MAX_SUMS``.

    Attributes:
        last: the last result, by the arguments.
    """

    def __init__(self, system: System) -> None:
        self.classes = system.classes
        self.last: tuple[int, int, list[Move]] = (ABSENT, 0, [])
        self.columns = move_columns(system)
        self.ends: dict[int, tuple[NDArray[np.bool_], Codes, Classes]] = {}
        self.rows = [
            np.array([c for c, _ in row], dtype=np.int64)
            for row in system.rows
            if all(k > 0 for _, k in row)
        ]
        random = np.random.default_rng(1)
        self.codes = np.zeros(system.classes, dtype=np.uint64)
        for row in system.rows:
            weight = random.integers(1, 2**63, dtype=np.uint64)
            for c, k in row:
                with np.errstate(over="ignore"):
                    self.codes[c] += weight * np.uint64(k % 2**64)

    def moves(self, y: int, most: int) -> list[Move]:
        """List changes that keep every row, add records to y, and take at most ``most`` away.

        Of the changes that remove the same records, one is listed; a change that removes more
        records than another one is not. The list is shorter if it would become too long.

        Args:
            y: a class; for ``ABSENT`` nothing is listed.
            most: the most records that leave their classes.
        """
        if y == ABSENT:
            return []
        if self.last[:2] != (y, most):
            self.last = y, most, self._listed(y, most)
        return self.last[2]

    def _listed(self, y: int, most: int) -> list[Move]:
        moves: list[Move] = []
        shorter: dict[int, NDArray[np.bool_]] = {}
        needed = self._needed(y)
        for half in range(1, min(most, LONGEST) + 1):
            leaving, entering = [], []
            for base in needed:
                if base.shape[1] <= half:
                    if not self._listable(len(base), half, base.shape[1]):
                        return moves
                    taken, put = self._joined(y, base, half)
                    leaving.append(taken)
                    entering.append(put)
            if not leaving:
                continue
            away, into = _distinct(np.concatenate(leaving), np.concatenate(entering), shorter)
            for taken_out, put_in in zip(away.tolist(), into.tolist(), strict=True):
                change: dict[int, int] = {y: 1}
                for c in taken_out:
                    change[c] = change.get(c, 0) - 1
                for c in put_in:
                    change[c] = change.get(c, 0) + 1
                move = tuple(sorted((c, k) for c, k in change.items() if k))
                # Codes are equal by chance, if ever.
                if keeps_rows(self.columns, move):
                    moves.append(move)
            if len(away) and self.classes**half <= 64 * MAX_SUMS:
                seen = np.zeros((self.classes,) * half, dtype=np.bool_)
                seen[tuple(away.T)] = True
                shorter[half] = seen
        return moves

    def _needed(self, y: int) -> list[Classes]:
        """Return sets of up to two classes, from one of which every change takes records.

        Each array has one set in each row; there is one array for each size of a set.
        """
        rows = sorted((row for row in self.rows if y in row), key=len)[:2]
        ways = [row[row != y] for row in rows]
        if not ways:
            return [np.zeros((1, 0), dtype=np.int64)]
        if len(ways) == 1:
            return [ways[0][:, None]]
        pairs = np.array([(p, q) for p in ways[0] for q in ways[1]], dtype=np.int64).reshape(-1, 2)
        same = pairs[:, 0] == pairs[:, 1]
        return [np.unique(pairs[same][:, :1], axis=0), np.unique(np.sort(pairs[~same]), axis=0)]

    def _listable(self, ways: int, half: int, held: int) -> bool:
        sums = ways * comb(self.classes + half - held - 1, half - held)
        return max(sums, comb(self.classes + half - 2, half - 1)) <= MAX_SUMS

    def _joined(self, y: int, base: Classes, half: int) -> tuple[Classes, Classes]:
        """Join leaving records with entering records (and one record in y) if their codes agree."""
        mask, codes, entering = self._entering(half - 1)
        others = multisets(self.classes, half - base.shape[1])
        wanted = self._sums(base)[:, None] + self._sums(others)[None, :] - self.codes[y]
        first, second = np.nonzero(mask[_bits(wanted)])
        wanted = wanted[first, second]
        at = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
        equal = codes[at] == wanted
        leaving = np.concatenate([base[first[equal]], others[second[equal]]], axis=1)
        away = (leaving != y).all(axis=1)
        return np.sort(leaving[away], axis=1), entering[at[equal]][away]

    def _entering(self, records: int) -> tuple[NDArray[np.bool_], Codes, Classes]:
        if records not in self.ends:
            chosen = multisets(self.classes, records)
            codes = self._sums(chosen)
            order = np.argsort(codes, kind="stable")
            codes, chosen = codes[order], chosen[order]
            mask = np.zeros(1 << MASK_BITS, dtype=np.bool_)
            mask[_bits(codes)] = True
            self.ends[records] = mask, codes, chosen
        return self.ends[records]

    def _sums(self, chosen: Classes) -> Codes:
        sums: Codes = self.codes[chosen].sum(axis=1, dtype=np.uint64)
        return sums


def _bits(codes: Codes) -> NDArray[np.int64]:
    bits: NDArray[np.int64] = (codes >> np.uint64(64 - MASK_BITS)).astype(np.int64)
    return bits


def _distinct(
    leaving: Classes, entering: Classes, shorter: dict[int, NDArray[np.bool_]]
) -> tuple[Classes, Classes]:
    for half, seen in shorter.items():
        kept = np.ones(len(leaving), dtype=np.bool_)
        for places in combinations(range(leaving.shape[1]), half):
            kept &= ~seen[tuple(leaving[:, place] for place in places)]
        leaving, entering = leaving[kept], entering[kept]
    leaving, first = np.unique(leaving, axis=0, return_index=True)
    return leaving, entering[first]
