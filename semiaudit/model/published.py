"""The published value t of the invariants; never the confidential table it came from."""

from __future__ import annotations

from dataclasses import dataclass, field

from semiaudit.model.dataspace import Dataset
from semiaudit.model.source import NOWHERE, Mark


@dataclass(frozen=True, slots=True)
class PublishedCounts:
    """t for count invariants of a table.

    Attributes:
        size: the number of records n, or None if t does not tell it.
        margins: for each tuple of attribute names (in the order of the spec) the counts of all
            combinations of levels, row-major; the last attribute varies fastest.
        others: for the place of every other invariant in the spec its value: the sums that it
            fixes, or the row-major cells that occur where it tells only those, ascending.
        nesting: the order of attributes in which nested counts were read, where the spec does not
            tell it and their shape fits another one too.
    """

    size: int | None
    margins: tuple[tuple[tuple[str, ...], tuple[int, ...]], ...]
    others: tuple[tuple[int, tuple[int, ...]], ...] = ()
    mark: Mark = NOWHERE
    nesting: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class ExampleDataset:
    """A dataset of an explicit dataspace; only its invariants are used, and they are t."""

    records: Dataset
    mark: Mark = NOWHERE


Published = PublishedCounts | ExampleDataset
