"""Covering a(t) by alternating two programs: the start from which a changed record costs most.

For a value y, the master program searches for a start X for which every known move to y of cost at
most T is blocked: the move makes a count, or the slack of a bound, negative. The separating program
then searches for the closest Y. If its cost is at most T, its move joins the known ones; if not, a
worse start is found. If no start is left, T is proven for y.

Under hamming, a start that already contains y is at distance at most 2: two records exchange
places. From a start without y, the distance is (1/2)|u| + [u_x >= 0]. So the cost of the table's
change is computed first, and the record x second: it adds 1, unless a cheapest change takes a
record from its class for every choice of x.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from semiaudit import progress
from semiaudit.model.adjacency import Metric, compares_sizes, has_places, per_record
from semiaudit.numeric.integer_program import ProgramSolution
from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance.all_values import NODES, Result, worst_of_all
from semiaudit.universe.distance.blocked_starts import Clauses, Ground, Master
from semiaudit.universe.distance.interval import ParameterInterval
from semiaudit.universe.distance.merged_levels import Merged, merged_around
from semiaudit.universe.distance.moves import (
    Move,
    Relabelling,
    short_moves,
)
from semiaudit.universe.distance.moves_to import MovesTo
from semiaudit.universe.distance.nearest import ABSENT, Pair, nearest
from semiaudit.universe.system.classes_of_cells import System
from semiaudit.universe.system.nonnegative_sums import OPEN_END, forms_of, upper_ends

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
