"""The largest norms of all moves that keep published margins, by branching over the records.

A move is a whole number for each record: by how much its count changes. In every margin, the sum
over the records of each cell is 0. A branch ends where the changes that are left cannot close all
cells of a margin: each of them changes the sum of the absolute cells of one margin by at most 1.
"""

from __future__ import annotations

from collections.abc import Sequence

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.universe.sensitivity.answers import Column

MAX_RECORDS = 256
"""The most different records of a search."""

MAX_BRANCHES = 400_000
"""The most branches of a search, in Python."""

BRANCHES_AT_ONCE = 4096
"""Branches between two checks of the time limit."""

Move = tuple[int, ...]
"""By how much the count of each record changes."""


@dataclass(frozen=True, slots=True)
class LargestMoves:
    """The largest l1, squared l2, and l-infinity norms, and a move that has each."""

    norms: tuple[int, int, int]
    moves: tuple[Move, ...]


def largest_moves(
    margins: Sequence[Sequence[int]], columns: Sequence[Column], most: int
) -> LargestMoves | None:
    """Return the largest norms of the answer's changes over all moves.

    Args:
        margins: for each margin, the cell of every record.
        columns: the contribution of every record to the answer.
        most: the largest sum of the absolute changes of all counts.

    Returns:
        Exact maxima; None if there are too many branches.
    """
    return _MoveSearch(margins, columns, most).largest() if len(columns) <= MAX_RECORDS else None


class _MoveSearch:
    def __init__(
        self, margins: Sequence[Sequence[int]], columns: Sequence[Column], most: int
    ) -> None:
        self.columns, self.most = columns, most
        self.cells = [
            [(m, cells[at]) for m, cells in enumerate(margins)] for at in range(len(columns))
        ]
        last = {cell: at for at, cells in enumerate(self.cells) for cell in cells}
        self.closed = [
            [cell for cell in cells if last[cell] == at] for at, cells in enumerate(self.cells)
        ]
        self.open: dict[tuple[int, int], int] = {}
        self.sums = [0] * len(margins)
        self.move = [0] * len(columns)
        self.norms = (0, 0, 0)
        self.moves: list[Move] = [()] * 3
        self.branches = 0

    def largest(self) -> LargestMoves | None:
        """Search all moves whose first change is positive; the others are their opposites."""
        for first in range(len(self.columns)):
            for change in range(1, self.most // 2 + 1):
                if not self._enter(first, change, self.most - change):
                    return None
        return LargestMoves(self.norms, tuple(move for move in self.moves if move))

    def _enter(self, at: int, change: int, left: int) -> bool:
        """Change a record, and search on with what is left; False if there are too many."""
        self.branches += 1
        if self.branches > MAX_BRANCHES:
            return False
        if not self.branches % BRANCHES_AT_ONCE:
            deadline.check()
        for cell in self.cells[at]:
            before = self.open.get(cell, 0)
            self.open[cell] = before + change
            self.sums[cell[0]] += abs(before + change) - abs(before)
        self.move[at] = change
        going = True
        if max(self.sums) <= left and not any(self.open[cell] for cell in self.closed[at]):
            going = self._further(at + 1, left)
        self.move[at] = 0
        for cell in self.cells[at]:
            before = self.open[cell]
            self.open[cell] = before - change
            self.sums[cell[0]] += abs(before - change) - abs(before)
        return going

    def _further(self, at: int, left: int) -> bool:
        if not any(self.sums):
            self._compare()
        if not left or at == len(self.columns):
            return True
        # A cell that this record closes leaves no choice.
        needed = {-self.open.get(cell, 0) for cell in self.closed[at]}
        if len(needed) > 1:
            return True
        (change,) = needed or (None,)
        changes = range(-left, left + 1) if change is None else (change,)
        return all(self._step(at, change, left) for change in changes if abs(change) <= left)

    def _step(self, at: int, change: int, left: int) -> bool:
        return self._enter(at, change, left - abs(change))

    def _compare(self) -> None:
        answer: dict[object, int] = {}
        for change, column in zip(self.move, self.columns, strict=True):
            if change:
                for coordinate, entry in column:
                    answer[coordinate] = answer.get(coordinate, 0) + change * entry
        values = [abs(value) for value in answer.values()]
        norms = sum(values), sum(value * value for value in values), max(values, default=0)
        for place, norm in enumerate(norms):
            if norm > self.norms[place]:
                self.moves[place] = tuple(self.move)
        l1, l2_squared, linf = map(max, norms, self.norms)
        self.norms = l1, l2_squared, linf
