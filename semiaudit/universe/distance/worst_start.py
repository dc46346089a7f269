"""Covering a(t) by alternating two programs: the start from which a changed record costs most.

For a value y, the master program searches for a start X for which every known move to y of cost at
most T is blocked: the move makes a count, or the slack of a bound, negative. The separating program
then searches for the closest Y. If its cost is at most T, its move joins the known ones; if not, a
worse start is found. If no start is left, T is proven for y.

Under hamming, a start that already contains y is at distance at most 2: two records exchange
places. From a start without y, the distance is (1/2)|u| + [u_x >= 0]. So the cost of the table's
change is computed first, and the record x second: it adds 1, unless a cheapest change takes a
record from its class for every choice of x.

``worst_of_all`` orders the proofs over all values y. ``MovesTo`` lists the short changes by which a
class gains a record. A change that keeps every row moves records from some classes to others. A row
without negative coefficients that counts y also counts one of the classes that records leave. So
two such rows leave few choices for two of these classes; the others are free. Both sides have
random codes, and the codes of leaving records are looked up among those of entering records.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import combinations, islice
from math import comb
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from semiaudit import progress
from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Metric, compares_sizes, has_places, per_record, table_distance
from semiaudit.numeric.integer_program import Program, ProgramSolution
from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance.interval import ParameterInterval
from semiaudit.universe.distance.merged_levels import Merged, merged_around
from semiaudit.universe.distance.moves import (
    MAX_SUMS,
    Move,
    Relabelling,
    keeps_rows,
    move_columns,
    multisets,
    short_moves,
)
from semiaudit.universe.distance.nearest import ABSENT, Pair, nearest
from semiaudit.universe.system.classes_of_cells import System, Table
from semiaudit.universe.system.nonnegative_sums import (
    OPEN_END,
    NonnegativeSum,
    forms_of,
    upper_ends,
    value,
)

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
                    leaving_here, entering_here = self._joined(y, base, half)
                    leaving.append(leaving_here)
                    entering.append(entering_here)
            if not leaving:
                continue
            out, into = _distinct(np.concatenate(leaving), np.concatenate(entering), shorter)
            for taken_out, put_in in zip(out.tolist(), into.tolist(), strict=True):
                change: dict[int, int] = {y: 1}
                for c in taken_out:
                    change[c] = change.get(c, 0) - 1
                for c in put_in:
                    change[c] = change.get(c, 0) + 1
                move = tuple(sorted((c, k) for c, k in change.items() if k))
                # Codes are equal by chance, if ever.
                if keeps_rows(self.columns, move):
                    moves.append(move)
            if len(out) and self.classes**half <= 64 * MAX_SUMS:
                listed = np.zeros((self.classes,) * half, dtype=np.bool_)
                listed[tuple(out.T)] = True
                shorter[half] = listed
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

    def _listable(self, ways: int, half: int, given_records: int) -> bool:
        sums = ways * comb(self.classes + half - given_records - 1, half - given_records)
        return max(sums, comb(self.classes + half - 2, half - 1)) <= MAX_SUMS

    def _joined(self, y: int, base: Classes, half: int) -> tuple[Classes, Classes]:
        """Join leaving records with entering records (and one record in y) if their codes agree."""
        mask, codes, entering = self._entering(half - 1)
        others = multisets(self.classes, half - base.shape[1])
        sums = self._sums(base)[:, None] + self._sums(others)[None, :] - self.codes[y]
        first, second = np.nonzero(mask[_bits(sums)])
        sums = sums[first, second]
        at = np.minimum(np.searchsorted(codes, sums), len(codes) - 1)
        equal = codes[at] == sums
        leaving = np.concatenate([base[first[equal]], others[second[equal]]], axis=1)
        without_y = (leaving != y).all(axis=1)
        return np.sort(leaving[without_y], axis=1), entering[at[equal]][without_y]

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
    for half, contains in shorter.items():
        minimal = np.ones(len(leaving), dtype=np.bool_)
        for places in combinations(range(leaving.shape[1]), half):
            minimal &= ~contains[tuple(leaving[:, place] for place in places)]
        leaving, entering = leaving[minimal], entering[minimal]
    leaving, first = np.unique(leaving, axis=0, return_index=True)
    return leaving, entering[first]


NODES = (3_000, 30_000)
"""Branch-and-bound nodes of a master program, in the first and second attempt: easy values y are
settled before a hard one can spend the time."""

QUICK_NODES = 500
"""Nodes of the first programs: if a y takes more, others are expected to take more too, and loose
bounds are searched before exact ones."""

LOOSE_STEPS = (4, 8, 16, 32)
"""Distances above the best start at which loose bounds are searched, until one step yields a proof;
a step that fails for one y is not tried for the next."""

STEPS = (1, 2, 4, 8, 16)
"""Distances above the best start at which a proof is searched, if the exact value is out of reach;
the steps double, because a slightly loose bound is better than none."""

Result = ParameterInterval | Literal["none", "limit"]
"""A start above the threshold; a proof that there is none; or neither."""


class FarthestStartSearch(Protocol):
    """The search for the start that is farthest from one value y.

    Attributes:
        limits: the limits of the programs.
        targets: all values that a dataset can contain.
        enough: a start with this cost ends the search, which then proves no upper bound; None for
            none.
    """

    limits: Limits
    targets: list[int]
    enough: int | None

    def beyond(self, y: int, threshold: int, nodes: int) -> Result:
        """Return a start at more than a cost from y.

        ``none`` if it is proven that there is none.
        """


def worst_of_all(
    search: FarthestStartSearch, best: ParameterInterval
) -> tuple[ParameterInterval, int | None]:
    """Return the start with the largest cost of the table's change, and a bound on the cost.

    Args:
        search: of one system.
        best: a known start.
    """
    unsettled = list(search.targets)
    ends: dict[int, int] = {}
    for nodes in (QUICK_NODES, *NODES):
        waiting, unsettled = unsettled, []
        while waiting:
            y = waiting.pop(0)
            best, settled = _settled(search, y, best, nodes, ends.get(y))
            progress.narrowed(lower=best.lower)
            if _is_enough(search, best):
                return best, None
            if not settled:
                unsettled.append(y)
                if nodes == QUICK_NODES:
                    unsettled += waiting
                    best = _loose_ends(search, unsettled, best, ends)
                    break
        if not unsettled or not search.limits.left:
            break
    # Every other y was settled by a "none": no start is farther from it than the best lower bound
    # at that time, which only increased since.
    upper: int | None = best.lower
    for y in unsettled:
        best, end = _proven_end(search, y, best, ends.get(y))
        upper = None if upper is None or end is None else max(upper, end, best.lower)
    return best, upper


def _settled(
    search: FarthestStartSearch, y: int, best: ParameterInterval, nodes: int, end: int | None
) -> tuple[ParameterInterval, bool]:
    """Return the best start, and whether it is proven that no start is farther from y."""
    while end is None or best.lower < end:
        result = search.beyond(y, best.lower, nodes)
        if not isinstance(result, ParameterInterval):
            return best, result == "none"
        best = result
        if _is_enough(search, best):
            return best, False
    return best, True


def _is_enough(search: FarthestStartSearch, best: ParameterInterval) -> bool:
    return search.enough is not None and best.lower >= search.enough


def _loose_ends(
    search: FarthestStartSearch, unsettled: list[int], best: ParameterInterval, ends: dict[int, int]
) -> ParameterInterval:
    """A looser bound allows more moves and has an easier proof. Loose bounds for all y come before
    exact ones for some, which alone bound nothing. A start that is found on the way is returned
    if it is the best.
    """
    steps = list(LOOSE_STEPS)
    for y in unsettled:
        for step in tuple(steps):
            if not search.limits.left:
                return best
            end = best.lower + step
            result = search.beyond(y, end, NODES[0])
            if result == "none":
                # No start is farther from y than ``end``, for any results on other y.
                ends[y] = end
                break
            if isinstance(result, ParameterInterval):
                best = result
            elif len(steps) > 1:
                steps.remove(step)
    return best


def _proven_end(
    search: FarthestStartSearch, y: int, best: ParameterInterval, known: int | None
) -> tuple[ParameterInterval, int | None]:
    """Return the best start, and a proven upper bound on the cost of y above it, or None."""
    for step in STEPS:
        end = best.lower + step
        if not search.limits.left or (known is not None and end >= known):
            break
        result = search.beyond(y, end, NODES[0])
        if isinstance(result, ParameterInterval):
            best = result
        elif result == "none":
            # No start is farther from y than ``end``.
            return best, end
    return best, known


ROUNDS = 400
"""The most starts that are tried for one y and one T."""

LISTED_AFTER = 12
"""The number of moves that are learned one by one. If they do not settle y, CP-SAT gets all short
moves, and for every later y it gets them directly. HiGHS is not faster with so many rows."""

LISTED_ROUNDS = 40
"""The most starts that are tried after all short moves are listed: each takes longer."""

ORBIT = 400
"""Moves that are derived from one by exchanging levels: this shortens symmetric problems most."""

PLACING_SECONDS = 5.0
"""Extra time for choosing x after the worst change of the table is known: without x, the lower
bound has no witness."""

PLACING_WORK = 50
"""The programs and nodes for choosing x, if the search has a fixed amount of work."""


def covering(
    system: System, metric: Metric, limits: Limits, most: int | None, floor: ParameterInterval
) -> ParameterInterval:
    """Bound covering a(t) from both sides.

    Args:
        system: without keys; split into single cells for the metrics that ignore the order of
            records.
        metric: of the release.
        limits: the limits of the programs.
        most: a proven upper bound, such as n; None if there is none. The search ends at a start
            that attains it.
        floor: a proven lower bound, with its start.

    Returns:
        The upper bound is the one that the search itself proves; None if it proves none.
    """
    search = _Search(system, metric, limits)
    if most is not None:
        # Under hamming, the cost of the table's change can be one below the distance.
        search.enough = most - int(has_places(metric))
    if has_places(metric):
        interval, upper = _with_places(search, floor, most)
    else:
        interval, upper = search.worst(floor)
    if most is not None and interval.lower >= most:
        upper = most
    return replace(interval, upper=upper)


def _with_places(
    search: _Search, best: ParameterInterval, known: int | None
) -> tuple[ParameterInterval, int | None]:
    """Return the worst start under hamming, and the proven upper bound on covering a(t), or None.

    Distances up to 2 are decided with x in the program; beyond, the cost of the table's change
    comes first and x second.
    """
    while best.lower < 2:
        progress.narrowed(lower=best.lower)
        interval, proven = search.any_beyond(best.lower)
        if interval is None:
            if proven:
                # For every y that can occur, no start is farther than best.lower, which is
                # attained.
                return best, best.lower
            break
        best = interval
    change, most = search.worst(ParameterInterval(max(best.lower - 1, 1)))
    if change.start is not None:
        placed = search.placed(change, search.limits.beyond(PLACING_SECONDS, PLACING_WORK))
        best = max(best, placed, key=lambda one: one.lower)
    # From a start with y the distance is at most 2 (an exchange of places); from one without y it
    # is (1/2)|u| + [u_x >= 0], and ``most`` bounds the least (1/2)|u|.
    upper = None if most is None else max(most + 1, 2)
    top = known if upper is None else upper
    # One above the lower bound, a search for that single distance decides between the two.
    while top is not None and best.lower == top - 1 and search.limits.left:
        interval, proven = search.any_beyond(best.lower)
        if interval is None:
            return best, best.lower if proven else upper
        best = interval
    return best, upper


Shared = tuple[dict[Move, None], dict[int, list[Move]], MovesTo | None]
"""Data that searches around values share if their merged systems have the same rows."""


class _Search:
    """The search for the worst start of one system, with the moves that it has learned.

    Attributes:
        ends: for every class, an upper bound on its counts in D_t.
        forms: the counts and the slacks of bounds; none can become negative.
        moves: the moves that some table allows, in the order of learning.
        pool: all moves learned; shared by merged systems with the same rows.
        targets: the values y that a dataset can contain, the scarcest first, then ``ABSENT``.
        enough: a start with this cost ends the search: none costs more, or by at most 1.
        alone: the y that exactly one table of D_t contains; starts need not contain them.
        around: for every y, the search over the system merged around it, or None.
        carried: the last y, and the moves whose clauses its last program had; shared like pool.
        lists: all short moves to a y; None while learning them one by one is enough.
        merged_lists: whether a merged search needed such a list, so that others start with one.
    """

    def __init__(
        self,
        system: System,
        metric: Metric,
        limits: Limits,
        pool: dict[Move, None] | None = None,
        carried: dict[int, list[Move]] | None = None,
    ) -> None:
        self.system, self.metric, self.limits = system, metric, limits
        self.ends = upper_ends(system, OPEN_END if system.size is None else system.size)
        self.forms = forms_of(system, self.ends)
        self.ground = Ground(system, metric, self.ends, self.forms)
        self.moves: dict[Move, None] = {}
        self.relabelling = Relabelling(system)
        self.pool = short_moves(system, metric) if pool is None else pool
        for move in self.pool:
            self._learn(move)
        order = sorted(range(system.classes), key=lambda c: (self.ends[c], c))
        self.targets = [c for c in order if self.ends[c]]
        if compares_sizes(metric) and not system.moves_preserve_size:
            self.targets.append(ABSENT)
        self.enough: int | None = None
        self.alone: set[int] = set()
        self.orbit = ORBIT
        self.around: dict[int, tuple[Merged, _Search] | None] = {}
        self.shared: dict[Hashable, Shared] = {}
        self.merged_lists = False
        self.carried: dict[int, list[Move]] = {} if carried is None else carried
        self.lists: MovesTo | None = None

    def _learn(self, move: Move) -> None:
        if not any(change < 0 and -change > self.forms[c].high for c, change in move):
            self.moves[move] = None

    def any_beyond(self, threshold: int) -> tuple[ParameterInterval | None, bool]:
        """Return a start whose hamming distance is above a threshold.

        Or whether none is, provably.
        """
        proven = True
        for y in self.targets:
            result = self.beyond(y, threshold, NODES[0], with_x=True)
            if isinstance(result, ParameterInterval):
                return result, False
            # All other y occur in no dataset of D_t: a proof for each target is a proof for every
            # y.
            proven &= result == "none"
        return None, proven

    def worst(self, best: ParameterInterval) -> tuple[ParameterInterval, int | None]:
        """Return the start with the largest cost of the table's change, and a bound on it."""
        return worst_of_all(self, best)

    def beyond(self, y: int, threshold: int, nodes: int, *, with_x: bool = False) -> Result:
        """Return a start at more than a cost from y; ``none`` if it is proven that there is none.

        This is one function because the loop is the method, and every exit from it is a proof.

        Args:
            y: the class that a record becomes, or ``ABSENT``.
            threshold: the cost T.
            nodes: branch-and-bound nodes of each master program.
            with_x: the cost is the hamming distance of the worst record x; otherwise that of the
                table's change, under hamming from starts without y.
        """
        if not self.limits.left:
            return "limit"
        merged = self._merged(y)
        if merged is not None:
            return self._by_merging(*merged, y, threshold, nodes, with_x=with_x)
        # From a start without y the distance is the table's change plus at most 1, so this change
        # is the cost; ``_with_places`` adds the 1 to the bound.
        metric: Metric = self.metric
        if has_places(metric) and not with_x:
            metric = "multiset_hamming"
        known = Clauses(self.ground, self.moves, y, threshold, with_x=with_x)
        if self.lists is None:
            self._carry_over(known, y)
        else:
            known.insist(self._listed(y, threshold))
        learned = 0
        # Invariant: a start violates a clause of the master only if a change that keeps all rows
        # leads from it to a dataset with y at a cost of at most T. So every start beyond T
        # satisfies all clauses.
        for _ in range(ROUNDS):
            if not self.limits.left or (self.lists is not None and learned > LISTED_ROUNDS):
                return "limit"
            self.carried.clear()
            if self.lists is None:
                self.carried[y] = list(known.active.values())
            master = Master(self.ground, y, known.active, with_x=with_x, alone=y in self.alone)
            answer = master.program.search(self.limits, nodes)
            if answer.values is None:
                # A start beyond T blocks every move of cost at most T, so it would solve the
                # master, which requires this for only some of these moves. Without a solution,
                # there is no such start: T is proven for y.
                return "none" if answer.status == "infeasible" else "limit"
            start, x = master.read(answer.values)
            # The start violates a known clause: it joins the master, which then excludes this
            # start. If none is violated, the separating program decides whether an unknown move
            # reaches it.
            if known.activate(start, x):
                continue
            pair = nearest(self.system, self.ends, x, y, metric, self.limits, start=start)
            if isinstance(pair, ProgramSolution):
                if pair.status != "infeasible" or self.system.values is None:
                    return "limit"
                if y == ABSENT:
                    return "limit"
                if has_places(self.metric) or start[y] == 0:
                    # With t given, any table of D_t with y would be an end of this start. There is
                    # none, so no record can become y from any start.
                    return "none"
                # This start is the only table with y: it has no other end, and no other start
                # contains y.
                self.alone.add(y)
                continue
            if pair.proven > threshold:
                # The separating program proves that no end is closer to this start.
                return ParameterInterval(pair.proven, None, pair.start, pair.end, (x, y))
            move = _move(pair)
            if pair.distance > threshold or move in self.moves:
                return "limit"
            # Images that change a row were dropped: the others are moves like the first one.
            for image in self.relabelling.orbit(move, self.orbit, None if y == ABSENT else y):
                self.pool[image] = None
                self._learn(image)
            known.add(self.moves)
            if not known.activate(start, x):
                return "limit"
            learned += 1
            if self.limits.certify and self.lists is None and learned == LISTED_AFTER:
                known.insist(self._listed(y, threshold))
        return "limit"

    def _listed(self, y: int, threshold: int) -> list[Move]:
        self.lists = self.lists or MovesTo(self.system)
        return self.lists.moves(y, threshold // per_record(self.metric))

    def _carry_over(self, known: Clauses, y: int) -> None:
        """Start with the moves that blocked most for the last y, with its levels exchanged for y's.

        These are valid moves like all others, so this changes only the number of programs.
        """
        before, moves = next(iter(self.carried.items()), (ABSENT, []))
        if ABSENT in (before, y):
            return
        exchanged = [self.relabelling.exchanged(move, before, y) for move in moves]
        known_moves = [move for move in exchanged if move is not None]
        for move in known_moves:
            self.pool[move] = None
            self._learn(move)
        known.add(self.moves)
        known.begin_with(known_moves)

    def _merged(self, y: int) -> tuple[Merged, _Search] | None:
        if not has_places(self.metric):
            return None
        if y not in self.around:
            merged = merged_around(self.system, y)
            if merged is not None:
                key = (merged.system.rows, merged.system.bounds, merged.place[y])
                pool, carried, lists = self.shared.get(key, (None, None, None))
                if lists is None and self.merged_lists:
                    lists, pool = MovesTo(merged.system), pool or {(): None}
                search = _Search(merged.system, self.metric, self.limits, pool, carried)
                search.lists = lists
                search.orbit = 1  # the remaining levels differ: few exchanges are moves
                self.shared[key] = search.pool, search.carried, lists
            self.around[y] = None if merged is None else (merged, search)
        return self.around[y]

    def _by_merging(
        self, merged: Merged, search: _Search, y: int, threshold: int, nodes: int, *, with_x: bool
    ) -> Result:
        result = search.beyond(merged.place[y], threshold, nodes, with_x=with_x)
        self.merged_lists |= search.lists is not None
        if not isinstance(result, ParameterInterval) or result.start is None:
            # A proof for the merged system is a proof for this one: a start and its merged table
            # are equally far from the closest dataset with y (``merged_levels``).
            return result
        start = merged.lift(result.start)
        x = ABSENT if result.classes[0] == ABSENT else merged.held(start, result.classes[0])
        metric: Metric = self.metric if with_x else "multiset_hamming"
        pair = nearest(self.system, self.ends, x, y, metric, self.limits, start=start)
        if isinstance(pair, ProgramSolution) or pair.proven <= threshold:
            return "limit"
        return ParameterInterval(pair.proven, None, pair.start, pair.end, (x, y))

    def placed(self, change: ParameterInterval, limits: Limits) -> ParameterInterval:
        """Choose the record x of a start that makes its distance largest."""
        y, best, start = change.classes[1], ParameterInterval(0), change.start or ()
        for x, count in enumerate(start):
            if not count or x == y or not limits.left:
                continue
            pair = nearest(self.system, self.ends, x, y, "hamming", limits, start=start)
            if isinstance(pair, Pair) and pair.proven > best.lower:
                best = ParameterInterval(pair.proven, None, pair.start, pair.end, (x, y))
            if best.lower > change.lower:
                break
        return best


def _move(pair: Pair) -> Move:
    changes = enumerate(b - a for a, b in zip(pair.start, pair.end, strict=True))
    return tuple((c, change) for c, change in changes if change)
