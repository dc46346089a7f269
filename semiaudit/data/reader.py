"""The interface of a file or an engine for counting."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from semiaudit.data.bins import Span
from semiaudit.data.data_faults import DataFault
from semiaudit.frozen import dataclass

Grouping = tuple[str, ...]
"""Names of columns."""

Spans = Mapping[str, Sequence[Span]]
"""For each column, spans of numbers that are one level each."""

Synonyms = Mapping[str, Mapping[str, str]]
"""For each column, texts that name the same level, with the one text that represents them."""


Indices = Callable[[str, Sequence[str | None]], Sequence[int]]
"""A function from texts of a column to the indices of their levels, -1 if they name none."""

COUNT_NAMES = (
    "count",
    "counts",
    "freq",
    "frequency",
    "n",
    "population",
    "pop",
    "number",
    "persons",
    "people",
    "anzahl",
)
"""Names of columns that can contain counts, in lowercase, the likeliest first."""

Cells = dict[tuple[int, ...], int]
"""Cells, as the indices of their levels, with counts."""


def added(cells: Cells, keys: Sequence[tuple[int, ...]], counts: Sequence[int]) -> Cells:
    """Add counts to cells; a cell occurs again if two texts name one level."""
    for key, count in zip(keys, counts, strict=True):
        cells[key] = cells.get(key, 0) + count
    return cells


class Reader(Protocol):
    """An opened table. Every method raises SpecError if the data cannot be read."""

    where: str
    """The name of the file in problems."""

    quotable: bool
    """Return whether messages can quote values: the caller allows it, and no view computes them."""

    def lines_of(self, rows: Collection[int]) -> Mapping[int, int]:
        """Return the lines at which data rows begin, as far as known."""

    def columns(self) -> Sequence[str]:
        """Return the names of all columns, in order."""

    def misfits(self, keys: Sequence[str]) -> list[DataFault]:
        """Return the key columns and the count column whose type fits no level or count."""

    def rows(self) -> int:
        """Return the number of rows."""

    def counts(
        self, groupings: Sequence[Grouping], indices: Indices, spans: Spans
    ) -> Iterator[tuple[Grouping, Cells]]:
        """Yield the cells of every grouping in pieces; the counts of a cell must be added up.

        In microdata, a number of a span can be counted as the span's text. Cells with a text that
        is not a level can be omitted.
        """

    def wrong_counts(self) -> tuple[list[DataFault], int]:
        """Return the first values that are not counts, and how many more there are."""

    def sightings(self, column: str, texts: Iterable[str | None]) -> dict[str | None, Sighting]:
        """Return the places of some texts of a column."""

    def repeated(self, keys: Sequence[str], synonyms: Synonyms) -> tuple[list[DataFault], int]:
        """Return the first cells that several rows list, and how many more there are."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """The first row with a text (0 if rows have no numbers), and the number of such rows."""

    row: int
    number: int


def repeated_cell(
    keys: Sequence[str], texts: Sequence[str | None], times: int, first: int, last: int
) -> DataFault:
    """Make the finding that several rows of a table list one cell."""
    cell = ", ".join(f"{name} = {text}" for name, text in zip(keys, texts, strict=True))
    how = "twice" if times == 2 else f"{times} times"
    message = "a cell is listed more than once" if cell else "the table has more than one row"
    quoted = f"the cell {cell} is listed {how}" if cell else f"the table has {times} rows"
    remedy = "give each cell one row"
    return DataFault(message, remedy, row=last, earlier=first, quoted=quoted)


def whole(value: object) -> int:
    """Convert a library's number, possibly a decimal, to an integer; a missing one is 0."""
    return int(str(value or 0))
