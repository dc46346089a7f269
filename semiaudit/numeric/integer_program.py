"""Integer programs: HiGHS proposes solutions, exact integers check them.

A solution counts only after it is rounded and every row is recomputed in exact integers.
Infeasibility cannot be recomputed: it must result twice, with and without presolve; if there is no
time for this, nothing is proven. If CP-SAT is installed, it does the search: it computes in
integers.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal

from semiaudit.frozen import dataclass
from semiaudit.numeric.limits import Limits

NODES = 20_000
"""Branch-and-bound nodes of one program; a count, so that results are reproducible."""

CONFLICTS_OF_A_NODE = 10
"""Conflicts that CP-SAT can use for each node of HiGHS, which costs a linear program."""

MANY_CLAUSES = 2_000
"""The number of rows "one of these is 1" from which CP-SAT searches without presolve."""

LEAST_SECONDS = 0.01
"""The least time limit of a solver: it must be above 0."""

TOLERANCE = 1e-6
"""The tolerance by which HiGHS can miss a bound on the cost (its default), before rounding to
integers."""

NO_END = -(2**62)
"""Represents that no lower bound on a cost is proven."""

Status = Literal["solved", "infeasible", "limit"]


@dataclass(frozen=True, slots=True)
class ProgramSolution:
    """The result of a program.

    Attributes:
        status: ``solved``: ``values`` is feasible, by exact arithmetic, and no solution costs less
            than ``proven``; ``infeasible``: there is no solution; ``limit``: neither is known,
            though ``values`` can be a feasible solution.
        cost: the exact cost of ``values``.
        proven: a proven lower bound on the cost of any solution.
    """

    status: Status
    values: tuple[int, ...] | None = None
    cost: int | None = None
    proven: int = 0


class Program:
    """A minimisation over bounded integers, built row by row."""

    def __init__(self) -> None:
        self.low: list[int] = []
        self.high: list[int] = []
        self.cost: list[int] = []
        self.rows: list[tuple[dict[int, int], int | None, int | None]] = []

    def variable(self, low: int, high: int, cost: int = 0) -> int:
        """Add an integer variable between two bounds; return its index."""
        self.low.append(low)
        self.high.append(high)
        self.cost.append(cost)
        return len(self.low) - 1

    def row(self, terms: Mapping[int, int], low: int | None, high: int | None) -> None:
        """Add low <= sum of terms <= high; None leaves a side open."""
        self.rows.append(({c: k for c, k in terms.items() if k}, low, high))

    def admits(self, values: Sequence[int]) -> bool:
        """Return whether integers satisfy every bound and row, exactly."""
        inside = all(
            low <= value <= high
            for value, low, high in zip(values, self.low, self.high, strict=True)
        )
        if not inside:
            return False
        for terms, low, high in self.rows:
            total = sum(k * values[c] for c, k in terms.items())
            if (low is not None and total < low) or (high is not None and total > high):
                return False
        return True

    def search(self, limits: Limits, nodes: int = NODES) -> ProgramSolution:
        """Find any solution, or prove that there is none; by CP-SAT if it is installed."""
        if limits.certify:
            return self._checked(_cp_sat(self, limits, nodes))
        return self.solve(limits, nodes)

    def solve(self, limits: Limits, nodes: int = NODES) -> ProgramSolution:
        """Minimize, within limits."""
        first = self._checked(_highs(self, limits, nodes, presolve=True))
        if first.status == "infeasible":
            # Infeasibility cannot be checked by substitution: two computations must agree.
            again = self._checked(_highs(self, limits, nodes, presolve=False))
            return self._agreed(first, again)
        return first

    def _checked(self, raw: _Raw) -> ProgramSolution:
        """Check a solver's solution in every row, in exact integers.

        A contradictory result (a solution of an infeasible program, or a cost below the proven
        bound) proves nothing.
        """
        values = None
        if raw.values is not None:
            values = tuple(round(value) for value in raw.values)
            if not self.admits(values):
                return ProgramSolution("limit")
        if values is None:
            return ProgramSolution("infeasible" if raw.status == "infeasible" else "limit")
        cost = sum(k * value for k, value in zip(self.cost, values, strict=True))
        if raw.status == "infeasible":
            return ProgramSolution("limit", values, cost)
        # Costs are integers: none is between the solver's bound and the next integer above.
        proven = math.ceil(raw.bound - TOLERANCE) if math.isfinite(raw.bound) else NO_END
        if proven > cost:
            return ProgramSolution("limit", values, cost)
        return ProgramSolution(
            "solved" if raw.status == "solved" else "limit", values, cost, proven
        )

    @staticmethod
    def _agreed(first: ProgramSolution, second: ProgramSolution) -> ProgramSolution:
        if first.status == second.status == "infeasible":
            return first
        if first.status == second.status == "solved" and first.cost == second.cost:
            return first
        shown = first if first.values is not None else second
        return ProgramSolution("limit", shown.values, shown.cost, min(first.proven, second.proven))


@dataclass(frozen=True, slots=True)
class _Raw:
    """The unchecked result of a solver: ``bound`` is a lower bound on the cost."""

    status: Status
    values: Sequence[float] | None
    bound: float


def _highs(program: Program, limits: Limits, nodes: int, *, presolve: bool) -> _Raw:
    """Run HiGHS once; statuses of scipy: 0 optimal, 1 a limit, 2 infeasible."""
    if not limits.left:
        return _Raw("limit", None, -math.inf)
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_matrix

    places = [(r, c, k) for r, (terms, _, _) in enumerate(program.rows) for c, k in terms.items()]
    shape = (len(program.rows), len(program.low))
    columns = [c for _, c, _ in places]
    matrix = csr_matrix(
        ([float(k) for _, _, k in places], ([r for r, _, _ in places], columns)), shape=shape
    )
    low = [-np.inf if low is None else float(low) for _, low, _ in program.rows]
    high = [np.inf if high is None else float(high) for _, _, high in program.rows]
    with _silent():
        result = milp(
            np.array(program.cost, dtype=float),
            integrality=np.ones(len(program.low)),
            bounds=Bounds(np.array(program.low, dtype=float), np.array(program.high, dtype=float)),
            constraints=LinearConstraint(matrix, low, high) if program.rows else None,
            options={
                "node_limit": limits.allowed(nodes),
                "time_limit": max(limits.left, LEAST_SECONDS),
                "presolve": presolve,
                "mip_rel_gap": 0.0,
            },
        )
    limits.left  # noqa: B018 - notes a wall-clock limit that ended the run
    limits.spend(int(getattr(result, "mip_node_count", None) or 0))
    statuses: dict[int, Status] = {0: "solved", 2: "infeasible"}
    status = statuses.get(result.status, "limit")
    bound = getattr(result, "mip_dual_bound", None)
    return _Raw(status, result.x, -math.inf if bound is None else float(bound))


@contextmanager
def _silent() -> Iterator[None]:
    """Keep the solver's own output off standard output, which carries only reports."""
    try:
        sys.stdout.flush()
        stdout_copy = os.dup(1)
    except (OSError, ValueError, AttributeError):
        yield
        return
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)
        yield
    finally:
        os.dup2(stdout_copy, 1)
        os.close(stdout_copy)


