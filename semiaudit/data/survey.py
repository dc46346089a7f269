"""A first look at a file: whether a row is a cell or a record, and which columns are attributes.

Only values of columns with few values are read from the file, and no number of records.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import prod
from pathlib import Path

from semiaudit.data.bins import NUMBER
from semiaudit.data.column import FileColumn, literal
from semiaudit.data.data_faults import DataFault, data_error
from semiaudit.data.files import opened_file
from semiaudit.data.reader import COUNT_NAMES, whole
from semiaudit.data.sql import SqlReader
from semiaudit.frozen import dataclass
from semiaudit.model.data_source import DataColumn, DataSource
from semiaudit.model.results.survey import (
    MANY,
    MOST_ASKED_LEVELS,
    MOST_LEVELS,
    Survey,
    SurveyedColumn,
)
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
            how = "by a space" if len({tuple(level.split()) for level in same}) == 1 else "in case"
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


def _one_case(level: str) -> str:
    return " ".join(level.split()).casefold()


MOST_COLUMNS = 400
"""The most columns that are read in addition to the requested ones."""

LONGEST_LEVEL = 200
LONGEST_NAME = 100
"""The most characters of a column's name; YAML has keys of up to 1,024, including escapes."""
FEW_ROWS = 20
"""Up to this many rows, every column can have as many values as rows."""

_NUMERIC = r"[+-]?[0-9][0-9.,]*"

_LEAST_SUMS = 4
"""Combinations of the other attributes in which a total is the sum of the other levels, at least"""

_MOST_NESTED_CELLS = 200_000
"""Cells of a nested column, all that it lies within, and the columns of margins, at most."""

_MOST_TOTALS = 14
"""Levels that are tested as totals together, at most; each subset of them is."""

_LEAST_NUMBERED = 5
"""From this many rows on, 1, 2, 3, ... is a numbering of the rows rather than levels."""

_KEY_NAMES = frozenset({"", "id", "index", "key", "row", "row_id", "rownames", "unnamed: 0"})
_MANY_COLUMNS = 100
_LISTED_AT_ONCE = 10
"""Columns whose values one query lists; each needs memory."""

_PARTS = re.compile(r"([0-9]+)")
_DIGITS = re.compile(r"[0-9]{1,200}")
TWICE = "is the name of two columns"
KEY = "has a different value in every row, like an identifier"


@dataclass(frozen=True, slots=True)
class _Facts:
    """The numbers of rows and values of a column, from one scan."""

    present: int  # rows with a value
    values: int  # different values; an estimate
    counts: int  # rows with an integer from 0 to 10^15
    numeric: int  # rows with a number, also with a decimal comma or separators
    numbers: int  # rows with a number that bins can contain
    longest: int  # characters of the longest value


def survey(
    file: Path,
    count: str = "",
    asked: Sequence[str] = (),
    *,
    dropped: Sequence[str] = (),
    kept: Sequence[str] = (),
) -> Survey:
    """Survey a CSV or Parquet file.

    Args:
        file: its path.
        count: the column of counts, if the caller knows it.
        asked: names of columns that are examined at any position, and with more levels.
        dropped: names of columns that are left out.
        kept: names of columns of which a level may be the sum of the others.

    Raises:
        SpecError: the file cannot be read or has no rows, there is no such column, a value of the
            column of counts is not a count, a cell is listed twice, a level is the total of the
            others, or a column of microdata has a different value in every row.
    """
    columns = (DataColumn(count, None),) if count else ()
    source = DataSource("table" if count else "records", file.name, columns=columns)
    with opened_file(source, file.parent) as reader:
        names = reader.columns()
        options = {"count-column": [count] * bool(count), "drop": dropped, "keep-total": kept}
        for option, column in [(key, one) for key, named in options.items() for one in named]:
            if names.count(column) != 1:
                what = TWICE if column in names else "the column is missing"
                remedy = f"name another column with --{option}"
                raise data_error(reader.where, [DataFault(what, remedy, column=column)])
        if not reader.rows():
            raise data_error(reader.where, [DataFault("has no rows", "add rows")])
        return _Surveyor(reader, {*asked, count} - {""}, dropped).survey(count, kept)


