"""The counts of a table or of microdata over sets of attributes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from operator import itemgetter
from pathlib import Path

from semiaudit import deadline
from semiaudit.data.data_faults import DataFault, data_error
from semiaudit.data.files import opened_file
from semiaudit.data.ibis_engine import opened_engine
from semiaudit.data.levels import Levels, StrayColumnError
from semiaudit.data.reader import COUNT_NAMES, Cells, Grouping, Reader, added
from semiaudit.frozen import dataclass
from semiaudit.model.data_source import CONFINED, Access, DataColumn, DataSource
from semiaudit.model.dataspace import Attribute


@dataclass(frozen=True, slots=True)
class Tallies:
    """The number of records, in total and in every cell of every grouping.

    Attributes:
        size: the number of records.
        counts: for each grouping, a map from the level indices of its attributes to the number of
            records; cells without records are omitted, and the order is unspecified. The empty
            grouping has the one cell ``()``.
    """

    size: int
    counts: dict[Grouping, Cells]


def tallies(
    source: DataSource,
    folder: Path,
    attributes: Sequence[Attribute],
    groupings: Sequence[Grouping],
    access: Access = CONFINED,
) -> Tallies:
    """Count the records of a table or of microdata.

    Args:
        source: the source of the data.
        folder: the base folder of the path of a file.
        attributes: the attributes of a record; each must have a column, with the same name unless
            the source gives another. In microdata, only the columns of the groupings are read.
        groupings: the sets of attributes to count over, as tuples of different names.
        access: the caller's permissions, such as engines, and values in messages.

    Raises:
        OutOfTimeError: the time limit was reached.
        SpecError: the data cannot be read, a column is missing, a value is not a level, a count is
            not an integer from 0 to 10^15, a table lists a cell twice, there are no rows, the table
            changed meanwhile, or the library that reads it is not installed. Every problem names
            the file or the engine, and the line or the row if they are known.
        ValueError: a grouping names no attribute, or one twice.
    """
    names = [attribute.name for attribute in attributes]
    for grouping in groupings:
        if not set(grouping) <= set(names) or len(set(grouping)) != len(grouping):
            raise ValueError(f"{grouping} is not a set of attributes")
    columns = dict(zip(names, source.columns_of(names), strict=True))
    with _opened(source, folder, access) as reader:
        table, show = source.kind == "table", reader.quotable
        _check_columns(reader, list(columns.values()), source.count, show)
        grouped = {name for grouping in groupings for name in grouping}
        levels = {
            columns[a.name].name: Levels(a, columns[a.name])
            for a in attributes
            if table or a.name in grouped
        }
        asked = {g: tuple(columns[name].name for name in g) for g in groupings}
        wanted = _largest([*asked.values(), *((name,) for name in levels)])
        counted: dict[Grouping, Cells] = {grouping: {} for grouping in wanted}
        # No partial count is returned: a column that ends the count has texts that are not levels,
        # so ``_check_rows`` raises, and reports the problems of all columns.
        with suppress(StrayColumnError):
            _count(reader, levels, counted)
        _check_rows(reader, levels, table, show)
        if not table:
            _check_records(reader, [column.name for column in columns.values()])
        size = _size(reader, counted)
    return Tallies(size, {g: _summed(asked[g], counted) if g else {(): size} for g in asked})


def columns_of(source: DataSource, folder: Path, access: Access = CONFINED) -> list[str]:
    """Return the names of all columns of a table or microdata, in order.

    Args: as those of ``tallies``.

    Raises:
        SpecError: the data cannot be read.
    """
    with _opened(source, folder, access) as reader:
        return list(reader.columns())


def _opened(source: DataSource, folder: Path, access: Access) -> AbstractContextManager[Reader]:
    if source.engine is None:
        return opened_file(source, folder, access)

    return opened_engine(source, folder, access)


def _check_columns(
    reader: Reader, held: Sequence[DataColumn], count: str, show_values: bool
) -> None:
    columns = reader.columns()
    names = [column.name for column in held]
    wanted = [*names, count] if count else names
    if count and count in names:
        message = "is the column of counts, and also an attribute"
        remedy = "rename the attribute, or name the column of counts in data.columns"
        raise data_error(reader.where, [DataFault(message, remedy, column=count)])
    findings = []
    for name in dict.fromkeys(wanted):
        if name not in columns:
            # without a heading, the first record of a file counts as the names of its columns
            shown = ", ".join(columns[:20]) + (", …" if len(columns) > 20 else "")
            one = f"name one of the {len(columns)} columns under data"
            remedy = f"add it, or {one}, such as `columns: {{COLUMN: {name}}}`"
            what = "the column is missing"
            alike = _alike(name, name == count, columns, wanted)
            if alike:
                what += f": the file has {alike}"
                remedy = f"rename it, or {one}: `columns: {{{alike}: {name}}}`"
            named = f"{remedy}; the columns are {shown}"
            if any(column.strip() == name for column in columns):
                what = "the column is missing"
                what += ": the file has it with a space before or after the name"
                remedy = named = "remove the space from the file's header"
            findings.append(DataFault(what, remedy, column=name, quoted_remedy=named))
        elif columns.count(name) > 1:
            findings.append(DataFault("two columns have this name", "rename one", column=name))
    findings = findings or reader.misfits(names)
    if findings:
        raise data_error(reader.where, findings, show_values=show_values)


def _alike(name: str, counts: bool, columns: Sequence[str], wanted: Sequence[str]) -> str:
    """The one column that has a name but for its case, or a usual name of counts; else empty.

    Such a name is no secret of the file, unlike a first record that passes for names of columns.
    """
    names = {name.casefold(), *(COUNT_NAMES if counts else ())}
    alike = [column for column in columns if column.casefold() in names and column not in wanted]
    return alike[0] if len(alike) == 1 else ""


def _largest(groupings: Iterable[Grouping]) -> list[Grouping]:
    """Return the groupings that no other one contains; the others are sums over them."""
    kept: list[Grouping] = []
    for grouping in sorted(groupings, key=len, reverse=True):
        if not any(set(grouping) <= set(other) for other in kept):
            kept.append(grouping)
    return kept or [()]


def _count(reader: Reader, levels: dict[str, Levels], counted: dict[Grouping, Cells]) -> None:
    def indices(name: str, texts: Sequence[str | None]) -> Sequence[int]:
        return levels[name].indices(texts)

    spans = {name: known.spans for name, known in levels.items() if known.spans}
    for grouping, tallied in reader.counts(list(counted), indices, spans):
        deadline.check()
        cells = counted[grouping]
        if tallied.keys().isdisjoint(cells.keys()):
            cells.update(tallied)
        else:
            added(cells, list(tallied), list(tallied.values()))


def _check_rows(reader: Reader, levels: dict[str, Levels], table: bool, show_values: bool) -> None:
    findings: list[DataFault] = []
    unlisted = 0
    if table:
        findings, unlisted = reader.wrong_counts()
    stray = [finding for known in levels.values() for finding in known.findings(reader)]
    if table and not stray:
        synonyms = {name: known.synonyms() for name, known in levels.items()}
        repeated, more = reader.repeated(list(levels), synonyms)
        findings, unlisted = [*findings, *repeated], unlisted + more
    if findings or stray:
        problems = [*stray, *findings]
        raise data_error(reader.where, problems, unlisted, reader.lines_of, show_values=show_values)


def _check_records(reader: Reader, held: Sequence[str]) -> None:
    """Refuse rows that can be cells: there are counts, and no two rows have the same levels."""
    names = [name for name in reader.columns() if name.lower() in COUNT_NAMES]
    counts = [name for name in names if name not in held]
    if not counts or reader.repeated(held, {})[0]:
        return
    finding = DataFault(
        "may hold counts: no two rows have the same attributes, so that each row may be a cell, "
        "but records are one row each",
        f"write table in place of records, with `columns: {{{counts[0]}: count}}`; or rename the "
        "column if each row is one record",
        column=counts[0],
    )
    raise data_error(reader.where, [finding])


def _size(reader: Reader, counted: dict[Grouping, Cells]) -> int:
    sizes = {sum(cells.values()) for cells in counted.values()}
    if len(sizes) > 1:
        finding = DataFault("changed while it was read", "use a table that no program changes")
        raise data_error(reader.where, [finding])
    (size,) = sizes
    if not size and not reader.rows():
        raise data_error(reader.where, [DataFault("has no rows", "add rows")])
    return size


def _positive(cells: Cells) -> Cells:
    return cells if all(cells.values()) else {key: count for key, count in cells.items() if count}


def _summed(grouping: Grouping, counted: dict[Grouping, Cells]) -> Cells:
    if grouping in counted:
        return _positive(counted[grouping])
    source = min((g for g in counted if set(grouping) <= set(g)), key=lambda g: len(counted[g]))
    cells = _positive(counted[source])
    if len(grouping) == 1:
        place = source.index(grouping[0])
        totals: defaultdict[int, int] = defaultdict(int)
        for key, count in cells.items():
            totals[key[place]] += count
        return {(index,): count for index, count in totals.items()}
    places = itemgetter(*(source.index(name) for name in grouping))
    sums: defaultdict[tuple[int, ...], int] = defaultdict(int)
    for key, count in cells.items():
        sums[places(key)] += count
    return dict(sums)
