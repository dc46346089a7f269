"""The rho of every pair of datasets of a small hierarchy, by the Gram matrix of all moves.

A dataset changes by moves, each of which takes a record from one cell and puts it in another. What
a query's counts change by is linear in the moves, so that the squared length of two moves together
is that of each plus twice their inner product: one matrix holds all pairs of moves, of datasets
with as many records as it takes. Invariants are margins. Nothing here knows the package.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Asked:
    """A query at a level.

    Attributes:
        level: 0 for the nation, 1 for parts of states, 2 for counties, 3 for blocks.
        groups: of each attribute, the group of each level.
        joint: the group of each combination of both attributes, told apart as well.
        counts: of each level of the first attribute, whether its records are counted.
        weight: rho where one record leaves a cell and enters another one.
    """

    level: int
    groups: tuple[tuple[int, ...], tuple[int, ...]]
    joint: tuple[tuple[int, ...], ...]
    counts: tuple[bool, ...]
    weight: int


@dataclass(frozen=True)
class Toy:
    """A hierarchy.

    Attributes:
        blocks: for each its nation, part of a state, county and own name.
        state_of: of each part.
        sizes: the levels of the two attributes.
        zeros: combinations of the attributes that no record has.
        margins: sets of the names state, first and second.
    """

    blocks: tuple[tuple[int, int, int, int], ...]
    state_of: tuple[int, ...]
    sizes: tuple[int, int]
    asked: tuple[Asked, ...]
    zeros: frozenset[tuple[int, int]]
    margins: tuple[frozenset[str], ...]

    @cached_property
    def records(self) -> list[tuple[int, int, int]]:
        """Block, first and second attribute."""
        return [
            (b, i, j)
            for b, i, j in product(range(len(self.blocks)), *map(range, self.sizes))
            if (i, j) not in self.zeros
        ]

    @property
    def full(self) -> bool:
        """Whether every part has several counties, and every county several blocks."""
        for level in (1, 2):
            units = {block[level] for block in self.blocks}
            below = [{b[level + 1] for b in self.blocks if b[level] == unit} for unit in units]
            if min(map(len, below)) < 2:
                return False
        return True

    def topmost(self, state: int) -> int:
        """The topmost level of which a state holds several units; 4 where there is none."""
        inside = [block for block in self.blocks if self.state_of[block[1]] == state]
        several = [len({block[level] for block in inside}) > 1 for level in range(4)]
        return several.index(True) if any(several) else 4

    def state(self, record: tuple[int, int, int]) -> int:
        return self.state_of[self.blocks[record[0]][1]]

    @cached_property
    def moves(self) -> list[tuple[int, int]]:
        """Places of the record before and after."""
        count = range(len(self.records))
        return [(x, y) for x, y in product(count, count) if x != y]

    def changes(self, key: Callable[[Any], object]) -> Ints:
        """Of every count, told by the key of its records (None counts nowhere): its changes."""
        keys = [key(record) for record in self.records]
        cells = {k: at for at, k in enumerate(dict.fromkeys(k for k in keys if k is not None))}
        found = np.zeros((len(self.moves), max(len(cells), 1)), dtype=np.int64)
        for at, (x, y) in enumerate(self.moves):
            if keys[x] is not None:
                found[at, cells[keys[x]]] -= 1
            if keys[y] is not None:
                found[at, cells[keys[y]]] += 1
        return found

    def key(self, asked: Asked) -> Callable[[tuple[int, int, int]], object]:
        """The cell of a record, or None."""

        def of(record: tuple[int, int, int]) -> object:
            b, i, j = record
            if not asked.counts[i]:
                return None
            told = (asked.groups[0][i], asked.groups[1][j], asked.joint[i][j])
            return self.blocks[b][asked.level], told

        return of

    @cached_property
    def gram(self) -> Ints:
        """Twice the rho of moves u and v is gram[u, u] + gram[v, v] + 2 gram[u, v]."""
        total = np.zeros((len(self.moves), len(self.moves)), dtype=np.int64)
        for asked in self.asked:
            found = self.changes(self.key(asked))
            total += asked.weight * (found @ found.T)
        return total

    @cached_property
    def invariant(self) -> Ints:
        """What each move changes of the published margins."""
        parts = []
        for margin in self.margins:

            def of(record: tuple[int, int, int], margin: frozenset[str] = margin) -> object:
                told = {"state": self.state(record), "first": record[1], "second": record[2]}
                return tuple(told[name] for name in sorted(margin))

            parts.append(self.changes(of))
        if not parts:
            return np.zeros((len(self.moves), 1), dtype=np.int64)
        return np.concatenate(parts, axis=1)

    @cached_property
    def kept(self) -> Mask:
        """Whether a move alone keeps the invariants."""
        return np.asarray(~self.invariant.any(axis=1), dtype=bool)

    @cached_property
    def kept_together(self) -> Mask:
        """Whether two moves together do."""
        return self._cancel(np.zeros_like(self.invariant[0]))

    def one(self, wanted: Callable[[Any, Any], bool], *, inside: bool) -> int:
        """Twice the largest rho of a move that is wanted; -1 without any."""
        chosen = self._wanted(wanted)
        if inside:
            chosen &= self.kept
        squares = np.diag(self.gram)[chosen]
        return int(squares.max()) if squares.size else -1

    def two(self, wanted: Callable[[Any, Any], bool], *, inside: bool) -> int:
        """Twice the largest rho of two moves that are wanted each; -1 without any.

        Two moves of which one undoes the other are none: the table stays as it is.
        """
        chosen = self._wanted(wanted)
        gram = self.gram[np.ix_(chosen, chosen)]
        if not gram.size:
            return -1
        squares = np.diag(gram)
        total = squares[:, None] + squares[None, :] + 2 * gram
        if inside:
            total = np.where(self.kept_together[np.ix_(chosen, chosen)], total, -1)
        moves = np.array(self.moves)[chosen]
        undone = (moves[:, None] == moves[None, :, ::-1]).all(axis=2)
        return int(np.where(undone, -1, total).max())

    def three(self, *, inside: bool) -> int:
        """Twice the largest rho of three moves; -1 without any."""
        squares = np.diag(self.gram)
        two = squares[:, None] + squares[None, :] + 2 * self.gram
        best = -1
        for at, square in enumerate(squares):
            total = two + square + 2 * self.gram[at][:, None] + 2 * self.gram[at][None, :]
            if inside:
                total = np.where(self._cancel(self.invariant[at]), total, -1)
            best = max(best, int(total.max()))
        return best

    def _cancel(self, third: Ints) -> Mask:
        """Whether two moves and a third one keep the invariants together."""
        known: dict[tuple[int, ...], int] = {}

        def number(row: Ints) -> int:
            return known.setdefault(tuple(row.tolist()), len(known))

        ups = np.array([number(row) for row in self.invariant + third])
        downs = np.array([number(-row) for row in self.invariant])
        return np.asarray(ups[:, None] == downs[None, :], dtype=bool)

    def exchanges(self, within: bool, *, inside: bool) -> int:
        """Twice the largest rho where two records exchange their blocks; -1 without any."""
        place = {record: at for at, record in enumerate(self.records)}
        number = {move: at for at, move in enumerate(self.moves)}
        best = -1
        for r, s in product(self.records, repeat=2):
            if r[0] == s[0] or (within and self.state(r) != self.state(s)):
                continue
            u = number[place[r], place[s[0], r[1], r[2]]]
            v = number[place[s], place[r[0], s[1], s[2]]]
            if inside and not self.kept_together[u, v]:
                continue
            best = max(best, int(self.gram[u, u] + self.gram[v, v] + 2 * self.gram[u, v]))
        return best

    def compensated(self) -> int:
        """Twice the largest rho of two moves that cross states and keep the invariants together."""
        return self.two(lambda r, s: self.state(r) != self.state(s), inside=True)

    def _wanted(self, wanted: Callable[[Any, Any], bool]) -> Mask:
        found = [wanted(self.records[x], self.records[y]) for x, y in self.moves]
        return np.array(found, dtype=bool)


def random_toy(source: random.Random, *, plain: bool) -> Toy:
    """Two or three states, some of them split.

    Args:
        plain: state totals are the margin, every query counts all records and sees attributes by
            themselves, and no combination is impossible.
    """
    parts = source.choice([(2, 1), (1, 1), (2, 1, 1), (1, 1)])
    full = sum(parts) == 2 and source.random() < 0.5
    blocks: list[tuple[int, int, int, int]] = []
    state_of: list[int] = []
    for state, number in enumerate(parts):
        for _ in range(number):
            part = len(state_of)
            state_of.append(state)
            for county in range(2 if full else source.choice([1, 2])):
                number = 2 if full else source.choice([1, 2]) if len(blocks) < 3 else 1
                for _ in range(number):
                    blocks.append((0, part, 10 * part + county, 100 + len(blocks)))
    sizes = (2, source.choice([2, 3]) if len(blocks) < 6 else 2)
    asked = tuple(_asked(source, sizes, level, plain=plain) for level in range(4) for _ in range(2))
    every = [frozenset({"state"}), frozenset({"state", "first"}), frozenset({"second"})]
    margins: Sequence[frozenset[str]] = every[:1]
    zeros: frozenset[tuple[int, int]] = frozenset()
    if not plain:
        margins = [margin for margin in every if source.random() < 0.5]
        zeros = frozenset({(1, 0)} if source.random() < 0.3 else ())
    return Toy(tuple(blocks), tuple(state_of), sizes, asked, zeros, tuple(margins))


def _asked(source: random.Random, sizes: tuple[int, int], level: int, *, plain: bool) -> Asked:
    first = source.choice([(0,) * sizes[0], tuple(range(sizes[0]))])
    second = source.choice([(0,) * sizes[1], tuple(range(sizes[1])), (0, *(1,) * (sizes[1] - 1))])
    joint = ((0,) * sizes[1],) * sizes[0]
    counts = (True,) * sizes[0]
    if not plain and source.random() < 0.3:
        joint = ((1, *(0,) * (sizes[1] - 1)), (0,) * sizes[1])
    if not plain and source.random() < 0.3:
        counts = (True, False)
    return Asked(level, (first, second), joint, counts, source.randint(1, 5))
