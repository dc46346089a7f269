"""The invariants as anyone computes them from a table: by counting labelled cells.

Nothing here knows how the analysis sorts cells into classes, so a witness is checked against the
spec's own words.
"""

from __future__ import annotations

from collections import Counter

from semiaudit.model.audit import Release
from semiaudit.model.dataspace import Condition, TableSpace
from semiaudit.model.invariant import Count, Invariant, Keys, Linear, Margin, PublicBound, Total
from semiaudit.model.published import PublishedCounts
from semiaudit.model.semi_adjacency import Cell
from semiaudit.universe.components import cell_of, levels_of


class PublicValues:
    """The value of every invariant of a release, as a function of sparse counts of cells."""

    def __init__(self, release: Release, space: TableSpace) -> None:
        self.release, self.space = release, space
        self.names = [attribute.name for attribute in space.attributes]

    def __call__(self, counts: Counter[Cell]) -> tuple[object, ...] | None:
        """The values; None for a table with structural zeros or outside the public bounds."""
        for cell, number in counts.items():
            if number and not self._possible(cell):
                return None
        values = []
        for invariant in self.release.invariants:
            found = self._value(invariant, counts)
            if found is None:
                return None
            values.append(found)
        return tuple(values)

    def published(self) -> tuple[object, ...] | None:
        """The published values in the same form, or None where they are not given."""
        published = self.release.published
        if not isinstance(published, PublishedCounts):
            return None
        margins, others = dict(published.margins), dict(published.others)
        values: list[object] = []
        for index, invariant in enumerate(self.release.invariants):
            if isinstance(invariant, Margin | Keys):
                names = sorted(invariant.attributes, key=self.names.index)
                if isinstance(invariant, Margin):
                    flat = margins[tuple(names)]
                    values.append(
                        {self._labels(names, c): number for c, number in enumerate(flat) if number}
                    )
                else:
                    values.append(frozenset(self._labels(names, cell) for cell in others[index]))
            elif isinstance(invariant, PublicBound):
                values.append(True)
            elif isinstance(invariant, Total):
                values.append(published.size)
            else:
                values.append(others[index])
        return tuple(values)

    def _labels(self, names: list[str], cell: int) -> Cell:
        attributes = [self.space.attributes[self.names.index(name)] for name in names]
        levels = levels_of(cell, [attribute.size for attribute in attributes])
        return tuple(a.label(level) for a, level in zip(attributes, levels, strict=True))

    def _possible(self, cell: Cell) -> bool:
        for attribute, level in zip(self.space.attributes, cell, strict=True):
            if attribute.within is not None:
                place = self.names.index(attribute.within)
                parent = self.space.attributes[place]
                index = attribute.index(level)
                if index is None or parent.label(attribute.parents[index]) != cell[place]:
                    return False
        return not any(self._matches(condition, cell) for condition in self.space.impossible)

    def _matches(self, condition: Condition, cell: Cell) -> bool:
        for name, levels in condition:
            attribute = self.space.attributes[self.names.index(name)]
            index = attribute.index(cell[self.names.index(name)])
            if index not in attribute.indices(levels):
                return False
        return True

    def _value(self, invariant: Invariant, counts: Counter[Cell]) -> object:
        if isinstance(invariant, Total):
            return sum(counts.values())
        if isinstance(invariant, Margin | Keys):
            places = sorted(self.names.index(name) for name in invariant.attributes)
            found: Counter[Cell] = Counter()
            for cell, number in counts.items():
                if number:
                    found[tuple(cell[place] for place in places)] += number
            return dict(found) if isinstance(invariant, Margin) else frozenset(found)
        if isinstance(invariant, Count | PublicBound):
            number = sum(k for cell, k in counts.items() if self._matches(invariant.where, cell))
            if isinstance(invariant, Count):
                return (number,)
            below = number < (invariant.at_least or 0)
            above = invariant.at_most is not None and number > invariant.at_most
            return None if below or above else True
        assert isinstance(invariant, Linear)
        return tuple(
            sum(row[self._place(cell)] * number for cell, number in counts.items())
            for row in invariant.rows
        )

    def _place(self, cell: Cell) -> int:
        attributes = self.space.attributes
        levels = [a.index(level) or 0 for a, level in zip(attributes, cell, strict=True)]
        return cell_of(levels, [attribute.size for attribute in attributes])
