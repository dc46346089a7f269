"""The published value t of the invariants; never the confidential table it came from."""

from __future__ import annotations

from dataclasses import dataclass

from semiaudit.model.dataspace import Dataset
from semiaudit.model.source import NOWHERE, Mark


@dataclass(frozen=True, slots=True)
class MarginCounts:
    """t for count invariants of a table: one margin per published set of attributes.

    Attributes:
        size: the number of records n.
        margins: for each tuple of attribute names (in the order of the spec) the counts of all
            combinations of levels, row-major; the last attribute varies fastest.
    """

    size: int
    margins: tuple[tuple[tuple[str, ...], tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class ExampleDataset:
    """A dataset of an explicit dataspace; only its invariants are used, and they are t."""

    records: Dataset
    mark: Mark = NOWHERE


Published = MarginCounts | ExampleDataset
