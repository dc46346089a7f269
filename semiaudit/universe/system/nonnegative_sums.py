"""Linear functions of a table that are 0 or more all over D_t: its counts, and bounds' slacks.

A change of a table leads out of D_t if it takes one of them below 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from semiaudit.universe.system.classes_of_cells import Sum, System, total

OPEN_END = 1 << 40
"""Stands for the number of records where nothing fixes it. An upper end that depends on it is far
above ``MAX_COUNT``, so that no program trusts it."""


@dataclass(frozen=True, slots=True)
class Form:
    """constant + sum, which is 0 or more for every table of D_t.

    Attributes:
        sum: over the counts of classes.
        constant: what is added to it.
        high: a number that the value does not exceed in D_t.
    """

    sum: Sum
    constant: int
    high: int


def upper_ends(system: System, size: int) -> tuple[int, ...]:
    """For every class a number that its count does not exceed: the simplest Frechet bound.

    Args:
        system: D_t over classes of cells.
        size: the number of records, or an upper end of it.
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
    return tuple(max(end, 0) for end in ends)


def forms_of(system: System, ends: Sequence[int]) -> tuple[Form, ...]:
    """The count of every class, then the slack of every side of every public bound."""
    found = [Form(((c, 1),), 0, end) for c, end in enumerate(ends)]
    for bound in system.bounds:
        most = sum(k * ends[c] for c, k in bound.sum)
        if bound.least > 0:
            found.append(Form(bound.sum, -bound.least, max(most - bound.least, 0)))
        if bound.most is not None:
            found.append(Form(tuple((c, -k) for c, k in bound.sum), bound.most, bound.most))
    return tuple(found)


def value(form: Form, table: Sequence[int]) -> int:
    """The value of a form at a table."""
    return form.constant + total(form.sum, table)
