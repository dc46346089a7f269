"""definition_13 by integer programs: the closest two datasets with x and y, for all x and y.

Each pair of tables that a program finds is an upper bound for every other x and y that it contains,
so a program is solved only for pairs that are not known yet to be below the largest one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from semiaudit import progress
from semiaudit.model.adjacency import Metric, compares_sizes, has_places, table_distance
from semiaudit.numeric.integer_program import Program
from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance.interval import ParameterInterval
from semiaudit.universe.distance.listed_tables import NEVER, Ints
from semiaudit.universe.distance.nearest import ABSENT, Pair, nearest
from semiaudit.universe.system.classes_of_cells import System, Table, equations
from semiaudit.universe.system.nonnegative_sums import OPEN_END, forms_of, upper_ends

MAX_PAIRS = 1_000_000
"""More pairs of classes than this are not examined: their matrix would take 8 MB."""


def definition_13(
    system: System, metric: Metric, limits: Limits, most: int | None, floor: ParameterInterval
) -> ParameterInterval:
    """Bound definition_13 from both sides, for a given t.

    Args:
        system: with values and without keys; split for the metrics that ignore the order of
            records.
        metric: of the release.
        limits: the limits of the programs.
        most: an upper bound that is proven already, such as covering a(t); None if there is none.
        floor: a lower bound that is proven already, with its datasets.
    """
    classes = system.classes
    if system.values is None or not 0 < classes * classes <= MAX_PAIRS:
        return replace(floor, upper=most)
    ends = upper_ends(system, OPEN_END if system.size is None else system.size)
    if not compares_sizes(metric) or system.moves_preserve_size:
        return _over_pairs(system, metric, limits, most, floor, ends, (*range(classes),))
    free = _sizes_differ(system, ends, limits)
    if free is None:
        # It is not known which pairs count: records that become others, or that enter and leave.
        return replace(floor, upper=most)
    sources = (ABSENT,) if free else (*range(classes),)
    return _over_pairs(system, metric, limits, most, floor, ends, sources)


def _over_pairs(
    system: System,
    metric: Metric,
    limits: Limits,
    most: int | None,
    floor: ParameterInterval,
    ends: Sequence[int],
    sources: Sequence[int],
) -> ParameterInterval:
    """Return the largest distance over pairs of what a record was (or ``ABSENT``) and becomes."""
    # Invariant: an entry of ``known`` is an upper bound on the distance of its pair, or 0 if the
    # pair does not count or ``open_end`` bounds it. An entry is not above ``best`` once its pair is
    # settled, so no pair is solved twice.
    known = np.full((len(sources), system.classes), NEVER, dtype=np.int64)
    for c, end in enumerate(ends):
        if end == 0:
            # No dataset contains a record in c: its pairs do not count.
            known[:, c] = 0
            if c in sources:
                known[c, :] = 0
    if has_places(metric):
        np.fill_diagonal(known, 0)
    best = floor
    open_end = 0
    while (top := int(known.max(initial=0))) > max(best.lower, open_end):
        if not limits.left or (most is not None and best.lower >= most):
            break
        progress.narrowed(best.lower, top if top < NEVER else None)
        place, y = (int(i) for i in np.unravel_index(int(known.argmax()), known.shape))
        pair = nearest(system, ends, sources[place], y, metric, limits)
        if not isinstance(pair, Pair):
            if pair.status == "infeasible":
                # No two datasets contain x and y: the pair does not count.
                known[place, y] = 0
                continue
            open_end = NEVER
            break
        _note(known, pair.start, pair.end, metric, sources)
        known[place, y] = min(top, pair.distance)
        if pair.proven > best.lower:
            best = ParameterInterval(pair.proven, None, pair.start, pair.end, (sources[place], y))
        # The two tables exist, so their distance bounds the pair from above even without a proof
        # that none are closer.
        if pair.proven < pair.distance:
            open_end = max(open_end, pair.distance)
            known[place, y] = 0
    # ``known`` bounds every pair that is not settled, ``open_end`` bounds the pairs whose programs
    # did not finish, and ``best`` bounds those that were settled: together, an upper bound on the
    # largest.
    top = max(int(known.max(initial=0)), open_end, best.lower)
    ends_at = [end for end in (top if top < NEVER else None, most) if end is not None]
    upper = min(ends_at, default=None)
    if upper is not None:
        upper = max(upper, best.lower)
    return replace(best, upper=upper)


def _note(known: Ints, start: Table, end: Table, metric: Metric, sources: Sequence[int]) -> None:
    for first, second in ((start, end), (end, start)):
        before, after = np.array(first), np.array(second)
        change = after - before
        moved = int(np.abs(change).sum())
        held = np.array([x == ABSENT or bool(before[x]) for x in sources])
        holds = np.outer(held, after > 0)
        if has_places(metric):
            price = moved // 2 + (change <= 0)[None, :] + (change >= 0)[:, None]
        else:
            price = np.full(known.shape, table_distance(metric, moved))
        np.minimum(known, np.where(holds, price, NEVER), out=known)


def _sizes_differ(system: System, ends: Sequence[int], limits: Limits) -> bool | None:
    program = Program()
    tables = [[program.variable(0, end) for end in ends] for _ in range(2)]
    for table in tables:
        for row, value in equations(system):
            program.row({table[c]: k for c, k in row}, value, value)
        for form in forms_of(system, ends)[system.classes :]:
            program.row({table[c]: k for c, k in form.sum}, -form.constant, None)
    program.row(dict.fromkeys(tables[0], -1) | dict.fromkeys(tables[1], 1), 1, None)
    answer = program.solve(limits)
    if answer.values is not None:
        return True
    return False if answer.status == "infeasible" else None
