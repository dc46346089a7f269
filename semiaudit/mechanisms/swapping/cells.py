"""Sparse tables: the levels and counts of their occupied cells as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from semiaudit.frozen import dataclass

Integers = npt.NDArray[np.int64]

_MOST_CODES = 1 << 62


@dataclass(frozen=True, slots=True)
class Cells:
    """The occupied cells of a table.

    Attributes:
        levels: the index of each attribute's level, of shape (k, d); rows are distinct.
        counts: records of each cell, of shape (k,), from 1 on.
    """

    levels: Integers
    counts: Integers

    @property
    def records(self) -> int:
        """Return the number of records."""
        return int(self.counts.sum())

    def margin(self, columns: Sequence[int]) -> Cells:
        """Return the counts over some attributes, ascending by their levels."""
        return summed(self.levels[:, list(columns)], self.counts)


def cells_of(counts: Mapping[tuple[int, ...], int], attributes: int) -> Cells:
    """Return a table given by its occupied cells, ascending by their levels."""
    flat = np.fromiter((level for cell in counts for level in cell), dtype=np.int64)
    values = np.fromiter(counts.values(), dtype=np.int64, count=len(counts))
    return summed(flat.reshape(len(counts), attributes), values)


def summed(levels: Integers, counts: Integers) -> Cells:
    """Return the table of cells that can occur several times, ascending by their levels."""
    codes = codes_of(levels)
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    totals = np.zeros(first.size, dtype=np.int64)
    np.add.at(totals, inverse, counts)
    return Cells(levels[first], totals)


def codes_of(levels: Integers) -> Integers:
    """Return a number from 0 on for each row, in the order of the rows; equal rows have one number.

    Args:
        levels: from 0 on, of shape (k, d).
    """
    codes = np.zeros(len(levels), dtype=np.int64)
    number = 1
    for column in levels.T:
        size = int(column.max(initial=0)) + 1
        if number * size > _MOST_CODES:
            codes = np.unique(codes, return_inverse=True)[1]
            number = int(codes.max(initial=0)) + 1
        codes, number = codes * size + column, number * size
    return codes
