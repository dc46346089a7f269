"""Counts without an upper bound, and finite systems with the same a(t).

If the size is free, a class c in no row and in no sum with an upper bound can take any number of
records: D_t is infinite. Let ``least`` be the largest lower bound of a sum that contains c (0
without one), and cut the count of c off at least + 2. The tables stay in D_t, and a(t) does not
change by either definition; the proof is in docs/theory/semi-adjacency.md.
"""

from __future__ import annotations

from dataclasses import replace

from semiaudit.universe.system.classes_of_cells import Limited, System

ABOVE = 2
"""The distance from the lower bounds of its sums at which an open count is cut off: at + 1 or more,
the class is not needed, and one more record makes another table."""


def cut_offs(system: System) -> dict[int, int]:
    """For every class without an upper bound, return the count at which it can be cut off."""
    if system.size is not None:
        return {}
    bounded = {c for row in system.rows for c, _ in row}
    bounded |= {c for bound in system.bounds if bound.most is not None for c, _ in bound.sum}
    least = dict.fromkeys((c for c in range(system.classes) if c not in bounded), 0)
    for bound in system.bounds:
        for c, _ in bound.sum:
            if c in least:
                least[c] = max(least[c], bound.least)
    return {c: end + ABOVE for c, end in least.items()}


def capped(system: System) -> System:
    """Return the system with open counts cut off, as public bounds; itself if there are none.

    It has the same a(t) by both definitions as the system, Remark 14's numbers, the least count of
    every class, the largest of every class that is not open, and it is connected at a distance if
    D_t is.

    Args:
        system: D_t over classes of cells; split for the metrics that ignore the order of records.
    """
    ends = cut_offs(system)
    if not ends or system.values is None:
        return system
    bounds = tuple(Limited(((c, 1),), 0, end) for c, end in sorted(ends.items()))
    return replace(system, bounds=(*system.bounds, *bounds))
