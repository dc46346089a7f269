"""The nearest table of whole numbers, none below 0, that keeps the invariants.

It is a function of a noisy table and the published values alone, so that it costs no privacy.
Distances are sums over cells of convex functions: each cell goes up and down in pieces whose costs
never fall, so that a linear program over whole pieces finds the nearest table. HiGHS solves it in
floating point; the table is then checked in whole numbers.

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
"""Steps of 1 up and down from a table with costs of their own, under l2; twice as many where the
nearest table is farther away than the nearest one of any numbers."""

_ATTEMPTS = 80
"""Tables around which the nearest one is looked for, each the best one of the pieces before."""

_HASTY = 6
"""Attempts before no table is taken that is farther than the one before it."""


def nearest(
    target: Sequence[float],
    rules: Sequence[SumConstraint],
    fit: Fit,
    weights: Sequence[float] | None = None,
) -> list[int]:
    """The nearest table; where it is hard to find, one that is farther by 1 in 10,000 at most.

    Args:
        target: the noisy cells.
        rules: that the table keeps; some table of whole numbers from 0 on does.
        fit: by which norm; among equally near tables it is HiGHS's choice.
        weights: what a cell's distance, or its square, is multiplied by; from 0 on, 1 by default.
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
        # Beyond the pieces costs are too low, and inside they are right: what is cheapest with
        # such costs and lies inside is the nearest of all tables.
        if fit == "l1" or _within(solution, base, pieces, costs):
            return solution
        base, pieces, centred = around, 2 * pieces, True
    what = "the nearest table was not found"
    raise RefusedError(Refusal(what, "use --nonnegative-integers l1", "data"))


def _within(
    table: Sequence[int], base: Sequence[int], pieces: int, weights: Sequence[float]
) -> bool:
    """Whether no cell that costs anything left the pieces that cost what their steps cost."""
    moved = (abs(a - b) for a, b, weight in zip(table, base, weights, strict=True) if weight)
    return all(move < pieces for move in moved)


def _no_solution() -> RefusedError:
    what = "no table of nonnegative whole numbers was found that keeps the invariants"
    return RefusedError(Refusal(what, "remove --nonnegative-integers", "data"))
