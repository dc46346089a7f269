"""The queries of the counting in DuckDB's SQL.

The key columns are named ``k0, k1, ...`` in every query, and their values are compared and fetched
as text. Groups are converted to text, never rows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from semiaudit.data.column import FileColumn, literal
from semiaudit.data.data_faults import (
    MOST_PROBLEMS,
    DataFault,
    LinesOfRows,
    wrong_count,
    wrong_type,
)
from semiaudit.data.query_interrupts import raise_interrupt
from semiaudit.data.reader import (
    Cells,
    Grouping,
    Indices,
    Sighting,
    Spans,
    Synonyms,
    added,
    repeated_cell,
    whole,
)
from semiaudit.errors import SpecError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_MOST_SET_COLUMNS = 30
_ROWS_AT_ONCE = 10_000

Row = tuple[Any, ...]
Bits = dict[str, tuple[str, int]]
"""For each column, its name in a query, and its bit in the mask of GROUPING."""


class SqlReader:
    """A table that DuckDB scans.

    Args:
        connection: the connection of the queries.
        scan: the table function that yields the rows.
        known: the columns of the file, in order.
        where: the file name in problems.
        quotable: whether messages can quote values.
        count: the column of counts, if a row is a cell; empty if a row is a record.
        failed: makes the error for a message of DuckDB.
        lines_of: gives the lines at which rows begin.
    """

    def __init__(
        self,
        connection: DuckDBPyConnection,
        scan: str,
        file_columns: list[FileColumn],
        where: str,
        quotable: bool,
        count: str,
        failed: Callable[[str], SpecError],
        lines_of: LinesOfRows,
    ) -> None:
        self.known, self.where, self._lines_of = file_columns, where, lines_of
        self.quotable = quotable
        self._connection, self.scan, self._count, self._failed = connection, scan, count, failed

    def lines_of(self, rows: Collection[int]) -> Mapping[int, int]:
        """Return the lines at which data rows begin, as far as known."""
        return self._lines_of(rows)

    def columns(self) -> list[str]:
        """Return the names of all columns, in order."""
        return [column.name for column in self.known]

    def misfits(self, keys: Sequence[str]) -> list[DataFault]:
        """Return the key columns and the count column whose type fits no level or count."""
        wrong = [(n, "text or integers") for n in keys if not self.column(n).is_nameable]
        if self._count and not self.column(self._count).is_countable:
            wrong.append((self._count, "integers"))
        return [wrong_type(self.column(name).type, remedy, name) for name, remedy in wrong]

    def rows(self) -> int:
        """Return the number of rows."""
        return whole(self.fetched(f"SELECT count(*) FROM {self.scan}")[0][0])

    def counts(
        self, groupings: Sequence[Grouping], indices: Indices, spans: Spans
    ) -> Iterator[tuple[Grouping, Cells]]:
        """Yield the cells of every grouping in pieces; the counts of a cell must be added up."""
        for batch in _batches(groupings):
            bits = self._group(batch, spans)
            for name in dict.fromkeys(name for grouping in batch for name in grouping):
                self._map(name, bits, indices)
            for grouping in batch:
                for rows in self._run(_cells_query(grouping, bits)):
                    cells = {row[:-1]: row[-1] for row in rows}
                    if len(cells) < len(rows):
                        cells = added({}, [row[:-1] for row in rows], [row[-1] for row in rows])
                    yield grouping, cells

    def wrong_counts(self) -> tuple[list[DataFault], int]:
        """Return the first values that are not counts, and how many more there are."""
        return self.wrong_counts_in(self._count, "write a whole number from 0 to 10^15")

    def wrong_counts_in(self, name: str, remedy: str) -> tuple[list[DataFault], int]:
        """Return the first values of a column that are not counts, and how many more there are."""
        column = self.column(name)
        wrong = f"NOT {column.is_count}"
        number = whole(self.fetched(f"SELECT count(*) FROM {self.scan} WHERE {wrong}")[0][0])
        if not number:
            return [], 0
        rows = self.fetched(
            f"SELECT r, k FROM (SELECT row_number() OVER () AS r, {column.text} AS k, "
            f"{wrong} AS wrong FROM {self.scan}) WHERE wrong ORDER BY r LIMIT {MOST_PROBLEMS}"
        )
        findings = [wrong_count(_text(value), remedy, name, whole(row)) for row, value in rows]
        return findings, number - len(findings)

    def sightings(self, column: str, texts: Iterable[str | None]) -> dict[str | None, Sighting]:
        """Return the places of some texts of a column."""
        present_texts = [text for text in texts if text is not None]
        marks = ", ".join("?" for _ in present_texts) or "NULL"
        rows = self.fetched(
            f"SELECT k, min(r), count(*) FROM (SELECT row_number() OVER () AS r, "
            f"{self.column(column).text} AS k FROM {self.scan}) "
            f"WHERE k IN ({marks}) OR k IS NULL GROUP BY k",
            present_texts,
        )
        return {_text(k): Sighting(whole(first), whole(number)) for k, first, number in rows}

    def repeated(self, columns: Sequence[str], synonyms: Synonyms) -> tuple[list[DataFault], int]:
        """Return the first cells that several rows list, and how many more there are."""
        keys = [self._canonical(name, synonyms.get(name, {})) for name in columns]
        names = [f"k{i}" for i in range(len(keys))]
        selected = ", ".join(f"{key} AS {name}" for key, name in zip(keys, names, strict=True))
        grouped = f"GROUP BY {', '.join(names) or '()'} HAVING count(*) > 1"
        inner = f"SELECT {selected or '1 AS one'} FROM {self.scan}"
        number = f"SELECT count(*) FROM (SELECT 1 FROM ({inner}) {grouped})"
        total = whole(self.fetched(number)[0][0])
        if not total:
            return [], 0
        numbered = f"SELECT {', '.join([*names, 'count(*)', 'min(r)', 'max(r)'])} FROM "
        numbered += f"(SELECT row_number() OVER () AS r, * FROM ({inner})) {grouped} "
        rows = self.fetched(f"{numbered} ORDER BY max(r) LIMIT {MOST_PROBLEMS}")
        findings = []
        for *cell, times, first, last in rows:
            texts = [_text(text) for text in cell]
            findings.append(repeated_cell(columns, texts, whole(times), whole(first), whole(last)))
        return findings, total - len(findings)

    def fetched(self, query: str, parameters: Sequence[object] = ()) -> list[Row]:
        """Return all rows of a query."""
        return [row for rows in self._run(query, parameters) for row in rows]

    def _group(self, groupings: Sequence[Grouping], spans: Spans) -> Bits:
        """Count every grouping in one scan; a mask distinguishes the groups of the groupings."""
        union = list(dict.fromkeys(name for grouping in groupings for name in grouping))
        bits = {name: (f"k{i}", 1 << i) for i, name in enumerate(reversed(union))}
        keys = ", ".join(bits[name][0] for name in union)
        count = self.column(self._count) if self._count else None
        total = "sum(n)" if count else "count(*)"
        bins = {name: () if count else spans.get(name, ()) for name in union}
        columns = [f"{self.column(name).joined(bins[name])} AS {bits[name][0]}" for name in union]
        if count:
            columns.append(f"CASE WHEN {count.is_count} THEN {count.count} ELSE 0 END AS n")
        base = f"(SELECT {', '.join(columns)} FROM {self.scan})" if columns else self.scan
        sets = [f"({', '.join(bits[name][0] for name in grouping)})" for grouping in groupings]
        single = len(groupings) == 1
        by = sets[0] if single else f"GROUPING SETS ({', '.join(sets)})"
        mask = "0" if single else f"GROUPING({keys})"
        self.fetched(
            f"CREATE OR REPLACE TEMP TABLE groups AS SELECT {mask} AS mask, {total} AS n"
            f"{', ' if keys else ''}{keys} FROM {base} GROUP BY {by}"
        )
        return bits

    def _map(self, name: str, bits: Bits, indices: Indices) -> None:
        """Create a table ``m...`` with the index of every text of an attribute."""
        key, bit = bits[name]
        texts: list[str | None] = []
        numbers: list[int] = []
        values = f"SELECT DISTINCT {key} FROM groups WHERE mask & {bit} = 0"
        for rows in self._run(f"SELECT CAST({key} AS VARCHAR) FROM ({values})"):
            texts += [_text(text) for (text,) in rows]
            numbers += indices(name, texts[len(numbers) :])
        self.fetched(
            f"CREATE OR REPLACE TEMP TABLE m{key} AS SELECT DISTINCT "
            "unnest(CAST(? AS VARCHAR[])) AS text, unnest(CAST(? AS INTEGER[])) AS level",
            (texts, numbers),
        )

    def _run(self, query: str, parameters: Sequence[object] = ()) -> Iterator[list[Row]]:
        import duckdb

        try:
            self._connection.execute(query, list(parameters))
            while rows := self._connection.fetchmany(_ROWS_AT_ONCE):
                yield rows
        except duckdb.OutOfMemoryException:
            raise self._failed("there is not enough memory or disk space for the groups") from None
        except duckdb.Error as error:
            raise_interrupt(error)
            raise self._failed(str(error).partition("\n")[0]) from None
        except RuntimeError as error:
            raise_interrupt(error)
            raise

    def _canonical(self, column: str, same: Mapping[str, str]) -> str:
        text = self.column(column).text
        cases = [f"WHEN {literal(one)} THEN {literal(other)}" for one, other in same.items()]
        return f"CASE {text} {' '.join(cases)} ELSE {text} END" if cases else text

    def column(self, name: str) -> FileColumn:
        """Return the column with a name."""
        return next(column for column in self.known if column.name == name)


def _batches(groupings: Sequence[Grouping]) -> list[list[Grouping]]:
    """Return sets of groupings, each for one scan; GROUPING has a bit for each column."""
    batches: list[list[Grouping]] = []
    columns: set[str] = set()
    for grouping in groupings:
        if batches and len(columns | set(grouping)) <= _MOST_SET_COLUMNS:
            batches[-1].append(grouping)
            columns |= set(grouping)
        else:
            batches.append([grouping])
            columns = set(grouping)
    return batches


def _cells_query(grouping: Grouping, bits: Bits) -> str:
    keys = [bits[name][0] for name in grouping]
    mask = sum(bit for name, (_, bit) in bits.items() if name not in grouping)
    joins = [f"JOIN m{key} ON CAST(groups.{key} AS VARCHAR) = m{key}.text" for key in keys]
    levels = "".join(f"m{key}.level, " for key in keys)
    return f"SELECT {levels}n FROM groups {' '.join(joins)} WHERE mask = {mask} AND n > 0"


def _text(value: object) -> str | None:
    return None if value is None else str(value)
