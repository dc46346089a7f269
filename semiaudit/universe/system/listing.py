"""List every table of a small D_t, or every table of a small D."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

from semiaudit.universe.system.classes_of_cells import System, Table, equations
from semiaudit.universe.system.nonnegative_sums import OPEN_END, upper_ends

MAX_NODES = 60_000
"""The most partial tables that a search for the tables of D_t visits, in Python."""

MAX_TABLES = 20_000
"""The most tables of all D_t together that are listed, without t."""


class NoTableError(Exception):
    """No table has the published values."""


class _TooManyError(Exception):
    pass


def tables_of(system: System) -> list[Table] | None:
    """Return all tables that a system admits, in lexicographic order; None if there are too many.

    Also None if a count has no known upper bound (``capped`` cuts some of them off).

    With t given these are the tables of D_t; without it those of every D_t together, which
    ``System.invariants`` distinguishes.
    """
    if system.values is None:
        if system.size is None:
            return None
        if comb(system.size + system.classes - 1, system.classes - 1) > MAX_TABLES:
            return None
        candidates = _compositions(system.size, system.classes)
        return [table for table in candidates if system.admits(table)]
    try:
        return [table for table in _TableSearch(system).run() if system.admits(table)]
    except _TooManyError:
        return None


def _compositions(size: int, classes: int) -> Iterator[Table]:
    if classes == 0:
        if size == 0:
            yield ()
        return
    if classes == 1:
        yield (size,)
        return
    for first in range(size + 1):
        for others in _compositions(size - first, classes - 1):
            yield (first, *others)


class _TableSearch:
    """Depth-first search over the classes; rows without negative coefficients bound the rest.

    Every table that satisfies these rows is visited: a count takes all values that keep the rest of
    each row nonnegative, and the last class of a row takes the rest.

    Attributes:
        left: for every such row, and every upper bound, the rest after the classes so far.
        of_class: for every class, (index in ``left``, coefficient).
        closing: the same, for the rows of which it is the last class.
        ends: for every class, an upper bound on its count, or ``OPEN_END``.
    """

    def __init__(self, system: System) -> None:
        self.classes = system.classes
        self.left: list[int] = []
        self.of_class: list[list[tuple[int, int]]] = [[] for _ in range(system.classes)]
        self.closing: list[list[tuple[int, int]]] = [[] for _ in range(system.classes)]
        self.feasible = True
        for row, value in equations(system):
            if any(k < 0 for _, k in row):
                continue
            if not row or value < 0:
                self.feasible &= not row and value == 0
                continue
            place = len(self.left)
            self.left.append(value)
            for c, k in row:
                self.of_class[c].append((place, k))
            self.closing[row[-1][0]].append((place, row[-1][1]))
        for bound in system.bounds:
            if bound.most is not None and all(k > 0 for _, k in bound.sum):
                place = len(self.left)
                self.left.append(bound.most)
                for c, k in bound.sum:
                    self.of_class[c].append((place, k))
        self.ends = upper_ends(system, OPEN_END)
        self.nodes = 0
        self.tables: list[Table] = []
        self.table = [0] * system.classes

    def run(self) -> list[Table]:
        if not self.feasible:
            return []
        if OPEN_END in self.ends:
            raise _TooManyError
        self._visit(0)
        return self.tables

    def _visit(self, c: int) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise _TooManyError
        if c == self.classes:
            self.tables.append(tuple(self.table))
            return
        remaining = self.left
        high = min((remaining[place] // k for place, k in self.of_class[c]), default=self.ends[c])
        low = 0
        for place, k in self.closing[c]:
            forced, remainder = divmod(remaining[place], k)
            if remainder or forced > high:
                return
            low, high = max(low, forced), forced
        for count in range(low, high + 1):
            self.table[c] = count
            for place, k in self.of_class[c]:
                remaining[place] -= k * count
            self._visit(c + 1)
            for place, k in self.of_class[c]:
                remaining[place] += k * count
        self.table[c] = 0
