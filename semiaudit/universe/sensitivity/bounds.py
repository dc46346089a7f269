"""Certified norms inside D_t if the sensitivity space is too large to be listed.

Upper bounds: Proposition 24 (every element is a sum of as many steps in D), the patterns of moves
that keep the published margins, and how often records of one cell can leave. Lower bounds: a move
that attains the upper bound and that a table of D_t can start.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import product
from math import prod

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.frozen import dataclass
from semiaudit.model.audit import PublishedCounts
from semiaudit.numeric.limits import Limits
from semiaudit.universe.sensitivity.answers import Column, Coordinate
from semiaudit.universe.sensitivity.move_patterns import Largest, Partition, largest
from semiaudit.universe.sensitivity.question import Question
from semiaudit.universe.sensitivity.start_table import can_start, sums_to_watch
from semiaudit.universe.system.classes_of_cells import total
from semiaudit.universe.system.components import Numbers, cell_of
from semiaudit.universe.system.decomposable import JunctionTree

MAX_RECORDS = 256
"""The most different records of a search."""

MAX_BRANCHES = 400_000
"""The most branches of a search, in Python."""

BRANCHES_AT_ONCE = 4096
"""Branches between two checks of the time limit."""

Move = tuple[int, ...]
"""By how much the count of each record changes."""

Norm = tuple[int, bool]
"""A largest norm, and whether it is exact; otherwise it is an upper bound."""


@dataclass(frozen=True, slots=True)
class Certified:
    """The largest norms, and the method that computed them.

    Attributes:
        l1, l2_squared, linf: in units of the query's answer.
        method: ``moves``, ``moves_checked`` or ``proposition_24``.
        rank: the dimension of the span, if a formula gives it; else None.
        margins: the number of margins of the query that can change; 0 for a matrix.
    """

    l1: Norm
    l2_squared: Norm
    linf: Norm
    method: str
    rank: int | None = None
    margins: int = 0


def better(one: Norm, other: Norm) -> Norm:
    """Return the smaller of two norms of one space, the exact one if they are equal.

    Both are upper bounds, and an exact norm is attained, so no upper bound is below it.
    """
    return one if (one[0], not one[1]) <= (other[0], not other[1]) else other


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

    def _enter(self, at: int, change: int, leaving: int) -> bool:
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
        if max(self.sums) <= leaving and not any(self.open[cell] for cell in self.closed[at]):
            going = self._further(at + 1, leaving)
        self.move[at] = 0
        for cell in self.cells[at]:
            before = self.open[cell]
            self.open[cell] = before - change
            self.sums[cell[0]] += abs(before - change) - abs(before)
        return going

    def _further(self, at: int, leaving: int) -> bool:
        if not any(self.sums):
            self._compare()
        if not leaving or at == len(self.columns):
            return True
        # A cell that this record closes leaves no choice.
        needed = {-self.open.get(cell, 0) for cell in self.closed[at]}
        if len(needed) > 1:
            return True
        (change,) = needed or (None,)
        changes = range(-leaving, leaving + 1) if change is None else (change,)
        return all(self._step(at, change, leaving) for change in changes if abs(change) <= leaving)

    def _step(self, at: int, change: int, leaving: int) -> bool:
        return self._enter(at, change, leaving - abs(change))

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


Moved = dict[Numbers, int]
"""A change of the table, by record."""


class Bounds:
    """Upper bounds for one question, and moves that attain them."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.release, self.space, self.answers = question.release, question.space, question.answers
        margins = question.margins
        self.published, self.asked, self.simple = margins.published, margins.asked, margins.simple
        self._tree, self._counts = margins.tree, margins.counts

    def certified(self, limits: Limits) -> Certified:
        """Return the largest norms, each with whether a move of D_t attains it."""
        reach = self.question.reach
        # Each method alone bounds every element of the space, so the least bound is valid.
        upper = self._steps()
        by_patterns = None
        if not reach.free and self.answers.matrix is None:
            cover = self._cover(reach.records)
            upper = _least(upper, cover)
            levels = [attribute.size for attribute in self.space.attributes]
            searched = self.published and reach.records
            if searched and not self._plainly_reached(upper, limits):
                # The other bounds are certified without it.
                with suppress(OutOfTimeError):
                    by_patterns = largest(levels, self.published, self.asked, reach.records)
            if by_patterns is not None:
                upper = _least(upper, (by_patterns.l1, by_patterns.l2_squared, by_patterns.linf))
        if not any(upper):
            # No change attains an upper bound of 0.
            return Certified((0, True), (0, True), (0, True), "moves")
        by_pattern = by_patterns is not None and upper == (
            by_patterns.l1,
            by_patterns.l2_squared,
            by_patterns.linf,
        )
        if by_pattern and self.simple and self.release.published is None:
            # These are the maxima over all moves that keep the margins. Without t, any table with
            # the leaving records starts a move, and ``reach`` is at most their number.
            ends = (upper[0], True), (upper[1], True), (upper[2], True)
            return Certified(*ends, "moves", self._rank(reach.records), len(self.asked))
        best = [0, 0, 0]

        def reach_by(candidates: Iterable[Moved]) -> None:
            # Candidates need no proof: only a move that keeps every row and that some table of D_t
            # can start counts, and its norm is then a lower bound.
            for candidate in candidates:
                if self._starts(candidate, limits):
                    best[:] = map(max, best, self._norms(candidate))

        reach_by(self._candidates(by_patterns))
        if any(low < top for low, top in zip(best, upper, strict=True)):
            with suppress(OutOfTimeError):
                norms, moves = self._branched()
                upper = _least(upper, norms or upper)
                reach_by(moves)
        # Exact if a move that starts inside D_t attains the upper bound.
        l1, l2, linf = ((top, low >= top) for top, low in zip(upper, best, strict=True))
        checked = l1[1] or l2[1] or linf[1]
        method = "moves_checked" if checked else "proposition_24"
        return Certified(l1, l2, linf, method, None, len(self.asked))

    def _branched(self) -> tuple[tuple[int, int, int] | None, list[Moved]]:
        """Return the largest norms over all moves that keep the margins, and moves that have them.

        None if there are too many moves, or no margin.
        """
        reach, records = self.question.reach, self.question.records
        if reach.free or not self.published or self.space.cells > MAX_RECORDS:
            return None, []
        cells = product(*(range(attribute.size) for attribute in self.space.attributes))
        listed = [record for record in cells if records.possible(record)]
        margins = []
        for places in self.published:
            numbers: dict[Numbers, int] = {}
            keys = (tuple(record[place] for place in sorted(places)) for record in listed)
            margins.append([numbers.setdefault(key, len(numbers)) for key in keys])
        columns = [self.answers.column(record) for record in listed]
        most = largest_moves(margins, columns, reach.most)
        if most is None:
            return None, []
        moves = [
            {record: change for record, change in zip(listed, move, strict=True) if change}
            for move in most.moves
        ]
        return most.norms, [*moves, *({r: -k for r, k in move.items()} for move in moves)]

    def _plainly_reached(self, upper: tuple[int, int, int], limits: Limits) -> bool:
        """Return whether one record that leaves often attains all bounds, so no pattern is needed.

        If patterns alone determine all moves, they are used, so that they are the method.
        """
        if self.simple:
            return False
        return any(
            self._norms(candidate) == upper and self._starts(candidate, limits)
            for candidate in self._candidates(None)
        )

    def _rank(self, half: int) -> int | None:
        """Return the rank for the table of product cells under disjoint margins, without t.

        One record moves among the cells of its class; two exchange one group of attributes, and
        such moves generate all (Diaconis and Sturmfels 1998; Dobra 2003).
        """
        if not self.answers.is_table:
            return None
        groups = [prod(self.answers.sizes[place] for place in group) for group in self.published]
        if sum(map(len, self.published)) > len(frozenset().union(*self.published)):
            return None
        if half == 1:
            return self.space.cells - prod(groups)
        return self.space.cells - 1 - sum(size - 1 for size in groups)

    def _steps(self) -> tuple[int, int, int]:
        """Apply Proposition 24: norms are at most ``reach.records`` times those of one step."""
        k, step = self.question.reach.records, self.question.step
        return k * step.l1, k * k * step.l2_squared, k * step.linf

    def _cover(self, half: int) -> tuple[int, int, int]:
        """Bound how often one cell can leave if published margins cover a requested margin.

        Let p published margins cover the attributes, and let a cell c leave m times and not enter.
        In every one of them the cell of c is entered m times, by ``half`` records each of which
        differs from c in one of them at least: p m <= (p - 1) half. The sum of the squares of the
        numbers by which cells leave is then at most that of as many such m as fit.
        """
        l1 = l2_squared = linf = 0
        for places in self.asked:
            uncovered, cover = set(places), 0
            while uncovered:
                best = max(self.published, key=lambda m: len(m & uncovered), default=frozenset())
                if not best & uncovered:
                    break
                uncovered -= best
                cover += 1
            most = half if uncovered else half * (cover - 1) // cover
            if not most:
                continue
            full, remainder = divmod(half, most)
            l1 += 2 * half
            l2_squared += 2 * (full * most * most + remainder * remainder)
            linf = max(linf, most)
        return l1, l2_squared, linf

    def _candidates(self, largest_norms: Largest | None) -> Iterator[Moved]:
        space, reach = self.space, self.question.reach
        determined = {place for margin in self.published for place in margin}
        parents = {
            space.position(space.attributes[place].within or "")
            for place in determined
            if space.attributes[place].within is not None
        }
        fixed = {place: self._ranked(place)[0] for place in determined - parents}
        ends = self.question.records.ends(fixed)
        if ends is not None and reach.free:
            yield {ends[0]: -reach.records}
        elif ends is not None and ends[0] != ends[1]:
            yield {ends[0]: -reach.records, ends[1]: reach.records}
        if largest_norms is not None:
            for pattern in dict.fromkeys(largest_norms.patterns):
                yield self._moved(pattern)

    def _ranked(self, place: int) -> list[int]:
        size = self.space.attributes[place].size
        counts = [0] * size
        published = self.release.published
        if isinstance(published, PublishedCounts):
            for names, values in published.margins:
                places = [self.space.position(name) for name in names]
                if place in places:
                    after = 1
                    for later in places[places.index(place) + 1 :]:
                        after *= self.space.attributes[later].size
                    for cell, value in enumerate(values):
                        counts[cell // after % size] += value
                    break
        return sorted(range(size), key=lambda level: -counts[level])

    def _moved(self, pattern: Sequence[Partition]) -> Moved:
        """Return the move of a pattern: larger blocks get more frequent levels."""
        half = len(pattern[0]) // 2
        levels: list[list[int]] = []
        for place, partition in enumerate(pattern):
            blocks = sorted(range(max(partition) + 1), key=lambda b: -partition[:half].count(b))
            name = dict(zip(blocks, self._ranked(place), strict=False))
            levels.append([name[block] for block in partition])
        changes: Moved = {}
        for at, record in enumerate(zip(*levels, strict=True)):
            changes[record] = changes.get(record, 0) + (1 if at >= half else -1)
        return {record: k for record, k in changes.items() if k}

    def _norms(self, moved: Moved) -> tuple[int, int, int]:
        change: dict[Coordinate, int] = {}
        for record, k in moved.items():
            for coordinate, entry in self.answers.column(record):
                change[coordinate] = change.get(coordinate, 0) + k * entry
        values = [abs(value) for value in change.values()]
        return sum(values), sum(value * value for value in values), max(values, default=0)

    def _starts(self, moved: Moved, limits: Limits) -> bool:
        if not moved or not all(map(self.question.records.possible, moved)):
            return False
        if self._tree is not None:
            return self._starts_glued(self._tree, moved)
        plain = self.question.plain
        if plain is None:
            return self._starts_freely(moved)
        system = plain.system
        need: dict[int, int] = {}
        change = [0] * system.classes
        for record, k in moved.items():
            c = plain.class_of(record)
            if c is None:
                return False
            change[c] += k
            if k < 0:
                need[c] = need.get(c, 0) - k
        if any(total(row, change) for row in system.rows):
            return False
        ends = [total(terms, change) for terms in sums_to_watch(system)]
        slack = [(min(value, 0), max(value, 0)) for value in ends]
        return can_start(system, need, slack, limits) is True

    def _starts_glued(self, tree: JunctionTree, moved: Moved) -> bool:
        """Return whether a move starts inside D_t, for margins with a junction tree.

        A table then has all records that leave. It exists if no remaining count of the margins is
        negative.
        """
        leaving = {record: -k for record, k in moved.items() if k < 0}
        for k, node in enumerate(tree.nodes):
            places = frozenset(node.places)
            if self._change_of(places, moved):
                return False
            need = self._change_of(places, leaving)
            counts = None if self._counts is None else self._counts[k]
            if counts is not None and any(counts.get(c, 0) < n for c, n in need.items()):
                return False
        number, size = sum(leaving.values()), self.space.size
        return sum(moved.values()) == 0 and (size is None or number <= size)

    def _starts_freely(self, moved: Moved) -> bool:
        """Return whether a move starts inside D_t, for margins only, without a system.

        Without t, any table of the size can start it; with one published margin (that contains the
        others), any table with its counts.
        """
        release = self.release
        if not self.question.margins.only_margins:
            return False
        if not self.published or any(self._change_of(m, moved) for m in self.published):
            return False
        leaving = {record: k for record, k in moved.items() if k < 0}
        if release.published is None:
            size = self.space.size
            return size is None or -sum(leaving.values()) <= size
        if len(self.published) > 1 or not isinstance(release.published, PublishedCounts):
            return False
        places = self.question.margins.attributes_of[self.published[0]]
        names = tuple(self.space.attributes[place].name for place in places)
        counts = dict(release.published.margins)[names]
        sizes = [self.answers.sizes[place] for place in places]
        need = self._change_of(frozenset(places), leaving)
        return all(counts[cell_of(levels, sizes)] >= -k for levels, k in need.items())

    @staticmethod
    def _change_of(margin: frozenset[int], moved: Moved) -> Moved:
        change: Moved = {}
        for record, k in moved.items():
            levels = tuple(record[place] for place in sorted(margin))
            change[levels] = change.get(levels, 0) + k
        return {levels: k for levels, k in change.items() if k}


def _least(norms: tuple[int, int, int], other: tuple[int, int, int]) -> tuple[int, int, int]:
    return min(norms[0], other[0]), min(norms[1], other[1]), min(norms[2], other[2])
