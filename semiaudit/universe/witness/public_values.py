"""The invariants as anyone computes them from a table: by counting labelled cells.

Nothing here knows how the analysis sorts cells into classes, so a witness is checked against the
spec's own words: every invariant tells its value itself, without a look at its constraint.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import assert_never

from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import constraints_of, known
from semiaudit.model.invariants.constraint import (
    Constraint,
    SameCellSums,
    SameMargin,
    SameSize,
    SameSums,
    SameSupport,
    Within,
    attributes_of,
)
from semiaudit.model.invariants.records import TableRecords
from semiaudit.model.published import PublishedCounts
from semiaudit.model.semi_adjacency import Cell, Parameter
from semiaudit.universe.system.components import levels_of
from semiaudit.universe.witness.check import check_witness


class PublicValues:
    """The value of every invariant of a release, as a function of sparse counts of cells."""

    def __init__(self, release: Release, space: TableSpace) -> None:
        self.release, self.space = release, space
        self.invariants = known(release.invariants)

    def __call__(self, counts: Counter[Cell]) -> tuple[Hashable, ...] | None:
        """The values; None for a table with structural zeros or outside the public bounds."""
        records = TableRecords(self.space, counts)
        if not all(self._possible(records, cell) for cell in records.cells):
            return None
        values = tuple(invariant.value(records) for invariant in self.invariants)
        return None if None in values else values

    def published(self) -> tuple[Hashable, ...] | None:
        """The published values in the same form, or None if they are not given."""
        published = self.release.published
        if not isinstance(published, PublishedCounts):
            return None
        constraints = constraints_of(self.invariants)
        return tuple(
            self._published(published, index, constraint)
            for index, constraint in enumerate(constraints)
        )

    def _published(
        self, published: PublishedCounts, index: int, constraint: Constraint
    ) -> Hashable:
        names = attributes_of(constraint, self.space)
        match constraint:
            case SameSize():
                return published.size
            case SameMargin():
                flat = dict(published.margins)[names]
                return frozenset((self._labels(names, c), k) for c, k in enumerate(flat) if k)
            case SameSums() | SameCellSums():
                return dict(published.others)[index]
            case SameSupport():
                occurring = dict(published.others)[index]
                return frozenset(self._labels(names, cell) for cell in occurring)
            case Within():
                return True
            case _:
                assert_never(constraint)

    def _labels(self, names: tuple[str, ...], cell: int) -> Cell:
        attributes = [self.space.attributes[self.space.position(name)] for name in names]
        levels = levels_of(cell, [attribute.size for attribute in attributes])
        return tuple(a.label(level) for a, level in zip(attributes, levels, strict=True))

    def _possible(self, records: TableRecords, cell: Cell) -> bool:
        for attribute, level in zip(self.space.attributes, cell, strict=True):
            if attribute.within is not None:
                place = self.space.position(attribute.within)
                parent = self.space.attributes[place]
                index = attribute.index(level)
                if index is None or parent.label(attribute.parents[index]) != cell[place]:
                    return False
        return not any(records.satisfies(cell, zero) for zero in self.space.impossible)


def check_table(release: Release, space: TableSpace, reading: Parameter) -> None:
    """Check a witness against the spec's own words, by counting. Raises WitnessError."""
    if reading.witness is None:
        return
    values = PublicValues(release, space)
    metric = release.adjacency.metric
    check_witness(reading.witness, values, values.published(), metric=metric)
