"""The sums that must not become negative: counts of classes, and the slack of public bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from semiaudit.universe.system.classes_of_cells import Sum, System, total

OPEN_END = 1 << 40
"""The size where nothing fixes it: ends that depend on it are no ends."""


@dataclass(frozen=True, slots=True)
class Form:
    """constant + sum >= 0 for every table of D_t; ``high`` is an upper end of its value."""

    sum: Sum
    constant: int
    high: int


def upper_ends(system: System, size: int) -> tuple[int, ...]:
    """For every class a number that its count does not exceed: the simplest Frechet bound.

    Args:
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
