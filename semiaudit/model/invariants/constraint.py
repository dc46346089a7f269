"""Constraints of invariants on a table: the few forms that the analysis of D_t knows.

Each invariant has one of these forms. The analysis of tables dispatches on the forms and never on
the kinds of invariants.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from semiaudit.errors import NOWHERE, Mark
from semiaudit.frozen import dataclass
from semiaudit.model.dataspace import Condition, TableSpace

Term = tuple[int, Condition]
"""A coefficient, and the condition on the records that are counted with it."""


@dataclass(frozen=True, slots=True)
class SameSize:
    """All tables of D_t have one number of records.

    Attributes:
        by_unlisted: they also have the same counts by what the dataspace has no attributes for, of
            which every record that changes alone changes one.
    """

    mark: Mark = NOWHERE
    by_unlisted: bool = False


@dataclass(frozen=True, slots=True)
class SameMargin:
    """All tables have the same counts of every combination of levels of some attributes."""

    attributes: tuple[str, ...]
    mark: Mark = NOWHERE


@dataclass(frozen=True, slots=True)
class SameSums:
    """All tables have the same weighted sums of numbers of records that satisfy conditions.

    Attributes:
        rows: for every sum its terms.
    """

    rows: tuple[tuple[Term, ...], ...]
    mark: Mark = NOWHERE


@dataclass(frozen=True, slots=True)
class SameCellSums:
    """All tables have the same weighted sums of cells.

    Attributes:
        rows: for every sum a coefficient for each cell, row-major in the order of the attributes.
    """

    rows: tuple[tuple[int, ...], ...]
    mark: Mark = NOWHERE


@dataclass(frozen=True, slots=True)
class SameSupport:
    """In all tables the same combinations of levels of some attributes occur."""

    attributes: tuple[str, ...]
    mark: Mark = NOWHERE


@dataclass(frozen=True, slots=True)
class Within:
    """In all tables least <= number of records that satisfy a condition <= most.

    Attributes:
        most: None if there is no upper bound.
    """

    where: Condition
    least: int
    most: int | None
    mark: Mark = NOWHERE

    def admits(self, number: int) -> bool:
        """True if the condition may be satisfied by so many records."""
        return self.least <= number and (self.most is None or number <= self.most)


Constraint = SameSize | SameMargin | SameSums | SameCellSums | SameSupport | Within


def attributes_of(constraint: Constraint, space: TableSpace) -> tuple[str, ...]:
    """The attributes in a constraint, in the order of the spec; a size has none."""
    match constraint:
        case SameSize():
            return ()
        case SameMargin() | SameSupport():
            names = set(constraint.attributes)
        case SameSums():
            names = {name for row in constraint.rows for _, where in row for name, _ in where}
        case SameCellSums():
            return tuple(attribute.name for attribute in space.attributes)
        case Within():
            names = {name for name, _ in constraint.where}
        case _:
            assert_never(constraint)
    return tuple(sorted(names, key=space.position))


def is_margin(constraint: Constraint) -> bool:
    """True for a margin and for the size, the margin of no attributes; both fix the size."""
    match constraint:
        case SameSize() | SameMargin():
            return True
        case SameSums() | SameCellSums() | SameSupport() | Within():
            return False
        case _:
            assert_never(constraint)


def is_published(constraint: Constraint) -> bool:
    """True if a value is published; public bounds are known without."""
    match constraint:
        case SameSize() | SameMargin() | SameSums() | SameCellSums() | SameSupport():
            return True
        case Within():
            return False
        case _:
            assert_never(constraint)


def publishing_constraints(constraints: Sequence[Constraint]) -> tuple[Constraint, ...]:
    """The constraints that publish values, without those that follow from another one.

    A public bound is no published value. Which combinations occur is a function of a margin of
    their attributes, and adds nothing to it.
    """
    margins = [set(c.attributes) for c in constraints if isinstance(c, SameMargin)]

    def follows(constraint: Constraint) -> bool:
        return isinstance(constraint, SameSupport) and any(
            margin.issuperset(constraint.attributes) for margin in margins
        )

    return tuple(c for c in constraints if is_published(c) and not follows(c))


def linear_rows(constraints: Sequence[Constraint]) -> tuple[Constraint, ...] | None:
    """The constraints that C holds the rows of, where T = C h; None if T is not linear.

    A public bound takes datasets out of D_t, and T is linear without it, unless nothing else is
    known of them.
    """
    rows = publishing_constraints(constraints)
    if not all(map(is_linear, rows)):
        return None
    return rows if rows or not constraints else None


def is_linear(constraint: Constraint) -> bool:
    """True if the constraint is linear in the table."""
    match constraint:
        case SameSize() | SameMargin() | SameSums() | SameCellSums() | Within():
            return True
        case SameSupport():
            return False
        case _:
            assert_never(constraint)
