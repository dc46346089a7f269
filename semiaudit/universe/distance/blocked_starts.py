"""The integer program for a starting table in which all known short moves are blocked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Metric, has_places, table_distance
from semiaudit.numeric.integer_program import Program
from semiaudit.universe.distance.moves import Move
from semiaudit.universe.distance.nearest import ABSENT
from semiaudit.universe.system.classes_of_cells import System, Table
from semiaudit.universe.system.nonnegative_sums import NonnegativeSum, value

ACTIVATED = 150
"""The most clauses that are added to a program at a time: fewer take more rounds, more make each
program slower."""


@dataclass(frozen=True, slots=True)
class Ground:
    """The input of a search for the worst start.

    Attributes:
        system: D_t over classes of cells.
        metric: of the release.
        ends: for every class a number that no count in D_t exceeds.
        forms: the count of every class, then the slack of every bound: none can become negative.
    """

    system: System
    metric: Metric
    ends: tuple[int, ...]
    forms: tuple[NonnegativeSum, ...]


Blocks = frozenset[tuple[int, int]]
"""(form, level) pairs: a move is blocked by a form that is at most the level."""

Clause = tuple[Blocks, frozenset[int]]
"""The pairs that block a move, and the records x for which the move is too long anyway."""


class Clauses:
    """The moves that must be blocked for one y and threshold, each as a clause.

    Attributes:
        with_x: the cost is the hamming distance with the record x; else that of the table's change.
        without_y: starts contain no record in y.
        seen: how many moves were added.
        waiting: clauses that no start violated so far, each with its move.
        active: the clauses of the master program, each with its move.
    """

    def __init__(
        self, ground: Ground, moves: dict[Move, None], y: int, threshold: int, *, with_x: bool
    ) -> None:
        self.ground, self.y, self.threshold, self.with_x = ground, y, threshold, with_x
        self.without_y = has_places(ground.metric) and not with_x
        self.seen = 0
        self.waiting: dict[Clause, Move] = {}
        self.active: dict[Clause, Move] = {}
        self.add(moves)

    def add(self, moves: dict[Move, None]) -> None:
        """Add the moves that were learned since the last call."""
        for move in islice(moves, self.seen, None):
            clause = self._clause(move)
            if clause is not None and clause not in self.active:
                self.waiting[clause] = move
        self.seen = len(moves)

    def begin_with(self, moves: Iterable[Move]) -> None:
        """Activate the clauses of some moves that were added, even if no start violates them."""
        for move in moves:
            clause = self._clause(move)
            if clause is not None and clause in self.waiting:
                self.active[clause] = self.waiting.pop(clause)

    def insist(self, moves: Iterable[Move]) -> None:
        """Activate the clauses of moves that were not added, even if no start violates them."""
        for move in moves:
            clause = self._clause(move)
            if clause is not None:
                self.waiting.pop(clause, None)
                self.active[clause] = move

    def activate(self, start: Table, x: int) -> bool:
        """Activate clauses that a start violates, shortest first; return whether there are any."""
        forms = self.ground.forms
        levels = [value(form, start) for form in forms]
        violated = [
            clause
            for clause in self.waiting
            if x not in clause[1] and all(levels[place] > level for place, level in clause[0])
        ]
        violated.sort(key=lambda clause: len(clause[0]))
        for clause in violated[:ACTIVATED]:
            self.active[clause] = self.waiting.pop(clause)
        return bool(violated)

    def _clause(self, move: Move) -> Clause | None:
        """Return what blocks a move.

        None if the move leads to no dataset with y, or costs more than the threshold: then it does
        not show that a start is close. Omitting a clause never proves too much.
        """
        ground, y = self.ground, self.y
        changes = dict(move)
        gain = changes.get(y, 0)
        if (self.without_y and gain <= 0) or (not self.with_x and not move):
            return None
        cost = table_distance(ground.metric, sum(map(abs, changes.values())))
        over = self.threshold - cost - int(self.with_x and gain <= 0)
        if over < 0:
            return None
        # X + u is a table of D_t with y unless one of these forms is too small at X.
        blocks: dict[int, int] = {c: -k - 1 for c, k in move if k < 0}
        if gain <= 0 and y != ABSENT:
            blocks[y] = -gain
        for place in range(ground.system.classes, len(ground.forms)):
            drop = -sum(k * changes.get(c, 0) for c, k in ground.forms[place].sum)
            if drop > 0:
                blocks[place] = drop - 1
        excused: frozenset[int] = frozenset()
        if self.with_x and over == 0:
            places = range(ground.system.classes)
            excused = frozenset(c for c in places if changes.get(c, 0) >= 0)
        return frozenset(blocks.items()), excused


class Master:
    """The program that searches for a start from which every active move is blocked."""

    def __init__(
        self, ground: Ground, y: int, clauses: Iterable[Clause], *, with_x: bool, alone: bool
    ) -> None:
        self.ground, self.y, self.with_x = ground, y, with_x
        self.program = program = Program()
        ends = list(ground.ends)
        if (has_places(ground.metric) and not with_x) or alone:
            ends[y] = 0
        self.high = ends
        self.counts = [program.variable(0, end) for end in ends]
        self.x = [program.variable(0, int(c != y)) for c in range(len(ends))] if with_x else []
        self.scarce: dict[tuple[int, int], int] = {}
        self._start()
        for blocks, excused in clauses:
            # A form that never exceeds the level blocks the move for every start.
            if any(level >= self._high(place) for place, level in blocks):
                continue
            terms = {self._scarce(place, level): 1 for place, level in sorted(blocks)}
            terms |= {self.x[c]: 1 for c in sorted(excused)}
            program.row(terms, 1, None)

    def _start(self) -> None:
        """Require that X is in D_t and contains x, and that a dataset of D_t contains y."""
        ground, system, program = self.ground, self.ground.system, self.program
        if self.with_x:
            program.row(dict.fromkeys(self.x, 1), 1, 1)
            for c, count in enumerate(self.counts):
                program.row({count: 1, self.x[c]: -1}, 0, None)
        elif self.y == ABSENT or system.moves_preserve_size:
            program.row(dict.fromkeys(self.counts, 1), 1, None)
        if system.values is not None:
            for row, published in zip(system.rows, system.values, strict=True):
                program.row({self.counts[c]: k for c, k in row}, published, published)
        else:
            self._some_end()
        for form in ground.forms[system.classes :]:
            program.row({self.counts[c]: k for c, k in form.sum}, -form.constant, None)

    def _some_end(self) -> None:
        ground, system, program = self.ground, self.ground.system, self.program
        if system.size is not None:
            program.row(dict.fromkeys(self.counts, 1), system.size, system.size)
        end = [program.variable(int(c == self.y), high) for c, high in enumerate(ground.ends)]
        for row in system.rows:
            terms = {self.counts[c]: k for c, k in row} | {end[c]: -k for c, k in row}
            program.row(terms, 0, 0)
        for form in ground.forms[system.classes :]:
            program.row({end[c]: k for c, k in form.sum}, -form.constant, None)

    def _high(self, place: int) -> int:
        return self.high[place] if place < len(self.high) else self.ground.forms[place].high

    def _scarce(self, place: int, level: int) -> int:
        """Return the index of a variable that can be 1 only if a form is at most a level."""
        known = self.scarce.get((place, level))
        if known is not None:
            return known
        flag = self.scarce[place, level] = self.program.variable(0, 1)
        form = self.ground.forms[place]
        slack = self._high(place) - level
        terms = {self.counts[c]: k for c, k in form.sum}
        self.program.row(terms | {flag: slack}, None, level + slack - form.constant)
        return flag

    def read(self, values: Sequence[int]) -> tuple[Table, int]:
        """Return the start and x of a solution.

        X is ``ABSENT`` if the order of records is ignored.
        """
        start = tuple(values[c] for c in self.counts)
        return start, next((c for c, place in enumerate(self.x) if values[place]), ABSENT)
