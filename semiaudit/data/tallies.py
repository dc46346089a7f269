"""The counts of a table or of microdata over sets of attributes.

From the texts in a column to the levels of an attribute.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from operator import itemgetter
from pathlib import Path

from semiaudit import deadline
from semiaudit.data.bins import Binned, Span
from semiaudit.data.data_faults import DataFault, data_error, quoted
from semiaudit.data.files import opened_file, opened_held
from semiaudit.data.ibis_engine import opened_engine, opened_expression
from semiaudit.data.reader import COUNT_NAMES, Cells, Grouping, Reader, added
from semiaudit.errors import SemiauditError
from semiaudit.frozen import dataclass
from semiaudit.model.data_source import CONFINED, Access, DataColumn, DataSource
from semiaudit.model.dataspace import Attribute
from semiaudit.numeric.rationals import decimal_from_text

MOST_STRAY_TEXTS = 1000
_MOST_LEVELS_SHOWN = 6
_NO_LEVEL = -1


class StrayColumnError(SemiauditError):
    """A column has too many texts that are not levels to continue reading."""


class Levels:
    """The levels of one attribute, and the texts of its column that name them.

    Attributes:
        attribute: the attribute.
        column: the name of its column.
        stray: the texts so far that are not levels.
    """

    def __init__(self, attribute: Attribute, column: DataColumn) -> None:
        self.attribute = attribute
        self.column = column.name
        self._binned = Binned(attribute, column.bins) if column.bins else None
        self._index: dict[str | None, int] = {}
        self.stray: list[str | None] = []

    def indices(self, texts: Sequence[str | None]) -> list[int]:
        """Return the index of the level that each text names, or -1.

        Raises:
            StrayColumnError: more than 1000 different texts are not levels.
        """
        index = self._index
        new = list(set(texts).difference(index))
        if new:
            named = [text for text in new if text]
            index.update(dict.fromkeys(new, _NO_LEVEL))
            for text, number in zip(named, self._named.indices(named), strict=True):
                index[text] = _NO_LEVEL if number is None else number
            self.stray += [text for text in new if index[text] == _NO_LEVEL]
            if len(self.stray) > MOST_STRAY_TEXTS:
                raise StrayColumnError
        return list(map(index.__getitem__, texts))

    @property
    def spans(self) -> Sequence[Span]:
        """Return intervals of numbers that are one level, and need not be distinguished."""
        return self._binned.spans if self._binned else ()

    @property
    def _named(self) -> Binned | Attribute:
        return self._binned or self.attribute

    def synonyms(self) -> dict[str, str]:
        """Return the texts that name the same value as another text, with that text.

        A value is a level or, if levels are bins of numbers, a number.
        """
        texts: defaultdict[object, list[str]] = defaultdict(list)
        for text, index in self._index.items():
            if index != _NO_LEVEL and text is not None:
                number = decimal_from_text(text) if self._binned else None
                texts[("level", index) if number is None else number].append(text)
        return {text: min(same) for same in texts.values() if len(same) > 1 for text in same}

    def findings(self, reader: Reader) -> list[DataFault]:
        """Return every text that is not a level, and every missing one, with its first row."""
        name = self.column
        if len(self.stray) > MOST_STRAY_TEXTS:
            message = f"contains more than {MOST_STRAY_TEXTS} different values that are not levels"
            remedy = f"check whether the column is the attribute; its levels are {self._shown()}"
            return [DataFault(message, remedy, column=name)]
        sightings = reader.sightings(name, self.stray) if self.stray else {}
        findings = []
        for text in sorted(self.stray, key=lambda text: text or ""):
            sighting = sightings.get(text)
            times = f" ({sighting.number} rows)" if sighting and sighting.number > 1 else ""
            row = sighting.row if sighting else 0
            remedy = f"{self._spaces(text)}its levels are {self._shown()}"
            hidden = "a value" if text else "an empty value"
            shown = f"{quoted(text)} is not a level{times}"
            findings.append(DataFault(f"{hidden} is not a level", remedy, name, row, quoted=shown))
        return findings

    def _spaces(self, text: str | None) -> str:
        """Return what to do if only blanks around a text, or around the level, are wrong."""
        levels, meant = self.attribute.levels, (text or "").strip()
        if isinstance(levels, int):
            level = meant if meant.isascii() and meant.isdigit() and int(meant) < levels else ""
        else:
            level = next((str(level) for level in levels if str(level).strip() == meant), "")
        if not level or self._binned:
            return ""
        where, of = (
            (level, f" of the level {quoted(level)} in the spec")
            if text == meant
            else (text or "", " of the value")
        )
        places = ["start"] * (where != where.lstrip()) + ["end"] * (where != where.rstrip())
        return f"remove the space at the {' and the '.join(places)}{of}; "

    def _shown(self) -> str:
        levels = self.attribute.levels
        if isinstance(levels, int):
            return f"0 to {levels - 1}" if levels > 1 else "0"
        shown = ", ".join(quoted(str(level)) for level in levels[:_MOST_LEVELS_SHOWN])
        return shown if len(levels) <= _MOST_LEVELS_SHOWN else f"{shown}, …"


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
        groups = {g: tuple(columns[name].name for name in g) for g in groupings}
        wanted = _largest([*groups.values(), *((name,) for name in levels)])
        counted: dict[Grouping, Cells] = {grouping: {} for grouping in wanted}
        # No partial count is returned: a column that ends the count has texts that are not levels,
        # so ``_check_rows`` raises, and reports the problems of all columns.
        with suppress(StrayColumnError):
            _count(reader, levels, counted)
        _check_rows(reader, levels, table, show)
        if not table:
            _check_records(reader, [column.name for column in columns.values()])
        size = _size(reader, counted)
    return Tallies(size, {g: _summed(groups[g], counted) if g else {(): size} for g in groups})


def columns_of(source: DataSource, folder: Path, access: Access = CONFINED) -> list[str]:
    """Return the names of all columns of a table or microdata, in order.

    Args: as those of ``tallies``.

    Raises:
        SpecError: the data cannot be read.
    """
    with _opened(source, folder, access) as reader:
        return list(reader.columns())


def _opened(source: DataSource, folder: Path, access: Access) -> AbstractContextManager[Reader]:
    if source.held is not None:
        opened = opened_expression if source.held.in_engine else opened_held
        return opened(source.held, source.count, access)
    if source.engine is None:
        return opened_file(source, folder, access)
    return opened_engine(source, folder, access)


def _check_columns(
    reader: Reader, data_columns: Sequence[DataColumn], count: str, show_values: bool
) -> None:
    columns = reader.columns()
    names = [column.name for column in data_columns]
    wanted = [*names, count] if count else names
    if count and count in names:
        message = "is the column of counts, and also an attribute"
        remedy = "rename the attribute, or name the column of counts in data.columns"
        raise data_error(reader.where, [DataFault(message, remedy, column=count)])
    findings = []
    for name in dict.fromkeys(wanted):
        if name not in columns:
            # without a heading, the first record of a file counts as the names of its columns
            listed_columns = ", ".join(columns[:20]) + (", …" if len(columns) > 20 else "")
            one = f"name one of the {len(columns)} columns under data"
            remedy = f"add it, or {one}, such as `columns: {{COLUMN: {name}}}`"
            what = "the column is missing"
            alike = _alike(name, name == count, columns, wanted)
            if alike:
                what += f": the file has {alike}"
                remedy = f"rename it, or {one}: `columns: {{{alike}: {name}}}`"
            named = f"{remedy}; the columns are {listed_columns}"
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
    largest: list[Grouping] = []
    for grouping in sorted(groupings, key=len, reverse=True):
        if not any(set(grouping) <= set(other) for other in largest):
            largest.append(grouping)
    return largest or [()]


def _count(reader: Reader, levels: dict[str, Levels], counted: dict[Grouping, Cells]) -> None:
    def indices(name: str, texts: Sequence[str | None]) -> Sequence[int]:
        return levels[name].indices(texts)

    spans = {name: column.spans for name, column in levels.items() if column.spans}
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
    stray = [finding for column in levels.values() for finding in column.findings(reader)]
    if table and not stray:
        synonyms = {name: column.synonyms() for name, column in levels.items()}
        repeated, more = reader.repeated(list(levels), synonyms)
        findings, unlisted = [*findings, *repeated], unlisted + more
    if findings or stray:
        problems = [*stray, *findings]
        raise data_error(reader.where, problems, unlisted, reader.lines_of, show_values=show_values)


def _check_records(reader: Reader, attribute_columns: Sequence[str]) -> None:
    """Refuse rows that can be cells: there are counts, and no two rows have the same levels."""
    names = [name for name in reader.columns() if name.lower() in COUNT_NAMES]
    counts = [name for name in names if name not in attribute_columns]
    if not counts or reader.repeated(attribute_columns, {})[0]:
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
