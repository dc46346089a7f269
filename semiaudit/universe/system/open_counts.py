"""Counts that nothing limits from above, and finite systems with the same a(t).

Where the size is free, a class c in no row and in no sum with an upper bound can take any further
record: D_t is infinite. Let ``least`` be the largest lower bound of a sum that c is in, 0 without
one, and cut the count of c off at least + 2. Cutting leads to D_t again, and changes no reading
of a(t); the proof stands in docs/theory/semi-adjacency.md.
"""

from __future__ import annotations

from dataclasses import replace

from semiaudit.universe.system.classes_of_cells import Limited, System

ABOVE = 2
"""How far above the lower bounds of its sums an open count is kept: least + 1 or more is in no need
of the class, and one more record makes another table."""


def cut_offs(system: System) -> dict[int, int]:
    """For every class that nothing limits from above, where its count may be cut off."""
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

    It has the readings of a(t) of the system, Remark 14's numbers, the least count of every class,
    the largest of every class that is not open, and it is connected at a distance if D_t is.

    Args:
        system: D_t over classes of cells; for the metrics without places, split.
    """
    ends = cut_offs(system)
    if not ends or system.values is None:
        return system
    bounds = tuple(Limited(((c, 1),), 0, end) for c, end in sorted(ends.items()))
    return replace(system, bounds=(*system.bounds, *bounds))
