"""The nearest table of nonnegative integers that keeps the invariants.

It is a function of a noisy table and the published values only, so it has no privacy loss.
Distances are sums over cells of convex functions: each cell changes in pieces with nondecreasing
costs, so a linear program over integer pieces finds the nearest table. HiGHS solves it in floating
point; the table is then checked in integers.

Source: Cho and Awan, Remark 33.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

from semiaudit import deadline
from semiaudit.errors import Refusal, RefusedError
from semiaudit.mechanisms.sampling.pieces import Fit as Fit
from semiaudit.mechanisms.sampling.pieces import Pieces
from semiaudit.mechanisms.sampling.pieces import SumConstraint as SumConstraint
from semiaudit.mechanisms.sampling.pieces import keeps as keeps

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
    fit: Fit,
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
        near = fit == "l1" or _within(around, base, pieces, costs)
        if middle:
            base, centred = around, near
            continue
        if not near:
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
    moved = (abs(a - b) for a, b, weight in zip(table, base, weights, strict=True) if weight)
    return all(move < pieces for move in moved)


def _no_solution() -> RefusedError:
    what = "no table of nonnegative whole numbers was found that keeps the invariants"
    return RefusedError(Refusal(what, "remove --nonnegative-integers", "data"))
