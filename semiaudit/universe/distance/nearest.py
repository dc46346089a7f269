"""The closest dataset in which a record becomes another one, by one integer program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Metric, has_places, table_distance
from semiaudit.numeric.integer_program import Program, ProgramSolution
from semiaudit.numeric.limits import Limits
from semiaudit.universe.system.classes_of_cells import System, Table, equations
from semiaudit.universe.system.nonnegative_sums import forms_of

ABSENT = -1
"""The value instead of a class if the record leaves (symmetric_difference with a free size)."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Tables X and Y of D_t with x becoming y.

    Attributes:
        distance: of the two, under the given metric.
        proven: no Y (or, without a given start, no X and Y) is closer than this.
        start, end: the counts of X and Y by class.
    """

    distance: int
    proven: int
    start: Table
    end: Table


def distance(start: Sequence[int], end: Sequence[int], x: int, y: int, metric: Metric) -> int:
    """Return the distance of two tables under a metric.

    Under hamming, that of their closest orders.

    Args:
        x, y: under hamming, the class of the record that changes and of what it becomes.
    """
    change = [b - a for a, b in zip(start, end, strict=True)]
    changed = sum(map(abs, change))
    shortest = table_distance(metric, changed)
    return shortest + (change[y] <= 0) + (change[x] >= 0) if has_places(metric) else shortest


def nearest(
    system: System,
    ends: Sequence[int],
    x: int,
    y: int,
    metric: Metric,
    limits: Limits,
    start: Sequence[int] | None = None,
) -> Pair | ProgramSolution:
    """Return the closest Y with y to a start with x; without a start, the closest pair of any two.

    This is one function because every row of the program uses the same gains and losses, h_Y - h_X
    = gains - losses - shift.

    Args:
        system: D_t over classes of cells.
        ends: upper bounds on the count of every class (see ``upper_ends``).
        x, y: classes, different under hamming; y may be ``ABSENT`` under symmetric_difference.
        metric: the metric of the distance to minimize.
        limits: the limits of the program.
        start: the counts of X, by class; None to search for X too.

    Returns:
        A pair, re-checked in exact integers; or the answer of the program if there is none:
        ``infeasible`` (no such datasets) or ``limit``.
    """
    if start is None and system.values is not None:
        # A bound over all t is one for this t: if a closest change over all t starts at some table
        # of this D_t, the pair is optimal.
        staged = _by_stages(system, ends, x, y, metric, limits)
        if staged is not None:
            return staged
    program = Program()
    if start is None:
        counts = [program.variable(int(c == x), end) for c, end in enumerate(ends)]
    else:
        counts = [program.variable(count, count) for count in start]
    placed = has_places(metric)
    gained = _cost_of_a_gain(system, metric)
    # A class changes by at most its bound, and ``shift`` adds at most 1, so ``end + 1`` loses no
    # pair. Under hamming the cost is that of the other records: X without x against Y without y, of
    # equal size, so it is the number of losses. Gains and losses of one class would only cost more.
    gains = [program.variable(0, end + 1, gained) for end in ends]
    losses = [program.variable(0, end + 1, 1) for end in ends]
    shift = {x: 1, y: -1} if placed else {}

    def change(terms: Sequence[tuple[int, int]]) -> tuple[dict[int, int], int]:
        """Return a sum over the change h_Y - h_X, as terms and a constant (w = u + e_x - e_y)."""
        coefficients = {gains[c]: k for c, k in terms} | {losses[c]: -k for c, k in terms}
        return coefficients, -sum(k * shift.get(c, 0) for c, k in terms)

    # The change keeps every row, so Y has the same t as X.
    for row in system.rows:
        terms, constant = change(row)
        program.row(terms, -constant, -constant)
    if start is None and system.values is not None:
        for row, value in zip(system.rows, system.values, strict=True):
            program.row({counts[c]: k for c, k in row}, value, value)
    elif start is None and system.size is not None:
        program.row(dict.fromkeys(counts, 1), system.size, system.size)
    # Counts and slacks are not negative at Y, nor at X. The counts of X are variables of 0 or more,
    # so only its bounds need a row.
    for place, form in enumerate(forms_of(system, ends)):
        terms, constant = change(form.sum)
        before = {counts[c]: k for c, k in form.sum}
        program.row(terms | before, -form.constant - constant, None)
        if start is None and place >= system.classes:
            program.row(before, -form.constant, None)
    for c in range(system.classes):
        if placed:
            # The others lose only existing records: the record that changes is not among them.
            program.row({losses[c]: 1, counts[c]: -1}, None, -int(c == x))
        else:
            terms, _ = change(((c, 1),))
            program.row(terms | {counts[c]: 1}, int(c == y), None)
    # Without places X itself is no neighbor. If X is given without y, a table with y differs
    # anyway.
    if not placed and (start is None or y == ABSENT or start[y] > 0):
        _different(program, gains, losses, ends)
    answer = program.solve(limits)
    if answer.values is None:
        return answer
    values = answer.values
    first = tuple(values[c] for c in counts)
    second = tuple(
        first[c] + values[gains[c]] - values[losses[c]] - shift.get(c, 0)
        for c in range(system.classes)
    )
    return _checked(system, first, second, (x, y), metric, answer)


def _cost_of_a_gain(system: System, metric: Metric) -> int:
    """Return the cost of a record that enters a class, in addition to 1 for each that leaves one.

    If sizes are equal, as many records enter as leave, so the number that leaves is the distance.
    """
    match metric:
        case "hamming":
            return 0
        case "multiset_hamming":
            return int(not system.moves_preserve_size)
        case "symmetric_difference":
            return 1
        case _:
            assert_never(metric)


def _by_stages(
    system: System, ends: Sequence[int], x: int, y: int, metric: Metric, limits: Limits
) -> Pair | ProgramSolution | None:
    """Find the shortest change for any t, then a start with the given t that allows it.

    None if this does not decide.
    """
    pair = nearest(replace(system, values=None, size=None), ends, x, y, metric, limits)
    if isinstance(pair, ProgramSolution):
        # Two tables with the given t are two tables with equal t: without any there are none.
        return pair if pair.status == "infeasible" else None
    change = [b - a for a, b in zip(pair.start, pair.end, strict=True)]
    program = Program()
    counts = []
    for c, high in enumerate(ends):
        least = max(-change[c], int(c == x), 0)
        least = max(least, 1 - change[c]) if c == y else least
        if least > high:
            return None
        counts.append(program.variable(least, high))
    for row, value in equations(system):
        program.row({counts[c]: k for c, k in row}, value, value)
    for form in forms_of(system, ends)[system.classes :]:
        before = {counts[c]: k for c, k in form.sum}
        change_of_sum = sum(k * change[c] for c, k in form.sum)
        program.row(before, max(-form.constant, -form.constant - change_of_sum), None)
    answer = program.solve(limits)
    if answer.values is None:
        return None
    start = tuple(answer.values)
    end = tuple(a + b for a, b in zip(start, change, strict=True))
    checked = _checked(system, start, end, (x, y), metric, answer)
    if not isinstance(checked, Pair) or checked.distance != pair.distance:
        return None
    # Proven over every t, so for this one, whose tables are among them.
    return Pair(pair.distance, pair.proven, start, end)


def _different(
    program: Program, gains: Sequence[int], losses: Sequence[int], ends: Sequence[int]
) -> None:
    program.row(dict.fromkeys([*gains, *losses], 1), 1, None)
    for gain, loss, end in zip(gains, losses, ends, strict=True):
        side = program.variable(0, 1)
        program.row({gain: 1, side: -(end + 1)}, None, 0)
        program.row({loss: 1, side: end + 1}, None, end + 1)


def _checked(
    system: System,
    start: Table,
    end: Table,
    pair: tuple[int, int],
    metric: Metric,
    answer: ProgramSolution,
) -> Pair | ProgramSolution:
    x, y = pair
    good = (
        system.admits(start)
        and system.admits(end)
        and system.invariants(start) == system.invariants(end)
        and (y == ABSENT or end[y] >= 1)
        and (x == ABSENT or start[x] >= 1)
        and (has_places(metric) or start != end)
    )
    if not good:
        return ProgramSolution("limit")
    separation = distance(start, end, x, y, metric)
    # Under hamming the record that changes costs 1 more than the program counts.
    extra = int(has_places(metric))
    proven = min(answer.proven + extra, separation) if answer.status == "solved" else extra
    return Pair(separation, proven, start, end)
