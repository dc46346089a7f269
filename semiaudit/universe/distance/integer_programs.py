"""a(t) under any count invariants: the tables of D_t if there are few, else integer programs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from semiaudit import deadline, progress
from semiaudit.deadline import OutOfTimeError
from semiaudit.model.adjacency import (
    Metric,
    Reading,
    compares_sizes,
    has_places,
    table_distance,
)
from semiaudit.model.semi_adjacency import Parameter, Witness
from semiaudit.numeric.integer_program import Program
from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance import worst_start
from semiaudit.universe.distance.closed_form import label, sparse_cells
from semiaudit.universe.distance.interval import ParameterInterval, Readings
from semiaudit.universe.distance.listed_tables import NEVER, Ints, feasible_work, readings_of
from semiaudit.universe.distance.nearest import ABSENT, Pair, distance, nearest
from semiaudit.universe.method import ProvenBounds
from semiaudit.universe.problem import TableProblem
from semiaudit.universe.system.classes_of_cells import (
    MAX_COUNT,
    System,
    Table,
    equations,
    records,
    universes_of,
)
from semiaudit.universe.system.nonnegative_sums import OPEN_END, forms_of, upper_ends
from semiaudit.universe.witness import changed_classes

MAX_PAIRS = 1_000_000
"""More pairs of classes than this are not examined: their matrix would take 8 MB."""


def definition_13_by_programs(
    system: System, metric: Metric, limits: Limits, most: int | None, floor: ParameterInterval
) -> ParameterInterval:
    """Bound definition_13 from both sides, for a given t.

    It is the largest distance over pairs of what a record was (or ``ABSENT``) and becomes.

    Args:
        system: with values and without keys; split for the metrics that ignore the order of
            records.
        metric: of the release.
        limits: the limits of the programs.
        most: an upper bound that is proven already, such as covering a(t), and ends the search;
            None if there is none.
        floor: a lower bound that is proven already, with its datasets.
    """
    classes = system.classes
    if system.values is None or not 0 < classes * classes <= MAX_PAIRS:
        return floor
    ends = upper_ends(system, OPEN_END if system.size is None else system.size)
    sources = tuple(range(classes))
    if compares_sizes(metric) and not system.moves_preserve_size:
        free = _sizes_differ(system, ends, limits)
        if free is None:
            # It is not known which pairs count: records that become others, or that enter and
            # leave.
            return floor
        sources = (ABSENT,) if free else sources
    # Invariant: an entry of ``known`` is an upper bound on the distance of its pair, or 0 if the
    # pair does not count or ``open_end`` bounds it. An entry is not above ``best`` once its pair is
    # settled, so no pair is solved twice.
    known = np.full((len(sources), classes), NEVER, dtype=np.int64)
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
    return best if top >= NEVER else replace(best, upper=top)


def _note(known: Ints, start: Table, end: Table, metric: Metric, sources: Sequence[int]) -> None:
    for first, second in ((start, end), (end, start)):
        before, after = np.array(first), np.array(second)
        change = after - before
        length = int(np.abs(change).sum())
        occurs = np.array([x == ABSENT or bool(before[x]) for x in sources])
        covered = np.outer(occurs, after > 0)
        if has_places(metric):
            price = length // 2 + (change <= 0)[None, :] + (change >= 0)[:, None]
        else:
            price = np.full(known.shape, table_distance(metric, length))
        np.minimum(known, np.where(covered, price, NEVER), out=known)


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


SHARE = 0.75
"""The part of the time for the definition in use: the disclosures of t, the sensitivity of queries
and all numbers are computed after it."""

ANYTHING = ParameterInterval(0)
"""What holds before anything is proven."""

OTHER_WORK = 400
"""The limit on programs and nodes for the definition that is not in use, in every run: one or two
seconds. No guarantee depends on it."""


def readings_by_programs(
    system: System,
    metric: Metric,
    limits: Limits,
    most: int | None = None,
    reading: Reading = "covering",
    *,
    trivial: bool = False,
) -> Readings:
    """Return both definitions of a(t) by programs, with the upper bounds that they prove.

    The definition in use is searched first, for as long as it takes; the other one gets a fixed
    amount of work. Without t both are suprema over all t, and covering, from which definition_13
    has its upper bound, comes first.

    Args:
        system: D_t over classes of cells; split for the metrics that ignore the order of records.
        metric: of the release.
        limits: the total limits of the programs.
        most: an upper bound on covering a(t) that is proven otherwise, if any.
        reading: the definition in use.
        trivial: the size proves it. It only ends a search that attains it.
    """
    if not _manageable(system):
        return Readings(ANYTHING, ANYTHING)
    proven = None if trivial else most
    # The programs compare different classes only. A record that moves inside its class is at
    # distance 1, which they do not see, so it is a lower bound, and no upper bound can be less.
    floor, least = _inside(system, limits) if has_places(metric) else (ANYTHING, 0)
    part = limits.share(SHARE)
    definition_13: ParameterInterval | None = None
    if system.values is not None and reading == "definition_13":
        definition_13 = definition_13_by_programs(system, metric, part, proven, floor)
        part = limits.counted(OTHER_WORK)
    progress.narrowed(upper=most)
    covering = worst_start.covering(system, metric, part, most, floor)
    covering = _ended(covering, proven, least)
    if definition_13 is None:
        progress.doing("a(t) by Definition 13")
        definition_13 = _second(system, metric, limits.counted(OTHER_WORK), covering, floor)
    # definition_13 is at most covering a(t), so covering's upper bound is one on it, and its own
    # lower bound is one on covering. The pair of datasets does not carry over: it need not be the
    # closest one from its start.
    definition_13 = _ended(definition_13, covering.upper, least)
    if definition_13.lower > covering.lower:
        covering = ParameterInterval(definition_13.lower, covering.upper)
    return Readings(_shown(covering, metric), _shown(definition_13, metric))


def _second(
    system: System,
    metric: Metric,
    limits: Limits,
    covering: ParameterInterval,
    floor: ParameterInterval,
) -> ParameterInterval:
    """Return definition_13 if covering is bounded already.

    Its upper bound is None if none is proven.

    Without t, the lower bound is that of the t of covering's start: a lower bound for one t is one
    for the supremum over t.
    """
    if system.values is not None:
        return definition_13_by_programs(system, metric, limits, covering.upper, floor)
    if covering.start is None:
        return floor
    known = replace(system, values=system.invariants(covering.start)[0])
    interval = definition_13_by_programs(known, metric, limits, covering.upper, floor)
    return replace(interval, upper=None)


def _ended(interval: ParameterInterval, most: int | None, least: int) -> ParameterInterval:
    """Return the interval with its least upper bound.

    Args:
        least: the least possible upper bound. The searches cover records that leave their class; a
            record that moves inside it costs 1.
    """
    ends = [end for end in (interval.upper, most) if end is not None]
    if not ends:
        return interval
    return replace(interval, upper=max(min(ends), interval.lower, least))


def _shown(interval: ParameterInterval, metric: Metric) -> ParameterInterval:
    """Drop the datasets if a proof was cut short and their distance is not the lower bound."""
    if interval.start is None or interval.end is None:
        return interval
    if has_places(metric) and interval.classes[0] == interval.classes[1]:
        return interval
    pair_distance = distance(interval.start, interval.end, *interval.classes, metric)
    return interval if pair_distance == interval.lower else replace(interval, start=None, end=None)


def _manageable(system: System) -> bool:
    """Return whether programs can represent the system: finite counts, and no keys without t."""
    size = records(system)
    if system.keys or (size is None and system.values is None):
        return False
    ends = upper_ends(system, size if size is not None else MAX_COUNT)
    return max(ends, default=0) < MAX_COUNT


def _inside(system: System, limits: Limits) -> tuple[ParameterInterval, int]:
    """Return a dataset with a record that only moves inside its class, if there is one.

    The second value is the least possible upper bound: 1, unless it is proven that there is no such
    dataset.
    """
    several = [c for c, number in enumerate(system.multiplicity) if number > 1]
    if not several:
        return ParameterInterval(0), 0
    program = Program()
    ends = upper_ends(system, records(system) or 0)
    counts = [program.variable(0, end) for end in ends]
    program.row({counts[c]: 1 for c in several}, 1, None)
    if system.values is not None:
        for row, value in zip(system.rows, system.values, strict=True):
            program.row({counts[c]: k for c, k in row}, value, value)
    elif system.size is not None:
        program.row(dict.fromkeys(counts, 1), system.size, system.size)
    for form in forms_of(system, ends)[system.classes :]:
        program.row({counts[c]: k for c, k in form.sum}, -form.constant, None)
    answer = program.solve(limits)
    if answer.values is None:
        # Only an infeasible program proves that no dataset has such a record.
        return ParameterInterval(0), int(answer.status != "infeasible")
    table: Table = tuple(answer.values)
    c = next(c for c in several if table[c])
    return ParameterInterval(1, None, table, table, (c, c)), 1


COVERING = "Cho and Awan, Definition 13 as read by Example 5 and Theorem 16's proof"
DEFINITION_13 = "Cho and Awan, Definition 13 as printed"


LISTING_SHARE = 0.4
"""The part of the time for comparing all tables; if that fails, programs can still succeed."""


def by_listing(problem: TableProblem) -> ProvenBounds | None:
    """Return both definitions from the list of all tables of D_t; None if there are too many.

    Raises:
        RefusedError: t contradicts itself.
    """
    system, tables = problem.separate, problem.separate_tables
    if system is None or tables is None:
        return None
    universes = list(universes_of(system, tables).values())
    if not feasible_work(max(map(len, universes)), system.classes):
        return None
    with suppress(OutOfTimeError), deadline.part(LISTING_SHARE):
        return _answer(problem, system, _listed(system, problem.metric, universes), "enumeration")
    return None


def by_programs(problem: TableProblem, known: Parameter) -> ProvenBounds | None:
    """Return both definitions by integer programs; None if D_t has too many classes for a system.

    Args:
        known: a proven interval for covering a(t).
    """
    system, reading = problem.separate, problem.release.adjacency.reading
    if system is None:
        return None
    readings = readings_by_programs(
        system, problem.metric, problem.limits, known.upper, reading, trivial=known.trivial
    )
    return _answer(problem, system, readings, "integer_program")


def _answer(problem: TableProblem, system: System, readings: Readings, method: str) -> ProvenBounds:
    """Return the answer with its witnesses in the names of the spec."""
    method = "supremum_over_t" if system.values is None else method
    covering, definition_13 = (
        Parameter(one.lower, one.upper, method, source, _witness(problem, system, one))
        for one, source in (
            (readings.covering, COVERING),
            (readings.definition_13, DEFINITION_13),
        )
    )
    return ProvenBounds(
        covering,
        definition_13,
        readings.a_min,
        readings.a_maxmin,
    )


def _listed(system: System, metric: Metric, universes: Sequence[Sequence[Table]]) -> Readings:
    """Return a(t) of the one D_t, or without t the largest a(t) over every D_t: all exact."""
    readings = []
    for tables in universes:
        free = len({sum(table) for table in tables}) > 1
        readings.append(readings_of(tables, system.multiplicity, metric, size_is_free=free))
    if system.values is not None:
        return readings[0]
    return Readings(
        max((reading.covering for reading in readings), key=lambda interval: interval.lower),
        max((reading.definition_13 for reading in readings), key=lambda interval: interval.lower),
    )


def _witness(problem: TableProblem, system: System, interval: ParameterInterval) -> Witness | None:
    space, metric = problem.space, problem.metric
    if not interval.lower or interval.start is None or interval.end is None:
        return None
    x, y = interval.classes
    if not has_places(metric):
        x, y = changed_classes(interval.start, interval.end, (x, y))
    start, end = dict(enumerate(interval.start)), dict(enumerate(interval.end))
    first = {c: label(space, cells[0]) for c, cells in enumerate(system.cells)}
    before = {first[c]: count for c, count in start.items() if count}
    after = {first[c]: count for c, count in end.items() if count}
    record_to = None if y < 0 else first[y]
    if 0 <= x == y and system.multiplicity[x] > 1:
        record_to = label(space, system.cells[x][1])
        after[first[x]] -= 1
        after = {cell: count for cell, count in after.items() if count} | {record_to: 1}
    return Witness(
        None if x < 0 else first[x],
        record_to,
        interval.lower,
        sparse_cells(before.items()),
        sparse_cells(after.items()),
    )
