"""A first look at a file: whether a row is a cell or a record, and which columns are attributes.

Only values of columns with few values are read from the file, and no number of records.

Levels that may be mistakes in the data: spellings of one level, and totals of the others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path

from semiaudit.data.bins import NUMBER
from semiaudit.data.column import FileColumn, literal
from semiaudit.data.data_faults import DataFault, data_error
from semiaudit.data.files import opened_file
from semiaudit.data.reader import COUNT_NAMES, whole
from semiaudit.data.sql import SqlReader
from semiaudit.frozen import dataclass
from semiaudit.model.data_source import CONFINED, Access, DataColumn, DataSource, SourceKind
from semiaudit.model.results.survey import MANY, MOST_LEVELS, Survey, SurveyedColumn
from semiaudit.numeric.rationals import decimal_from_text

_TOTAL = re.compile(
    r"(grand |sub-?)?totals?( .*)?|.* total|overall|sum|both sexes|insgesamt|gesamt|summe"
    r"|all( (ages|sexes|persons|people|races|groups|levels|regions|states|countries))?"
)
"""Names of levels that count the records of other levels, in lower case."""


def totals_of(levels: Sequence[str]) -> list[str]:
    """Return the levels that look like a total of the others; none if there is no other level."""
    totals = [level for level in levels if _TOTAL.fullmatch(_one_case(level))]
    return totals if len(totals) < len(levels) else []


def doubts_of(levels: Sequence[str]) -> Iterator[str]:
    """Yield a sentence on each possible mistake in the levels of an attribute."""
    spellings: dict[str, list[str]] = {}
    for level in levels:
        spellings.setdefault(_one_case(level), []).append(level)
    for same in spellings.values():
        if len(same) > 1:
            named = " and ".join(map(repr, same))
            how = "by a space" if len({_one_space(level) for level in same}) == 1 else "in case"
            yield f"levels {named} differ only {how}; if they are one level, correct the data"
    for level in totals_of(levels):
        yield f"the level {level!r} looks like a total; if it is one, remove its rows"


def notes_on(column: SurveyedColumn, reader: SqlReader) -> Iterator[str]:
    """The doubts about a column, and the first row of each level that looks like a total."""
    yield from (f"{column.name!r}: {doubt}" for doubt in column.doubts)
    totals = totals_of(column.levels)
    for seen in reader.sightings(column.name, totals).values() if totals else ():
        line = reader.lines_of([seen.row]).get(seen.row)
        yield f"{f'line {line}' if line else f'row {seen.row}'} looks like a total"


def _one_space(level: str) -> str:
    return " ".join(level.split())


def _one_case(level: str) -> str:
    return _one_space(level).casefold()


MOST_COLUMNS = 400
"""The most columns that are read in addition to the requested ones."""

LONGEST_LEVEL = 200
LONGEST_NAME = 100
"""The most characters of a column's name; YAML has keys of up to 1,024, including escapes."""
FEW_ROWS = 20
"""Up to this many rows, every column can have as many values as rows."""

_INTEGER = r"[+-]?[0-9]+(\.0*)?"

_LEAST_NUMBERED = 5
"""From this many rows on, 1, 2, 3, ... is a numbering of the rows rather than levels."""

_KEY_NAMES = frozenset({"", "id", "index", "key", "row", "row_id", "rownames", "unnamed: 0"})
_MANY_COLUMNS = 100
_AT_ONCE = 100
_LISTED_AT_ONCE = 10
"""Columns whose values one query lists; each needs memory."""

_ROUGHLY = 5 * MOST_LEVELS + 50
"""The largest estimate of values for which a column can have at most ``MOST_LEVELS``."""

_PARTS = re.compile(r"([0-9]+)")
_DIGITS = re.compile(r"[0-9]{1,200}")
NO_LEVEL = "contains a value that cannot be a level (only blanks, or control characters)"
EMPTY = "has empty values, which are not levels; fill them with a word to include it"
LIKELY_COUNT = (
    "write a whole number from 0 to 10^15, or rename the column if it does not contain counts"
)
KEY = "has a different value in every row, like an identifier"


@dataclass(frozen=True, slots=True)
class _Facts:
    """The properties of a column from one scan.

    Attributes:
        complete: no value is missing.
        values: the estimated number of different values.
        counts: the number of rows with an integer from 0 to 10^15.
        integers: the number of rows with an integer, possibly negative.
        numbers: whether all values are numbers.
        longest: the length of the longest value.
    """

    complete: bool
    values: int
    counts: int
    integers: int
    numbers: bool
    longest: int


def survey(
    file: Path, count: str = "", asked: Sequence[str] = (), access: Access = CONFINED
) -> Survey:
    """Survey a CSV or Parquet file.

    Args:
        file: its path.
        count: the column of counts, if the caller knows it.
        asked: names of columns that are examined at any position.

    Raises:
        SpecError: the file cannot be read or has no rows, there is no such column of counts, a
            value of it is not a count, or a cell is listed twice.
    """
    kind: SourceKind = "table" if count else "records"
    named = (DataColumn(count, None),) if count else ()
    source = DataSource(kind, file.name, columns=named)
    with opened_file(source, file.parent, access) as reader:
        names = reader.columns()
        if count and names.count(count) != 1:
            what = "two columns have this name" if count in names else "the column is missing"
            remedy = "name another column with --count-column"
            raise data_error(reader.where, [DataFault(what, remedy, column=count)])
        if not reader.rows():
            raise data_error(reader.where, [DataFault("has no rows", "add rows")])
        return _Surveyor(reader, access.show_values, {*asked, count}).survey(count)


