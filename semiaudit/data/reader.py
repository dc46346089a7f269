"""What the counting asks of a file or an engine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from semiaudit.data.bins import Span
from semiaudit.data.data_faults import DataFault
from semiaudit.frozen import dataclass

Grouping = tuple[str, ...]
"""Names of columns."""

Spans = Mapping[str, Sequence[Span]]
"""For each column, numbers that are one level each."""

Synonyms = Mapping[str, Mapping[str, str]]
"""For each column, texts that name the same level, and the one text that stands for them."""


Indices = Callable[[str, Sequence[str | None]], Sequence[int]]
"""For texts of a column the indices of their levels, -1 if they name none."""

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
"""Names of columns that may hold counts, in small letters, the likeliest first."""

Cells = dict[tuple[int, ...], int]
"""Cells, as the indices of their levels, with counts."""


def added(cells: Cells, keys: Sequence[tuple[int, ...]], counts: Sequence[int]) -> Cells:
    """Add counts to cells; a cell occurs again if two texts name one level."""
    for key, count in zip(keys, counts, strict=True):
        cells[key] = cells.get(key, 0) + count
    return cells


class Reader(Protocol):
    """An opened table. Every method raises SpecError where the data cannot be read."""

    where: str
    """The name of the file in problems."""

    quotable: bool
    """Whether messages may quote values: the caller allows it, and no view computes them."""

    def lines_of(self, rows: Collection[int]) -> Mapping[int, int]:
        """The lines at which data rows begin, as far as they are known."""

    def columns(self) -> Sequence[str]:
        """The names of all columns, in order."""

    def misfits(self, keys: Sequence[str]) -> list[DataFault]:
        """The columns of attributes, and that of counts, whose type no level or count has."""

    def rows(self) -> int:
        """How many rows there are."""

    def counts(
        self, groupings: Sequence[Grouping], indices: Indices, spans: Spans
    ) -> Iterator[tuple[Grouping, Cells]]:
        """The cells of every grouping, piece by piece; the counts of a cell are to be added up.

        In microdata a number of a span may be counted as the span's text. Cells
        with a text that names no level may be left out.
        """

    def wrong_counts(self) -> tuple[list[DataFault], int]:
        """The first counts that are none, and how many more of them there are."""

    def sightings(self, column: str, texts: Iterable[str | None]) -> dict[str | None, Sighting]:
        """Where some texts of a column stand."""

    def repeated(self, keys: Sequence[str], synonyms: Synonyms) -> tuple[list[DataFault], int]:
        """The first cells that several rows list, and how many more of them there are."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """The first row that holds a text (0 if rows have no numbers), and how many do."""

    row: int
    number: int


def repeated_cell(
    keys: Sequence[str], texts: Sequence[str | None], times: int, first: int, last: int
) -> DataFault:
    """The finding that several rows of a table list one cell."""
    cell = ", ".join(f"{name} = {text}" for name, text in zip(keys, texts, strict=True))
    how = "twice" if times == 2 else f"{times} times"
    message = "a cell is listed more than once" if cell else "the table has more than one row"
    quoted = f"the cell {cell} is listed {how}" if cell else f"the table has {times} rows"
    remedy = "give each cell one row"
    return DataFault(message, remedy, row=last, earlier=first, quoted=quoted)


def whole(value: object) -> int:
    """A number as a library returns it, which may be a decimal; a missing one is 0."""
    return int(str(value or 0))
