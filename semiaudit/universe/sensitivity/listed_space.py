"""The listed sensitivity space inside D_t: from the tables of D_t, or from all moves.

A move is a change of the table that keeps every row. With t given, a move belongs to S if some
table of D_t can start it; without t, if any table can.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from semiaudit.frozen import dataclass
from semiaudit.numeric.limits import Limits
from semiaudit.numeric.modular_rank import Basis
from semiaudit.universe.sensitivity.answers import Coordinate
from semiaudit.universe.sensitivity.bounds import Certified, better
from semiaudit.universe.sensitivity.differences import (
    MAX_ENTRY,
    Collector,
    fits,
    multisets,
    of_tables,
)
from semiaudit.universe.sensitivity.query_classes import CellSystem
from semiaudit.universe.sensitivity.question import Reach
from semiaudit.universe.sensitivity.start_table import MAX_COUNT, can_start, sums_to_watch
from semiaudit.universe.system.classes_of_cells import System, total
from semiaudit.universe.system.listing import NoTableError, tables_of
from semiaudit.universe.system.nonnegative_sums import upper_ends

if TYPE_CHECKING:
    from semiaudit.numeric.modular_rank import Integers
    from semiaudit.universe.sensitivity.differences import Differences, Multisets

MAX_HALF = 64
"""The most records of a listed move; with more, even a few classes have too many multisets."""
MAX_TABLES = 2_500
"""The most tables of D_t that are compared pair by pair."""
MAX_LISTED_CLASSES = 64
"""Tables over more classes are not listed: listing moves is faster."""
MAX_COEFFICIENT = 1 << 30
"""Larger coefficients of rows and answers are not listed: their sums need not fit 64 bits."""
MAX_COEFFICIENTS = 4_000_000
"""The most classes times rows, as a dense matrix of 32 MB."""
MAX_CHECKS = 30
"""The most moves that are checked one by one, by a program each, for each norm."""
MAX_TRIED = 3_000
"""The most moves in the search for a basis of the span, in Python."""
MAX_ALL_CHECKED = 80
"""The most distinct answers that are all checked, by programs, to count them."""
MAX_ANSWER_CHECKS = 3 * MAX_ALL_CHECKED
"""The most programs for all answers together: several moves can give one answer, and the first one
need not start."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A sensitivity space S, or a set that contains it.

    Attributes:
        coordinates: what each entry of a vector means; other coordinates do not change.
        differences: the listed vectors.
        l1, l2_squared, linf: the largest norms of S: (value, whether it is exact; else it is an
            upper bound).
        whole: ``differences`` is S itself; otherwise it contains S.
        rank: the dimension of the span of S, or None if unknown.
        method: ``enumeration``, ``moves`` or ``moves_checked``.
    """

    coordinates: tuple[Coordinate, ...]
    differences: Differences
    l1: tuple[int, bool]
    l2_squared: tuple[int, bool]
    linf: tuple[int, bool]
    whole: bool
    rank: int | None
    method: str

    @property
    def exact(self) -> bool:
        """Return whether every norm is exact."""
        return self.l1[1] and self.l2_squared[1] and self.linf[1]

    def within(self, other: Certified) -> Listed:
        """Return the space with the better of two bounds for every norm."""
        return replace(
            self,
            l1=better(self.l1, other.l1),
            l2_squared=better(self.l2_squared, other.l2_squared),
            linf=better(self.linf, other.linf),
        )


def listed(cells: CellSystem, reach: Reach, limits: Limits) -> Listed | None:
    """List S, or a set that contains it, with certified norms; None if that takes too long.

    Raises:
        NoTableError: t contradicts itself.
    """
    listing = _of_tables(cells, reach)
    return _of_moves(cells, reach, limits) if listing is None else listing


def _whole(cells: CellSystem, differences: Differences, method: str) -> Listed:
    return Listed(
        cells.coordinates,
        differences,
        (differences.l1, True),
        (differences.l2_squared, True),
        (differences.linf, True),
        whole=True,
        rank=differences.rank,
        method=method,
    )


def _of_tables(cells: CellSystem, reach: Reach) -> Listed | None:
    """List every pair of tables of D_t, or of each D_t if t is not given.

    Only if t, or the size, bounds every count.
    """
    system = cells.system
    if system.classes > MAX_LISTED_CLASSES or system.has_free_count:
        return None
    universes = _universes(system)
    if universes is None or sum(map(len, universes)) > MAX_TABLES:
        return None
    if not universes:
        raise NoTableError

    images = _images(cells)
    if images is None:
        return None
    groups = [np.array(tables, dtype=np.int64) for tables in universes]
    if max(int(counts.max(initial=0)) for counts in groups) * system.classes > MAX_ENTRY:
        return None
    most = max(int(counts.sum(axis=1).max(initial=0)) for counts in groups)
    if not fits(images, max(reach.records, most + 1)):
        return None
    listing = of_tables(groups, images, min(reach.most, MAX_ENTRY))
    return None if listing is None else _whole(cells, listing, "enumeration")


def _universes(system: System) -> list[Sequence[Sequence[int]]] | None:
    """Return the tables of D_t, or of every D_t if t is not given; None if they are not listed.

    Without t and keys, moves are listed instead: any table starts those that keep the rows.
    """
    if system.values is not None:
        tables = tables_of(system)
        return None if tables is None else [tables] if tables else []
    size, classes = system.size, system.classes
    if size is None or not system.keys or comb(size + classes - 1, size) > MAX_TABLES:
        return None
    groups: dict[object, list[Sequence[int]]] = {}
    for chosen in combinations_with_replacement(range(classes), size):
        table = [chosen.count(c) for c in range(classes)]
        if system.admits(table):
            groups.setdefault(system.invariants(table), []).append(table)
    return [*groups.values()]


def _images(cells: CellSystem) -> Integers | None:
    if any(max(map(abs, image), default=0) > MAX_COEFFICIENT for image in cells.images):
        return None
    return np.array(cells.images, dtype=np.int64).reshape(len(cells.images), len(cells.coordinates))


def _of_moves(cells: CellSystem, reach: Reach, limits: Limits) -> Listed | None:
    if reach.records > MAX_HALF:
        return None

    system, images = cells.system, _images(cells)
    if images is None or not fits(images, max(reach.records, 1)):
        return None
    largest = max((abs(k) for row in system.rows for _, k in row), default=0)
    if largest > MAX_COEFFICIENT or system.classes * len(system.rows) > MAX_COEFFICIENTS:
        return None
    rows = np.zeros((system.classes, len(system.rows)), dtype=np.int64)
    for place, row in enumerate(system.rows):
        for c, k in row:
            rows[c, place] = k
    sizes = range(reach.records + 1) if reach.free else (reach.records,)
    moves = multisets(rows, sizes, reach.most)
    if moves is None:
        return None
    listing = moves.differences(images)
    if listing is None:
        return None
    if not moves.groups or _all_start(system, moves, limits):
        # Every element of S is the answer of a listed move, and every listed move starts.
        return _whole(cells, listing, "moves")
    single = moves.differences(np.eye(system.classes, dtype=np.int64))
    if single is None or single.vectors is None:
        return _superset(cells, listing)
    return _Checked(cells, single.vectors, images, limits).listed()


def _all_start(system: System, moves: Multisets, limits: Limits) -> bool:
    """Return whether every move can provably start: one table, or all tables, can start all."""
    if system.values is None and not system.bounds and not system.keys:
        # Any table can start: one with the leaving records does, and D has their number.
        return True
    # The most that any move takes from a class, and the most by which it changes a watched sum
    # either way: a table that allows all of this at once allows each move.
    need = moves.largest(np.eye(system.classes, dtype=np.int64))
    sums = np.zeros((len(sums_to_watch(system)), system.classes), dtype=np.int64)
    for place, terms in enumerate(sums_to_watch(system)):
        for c, k in terms:
            sums[place, c] = k
    slack = [(-int(most), int(most)) for most in moves.largest(sums)]
    needed = {c: int(k) for c, k in enumerate(need) if k}
    return can_start(system, needed, slack, limits) is True


def _superset(cells: CellSystem, listing: Differences) -> Listed:
    """Return moves that were not checked, with upper bounds.

    Only 0 is exact, as no change attains it.
    """
    still = not listing.l1
    norms = (listing.l1, still), (listing.l2_squared, still), (listing.linf, still)
    rank = 0 if still else None
    return Listed(cells.coordinates, listing, *norms, whole=still, rank=rank, method="moves")


def _room(system: System, moves: Integers) -> Integers:
    """Return how far every move stays below the largest counts, in its tightest class.

    If it is negative, no table of D_t can start the move or its opposite.
    """
    largest = int(np.abs(moves).sum(axis=1).max(initial=0))
    most = system.size if system.size is not None else MAX_COUNT
    ends = np.array([min(end, MAX_COUNT) for end in upper_ends(system, most)], dtype=np.int64)
    room = np.where(moves != 0, ends - np.abs(moves), MAX_COUNT + largest)
    return np.asarray(room.min(axis=1, initial=MAX_COUNT + largest))


class _Checked:
    """Moves that are checked one by one: largest first, then those with the most room."""

    def __init__(
        self, cells: CellSystem, moves: Integers, images: Integers, limits: Limits
    ) -> None:
        self.cells, self.system, self.limits = cells, cells.system, limits
        self.watched = sums_to_watch(self.system)
        self.known: dict[int, bool | None] = {}
        room = _room(self.system, moves)
        order = np.argsort(-room, kind="stable")
        order = order[room[order] >= 0]
        self.moves = moves[order]
        self.answers = self.moves @ images

    def starts(self, place: int) -> bool | None:
        """Return whether some table can start a move (or, equivalently, its opposite)."""
        if place not in self.known:
            move = [int(k) for k in self.moves[place]]
            need = {c: -k for c, k in enumerate(move) if k < 0}
            change = [total(terms, move) for terms in self.watched]
            ends = [(min(value, 0), max(value, 0)) for value in change]
            answer = can_start(self.system, need, ends, self.limits) if self.limits.left else None
            self.known[place] = answer
        return self.known[place]

    def listed(self) -> Listed:
        """Return the largest moves that start, the number of answers and their rank."""
        collector = Collector(self.answers.shape[1])
        collector.add(self.answers)
        listing = collector.result()
        size = np.abs(self.answers)
        if not listing.l1:
            return _whole(self.cells, listing, "moves_checked")
        norms = [size.sum(axis=1), (size * size).sum(axis=1), size.max(axis=1, initial=0)]
        ends = [self._largest(norm) for norm in norms]
        everything = self._all(listing)
        if everything is not None:
            return _whole(self.cells, everything, "moves_checked")
        rank = self._rank(listing.rank)
        l1, l2_squared, linf = ends
        at, method = self.cells.coordinates, "moves_checked"
        return Listed(at, listing, l1, l2_squared, linf, whole=False, rank=rank, method=method)

    def _largest(self, norm: Integers) -> tuple[int, bool]:
        """Return the largest norm of a move that can start, and whether a move with that norm does.

        Norms decrease along the loop, and every skipped move is proven not to start: the first move
        that can start, or was not checked, bounds all of S.
        """
        checks = 0
        for place in np.argsort(-norm, kind="stable").tolist():
            if not norm[place]:
                return 0, True
            checks += place not in self.known
            if checks > MAX_CHECKS:
                return int(norm[place]), False
            starts = self.starts(place)
            if starts is not False:
                return self._confirmed(norm, int(norm[place]), starts)
        return 0, True

    def _confirmed(self, norm: Integers, value: int, starts: bool | None) -> tuple[int, bool]:
        """Return a norm; if it cannot be excluded, it is exact if any known move with it starts."""
        if starts:
            return value, True
        return value, any(
            answer and int(norm[place]) == value for place, answer in self.known.items()
        )

    def _groups(self) -> Iterator[list[int]]:
        """Yield the moves by their answer, up to sign, without those that change no answer."""
        groups: dict[tuple[int, ...], list[int]] = {}
        for place, answer in enumerate(map(tuple, self.answers.tolist())):
            first = next((k for k in answer if k), 0)
            if first:
                key = answer if first > 0 else tuple(-k for k in answer)
                groups.setdefault(key, []).append(place)
        yield from groups.values()

    def _all(self, listing: Differences) -> Differences | None:
        if listing.vectors is None or len(listing.vectors) > MAX_ALL_CHECKED:
            return None

        collector = Collector(self.answers.shape[1])
        norms = []
        checks = 0
        for group in self._groups():
            known = [self.known.get(place) for place in group]
            if not any(known):
                for place in group:
                    checks += place not in self.known
                    if checks > MAX_ANSWER_CHECKS:
                        return None
                    if self.starts(place):
                        break
                known = [self.known.get(place) for place in group]
                # An answer is not in S only if every move that gives it is proven not to start.
                if not any(known) and None in known:
                    return None
            if any(known):
                norms.append(self.answers[group[0]])
        if norms:
            collector.add(np.array(norms, dtype=np.int64))
        return collector.result()

    def _rank(self, most: int) -> int | None:
        """Return the rank of S, if moves that start have the rank of all moves (an upper bound)."""
        basis, checks = Basis(self.answers.shape[1]), 0
        for place, answer in enumerate(self.answers[:MAX_TRIED]):
            if basis.rank == most:
                break
            trial = Basis(self.answers.shape[1])
            trial.rows, trial.pivots = basis.rows, list(basis.pivots)
            if not trial.add(answer[None, :]):
                continue
            checks += place not in self.known
            if checks > MAX_CHECKS:
                return None
            if self.starts(place):
                basis = trial
        return most if basis.rank == most else None