class _Surveyor:
    def __init__(self, reader: SqlReader, show_values: bool, asked: set[str]) -> None:
        self._reader, self._show = reader, show_values
        times = Counter(column.name for column in reader.known)
        self._left_out: dict[str, str] = {}
        self._looked_at: list[FileColumn] = []
        for place, column in enumerate(reader.known):
            fault = ""
            if times[column.name] > 1:
                fault = "is the name of two columns; rename one to include it"
            elif len(column.name) > LONGEST_NAME:
                fault = f"has a name of more than {LONGEST_NAME} characters"
            elif not column.is_nameable:
                fault = "has a type that cannot be a level"
            elif place >= MOST_COLUMNS and column.name not in asked:
                fault = f"is beyond the first {MOST_COLUMNS} columns"
            if fault:
                self._left_out[column.name] = fault
            else:
                self._looked_at.append(column)
        if len(reader.known) > _MANY_COLUMNS:
            self._keep()
        self._rows = reader.rows()
        self._facts = dict(self._facts_of(self._looked_at))
        self._levels = dict(self._levels_of(self._looked_at))

    def _keep(self) -> None:
        """Keep the examined columns of a wide file in DuckDB, so that it is read once."""
        wanted = ", ".join(column.expression for column in self._looked_at) or "1"
        reader = self._reader
        reader.fetched(f"CREATE TEMP TABLE looked_at AS SELECT {wanted} FROM {reader.scan}")
        reader.scan = "looked_at"

    def survey(self, count: str) -> Survey:
        notes = []
        for column in self._looked_at:
            fault = self._fault(column)
            if fault and column.name != count:
                self._left_out[column.name] = fault
        if count:
            self._check_counts(count, "write a whole number from 0 to 10^15")
        else:
            for guess in self._likely_counts():
                if self._are_cells(self._keys(guess)):
                    self._check_counts(guess, LIKELY_COUNT)
                    count = guess
                    notes.append(f"every row is a cell, and {guess!r} is read as its count")
                    break
                notes.append(
                    f"{guess!r} is not read as counts, because cells would be listed more "
                    "than once; if it contains counts, use --count-column"
                )
        self._leave_out_keys(count)
        if not count:
            notes.append("every row is a record")
        if count:
            self._check_cells(count)
        columns = (column.name for column in self._reader.known if column.name != count)
        surveyed_columns = tuple(self._surveyed(name) for name in dict.fromkeys(columns))
        notes += [note for column in surveyed_columns for note in notes_on(column, self._reader)]
        return Survey("table" if count else "records", count, surveyed_columns, tuple(notes))

    def _surveyed(self, name: str) -> SurveyedColumn:
        facts = self._facts.get(name)
        numbers = facts is not None and facts.numbers and facts.complete
        if name in self._left_out:
            return SurveyedColumn(name, (), self._left_out[name], numbers)
        return SurveyedColumn(
            name, self._levels[name], "", numbers, tuple(doubts_of(self._levels[name]))
        )

    def _fault(self, column: FileColumn) -> str:
        facts = self._facts[column.name]
        levels = self._levels.get(column.name, ())
        if not facts.values:
            return "has no values"
        if not facts.complete:
            return EMPTY
        if not levels:
            return KEY if self._is_key(column) else MANY
        if any(not level.strip() or not level.isprintable() for level in levels):
            return NO_LEVEL
        if facts.longest > LONGEST_LEVEL:
            return f"contains texts of more than {LONGEST_LEVEL} characters"
        return ""

    def _is_key(self, column: FileColumn) -> bool:
        if self._facts[column.name].values < 0.7 * self._rows:
            return False
        inner = f"SELECT DISTINCT {column.expression} FROM {self._reader.scan}"
        answer = self._reader.fetched(f"SELECT count(*) FROM ({inner})")
        return whole(answer[0][0]) == self._rows

    def _leave_out_keys(self, count: str) -> None:
        """Drop columns that identify rows; of a table of cells, only those it does not need."""
        for name in self._keys(count):
            levels = self._levels[name]
            if len(levels) < self._rows or self._rows == 1:
                continue
            likely = name.lower() in _KEY_NAMES or _are_numbered(levels)
            if count:
                others = [other for other in self._keys(count) if other != name]
                likely = likely and bool(others) and not self._repeated(others)
            if likely or (not count and self._rows > FEW_ROWS):
                self._left_out[name] = KEY

    def _are_cells(self, keys: Sequence[str]) -> bool:
        named = [key for key in keys if key.lower() not in _KEY_NAMES]
        plain = [key for key in named if not _are_numbered(self._levels[key])]
        return bool(named) and not self._repeated(plain or named)

    def _keys(self, count: str) -> list[str]:
        names = [column.name for column in self._looked_at]
        return [name for name in names if name not in self._left_out and name != count]

    def _likely_counts(self) -> list[str]:
        """Return likely columns of counts by name, or else by the other columns; likeliest first.

        Most values are counts, or all are integers. If some are not counts, the data must be
        corrected: with counts as levels, the audit would cover rows instead of records.
        """
        columns = [c.name for c in self._looked_at if self._would_count(self._facts[c.name])]
        named = [name for name in columns if name.lower() in COUNT_NAMES]
        named.sort(key=lambda name: COUNT_NAMES.index(name.lower()))
        return named or [name for name in columns if self._has_all_cells(name)]

    def _has_all_cells(self, name: str) -> bool:
        sizes = [len(self._levels.get(key, ())) for key in self._keys(name)]
        return len(sizes) > 1 and prod(sizes) == self._rows == self._facts[name].counts

    def _would_count(self, facts: _Facts) -> bool:
        return facts.counts > 0 and (facts.integers == self._rows or 2 * facts.counts > self._rows)

    def _repeated(self, keys: Sequence[str]) -> bool:
        return bool(self._reader.repeated(keys, {})[0])

    def _check_counts(self, count: str, remedy: str) -> None:
        if not self._reader.column(count).is_countable:
            finding = DataFault(
                "has a type that cannot be a count", "name another column", column=count
            )
            raise data_error(self._reader.where, [finding])
        wrong, more = self._reader.wrong_counts_in(count, remedy)
        if wrong:
            lines = self._reader.lines_of
            raise data_error(self._reader.where, wrong, more, lines, show_values=self._show)

    def _check_cells(self, count: str) -> None:
        repeats, more = self._reader.repeated(self._keys(count), {})
        if not repeats:
            return
        left = ", ".join(repr(name) for name in self._left_out if name in self._facts)
        remedy = "aggregate the rows of each cell first"
        if left:
            remedy += f", or make attributes of the columns that are left out ({left})"
        repeats = [replace(finding, remedy=remedy) for finding in repeats]
        lines = self._reader.lines_of
        raise data_error(self._reader.where, repeats, more, lines, show_values=self._show)

    def _facts_of(self, columns: Sequence[FileColumn]) -> Iterator[tuple[str, _Facts]]:
        for few in _pieces(columns, _AT_ONCE):
            asked = []
            for column in few:
                text = column.text
                counts = column.is_count if column.is_countable else "false"
                numbers = f"regexp_full_match({text}, {literal(NUMBER)})"
                asked += [
                    f"count(nullif({text}, ''))",
                    f"approx_count_distinct({text})",
                    f"count_if({counts})",
                    f"count_if(regexp_full_match({text}, '{_INTEGER}'))",
                    f"bool_and({numbers})",
                    f"max(length({text}))",
                ]
            (row,) = self._reader.fetched(f"SELECT {', '.join(asked)} FROM {self._reader.scan}")
            for place, column in enumerate(few):
                present, values, counted, integers, numeric, longest = row[6 * place :][:6]
                complete = whole(present) == self._rows
                some = whole(values) if whole(present) else 0
                yield (
                    column.name,
                    _Facts(
                        complete,
                        some,
                        whole(counted),
                        whole(integers),
                        bool(numeric),
                        whole(longest),
                    ),
                )

    def _levels_of(self, columns: Sequence[FileColumn]) -> Iterator[tuple[str, tuple[str, ...]]]:
        few_values = [c for c in columns if self._facts[c.name].values <= _ROUGHLY]
        for few in _pieces(few_values, _LISTED_AT_ONCE):
            asked = [f"list(DISTINCT {c.text}) FILTER ({c.text} <> '')" for c in few]
            (row,) = self._reader.fetched(f"SELECT {', '.join(asked)} FROM {self._reader.scan}")
            for column, values in zip(few, row, strict=True):
                if values is not None and len(values) <= MOST_LEVELS:
                    yield column.name, _sorted([str(value) for value in values])


def _pieces(columns: Sequence[FileColumn], size: int) -> Iterator[Sequence[FileColumn]]:
    return (columns[start : start + size] for start in range(0, len(columns), size))


def _sorted(levels: Sequence[str]) -> tuple[str, ...]:
    numbers = [
        (number, level) for level in levels if (number := decimal_from_text(level)) is not None
    ]
    if len(numbers) == len(levels):
        return tuple(level for _, level in sorted(numbers))
    return tuple(sorted(levels, key=lambda level: (_natural(level), level)))


def _natural(level: str) -> list[tuple[bool, int, str]]:
    parts = (part for part in _PARTS.split(level.casefold()) if part)
    return [
        (False, int(part), "") if _DIGITS.fullmatch(part) else (True, 0, part) for part in parts
    ]


def _are_numbered(levels: Sequence[str]) -> bool:
    """Return whether values number the rows, from 0 or from 1."""
    first = levels[0] if levels else ""
    if len(levels) < _LEAST_NUMBERED or first not in ("0", "1"):
        return False
    return list(levels) == [str(int(first) + place) for place in range(len(levels))]
