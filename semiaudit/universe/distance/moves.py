"""Moves: changes of a table that keep every invariant."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from math import comb

import numpy as np

from semiaudit.model.adjacency import Metric, has_places
from semiaudit.universe.system.classes_of_cells import System

MAX_SUMS = 1_500_000
"""The most multisets of classes that a listing examines; the arrays stay below 100 MB."""

PRIME = (1 << 61) - 1
"""A change whose codes do not sum to 0 modulo this prime changes a row; only the others are checked
exactly."""

POOLED = 6_000
"""Moves that are listed before the first program, so that most starts are blocked already."""

POOLED_RECORDS = (1, 2, 3, 4)
"""The numbers of records that the listed moves take out of their classes: short moves block most
starts."""

Move = tuple[tuple[int, int], ...]
"""A change of a table, by class, without zeros."""


def move_columns(system: System) -> list[dict[int, int]]:
    """For every class, return its coefficients in the rows, without zeros."""
    columns: list[dict[int, int]] = [{} for _ in range(system.classes)]
    for place, row in enumerate(system.rows):
        for c, k in row:
            columns[c][place] = k
    return columns


def keeps_rows(columns: Sequence[dict[int, int]], move: Move) -> bool:
    """Return whether a change of the table changes no row, exactly."""
    change: dict[int, int] = {}
    for c, number in move:
        for row, k in columns[c].items():
            change[row] = change.get(row, 0) + k * number
    return not any(change.values())


def listable(classes: int, half: int) -> bool:
    """Return whether the moves of that many records can be listed."""
    return comb(classes + half - 1, half) <= MAX_SUMS


def moves_of(system: System, half: int) -> Iterator[Move]:
    """Yield every move that takes exactly ``half`` records out of classes and into others.

    Records enter only classes that none leaves. Bounds and counts are not checked. Both signs of a
    move are yielded.
    """
    columns = move_columns(system)
    chosen = multisets(system.classes, half)
    codes = np.zeros(len(chosen), dtype=np.uint64)
    weights = np.random.default_rng(0).integers(1, 2**63, len(system.rows), dtype=np.uint64)
    of_class = np.zeros(system.classes, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for c, column in enumerate(columns):
            for row, k in column.items():
                of_class[c] += weights[row] * np.uint64(k % 2**64)
        for place in range(half):
            codes += of_class[chosen[:, place]]
    order = np.argsort(codes, kind="stable")
    codes = codes[order]
    edges = np.flatnonzero(np.diff(codes)) + 1
    starts, ends = np.r_[0, edges], np.r_[edges, len(codes)]
    for begin, end in zip(
        *((side[ends - starts > 1]).tolist() for side in (starts, ends)), strict=True
    ):
        bucket = [tuple(row) for row in chosen[order[begin:end]].tolist()]
        for leaving, entering in combinations(bucket, 2):
            if not set(leaving).isdisjoint(entering):
                continue
            move = _move(leaving, entering)
            if keeps_rows(columns, move):
                yield move
                yield tuple((c, -k) for c, k in move)


def multisets(classes: int, half: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Return all ascending tuples of ``half`` classes."""
    chosen = np.arange(classes, dtype=np.int64)[:, None]
    for _ in range(half - 1):
        last = chosen[:, -1]
        widths = classes - last
        rows = np.repeat(np.arange(len(chosen)), widths)
        offsets = np.arange(len(rows)) - np.repeat(np.cumsum(widths) - widths, widths)
        chosen = np.column_stack([chosen[rows], last[rows] + offsets])
    return chosen if half else np.zeros((1, 0), dtype=np.int64)


def _move(leaving: Sequence[int], entering: Sequence[int]) -> Move:
    change: dict[int, int] = {}
    for c in leaving:
        change[c] = change.get(c, 0) - 1
    for c in entering:
        change[c] = change.get(c, 0) + 1
    return tuple(sorted(change.items()))


class Relabelling:
    """The moves that follow from a move by renaming levels of an attribute.

    It is not assumed that the invariants treat levels equally: results that are not moves are
    dropped.

    Attributes:
        columns: for every class, its coefficients in the rows.
        codes: for every class, the sum of its coefficients times random codes of the rows.
        swaps: (attribute, level, other level) of every exchange of two levels.
    """

    def __init__(self, system: System) -> None:
        self.columns = move_columns(system)
        codes = random.Random(0)
        code_of = [codes.randrange(PRIME) for _ in system.rows]
        self.codes = [
            sum(code_of[row] * k for row, k in column.items()) % PRIME for column in self.columns
        ]
        self.cells = [cells[0] for cells in system.cells]
        self.class_of = {cell: c for c, cell in enumerate(self.cells)}
        attributes = len(self.cells[0]) if self.cells else 0
        levels = [sorted({cell[place] for cell in self.cells}) for place in range(attributes)]
        self.swaps = [
            (place, first, second)
            for place, named in enumerate(levels)
            for first, second in combinations(named, 2)
        ]

    def orbit(self, move: Move, most: int, fixed: int | None = None) -> list[Move]:
        """Return up to ``most`` moves that exchanges of two levels lead to, the given one first.

        Args:
            move: changes no row.
            most: 1 or more.
            fixed: a class whose own levels stay as they are, if any.
        """
        swaps = self.swaps
        if fixed is not None:
            others = self.cells[fixed]
            swaps = [swap for swap in swaps if others[swap[0]] not in swap[1:]]
        orbit: dict[Move, None] = {move: None}
        waiting = [move]
        while waiting and len(orbit) < most:
            current = waiting.pop(0)
            for swap in swaps:
                changed = self._swapped(current, swap)
                if changed is not None and changed not in orbit:
                    orbit[changed] = None
                    waiting.append(changed)
        return list(orbit)[:most]

    def exchanged(self, move: Move, first: int, second: int) -> Move | None:
        """Return the result of a move when the levels of two classes are exchanged.

        None if one of the exchanges (attribute by attribute) does not give a move.
        """
        image: Move | None = move
        for place, levels in enumerate(zip(self.cells[first], self.cells[second], strict=True)):
            if image is not None and levels[0] != levels[1]:
                image = self._swapped(image, (place, *levels))
        return image

    def _swapped(self, move: Move, swap: tuple[int, int, int]) -> Move | None:
        place, first, second = swap
        other = {first: second, second: first}
        changed = []
        for c, k in move:
            cell = self.cells[c]
            level = other.get(cell[place])
            if level is not None:
                target = self.class_of.get((*cell[:place], level, *cell[place + 1 :]))
                if target is None:
                    return None
                changed.append((target, k))
            else:
                changed.append((c, k))
        if sum(self.codes[c] * k for c, k in changed) % PRIME:
            return None
        result = tuple(sorted(changed))
        return result if keeps_rows(self.columns, result) else None


def short_moves(system: System, metric: Metric) -> dict[Move, None]:
    """Return the shortest moves of a system.

    Under hamming also the empty move, which only x and y make.
    """
    pool: dict[Move, None] = {(): None} if has_places(metric) else {}
    for half in POOLED_RECORDS:
        if listable(system.classes, half):
            pool |= dict.fromkeys(islice(moves_of(system, half), POOLED - len(pool)))
    return pool
