"""Permutation swapping of a table: its records exchange some attributes inside their stratum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from semiaudit import deadline
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.swapping.cells import Cells, Integers, codes_of, summed
from semiaudit.mechanisms.swapping.exchange import exchange
from semiaudit.model.randomizers import Swapping
from semiaudit.model.results.sample import StrataSummary, SwapMoves

AT_ONCE = 2_000_000
"""The most records of whole strata that are expanded together; a larger stratum is expanded
alone."""


LARGEST = 50_000_000
"""The most records of one stratum: they are expanded together, at some 60 bytes each."""


class SwappableTable:
    """A table that can be swapped repeatedly.

    Args:
        cells: the table.
        stratify: the columns of the attributes that the records of one stratum agree on.
        swap: the columns whose values are exchanged, together.

    Raises:
        RefusedError: a stratum has too many records to expand.

    Attributes:
        sizes: the sizes of the strata, of shape (number of strata,).
    """

    def __init__(self, cells: Cells, stratify: Sequence[int], swap: Sequence[int]) -> None:
        strata = np.unique(codes_of(cells.levels[:, list(stratify)]), return_inverse=True)[1]
        order = np.argsort(strata, kind="stable")
        self._levels, self._counts = cells.levels[order], cells.counts[order]
        self._swap = list(swap)
        self._stay = [at for at in range(cells.levels.shape[1]) if at not in self._swap]
        strata = strata[order]
        self._ends = np.flatnonzero(np.diff(strata, append=-1)) + 1
        self.sizes = np.diff(np.cumsum(self._counts)[self._ends - 1], prepend=0)
        if self.summary.largest > LARGEST:
            what = f"a stratum has more than {LARGEST} records, too many to permute in memory"
            raise RefusedError(
                Refusal(
                    what, "use finer strata: add attributes to stratify_by", "mechanism.swapping"
                )
            )
        self._kinds, self._kept = (
            _coded(self._levels[:, columns]) for columns in (self._swap, self._stay)
        )

    @property
    def largest_changing(self) -> int:
        """Return the records of the largest stratum that can change; 0 if there is none.

        A stratum can change if two of its records differ both in the exchanged attributes and in
        the others.
        """
        differ = np.ones(self.sizes.size, dtype=bool)
        first = self._ends - np.diff(self._ends, prepend=0)
        for coded in (self._kinds, self._kept):
            least, most = (
                extreme.reduceat(coded.codes, first) for extreme in (np.minimum, np.maximum)
            )
            differ &= least != most
        return int(self.sizes[differ].max(initial=0))

    @property
    def summary(self) -> StrataSummary:
        """Return the number of strata, and their numbers of records."""
        single = int(np.count_nonzero(self.sizes == 1))
        return StrataSummary(self.sizes.size, single, int(self.sizes.max(initial=0)))

    def swapped(
        self, rate: Fraction, part: Swapping, source: Randomness
    ) -> tuple[Cells, SwapMoves]:
        """Return the table after swapping, ascending by its levels, and what happened.

        Strata are independent, and are expanded to records in batches.

        Args:
            rate: the swap rate.
            part: the swapping, with the variant, and whether strata are selected again.
            source: the source of fair bits.

        Raises:
            OutOfTimeError: the time limit was reached.
        """
        levels, counts, moves = [], [], SwapMoves()
        kinds, kept = self._kinds, self._kept
        for first, last, sizes in self._blocks():
            deadline.check()
            cell = np.repeat(np.arange(first, last), self._counts[first:last])
            deranged = part.variant == "derangement"
            drawn = exchange(
                sizes, rate, deranged=deranged, reselection=part.reselection, source=source
            )
            given = kinds.codes[cell[drawn.order]]
            pairs = kept.codes[cell] * kinds.first.size + given
            distinct, number = np.unique(pairs, return_counts=True)
            stay, swap = np.divmod(distinct, kinds.first.size)
            after = np.empty((distinct.size, self._levels.shape[1]), dtype=np.int64)
            after[:, self._stay] = self._levels[kept.first[stay]][:, self._stay]
            after[:, self._swap] = self._levels[kinds.first[swap]][:, self._swap]
            levels.append(after)
            counts.append(number)
            moves += SwapMoves(
                int(np.count_nonzero(drawn.selected)),
                drawn.reselected,
                drawn.selections,
                drawn.alone,
                int(np.count_nonzero(given != kinds.codes[cell])),
            )
        if not counts:
            return Cells(self._levels, self._counts), moves
        return summed(np.concatenate(levels), np.concatenate(counts)), moves

    def _blocks(self) -> Iterator[tuple[int, int, Integers]]:
        stratum = cell = 0
        totals = np.cumsum(self.sizes)
        while stratum < self.sizes.size:
            reached = int(totals[stratum] - self.sizes[stratum]) + AT_ONCE
            end = max(int(np.searchsorted(totals, reached, side="right")), stratum + 1)
            last = int(self._ends[end - 1])
            yield cell, last, self.sizes[stratum:end]
            stratum, cell = end, last


@dataclass(frozen=True, slots=True)
class _Codes:
    """Rows numbered without gaps: the number of each row, and the first row of each number."""

    codes: Integers
    first: Integers


def _coded(levels: Integers) -> _Codes:
    _, first, inverse = np.unique(codes_of(levels), return_index=True, return_inverse=True)
    return _Codes(inverse, first)
