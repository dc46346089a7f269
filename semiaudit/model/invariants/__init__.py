"""What is published exactly: the kinds of invariants, each in a module of its own.

A kind says all there is to say of it: its words (``str``), its key (what reports and baselines
compare; it never changes), the constraint that it puts on tables (None: it is no count, and only
enumeration answers), and its value on any dataset, computed from the records without a look at the
constraint. So the values check what the analysis concludes from
the constraints. A value of None rules a dataset out. Each invariant remembers its place in the
spec.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from semiaudit.errors import NOWHERE, Mark, Refusal, RefusedError
from semiaudit.model.invariants.constraint import Constraint, is_margin
from semiaudit.model.invariants.count import Count
from semiaudit.model.invariants.kept import KeptCounts
from semiaudit.model.invariants.keys import Keys
from semiaudit.model.invariants.linear import Linear
from semiaudit.model.invariants.margin import Margin
from semiaudit.model.invariants.partition import Partition
from semiaudit.model.invariants.public_bound import PublicBound
from semiaudit.model.invariants.statistic import Statistic
from semiaudit.model.invariants.total import Total

__all__ = [
    "KINDS",
    "Count",
    "Invariant",
    "KeptCounts",
    "Keys",
    "Linear",
    "Margin",
    "Partition",
    "PublicBound",
    "Statistic",
    "Total",
    "constraints_of",
    "fix_the_size",
    "known",
    "margin_of",
    "with_rows",
]

Invariant = (
    Total | Margin | Count | Keys | PublicBound | Linear | Statistic | Partition | KeptCounts
)

KINDS: tuple[type[Invariant], ...] = get_args(Invariant)


def known(invariants: Sequence[Invariant]) -> tuple[Invariant, ...]:
    """The invariants, all of kinds that this version knows.

    Raises:
        RefusedError: with the place of every other object.
    """
    refused = [
        _refusal(
            index,
            f"{type(invariant).__name__} is not a kind of invariant that is known",
            f"use one of {', '.join(kind.__name__ for kind in KINDS)}",
            getattr(invariant, "mark", NOWHERE),
        )
        for index, invariant in enumerate(invariants)
        if type(invariant) not in KINDS
    ]
    if refused:
        raise RefusedError(*refused)
    return tuple(invariants)


def constraints_of(invariants: Sequence[Invariant]) -> tuple[Constraint, ...]:
    """The constraint of every invariant of a table, in their order.

    Raises:
        RefusedError: with the place of every invariant that is no count of a table.
    """
    constraints, refused = [], []
    for index, invariant in enumerate(known(invariants)):
        constraint = invariant.constraint
        if constraint is not None:
            constraints.append(constraint)
            continue
        what = f"{invariant} is not a count of a table"
        remedy = "use count or linear, or an explicit dataspace"
        refused.append(_refusal(index, what, remedy, invariant.mark))
    if refused:
        raise RefusedError(*refused)
    return tuple(constraints)


def fix_the_size(invariants: Sequence[Invariant]) -> bool:
    """Return whether a published margin, or the total, fixes the number of records.

    Raises:
        RefusedError: the kind of an invariant is unknown.
    """
    constraints = (invariant.constraint for invariant in known(invariants))
    return any(c is not None and is_margin(c) for c in constraints)


def margin_of(attributes: Sequence[str], mark: Mark) -> Invariant:
    """The margin of some attributes; of none it is the number of records."""
    return Margin(tuple(attributes), mark) if attributes else Total(mark)


def with_rows(invariant: Invariant, rows: Sequence[int] | None) -> Invariant:
    """A matrix with some of its rows; another invariant, and where none are named, as it is."""
    if rows is None or not isinstance(invariant, Linear):
        return invariant
    return replace(invariant, rows=tuple(invariant.rows[row] for row in rows))


def _refusal(index: int, what: str, remedy: str, mark: Mark) -> Refusal:
    return Refusal(what, remedy, f"invariants[{index}]", mark.line, mark.column)
