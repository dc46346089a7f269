"""The nearest table of nonnegative integers that keeps the invariants.

It is a function of a noisy table and the published values only, so it has no privacy loss.
Distances are sums over cells of convex functions: each cell changes in pieces with nondecreasing
costs, so a linear program over integer pieces finds the nearest table. HiGHS solves it in floating
point; the table is then checked in integers.

Source: Cho and Awan, Remark 33.

Convex costs of cells as a linear program over pieces, and its cheapest integer solution.

Around a base, every cell changes in pieces with nondecreasing costs. Pieces near the base have
width 1 and the cost of their step; others are wider. There, each unit costs as much as the first
step, which is too little, so a cheapest solution near the base is the cheapest of all; or as much
as the middle of the steps, so the cheapest solution costs no more than the base.

The linear program is solved first. If its solution is not integer, a piece at a bound with a
reduced cost above a gap stays there in every integer solution whose cost is within the gap of the
linear program: only the other pieces go into the integer program. Its solution is the cheapest of
all if its cost is within the gap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import floor
from typing import TYPE_CHECKING, assert_never

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import coo_array, vstack

from semiaudit import deadline
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import cached_property, dataclass
from semiaudit.model.results.errors import FitNorm

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Floats = NDArray[np.float64]

SLACK = 1e-3
"""The relative cost by which an integer solution of many pieces can exceed the cheapest one:
proving the last digits takes longer than all the rest."""

MANY = 5_000
"""The most pieces of a program whose integer solution is the cheapest one."""

NODES = 500
"""Branch-and-bound nodes of one integer program before its best solution is used; a count, so that
results are reproducible."""

_FIRST = 0.25
"""The first gap, in units of the least weight: small, because few pieces are tried quickly."""

_WIDER = 4
"""The factor by which the gap grows if an integer program has no solution."""

_WHOLE = 1e-6
"""The distance to an integer that HiGHS accepts."""

_ENDLESS = float("inf")


@dataclass(frozen=True)
class SumConstraint:
    """A constraint low <= integer combination of some cells <= high; None leaves a side open."""

    terms: Mapping[int, int]
    low: int | None
    high: int | None


@dataclass(frozen=True)
class Relaxed:
    """The solution of the linear program.

    Attributes:
        values: the used part of each piece.
        cost: the total cost; no integer solution costs less.
        reduced: the increase of the cost by one unit more, or less, of a piece at a bound.
    """

    values: Floats
    cost: float
    reduced: Floats


@dataclass(frozen=True)
class Pieces:
    """The program around one base.

    Attributes:
        target: the noisy cells. rules: the rules of the table. fit: the norm.
        base: nonnegative integers.
        number: the number of pieces of width 1 of each cell on both sides, under l2.
        weights: the factor of a cell's distance, or of its square.
        middle: whether wide pieces cost the middle of their steps, instead of the first one.
    """

    target: Sequence[float]
    rules: Sequence[SumConstraint]
    fit: FitNorm
    base: Sequence[int]
    number: int
    weights: Sequence[float]
    middle: bool = False

    @cached_property
    def _listed(self) -> tuple[list[int], list[int], Floats, Floats]:
        cells, signs, costs, widths = [], [], [], []
        for cell, (value, base) in enumerate(zip(self.target, self.base, strict=True)):
            weight = self.weights[cell]
            fit = self.fit if weight else "l1"
            for sign, cost, width in _of_cell(value, base, fit, self.number, self.middle):
                cells.append(cell)
                signs.append(sign)
                costs.append(weight * cost)
                widths.append(float(width))
        return cells, signs, np.array(costs), np.array(widths)

    @cached_property
    def _rows(self) -> tuple[csr_array, Floats, Floats]:
        cells, signs, costs, _ = self._listed
        of_cell: list[list[int]] = [[] for _ in self.base]
        for at, cell in enumerate(cells):
            of_cell[cell].append(at)
        low, high = np.full(len(self.rules), -np.inf), np.full(len(self.rules), np.inf)
        rows: list[int] = []
        columns: list[int] = []
        values: list[float] = []
        for row, rule in enumerate(self.rules):
            known = sum(k * self.base[cell] for cell, k in rule.terms.items())
            if rule.low is not None:
                low[row] = rule.low - known
            if rule.high is not None:
                high[row] = rule.high - known
            for cell, k in rule.terms.items():
                for at in of_cell[cell]:
                    rows.append(row)
                    columns.append(at)
                    values.append(float(k * signs[at]))
        shape = len(self.rules), len(costs)
        return coo_array((values, (rows, columns)), shape=shape).tocsr(), low, high

    def relaxed(self) -> Relaxed | None:
        """Return the cheapest real solution; None if there is none.

        Raises:
            OutOfTimeError: the time limit was reached.
        """
        _, _, costs, widths = self._listed
        matrix, low, high = self._rows
        fixed, below, above = low == high, high < np.inf, low > -np.inf
        below, above = below & ~fixed, above & ~fixed
        inequalities = vstack([matrix[below], -matrix[above]])
        answer = linprog(
            costs,
            A_ub=inequalities if inequalities.shape[0] else None,
            b_ub=np.concatenate([high[below], -low[above]]) if inequalities.shape[0] else None,
            A_eq=matrix[fixed] if fixed.any() else None,
            b_eq=low[fixed] if fixed.any() else None,
            bounds=np.stack([np.zeros(len(widths)), widths], axis=1),
            method="highs",
            options={"time_limit": _seconds()},
        )
        deadline.check()
        if answer.x is None or answer.status:
            return None
        reduced = np.maximum(np.abs(answer.lower.marginals), np.abs(answer.upper.marginals))
        return Relaxed(answer.x, float(answer.fun), reduced)

    def whole(self, relaxed: Relaxed) -> list[int] | None:
        """Return the cheapest integer table (within ``SLACK`` for many pieces).

        None if none was found.

        Raises:
            OutOfTimeError: the time limit was reached.
        """
        nearest = np.round(relaxed.values)
        if np.abs(relaxed.values - nearest).max(initial=0.0) <= _WHOLE:
            table = self.table(nearest)
            if keeps(table, self.rules):
                return table
        least = min((weight for weight in self.weights if weight), default=1.0)
        gap = _FIRST * least
        allowed = SLACK * (self._before + relaxed.cost) if len(nearest) > MANY else 0.0
        best: tuple[float, list[int]] | None = None
        while True:
            zero_cells = relaxed.reduced <= gap * (1 + _WHOLE)
            answer, ended = self._program(nearest, zero_cells, NODES)
            if answer is not None:
                above = float(answer @ self._listed[2]) - relaxed.cost
                table = self.table(answer)
                if keeps(table, self.rules) and (best is None or above < best[0]):
                    best = above, table
            if best is not None:
                if not ended or zero_cells.all() or best[0] <= max(gap, allowed):
                    return best[1]
                gap = best[0]
            elif zero_cells.all():
                break
            else:
                gap *= _WIDER
        answer, _ = self._program(nearest, np.ones(len(nearest), dtype=bool), None)
        table = [] if answer is None else self.table(answer)
        return table if table and keeps(table, self.rules) else None

    def table(self, values: Floats) -> list[int]:
        """Return the table of the base and the pieces, rounded."""
        cells, signs, _, _ = self._listed
        change = np.zeros(len(self.base))
        np.add.at(change, cells, np.array(signs) * values)
        return [base + round(move) for base, move in zip(self.base, change.tolist(), strict=True)]

    @cached_property
    def _before(self) -> float:
        power = 1 if self.fit == "l1" else 2
        pairs = zip(self.base, self.target, self.weights, strict=True)
        return float(sum(weight * abs(base - value) ** power for base, value, weight in pairs))

    def _program(
        self, nearest: Floats, cells: NDArray[np.bool_], nodes: int | None
    ) -> tuple[Floats | None, bool]:
        """Return the cheapest integer solution with the nearest numbers outside of the kept pieces.

        Returns:
            All pieces, or None without a solution; and whether no cheaper solution exists.
        """
        deadline.check()
        if not cells.any():
            return nearest, True
        _, _, costs, widths = self._listed
        matrix, low, high = self._rows
        solution = np.where(cells, 0.0, nearest)
        sums = matrix @ solution
        options = {"mip_rel_gap": 0.0, "time_limit": _seconds()}
        if nodes is not None:
            options["node_limit"] = nodes
        answer = milp(
            costs[cells],
            constraints=LinearConstraint(matrix[:, cells], low - sums, high - sums),
            integrality=np.ones(int(cells.sum())),
            bounds=Bounds(0, widths[cells]),
            options=options,
        )
        deadline.check()  # a solver that was stopped has a table, not the nearest one
        if answer.x is None:
            return None, answer.status == 2
        solution[cells] = np.round(answer.x)
        return solution, answer.status == 0


def _seconds() -> float:
    return min(max(deadline.left(), 0.01), 1e6)


def _of_cell(
    value: float, base: int, fit: FitNorm, number: int, middle: bool
) -> Iterator[tuple[int, float, float]]:
    match fit:
        case "l1":
            if base > 0:
                yield -1, 1.0, base
            if value > 0:
                yield 1, abs(base + 1 - value) - abs(base - value), 1
            yield 1, 1.0, _ENDLESS
        case "l2":
            distant = 2 * abs(value - base) + number
            for sign, room in ((-1, float(base)), (1, _ENDLESS)):
                at = 0
                while at < room:
                    # half as wide as it is far: then it overshoots by at most half of the distance
                    width = _ENDLESS if at > distant else max(1, at // 2) if at >= number else 1
                    steps = width if middle and width < _ENDLESS else 1
                    yield sign, steps + 2 * sign * (base + sign * at - value), min(width, room - at)
                    if width == _ENDLESS:
                        break
                    at += int(width)
        case _:
            assert_never(fit)


def keeps(table: Sequence[int], rules: Sequence[SumConstraint]) -> bool:
    """Return whether a table satisfies the rules, in integers, and has no negative cell."""
    if any(number < 0 for number in table):
        return False
    for rule in rules:
        total = sum(k * table[cell] for cell, k in rule.terms.items())
        if rule.low is not None and total < rule.low:
            return False
        if rule.high is not None and total > rule.high:
            return False
    return True


_PIECES = 4
"""Steps of 1 up and down from a table with separate costs, under l2; twice as many if the nearest
table is farther than the nearest one of real numbers."""

_ATTEMPTS = 80
"""The most tables around which the nearest one is searched, each the best one of the pieces
before."""

_HASTY = 6
"""Attempts before a table that is farther than the previous one is rejected."""


def nearest(
    target: Sequence[float],
    rules: Sequence[SumConstraint],
    fit: FitNorm,
    weights: Sequence[float] | None = None,
) -> list[int]:
    """Return the nearest table; if it is hard to find, one that is farther by at most 1 in 10,000.

    Args:
        target: the noisy cells.
        rules: the rules of the table; some table of nonnegative integers satisfies them.
        fit: the norm; HiGHS chooses among equally near tables.
        weights: the factors of the cells' distances, or of their squares; 0 or more, 1 by default.
            Cells of weight 0 are free.

    Raises:
        RefusedError: no table was found that keeps the rules.
        OutOfTimeError: the time limit was reached.
    """
    base = [max(0, floor(value)) for value in target]
    costs = [1.0] * len(target) if weights is None else list(weights)
    pieces, centred = _PIECES, False
    for attempt in range(_ATTEMPTS):
        deadline.check()
        middle = fit == "l2" and attempt >= _HASTY and not centred
        program = Pieces(target, rules, fit, base, pieces, costs, middle)
        relaxed = program.relaxed()
        if relaxed is None:
            raise _no_solution()
        around = [max(0, number) for number in program.table(relaxed.values)]
        # Under l1 the costs are correct everywhere, so the first program decides. Under l2 a table
        # outside of the pieces has too low a cost: the pieces move there, or grow.
        is_near = fit == "l1" or _within(around, base, pieces, costs)
        if middle:
            base, centred = around, is_near
            continue
        if not is_near:
            base, pieces = (base, 2 * pieces) if centred else (around, pieces)
            continue
        solution = program.whole(relaxed)
        if solution is None:
            raise _no_solution()
        # Outside of the pieces, costs are too low, and inside they are correct. So the cheapest
        # table with such costs, if it is inside, is the nearest of all tables.
        if fit == "l1" or _within(solution, base, pieces, costs):
            return solution
        base, pieces, centred = around, 2 * pieces, True
    what = "the nearest table was not found"
    raise RefusedError(Refusal(what, "use --nonnegative-integers l1", "data"))


def _within(
    table: Sequence[int], base: Sequence[int], pieces: int, weights: Sequence[float]
) -> bool:
    differences = (abs(a - b) for a, b, weight in zip(table, base, weights, strict=True) if weight)
    return all(move < pieces for move in differences)


def _no_solution() -> RefusedError:
    what = "no table of nonnegative whole numbers was found that keeps the invariants"
    return RefusedError(Refusal(what, "remove --nonnegative-integers", "data"))
