"""Whether some table of D_t can start a change: an integer program over the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from semiaudit.numeric.integer_program import Program
from semiaudit.numeric.limits import Limits
from semiaudit.universe.system.classes_of_cells import Sum, System

MAX_COUNT = 100_000_000
"""Numbers above this make a "no" untrusted: a double keeps too few digits after the point for the
solver's tolerance of 1e-6. A "yes" is checked in exact integers."""


def sums_to_watch(system: System) -> list[Sum]:
    """Return the sums to watch in addition to the rows: public bounds, then groups of keys."""
    groups = [group for groups in system.keys for group in groups]
    return [bound.sum for bound in system.bounds] + [tuple((c, 1) for c in g) for g in groups]


def can_start(
    system: System,
    need: Mapping[int, int],
    changes: Sequence[tuple[int, int]],
    limits: Limits,
) -> bool | None:
    """Return whether one table of D_t (without t, of any D_t) can start every one of some moves.

    Arguments and proof: as for ``starting_table``.

    Returns:
        None if the program has no answer that can be trusted.
    """
    return starting_table(system, need, changes, limits)[0]


def starting_table(
    system: System,
    need: Mapping[int, int],
    changes: Sequence[tuple[int, int]],
    limits: Limits,
) -> tuple[bool | None, Sequence[int] | None]:
    """Return whether a table can start every one of some moves, and such a table if there is one.

    The moves keep every row. Then X and X + u are both in D_t if X contains the leaving records,
    the sums of ``sums_to_watch`` stay inside their bounds, and groups of keys stay occupied or
    empty.

    Args:
        need: for every class, the most records that leave it.
        changes: for every sum to watch, the least and the greatest change, including 0.
    """
    # Nothing but the size restricts a table without t: one with exactly the leaving records, and
    # any others, starts the moves.
    if system.values is None and not system.bounds and not system.keys:
        table = [need.get(c, 0) for c in range(system.classes)]
        rest = 0 if system.size is None else system.size - sum(table)
        if rest < 0:
            return False, None
        table[:1] = [count + rest for count in table[:1]]
        return True, table
    program = Program()
    ends, certain = _ends(system, need, changes)
    counts = [program.variable(min(need.get(c, 0), end), end) for c, end in enumerate(ends)]
    if any(need.get(c, 0) > end for c, end in enumerate(ends)):
        # No table contains the records that would leave.
        return (False if certain else None), None
    if system.values is not None:
        for row, value in zip(system.rows, system.values, strict=True):
            program.row({counts[c]: k for c, k in row}, value, value)
            certain = certain and abs(value) <= MAX_COUNT
    elif system.size is not None:
        program.row(dict.fromkeys(counts, 1), system.size, system.size)
    bounds = len(system.bounds)
    for bound, (fall, rise) in zip(system.bounds, changes[:bounds], strict=True):
        # ``fall`` is at most 0 and ``rise`` at least 0, so the row holds for X itself and for X + u
        # of every move.
        most = None if bound.most is None else bound.most - rise
        program.row({counts[c]: k for c, k in bound.sum}, bound.least - fall, most)
    for terms, (fall, rise) in zip(sums_to_watch(system)[bounds:], changes[bounds:], strict=True):
        # A group that a move changes cannot be empty both before and after it, so it must be
        # occupied both times.
        if fall or rise:
            program.row({counts[c]: k for c, k in terms}, 1 - fall, None)
    answer = program.search(limits)
    if answer.values is not None:
        return True, [answer.values[place] for place in counts]
    # Infeasible within bounds that lose no table, in numbers for which the solver is trusted.
    return (False if answer.status == "infeasible" and certain else None), None


def _ends(
    system: System, need: Mapping[int, int], changes: Sequence[tuple[int, int]]
) -> tuple[list[int], bool]:
    """Return upper bounds on the counts that lose no table, and whether that is certain.

    Without t, only sums with coefficients 0 and 1 have lower bounds, and a count that satisfies the
    largest of them satisfies all: more records are never needed. With t, a positive row bounds its
    classes; a class that no row bounds can be cut too low.
    """
    enough = max(need.values(), default=0)
    for bound, (fall, _) in zip(system.bounds, changes, strict=False):
        enough = max(enough, bound.least - fall)
    enough = max([enough, *(1 - fall for fall, _ in changes)])
    if system.size is not None:
        ends = [system.size] * system.classes
    elif system.values is None:
        return [enough] * system.classes, True
    else:
        ends = [MAX_COUNT] * system.classes
    bounded = set(range(system.classes)) if system.size is not None else set()
    for row, value in zip(system.rows, system.values or (), strict=False):
        if all(k > 0 for _, k in row):
            for c, k in row:
                ends[c] = min(ends[c], value // k)
                bounded.add(c)
    in_rows = {c for row in system.rows for c, _ in row}
    for c in range(system.classes):
        if c not in bounded and c not in in_rows:
            ends[c] = min(ends[c], enough)
            bounded.add(c)
    certain = len(bounded) == system.classes and max(ends, default=0) <= MAX_COUNT
    return [max(end, 0) for end in ends], certain
