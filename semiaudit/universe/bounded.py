"""Both readings between two ends, where D_t is too large to be listed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from semiaudit.model.adjacency import Metric
from semiaudit.universe.closest_pairs import definition_13
from semiaudit.universe.forms import forms_of, upper_ends
from semiaudit.universe.found import Ends, Found
from semiaudit.universe.nearest import distance
from semiaudit.universe.program import Limits, Program
from semiaudit.universe.system import MAX_COUNT, System, Table, records
from semiaudit.universe.worst_start import covering

LITERAL_SHARE = 0.25
"""The part of the time that definition_13 may take, where t is given; it comes first."""

COVERING_SHARE = 0.9
"""The part of the time that is left which covering may take."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """Both readings as intervals with witnesses for their lower ends."""

    covering: Ends
    literal: Ends


def readings(
    system: System, metric: Metric, limits: Limits, known_end: int | None = None
) -> Bounded:
    """Both readings of a(t) by programs; n is the upper end where they prove none.

    Args:
        known_end: an upper end that is proven otherwise, if any.

    Without t both are suprema over all t.
    """
    ends = [end for end in (_most(system, metric), known_end) if end is not None]
    most = min(ends, default=None)
    if not _manageable(system):
        return Bounded(Ends(Found(0), most), Ends(Found(0), most))
    floor, least = _inside(system, limits) if metric == "hamming" else (Found(0), 0)
    literal = Ends(floor, most)
    if system.values is not None:
        part = limits.share(LITERAL_SHARE)
        literal = definition_13(system, metric, part, most, floor)
    covered = covering(system, metric, limits.share(COVERING_SHARE), most, floor)
    if covered.upper is not None and covered.upper < least:
        covered = replace(covered, upper=least)
    if system.values is None and covered.lower.start is not None:
        known = replace(system, values=system.invariants(covered.lower.start)[0])
        literal = definition_13(known, metric, limits, covered.upper, floor)
        literal = Ends(literal.lower, covered.upper)
    elif covered.upper is not None and (literal.upper is None or literal.upper > covered.upper):
        literal = replace(literal, upper=max(covered.upper, literal.lower.value))
    if literal.lower.value > covered.lower.value:
        # definition_13 is never above covering, so its proven lower end is covering's too.
        covered = replace(covered, lower=Found(literal.lower.value))
    return Bounded(
        replace(covered, lower=_shown(covered.lower, metric)),
        replace(literal, lower=_shown(literal.lower, metric)),
    )


def _shown(found: Found, metric: Metric) -> Found:
    """Without the datasets if a proof was cut short and they lie farther apart than it says."""
    if found.start is None or found.end is None:
        return found
    if metric == "hamming" and found.classes[0] == found.classes[1]:
        return found
    apart = distance(found.start, found.end, *found.classes, metric)
    return found if apart == found.value else Found(found.value)


def _most(system: System, metric: Metric) -> int | None:
    size = records(system)
    if size is None:
        return None
    return 2 * size if metric == "symmetric_difference" else size


def _manageable(system: System) -> bool:
    """True if programs can speak of the system: finite counts, and no keys without t."""
    size = records(system)
    if system.keys or (size is None and system.values is None):
        return False
    ends = upper_ends(system, size if size is not None else MAX_COUNT)
    return max(ends, default=0) < MAX_COUNT


def _inside(system: System, limits: Limits) -> tuple[Found, int]:
    """A dataset with a record that only moves inside its class, if there is one.

    Also what the upper end may not lie below: 1 unless there is provably no such dataset.
    """
    several = [c for c, number in enumerate(system.multiplicity) if number > 1]
    if not several:
        return Found(0), 0
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
        return Found(0), int(answer.status != "infeasible")
    table: Table = tuple(answer.values)
    c = next(c for c in several if table[c])
    return Found(1, table, table, (c, c)), 1