class _Surveyor:
    def __init__(self, reader: SqlReader, asked: set[str], dropped: Sequence[str]) -> None:
        self._reader, self._asked = reader, asked
        times = Counter(column.name for column in reader.known)
        self._left_out: dict[str, str] = {}
        self._looked_at: list[FileColumn] = []
        for place, column in enumerate(reader.known):
            fault = ""
            if column.name in dropped:
                fault = "is dropped"
            elif times[column.name] > 1:
                fault = f"{TWICE}; rename one to include it"
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
        if len(reader.known) > _MANY_COLUMNS:  # a wide file is read once, and kept in DuckDB
            wanted = ", ".join(column.expression for column in self._looked_at) or "1"
            reader.fetched(f"CREATE TEMP TABLE looked_at AS SELECT {wanted} FROM {reader.scan}")
            reader.scan = "looked_at"
        self._rows = reader.rows()
        self._facts = dict(self._facts_of(self._looked_at))
        self._levels = dict(self._levels_of(self._looked_at))

    def survey(self, count: str, kept: Sequence[str]) -> Survey:
        """Decide whether rows are cells, and what each column is.

        A column can have the name "", which is also that of no column of counts.
        """
        notes = []
        for column in self._looked_at:
            if column.name != (count or None) and (fault := self._fault(column)):
                self._left_out[column.name] = fault
        names = [column.name for column in self._looked_at]
        named = [name for known in COUNT_NAMES for name in names if name.lower() == known]
        # If a value is not a count, the data must be corrected: with counts as levels, the audit
        # would cover rows instead of records, and the spec would contain the counts.
        for name in [count] if count else named:
            self._check_counts(name, guessed=not count)
        guesses = named or [name for name in names if name and self._has_all_cells(name)]
        for guess in [] if count else guesses:
            if self._are_cells(guess):
                count = guess
                notes.append(f"every row is a cell, and {guess!r} is read as its count")
                break
            notes.append(
                f"{guess!r} is not read as counts, because cells would be listed more "
                "than once; if it contains counts, use --count-column"
            )
        self._leave_out_keys(count)
        if count:
            self._check_cells(count)
            self._check_totals(count, kept)
        else:
            notes.append("every row is a record")
        parents = self._parents(count)
        known = dict.fromkeys(name for name in self._reader.columns() if name != (count or None))
        columns = tuple(self._surveyed(name, count, *parents.get(name, ())) for name in known)
        notes += [note for column in columns for note in notes_on(column, self._reader)]
        return Survey("table" if count else "records", count, columns, tuple(notes))

    def _surveyed(
        self, name: str, count: str, within: str = "", parents: tuple[int, ...] = ()
    ) -> SurveyedColumn:
        numbers = name in self._facts and self._facts[name].numbers == self._rows
        if name in self._left_out:
            return SurveyedColumn(name, (), self._left_out[name], numbers)
        levels, doubts = self._levels[name], list(doubts_of(self._levels[name]))
        if not count and self._may_count(name):
            doubts.append(
                "each combination of the other columns has one row; if this column contains "
                f"counts, write the spec again with --count-column {shlex.quote(name)}"
            )
        if parents:
            doubts.append(
                f"each level occurs with one level of {within!r}; if others are possible, list the "
                "levels alone"
            )
        return SurveyedColumn(name, levels, "", numbers, tuple(doubts), within, parents)

    def _fault(self, column: FileColumn) -> str:
        facts, levels = self._facts[column.name], self._levels.get(column.name, ())
        if facts.present < self._rows:
            empty = "has empty values, which are not levels; fill them with a word to include it"
            return empty if facts.present else "has no values"
        if not levels:
            is_key = column.name not in self._asked and self._is_key(column)
            return KEY if is_key else f"has more than {self._most_levels(column.name)} values"
        if any(not level.strip() or not level.isprintable() for level in levels):
            return "contains a value that cannot be a level (only blanks, or control characters)"
        if facts.longest > LONGEST_LEVEL:
            return f"contains texts of more than {LONGEST_LEVEL} characters"
        return ""

    def _is_key(self, column: FileColumn) -> bool:
        if self._facts[column.name].values < 0.7 * self._rows:  # an estimate
            return False
        inner = f"SELECT DISTINCT {column.expression} FROM {self._reader.scan}"
        return whole(self._reader.fetched(f"SELECT count(*) FROM ({inner})")[0][0]) == self._rows

    def _leave_out_keys(self, count: str) -> None:
        """Leave out columns of a table of cells that identify rows, unless it needs them.

        Raises:
            SpecError: a column identifies the rows of microdata.
        """
        for name in self._keys(count):
            if name in self._asked or len(self._levels[name]) < self._rows or self._rows == 1:
                continue
            likely = name.lower() in _KEY_NAMES or self._numbers_rows(name)
            others = [other for other in self._keys(count) if other != name]
            needed = count and (not others or self._repeated(others))
            if (likely and not needed) or (not count and self._rows > FEW_ROWS):
                self._left_out[name] = KEY
        keys = [name for name, why in self._left_out.items() if why == KEY and name]
        if keys and not count:
            drop = " ".join(f"--drop {shlex.quote(name)}" for name in keys)
            margin = " ".join(f"--margin {shlex.quote(name)}" for name in keys)
            remedy = f"leave it out with {drop}, or keep it with {margin}; "
            remedy += "if each row is a cell, name the column of its counts with --count-column"
            self._raise([DataFault(KEY, remedy, column=", ".join(keys))])

    def _are_cells(self, count: str) -> bool:
        """Return whether no two rows agree in the other columns, without those that number rows.

        Columns with many values count: a table may be left without its codes, and then its counts
        must not become levels.
        """
        wide = [name for name, why in self._left_out.items() if why == MANY and name != count]
        keys = [*self._keys(count), *wide]
        named = [key for key in keys if key.lower() not in _KEY_NAMES]
        plain = [key for key in named if not self._numbers_rows(key)]
        return bool(named) and not self._repeated(plain or named)

    def _numbers_rows(self, name: str) -> bool:
        """Return whether the values number the rows, from 0 or from 1."""
        levels, rows = self._levels.get(name, ()), self._rows
        if len(levels) < max(rows, _LEAST_NUMBERED):
            return False
        return any(levels == tuple(map(str, range(first, first + rows))) for first in (0, 1))

    def _keys(self, count: str) -> list[str]:
        names = [column.name for column in self._looked_at]
        return [n for n in names if n not in self._left_out and n != (count or None)]

    def _has_all_cells(self, name: str) -> bool:
        sizes = [len(self._levels.get(key, ())) for key in self._keys(name)]
        return len(sizes) > 1 and prod(sizes) == self._rows == self._facts[name].counts

    def _may_count(self, name: str) -> bool:
        """Return whether a column of numbers is next to one row for each combination of the others.

        At least half of the combinations occur. Other columns of numbers, most of which differ, may
        count as well, and do not make combinations.
        """
        half = self._rows / 2
        numeric = [key for key in self._keys("") if self._facts[key].numeric > half]
        others = [k for k in self._keys(name) if k not in numeric or len(self._levels[k]) <= half]
        most = prod(len(self._levels[key]) for key in others)
        likely = bool(name and others) and name in numeric and most / 2 <= self._rows
        return likely and not self._repeated(others)

    def _parents(self, count: str) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Return the columns that refine another one: the finest such one, and each level's parent.

        A column refines another one if each of its values occurs with one value of that one, and
        it has more of them. Microdata need two rows for each value on average.
        """
        names, scan, parents = self._keys(count)[:_MANY_COLUMNS], self._reader.scan, {}
        texts = [self._reader.column(name).text for name in names]
        sizes = [len(self._levels[name]) for name in names]
        first = self._reader.fetched(f"SELECT {', '.join(texts) or 1} FROM {scan} LIMIT 1000")
        places = sorted(range(len(names)), key=lambda at: -sizes[at])
        chains = {at: {at} for at in places}
        requested = {at for at in places if names[at] in self._asked}
        for one in reversed(places):
            for at in places if count or self._rows >= 2 * sizes[one] else ():
                cells = prod(sizes[i] for i in {one} | chains[at] | requested)
                if not 1 < sizes[at] < sizes[one] or cells > _MOST_NESTED_CELLS:
                    continue
                if len({(row[one], row[at]) for row in first}) > len({row[one] for row in first}):
                    continue
                query = f"SELECT DISTINCT {texts[one]}, {texts[at]} FROM {scan}"
                if len(pairs := self._reader.fetched(query)) == sizes[one]:
                    above = {text: place for place, text in enumerate(self._levels[names[at]])}
                    parent = {str(text): above[str(other)] for text, other in pairs}
                    own = self._levels[names[one]]
                    parents[names[one]] = names[at], tuple(parent[text] for text in own)
                    chains[one] |= chains[at]
                    break
        return parents

    def _check_totals(self, count: str, kept: Sequence[str]) -> None:
        """Refuse levels whose records are those of the other levels of their attribute.

        Raises:
            SpecError: there are such levels, of columns that are not to be kept.
        """
        reader, keys = self._reader, self._keys(count)
        columns = [f"{reader.column(name).text} AS k{at}" for at, name in enumerate(keys)]
        columns.append(f"{reader.column(count).count} AS n")
        # Combinations are compared by the sum of hashes, since there can be many columns. Equal
        # sums of two combinations would only hide a total.
        hashes = [f"hash(k{at}, {at})::HUGEINT" for at in range(len(keys))]
        reader.fetched(
            f"CREATE TEMP TABLE cells AS SELECT *, {' + '.join(hashes) or 0} AS h FROM "
            f"(SELECT {', '.join(columns)} FROM {reader.scan}) WHERE n > 0"
        )
        likely: list[tuple[int, str]] = []
        for at, name in enumerate(keys):
            if len(self._levels[name]) > 2 and name not in kept:
                totals = reader.fetched(
                    f"SELECT k{at} FROM (SELECT *, sum(n) OVER (PARTITION BY h - {hashes[at]}) "
                    f"AS s FROM cells) WHERE 2 * n = s GROUP BY 1 "
                    f"HAVING count(*) >= {_LEAST_SUMS} ORDER BY 1 LIMIT {_MOST_TOTALS}"
                )
                likely += [(at, str(level)) for (level,) in totals]
        likely = likely[:_MOST_TOTALS]
        are = [f"(k{at} = {literal(level)})::INT" for at, level in likely]
        mask = " + ".join(f"{one} * {1 << i}" for i, one in enumerate(are))
        tested = []
        for (at, _), one in zip(likely, are, strict=True):
            rows = reader.fetched(
                f"SELECT hit, count_if(2 * own = s), count_if(2 * own <> s) FROM (SELECT "
                f"bit_and({mask}) AS hit, sum(n) AS s, sum(n * {one}) AS own FROM cells "
                f"GROUP BY h - {hashes[at]}) GROUP BY hit"
            )
            tested.append([(whole(a), whole(b), whole(c)) for a, b, c in rows])
        faults = []
        for i in totals_among([at for at, _ in likely], tested):
            at, level = likely[i]
            what = f"the level {level!r} is the sum of the other levels, in every combination"
            remedy = f"remove its rows, or keep them with --keep-total {shlex.quote(keys[at])}"
            row = reader.sightings(keys[at], [level])[level].row
            faults.append(DataFault(what, remedy, column=keys[at], row=row))
        self._raise(faults)

    def _raise(self, faults: Sequence[DataFault], more: int = 0) -> None:
        if faults:
            raise data_error(self._reader.where, faults, more, self._reader.lines_of)

    def _repeated(self, keys: Sequence[str]) -> bool:
        return bool(self._reader.repeated(keys, {})[0])

    def _check_counts(self, count: str, *, guessed: bool) -> None:
        name = shlex.quote(count)
        out = f", rename the column if it does not contain counts, leave it out with --drop {name}"
        remedy = f"write a whole number from 0 to 10^15{out if guessed else ''}, or name another "
        remedy += "column with --count-column"
        wrong = DataFault("has a type that cannot be a count", remedy, column=count)
        countable = self._reader.column(count).is_countable
        self._raise(*self._reader.wrong_counts_in(count, remedy) if countable else ([wrong], 0))

    def _check_cells(self, count: str) -> None:
        repeats, more = self._reader.repeated(self._keys(count), {})
        left_out = [name for name, why in self._left_out.items() if why in (KEY, MANY)]
        remedy = "aggregate the rows of each cell first"
        if left_out:
            named = ", ".join(map(repr, left_out))
            remedy += f", or name the columns that are left out ({named}) with --margin; if each "
            remedy += "row is a record, use --drop for them"
        self._raise([replace(finding, remedy=remedy) for finding in repeats], more)

    def _facts_of(self, columns: Sequence[FileColumn]) -> Iterator[tuple[str, _Facts]]:
        for few in _pieces(columns, _MANY_COLUMNS):
            terms = []
            for column in few:
                text = column.text
                terms += [
                    f"count(nullif({text}, ''))",
                    f"approx_count_distinct({text})",
                    f"count_if({column.is_count if column.is_countable else 'false'})",
                    f"count_if(regexp_full_match({text}, '{_NUMERIC}'))",
                    f"count_if(regexp_full_match({text}, {literal(NUMBER)}))",
                    f"max(length({text}))",
                ]
            (row,) = self._reader.fetched(f"SELECT {', '.join(terms)} FROM {self._reader.scan}")
            for place, column in enumerate(few):
                yield column.name, _Facts(*map(whole, row[6 * place :][:6]))

    def _levels_of(self, columns: Sequence[FileColumn]) -> Iterator[tuple[str, tuple[str, ...]]]:
        # The estimate of the number of values can be several times too large.
        few_values = [
            c for c in columns if self._facts[c.name].values <= 5 * self._most_levels(c.name) + 50
        ]
        for few in _pieces(few_values, _LISTED_AT_ONCE):
            terms = [f"list(DISTINCT {c.text}) FILTER ({c.text} <> '')" for c in few]
            (row,) = self._reader.fetched(f"SELECT {', '.join(terms)} FROM {self._reader.scan}")
            for column, values in zip(few, row, strict=True):
                if values is not None and len(values) <= self._most_levels(column.name):
                    yield column.name, _sorted([str(value) for value in values])

    def _most_levels(self, name: str) -> int:
        return MOST_ASKED_LEVELS if name in self._asked else MOST_LEVELS


def totals_among(
    attributes: Sequence[int], tested: Sequence[Sequence[tuple[int, int, int]]]
) -> list[int]:
    """Return which of some levels are totals: those of the largest sets that agree.

    A set of levels, one for each of some attributes, agrees if each of them is the sum of the other
    levels of its attribute in all combinations without the other levels of the set, and there are
    four such combinations or more.

    Args:
        attributes: the attribute of each level.
        tested: for each level, the combinations of the other attributes with records: which of the
            levels they contain, as a bit mask; in how many the level is the sum of the others; and
            in how many it is not.
    """

    def is_total(i: int, without: int) -> bool:
        within = [(sums, others) for hit, sums, others in tested[i] if not hit & without]
        return sum(n for n, _ in within) >= _LEAST_SUMS and not any(n for _, n in within)

    agreeing: set[int] = set()
    for size in range(len(attributes), 0, -1):
        for some in combinations(range(len(attributes)), size):
            if agreeing.issuperset(some) or len({attributes[i] for i in some}) < size:
                continue
            if all(is_total(i, sum(1 << j for j in some if j != i)) for i in some):
                agreeing.update(some)
    return sorted(agreeing)


def _pieces(columns: Sequence[FileColumn], size: int) -> Iterator[Sequence[FileColumn]]:
    return (columns[start : start + size] for start in range(0, len(columns), size))


def _sorted(levels: Sequence[str]) -> tuple[str, ...]:
    numbers = {level: n for level in levels if (n := decimal_from_text(level)) is not None}
    if len(numbers) == len(levels):
        return tuple(sorted(levels, key=lambda level: (numbers[level], level)))
    return tuple(sorted(levels, key=lambda level: (_natural(level), level)))


def _natural(level: str) -> list[tuple[bool, int, str]]:
    parts = (part for part in _PARTS.split(level.casefold()) if part)
    return [
        (False, int(part), "") if _DIGITS.fullmatch(part) else (True, 0, part) for part in parts
    ]
