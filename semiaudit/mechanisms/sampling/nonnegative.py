"""The nearest table of whole numbers, none below 0, that keeps the invariants.

It is a function of a noisy table and the published values alone, so that it costs no privacy.
Distances are sums over cells of convex functions: each cell goes up and down in pieces whose costs
never fall, so that a linear program over whole pieces finds the nearest table. HiGHS solves it in
floating point; the table is then checked in whole numbers.

Source: Cho and Awan, Remark 33.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Literal, assert_never

from semiaudit import deadline
from semiaudit.errors import Refusal, RefusedError

Fit = Literal["l1", "l2"]

_PIECES = 4
"""Steps of 1 up and down from a table with costs of their own, under l2; twice as many after each
four tables that were too far away."""

_ATTEMPTS = 40
"""Tables around which the nearest one is looked for, each the best one of the pieces before."""

_ENDLESS = float("inf")


@dataclass(frozen=True)
class Rule:
    """low <= the sum of some cells, times whole numbers, <= high; None leaves a side open."""

    terms: Mapping[int, int]
    low: int | None
    high: int | None


def nearest(
    target: Sequence[float],
    rules: Sequence[Rule],
    fit: Fit,
    weights: Sequence[float] | None = None,
    start: Sequence[int] | None = None,
) -> list[int]:
    """The nearest table.

    Args:
        target: the noisy cells.
        rules: that the table keeps; some table of whole numbers from 0 on does.
        fit: by which norm; among equally near tables it is HiGHS's choice.
        weights: what a cell's distance, or its square, is multiplied by; from 0 on, 1 by default.
            Cells of weight 0 are free.
        start: a table around which the nearest one is looked for first; it changes the time alone.

    Raises:
        RefusedError: no table was found that keeps the rules.
        OutOfTimeError: the time limit struck.
    """
    base = [max(0, floor(value)) for value in target] if start is None else list(start)
    costs = [1.0] * len(target) if weights is None else weights
    for attempt in range(_ATTEMPTS):
        deadline.check()
        pieces = _PIECES << attempt // 4
        found = _nearest(target, rules, fit, base, pieces, costs)
        deadline.check()  # a solver that was stopped has a table, not the nearest one
        if found is None:
            what = "no table of whole numbers from 0 on was found that keeps the invariants"
            raise RefusedError(Refusal(what, "sample without --nonnegative-integers", "data"))
        # Beyond the pieces costs are too low, and inside they are right: what is cheapest with
        # such costs and lies inside is the nearest of all tables.
        moved = (abs(a - b) for a, b, w in zip(found, base, costs, strict=True) if w)
        if fit == "l1" or all(move < pieces for move in moved):
            return found
        base = found
    what = "the nearest table was not found"
    raise RefusedError(Refusal(what, "take --nonnegative-integers l1", "data"))


def _nearest(
    target: Sequence[float],
    rules: Sequence[Rule],
    fit: Fit,
    base: Sequence[int],
    pieces: int,
    weights: Sequence[float],
) -> list[int] | None:
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    cells: list[int] = []
    signs: list[int] = []
    costs: list[float] = []
    most: list[float] = []
    for cell, value in enumerate(target):
        weight = weights[cell]
        for sign, cost, cap in _pieces(value, base[cell], fit if weight else "l1", pieces):
            cells.append(cell)
            signs.append(sign)
            costs.append(weight * cost)
            most.append(cap)
    pieces_of: dict[int, list[int]] = {}
    for at, cell in enumerate(cells):
        pieces_of.setdefault(cell, []).append(at)
    entries, low, high = [], [], []
    for row, rule in enumerate(rules):
        known = sum(k * base[cell] for cell, k in rule.terms.items())
        low.append(-np.inf if rule.low is None else rule.low - known)
        high.append(np.inf if rule.high is None else rule.high - known)
        for cell, k in rule.terms.items():
            entries += [(row, at, float(k * signs[at])) for at in pieces_of.get(cell, [])]
    constraints = []
    if entries:
        rows, columns, values = zip(*entries, strict=True)
        matrix = coo_array((values, (rows, columns)), shape=(len(rules), len(cells))).tocsc()
        constraints.append(LinearConstraint(matrix, low, high))
    answer = milp(
        np.array(costs),
        constraints=constraints,
        integrality=np.ones(len(costs)),
        bounds=Bounds(0, most),
        options={"mip_rel_gap": 0.0, "time_limit": min(max(deadline.left(), 0.01), 1e6)},
    )
    if answer.x is None:
        return None
    found = list(base)
    for at, number in enumerate(answer.x):
        found[cells[at]] += signs[at] * round(float(number))
    return found if keeps(found, rules) else None


def _pieces(value: float, base: int, fit: Fit, pieces: int) -> Iterator[tuple[int, float, float]]:
    """Sign, cost and number of the steps of 1 from the base, the cheapest first on each side."""
    match fit:
        case "l1":
            if base > 0:
                yield -1, 1.0, base
            if value > 0:
                yield 1, abs(base + 1 - value) - abs(base - value), 1
            yield 1, 1.0, _ENDLESS
        case "l2":
            for sign, room in ((-1, float(base)), (1, _ENDLESS)):
                for at in range(pieces):
                    if at >= room:
                        break
                    before, after = base + sign * at, base + sign * (at + 1)
                    cost = (after - value) ** 2 - (before - value) ** 2
                    last = at == pieces - 1
                    yield sign, cost, room - at if last else 1
        case _:
            assert_never(fit)


def keeps(table: Sequence[int], rules: Sequence[Rule]) -> bool:
    """Whether a table keeps the rules, in whole numbers."""
    if any(number < 0 for number in table):
        return False
    for rule in rules:
        total = sum(k * table[cell] for cell, k in rule.terms.items())
        if rule.low is not None and total < rule.low:
            return False
        if rule.high is not None and total > rule.high:
            return False
    return True
