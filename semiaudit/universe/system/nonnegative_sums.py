"""Linear functions that are nonnegative on all of D_t: its counts, and the slacks of bounds.

A change of a table leaves D_t if it makes one of them negative.
"""

from __future__ import annotations

from collections.abc import Sequence

from semiaudit.frozen import dataclass
from semiaudit.universe.system.classes_of_cells import Sum, System, total

OPEN_END = 1 << 40
"""Replaces the number of records if nothing fixes it. An upper bound that depends on it is far
above ``MAX_COUNT``, so no program trusts it."""


@dataclass(frozen=True, slots=True)
class NonnegativeSum:
    """A function constant + sum that is 0 or more for every table of D_t.

    Attributes:
        sum: over the counts of classes.
        constant: the constant term.
        high: an upper bound on the value in D_t.
    """

    sum: Sum
    constant: int
    high: int


def upper_ends(system: System, size: int) -> tuple[int, ...]:
    """For every class, return an upper bound on its count: the simplest Frechet bound.

    A class that no positive row and no bound limits can be limited by a row with both signs.

    Args:
        system: D_t over classes of cells.
        size: the number of records, or an upper bound on it.
    """
    ends = [size] * system.classes
    if system.values is not None:
        for row, value in zip(system.rows, system.values, strict=True):
            if all(k > 0 for _, k in row):
                for c, k in row:
                    ends[c] = min(ends[c], value // k)
    for bound in system.bounds:
        if bound.most is not None:
            for c, _ in bound.sum:
                ends[c] = min(ends[c], bound.most)
    if system.values is not None:
        _by_mixed_rows(system, system.values, ends, size)
    return tuple(max(end, 0) for end in ends)


def _by_mixed_rows(system: System, values: Sequence[int], ends: list[int], size: int) -> None:
    """Limit counts that only the size bounds by rows with both signs, in place.

    A row sum of k h_c = v leaves k h_c = v - (the other terms), and these have an upper bound if
    the counts on the other side do. Each round bounds one more class, or is the last.
    """
    mixed = [
        (row, value)
        for row, value in zip(system.rows, values, strict=True)
        if min(k for _, k in row or ((0, 0),)) < 0
    ]
    changed = bool(mixed)
    while changed:
        changed = False
        for row, value in mixed:
            for side in (1, -1):
                against = [(c, -k * side) for c, k in row if k * side < 0]
                if any(ends[c] >= size for c, _ in against):
                    continue
                room = side * value + sum(k * ends[c] for c, k in against)
                for c, k in row:
                    if k * side > 0 and ends[c] >= size > room // (k * side):
                        ends[c] = room // (k * side)
                        changed = True


def forms_of(system: System, ends: Sequence[int]) -> tuple[NonnegativeSum, ...]:
    """Return the count of every class, then the slack of every side of every public bound."""
    forms = [NonnegativeSum(((c, 1),), 0, end) for c, end in enumerate(ends)]
    for bound in system.bounds:
        most = sum(k * ends[c] for c, k in bound.sum)
        if bound.least > 0:
            forms.append(NonnegativeSum(bound.sum, -bound.least, max(most - bound.least, 0)))
        if bound.most is not None:
            forms.append(
                NonnegativeSum(tuple((c, -k) for c, k in bound.sum), bound.most, bound.most)
            )
    return tuple(forms)


def value(form: NonnegativeSum, table: Sequence[int]) -> int:
    """Return the value of a form at a table."""
    return form.constant + total(form.sum, table)
