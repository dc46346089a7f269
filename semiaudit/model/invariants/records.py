"""The records of one dataset, as an invariant looks at them to tell its value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from semiaudit.frozen import cached_property
from semiaudit.model.dataspace import (
    Condition,
    Dataset,
    Level,
    TableSpace,
    Value,
    value_label,
)

Combination = tuple[Level | Value, ...]
"""A level, or a value, for each of some attributes."""


class TableRecords:
    """A table as sparse counts of cells, which are named as in the spec; it has no order."""

    ordered: Dataset | None = None

    def __init__(self, space: TableSpace, counts: Mapping[tuple[Level, ...], int]) -> None:
        self.space = space
        self.cells = {cell: number for cell, number in counts.items() if number}

    @property
    def size(self) -> int:
        """The number of records."""
        return sum(self.cells.values())

    def counts(self, attributes: tuple[str, ...]) -> Mapping[Combination, int]:
        """Return the number of records for each combination of levels that occurs."""
        places = sorted(self.space.position(name) for name in attributes)
        counts: Counter[Combination] = Counter()
        for cell, number in self.cells.items():
            counts[tuple(cell[place] for place in places)] += number
        return counts

    def number(self, where: Condition) -> int:
        """Return the number of records that satisfy a condition."""
        return sum(self._matching(where))

    def occurs(self, where: Condition) -> bool:
        """True if a record satisfies a condition."""
        return any(self._matching(where))

    def _matching(self, where: Condition) -> Iterator[int]:
        allowed = []
        for name, levels in where:
            place = self.space.position(name)
            allowed.append((place, {*self.space.attributes[place].indices(levels)}))
        for indices, number in self._numbered:
            if all(indices[place] in levels for place, levels in allowed):
                yield number

    @cached_property
    def _numbered(self) -> list[tuple[tuple[int | None, ...], int]]:
        """The indices of the levels of each cell, with its count."""
        attributes = self.space.attributes
        return [
            (tuple([a.index(level) for a, level in zip(attributes, cell, strict=True)]), number)
            for cell, number in self.cells.items()
        ]

    def weighted(self, row: tuple[int, ...]) -> int | None:
        """The sum of a coefficient for every record's cell."""
        return sum(row[self._place(cell)] * number for cell, number in self.cells.items())

    def _place(self, cell: tuple[Level, ...]) -> int:
        place = 0
        for attribute, level in zip(self.space.attributes, cell, strict=True):
            place = place * attribute.size + (attribute.index(level) or 0)
        return place


class OrderedRecords:
    """An ordered dataset of single values, which invariants call by one attribute's name."""

    def __init__(self, dataset: Dataset) -> None:
        self.ordered: Dataset | None = dataset
        self.values = dataset

    @property
    def size(self) -> int:
        """The number of records."""
        return len(self.values)

    def counts(self, attributes: tuple[str, ...]) -> Mapping[Combination, int]:
        """Return the number of records of each value that occurs, under any attribute name."""
        return Counter((value,) for value in self.values)

    def number(self, where: Condition) -> int:
        """Return the number of records with a value that a condition allows."""
        allowed = {str(level) for _, levels in where for level in levels}
        return sum(str(value_label(value)) in allowed for value in self.values)

    def weighted(self, row: tuple[int, ...]) -> int | None:
        """Return None: ordered records have no cells."""
        return None


Records = TableRecords | OrderedRecords
