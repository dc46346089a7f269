"""Both definitions of a(t) as intervals by integer programs, if D_t is too large to be listed."""

from __future__ import annotations

from dataclasses import replace

from semiaudit import progress
from semiaudit.model.adjacency import Metric, Reading, has_places, per_record
from semiaudit.numeric.integer_program import Program
from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance import closest_pairs, worst_start
from semiaudit.universe.distance.interval import ParameterInterval, Readings
from semiaudit.universe.distance.nearest import distance
from semiaudit.universe.system.classes_of_cells import MAX_COUNT, System, Table, records
from semiaudit.universe.system.nonnegative_sums import forms_of, upper_ends

SHARE = 0.75
"""The part of the time for the definition in use: the disclosures of t, the sensitivity of queries
and all numbers are computed after it."""

OTHER_WORK = 400
"""The limit on programs and nodes for the definition that is not in use, in every run: one or two
seconds. No guarantee depends on it."""


def readings(
    system: System,
    metric: Metric,
    limits: Limits,
    known_end: int | None = None,
    reading: Reading = "covering",
) -> Readings:
    """Return both definitions of a(t) by programs; n is the upper bound if they prove none.

    The definition in use is searched first, for as long as it takes; the other one gets a fixed
    amount of work. Without t both are suprema over all t, and covering, from which definition_13
    has its upper bound, comes first.

    Args:
        system: D_t over classes of cells; split for the metrics that ignore the order of records.
        metric: of the release.
        limits: the total limits of the programs.
        known_end: an upper bound on covering a(t) that is proven otherwise, if any.
        reading: the definition in use.
    """
    method = "integer_program" if system.values is not None else "supremum_over_t"
    size_end = _most(system, metric)
    ends = [end for end in (size_end, known_end) if end is not None]
    most = min(ends, default=None)
    trivial = known_end is None and most is not None
    if not _manageable(system):
        nothing = ParameterInterval(0, most, trivial=trivial)
        return Readings(nothing, nothing, method)
    # The programs compare different classes only. A record that moves inside its class is at
    # distance 1, which they do not see, so it is a lower bound, and no upper bound can be less.
    floor, least = _inside(system, limits) if has_places(metric) else (ParameterInterval(0), 0)
    part = limits.share(SHARE)
    definition_13: ParameterInterval | None = None
    if system.values is not None and reading == "definition_13":
        definition_13 = closest_pairs.definition_13(system, metric, part, known_end, floor)
        part = limits.counted(OTHER_WORK)
    progress.narrowed(upper=most)
    covering = worst_start.covering(system, metric, part, most, floor)
    covering = _ended(covering, size_end, known_end, least)
    if definition_13 is None:
        progress.doing("a(t), definition_13")
        definition_13 = _second(system, metric, limits.counted(OTHER_WORK), covering, floor)
    definition_13 = _ended(definition_13, size_end, None, least)
    if covering.upper is not None and (
        definition_13.trivial or definition_13.upper is None or definition_13.upper > covering.upper
    ):
        # definition_13 is at most covering a(t), so covering's upper bound is one on it, and its
        # own lower bound is one on covering.
        upper = max(covering.upper, definition_13.lower)
        definition_13 = replace(definition_13, upper=upper, trivial=covering.trivial)
    # The lower bound carries over, but not the pair of datasets: it need not be the closest one
    # from its start.
    if definition_13.lower > covering.lower:
        covering = ParameterInterval(definition_13.lower, covering.upper, trivial=covering.trivial)
    return Readings(_shown(covering, metric), _shown(definition_13, metric), method)


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
    most = None if covering.trivial and covering.upper != covering.lower else covering.upper
    if system.values is not None:
        return closest_pairs.definition_13(system, metric, limits, most, floor)
    if covering.start is None:
        return floor
    known = replace(system, values=system.invariants(covering.start)[0])
    interval = closest_pairs.definition_13(known, metric, limits, most, floor)
    return replace(interval, upper=None)


def _ended(
    interval: ParameterInterval, size_end: int | None, known_end: int | None, least: int
) -> ParameterInterval:
    """Return the interval with its least upper bound, and whether only the size was proven.

    Args:
        least: the least possible upper bound. The searches cover records that leave their class; a
            record that moves inside it costs 1.
    """
    proven = [end for end in (interval.upper, known_end) if end is not None]
    ends = proven if size_end is None else [*proven, size_end]
    if not ends:
        return interval
    return replace(interval, upper=max(min(ends), interval.lower, least), trivial=not proven)


def _shown(interval: ParameterInterval, metric: Metric) -> ParameterInterval:
    """Drop the datasets if a proof was cut short and their distance is not the lower bound."""
    if interval.start is None or interval.end is None:
        return interval
    if has_places(metric) and interval.classes[0] == interval.classes[1]:
        return interval
    apart = distance(interval.start, interval.end, *interval.classes, metric)
    return interval if apart == interval.lower else replace(interval, start=None, end=None)


def _most(system: System, metric: Metric) -> int | None:
    """Return n, as n changed records turn any dataset into any other; None if n is not fixed."""
    size = records(system)
    if size is None:
        return None
    return size * per_record(metric)


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
