"""Levels that may be mistakes in the data: spellings of one level, and totals of the others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from semiaudit.data.sql import SqlReader
from semiaudit.model.results.survey import SurveyedColumn

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