def _cp_sat(program: Program, limits: Limits, nodes: int) -> _Raw:
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    places = [
        model.new_int_var(low, high, f"v{place}")
        for place, (low, high) in enumerate(zip(program.low, program.high, strict=True))
    ]
    clauses = 0
    for terms, low, high in program.rows:
        if _is_clause(program, terms, low, high):
            model.add_bool_or([places[c] for c in terms])
            clauses += 1
            continue
        total = sum(k * places[c] for c, k in terms.items())
        if low is not None:
            model.add(total >= low)
        if high is not None:
            model.add(total <= high)
    model.minimize(sum(k * place for k, place in zip(program.cost, places, strict=True) if k))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = max(limits.left, LEAST_SECONDS)
    solver.parameters.max_number_of_conflicts = CONFLICTS_OF_A_NODE * limits.allowed(nodes)
    # Presolve takes longer than the search if most rows are clauses already.
    solver.parameters.cp_model_presolve = clauses < MANY_CLAUSES
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    status = solver.solve(model)
    limits.left  # noqa: B018 - notes a wall-clock limit that ended the run
    limits.spend(solver.num_conflicts // CONFLICTS_OF_A_NODE)
    if status == cp_model.INFEASIBLE:
        return _Raw("infeasible", None, math.inf)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        values = [float(solver.value(place)) for place in places]
        solved: Status = "solved" if status == cp_model.OPTIMAL else "limit"
        return _Raw(solved, values, solver.best_objective_bound)
    return _Raw("limit", None, -math.inf)


def _is_clause(
    program: Program, terms: Mapping[int, int], low: int | None, high: int | None
) -> bool:
    """Return whether a row requires that one of its variables, each 0 or 1, is 1."""
    return (
        low == 1
        and high is None
        and all(k == 1 and program.low[c] == 0 and program.high[c] == 1 for c, k in terms.items())
    )
