"""Tables in an engine that Ibis supports. The engine groups and counts; only counts are fetched."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from math import ceil, floor
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING

from semiaudit import deadline
from semiaudit.data.bins import Span
from semiaudit.data.connection import (
    EngineAddress,
    connected,
    ending_query,
    engine_errors,
    is_plain_table,
)
from semiaudit.data.data_faults import (
    LARGEST_COUNT,
    DataFault,
    data_error,
    first_of,
    no_lines,
    wrong_count,
    wrong_type,
)
from semiaudit.data.query_interrupts import interruptible
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
from semiaudit.frozen import cached_property
from semiaudit.model.data_source import CONFINED, HELD, Access, DataSource, HeldTable
from semiaudit.private_folders import private_folder

if TYPE_CHECKING:
    from ibis.expr.types import BooleanValue, GroupedTable, Table, Value

_LARGEST_SUM = 9 * 10**18
_ROWS_AT_ONCE = 50_000
_MOST_INTEGER = 1 << 62
_MOST_DOUBLE = 1e300
"""Larger numbers are compared as text: engines do not agree on infinity and NaN."""


@contextmanager
def opened_engine(
    source: DataSource, folder: Path, access: Access = CONFINED
) -> Iterator[EngineReader]:
    """Open a reader of a table in an engine, for the duration of the context.

    Args:
        source: a data source with an engine; ``place`` is ``table`` or ``schema.table``.
        folder: the base folder of the path of a database file.
        access: the engines that the caller allows, and whether messages can quote values.

    Raises:
        SpecError: the URL names no engine that is allowed or can be reached, there is no such
            table, or Ibis or the driver of the engine is not installed. The error never shows a
            secret of a URL.
    """
    address = EngineAddress.of(source.engine or "", folder, access)
    where = f"{address.shown}: {source.place}"
    with private_folder() as spill, connected(address, spill) as backend:
        database, _, name = source.place.rpartition(".")
        with engine_errors(
            address, where, "there is no such table that can be read", "correct its name"
        ):
            if not is_plain_table(address, backend, database, name):
                address = replace(address, access=replace(access, show_values=False))
            table = backend.table(name, database=database or None)
        yield EngineReader(address, table, where, source.count)


@contextmanager
def opened_expression(held: HeldTable, count: str, access: Access) -> Iterator[EngineReader]:
    """Open a reader of a table of Ibis, whose engine the caller of Python has connected.

    Messages never quote its driver, because its secrets are not known.
    """
    unknown = EngineAddress("", "", None, HELD, ("",), access)
    with engine_errors(unknown, HELD, "has no engine", "connect one with ibis.connect"):
        backend = held.table.get_backend()
    address = replace(unknown, engine=backend.name)
    with interruptible(ending_query(address, backend)):
        yield EngineReader(address, held.table, HELD, count)


class EngineReader:
    """A table behind Ibis.

    Its key columns are ``k0, k1, ...`` in every expression and the counts of a table ``n``. Rows
    have no numbers in an engine, so no finding has one.
    """

    def __init__(self, address: EngineAddress, table: Table, where: str, count: str) -> None:
        self.where, self.quotable = where, address.access.show_values
        self._address, self._table, self._count = address, table, count

    def lines_of(self, rows: Collection[int]) -> Mapping[int, int]:
        """Return no lines."""
        return no_lines(rows)

    def columns(self) -> list[str]:
        """Return the names of all columns, in order."""
        return [str(name) for name in self._table.columns]

    def misfits(self, keys: Sequence[str]) -> list[DataFault]:
        """Return the key columns and the count column whose type fits no level or count."""
        findings = []
        for name in [*keys, *[self._count] * bool(self._count)]:
            form = self._table[name].type()
            if name == self._count and not form.is_numeric():
                findings.append(wrong_type(form, "integers", name))
            elif form.is_nested() or form.is_binary():
                findings.append(wrong_type(form, "text", name))
        return findings

    def rows(self) -> int:
        """Return the number of rows."""
        (row,) = self._fetched(self._table.aggregate(n=self._table.count()))
        return whole(row[0])

    def counts(
        self, groupings: Sequence[Grouping], indices: Indices, spans: Spans
    ) -> Iterator[tuple[Grouping, Cells]]:
        """Yield the cells of every grouping in pieces; the counts of a cell must be added up."""
        sums = bool(self._count) and not self._wrong[0]
        if sums:
            self._check_sum()
        for grouping in groupings:
            base = self._spanned(self._keyed(grouping), grouping, spans)
            total = base.n.cast("int64").sum() if sums else base.count()
            groups = _grouped(base, grouping).aggregate(total=total)
            for rows in self._batches(_texts(groups, grouping)):
                *columns, totals = zip(*rows, strict=True)
                levels_by_column = [
                    indices(name, [_text(value) for value in column])
                    for name, column in zip(grouping, columns, strict=True)
                ]
                keys = list(zip(*levels_by_column, strict=True)) if levels_by_column else [()]
                yield grouping, added({}, keys, [whole(total) for total in totals])

    def wrong_counts(self) -> tuple[list[DataFault], int]:
        """Return the first values that are not counts, and how many more there are."""
        return self._wrong

    def sightings(self, column: str, texts: Iterable[str | None]) -> dict[str | None, Sighting]:
        """Return no places for texts of a column: rows of an engine have no numbers."""
        del column, texts
        return {}

    def repeated(self, keys: Sequence[str], synonyms: Synonyms) -> tuple[list[DataFault], int]:
        """Return the first cells that several rows list, and how many more there are."""
        base = self._keyed(keys)
        for key, name in zip(_keys(keys), keys, strict=True):
            same = synonyms.get(name)
            if same:
                base = base.mutate(**{key: _canonical(base[key], same)})
        groups = _grouped(base, keys).aggregate(times=base.count())
        repeated = _texts(groups.filter(groups.times > 1), keys)
        return first_of(
            repeated_cell(keys, [_text(value) for value in cell], whole(times), 0, 0)
            for *cell, times in self._fetched(repeated)
        )

    @cached_property
    def _wrong(self) -> tuple[list[DataFault], int]:
        base = self._keyed(())
        wrong = base.filter(_no_count(base.n))
        values = wrong.group_by(k0=wrong.n.cast("string")).aggregate(rows=wrong.count())
        remedy = "store whole numbers from 0 to 10^15"
        return first_of(
            wrong_count(
                _text(value), remedy, self._count, times=f" ({n} rows)" if whole(n) > 1 else ""
            )
            for value, n in self._fetched(values.order_by("k0"))
        )

    def _check_sum(self) -> None:
        """Check the sum: an engine can add in 64 bits, and some wrap around silently."""
        base = self._keyed(())
        bounds = base.aggregate(rows=base.count(), top=base.n.cast("int64").max())
        for rows, top in self._fetched(bounds):
            if whole(rows) * whole(top) > _LARGEST_SUM:
                message = "the sum of the counts can be too large for 64 bits"
                remedy = "export the table to a file, and read that"
                raise data_error(self.where, [DataFault(message, remedy, column=self._count)])

    def _keyed(self, names: Sequence[str]) -> Table:
        columns = {key: self._table[name] for key, name in zip(_keys(names), names, strict=True)}
        if self._count:
            columns["n"] = self._table[self._count]
        return self._table.select(**columns) if columns else self._table

    def _spanned(self, table: Table, names: Sequence[str], spans: Spans) -> Table:
        columns = {
            key: self._joined(table[key], spans[name])
            for key, name in zip(_keys(names), names, strict=True)
            if name in spans and not self._count
        }
        return table.mutate(**columns) if columns else table

    def _joined(self, column: Value, spans: Sequence[Span]) -> Value:
        form = column.type()
        exact = form.is_integer() or form.is_float64()
        if not exact or self._address.engine == "sqlite":  # it stores texts in both
            return column
        import ibis

        cases = []
        for span in spans:
            low: float = -_MOST_DOUBLE if span.low is None else float(span.low)
            high: float = _MOST_DOUBLE if span.high is None else float(span.high)
            if form.is_integer():
                low = -_MOST_INTEGER if span.low is None else _clipped(floor(span.low))
                high = _MOST_INTEGER if span.high is None else _clipped(ceil(span.high))
            cases.append(((column > low) & (column < high), span.text))
        return ibis.cases(*cases, else_=column.cast("string"))

    def _fetched(self, expression: Table) -> Iterator[tuple[object, ...]]:
        for rows in self._batches(expression):
            yield from rows

    def _batches(self, expression: Table) -> Iterator[list[tuple[object, ...]]]:
        deadline.check()
        with engine_errors(
            self._address, self.where, "cannot be read", "check whether the engine can read it"
        ):
            groups = expression.to_pyarrow()
        for batch in groups.to_batches(_ROWS_AT_ONCE):
            if batch.num_rows:
                yield list(zip(*[column.to_pylist() for column in batch.columns], strict=True))


def _clipped(value: int) -> int:
    return max(-_MOST_INTEGER, min(_MOST_INTEGER, value))


def _keys(names: Sequence[str]) -> list[str]:
    return [f"k{i}" for i in range(len(names))]


def _grouped(table: Table, names: Sequence[str]) -> GroupedTable | Table:
    return table.group_by(_keys(names)) if names else table


def _texts(groups: Table, names: Sequence[str]) -> Table:
    """Return the keys as texts; Booleans stay, because engines write them differently."""
    texts = {
        key: groups[key].cast("string")
        for key in _keys(names)
        if not groups[key].type().is_boolean()
    }
    return groups.mutate(**texts) if texts else groups


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def _canonical(column: Value, same: Mapping[str, str]) -> Value:
    text = column.cast("string")
    return text.cases(*same.items(), else_=text)


def _no_count(count: Value) -> BooleanValue:
    """Return whether a value is not a count; integer columns of SQLite can contain any value."""
    number = count.cast("float64")
    tests = [count.isnull(), count < 0, count > LARGEST_COUNT, number != number.floor()]
    if count.type().is_floating():
        tests.append(count.isnan())
    return reduce(or_, tests)
