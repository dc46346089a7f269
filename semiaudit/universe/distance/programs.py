"""Both readings of a(t) by integer programs, as intervals, where D_t is too large to be listed."""

from __future__ import annotations

from dataclasses import replace

from semiaudit.model.adjacency import Metric, has_places, per_record
from semiaudit.universe.distance import closest_pairs, worst_start
from semiaudit.universe.distance.interval import Interval, Readings
from semiaudit.universe.distance.nearest import distance
from semiaudit.universe.solver.integer_program import Limits, Program
from semiaudit.universe.system.classes_of_cells import MAX_COUNT, System, Table, records
from semiaudit.universe.system.nonnegative_sums import forms_of, upper_ends

DEFINITION_13_SHARE = 0.25
"""The part of the time that definition_13 may take, where t is given: it comes first, and covering,
which guarantees use by default, must keep the most of it."""

COVERING_SHARE = 0.9
"""The part of the time that is left which covering may take; what discloses comes after it."""


def readings(
    system: System, metric: Metric, limits: Limits, known_end: int | None = None
) -> Readings:
    """Both readings of a(t) by programs; n is the upper end where they prove none.

    Without t both are suprema over all t.

    Args:
        system: D_t over classes of cells; split for the metrics without places.
        metric: of the release.
        limits: what the programs may spend in all.
        known_end: an upper end of covering a(t) that is proven otherwise, if any.
    """
    method = "integer_program" if system.values is not None else "supremum_over_t"
    ends = [end for end in (_most(system, metric), known_end) if end is not None]
    most = min(ends, default=None)
    if not _manageable(system):
        return Readings(Interval(0, most), Interval(0, most), method)
    floor, least = _inside(system, limits) if has_places(metric) else (Interval(0), 0)
    definition_13 = replace(floor, upper=most)
    if system.values is not None:
        part = limits.share(DEFINITION_13_SHARE)
        definition_13 = closest_pairs.definition_13(system, metric, part, most, floor)
    covering = worst_start.covering(system, metric, limits.share(COVERING_SHARE), most, floor)
    if covering.upper is not None and covering.upper < least:
        # The search speaks of records that leave their class; one that moves inside it costs 1.
        covering = replace(covering, upper=least)
    if system.values is None and covering.start is not None:
        # What holds for one t from below holds for the supremum over t; from above covering's end
        # does, since definition_13 is never above covering.
        known = replace(system, values=system.invariants(covering.start)[0])
        definition_13 = replace(
            closest_pairs.definition_13(known, metric, limits, covering.upper, floor),
            upper=covering.upper,
        )
    elif covering.upper is not None and (
        definition_13.upper is None or definition_13.upper > covering.upper
    ):
        definition_13 = replace(definition_13, upper=max(covering.upper, definition_13.lower))
    if definition_13.lower > covering.lower:
        # definition_13 is never above covering, so its proven lower end is covering's too.
        covering = Interval(definition_13.lower, covering.upper)
    return Readings(_shown(covering, metric), _shown(definition_13, metric), method)


def _shown(found: Interval, metric: Metric) -> Interval:
    """Without the datasets if a proof was cut short and they lie farther apart than it says."""
    if found.start is None or found.end is None:
        return found
    if has_places(metric) and found.classes[0] == found.classes[1]:
        return found
    apart = distance(found.start, found.end, *found.classes, metric)
    return found if apart == found.lower else Interval(found.lower, found.upper)


def _most(system: System, metric: Metric) -> int | None:
    """n changed records turn any dataset into any other; None where n is not fixed."""
    size = records(system)
    if size is None:
        return None
    return size * per_record(metric)


def _manageable(system: System) -> bool:
    """True if programs can speak of the system: finite counts, and no keys without t."""
    size = records(system)
    if system.keys or (size is None and system.values is None):
        return False
    ends = upper_ends(system, size if size is not None else MAX_COUNT)
    return max(ends, default=0) < MAX_COUNT


def _inside(system: System, limits: Limits) -> tuple[Interval, int]:
    """A dataset with a record that only moves inside its class, if there is one.

    Also what the upper end may not lie below: 1 unless there is provably no such dataset.
    """
    several = [c for c, number in enumerate(system.multiplicity) if number > 1]
    if not several:
        return Interval(0), 0
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
        return Interval(0), int(answer.status != "infeasible")
    table: Table = tuple(answer.values)
    c = next(c for c in several if table[c])
    return Interval(1, None, table, table, (c, c)), 1
