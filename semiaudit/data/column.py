"""A column of a file in DuckDB's SQL: its values as text, as counts, and in spans."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor

from semiaudit.data.bins import NUMBER, Span
from semiaudit.data.data_faults import LARGEST_COUNT
from semiaudit.frozen import dataclass

_INTEGERS = frozenset(
    f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG", "HUGE")
) | {"INTEGER", "UINTEGER"}
_FRACTIONS = frozenset({"FLOAT", "DOUBLE", "DECIMAL"})
_TEXTS = frozenset({"VARCHAR", "ENUM", '"NULL"'})
_COUNTABLE = _INTEGERS | _FRACTIONS | _TEXTS
_NAMEABLE = _COUNTABLE | {"BOOLEAN", "DATE", "TIMESTAMP", "TIME", "UUID"}
_LEAST = -(1 << 70)
"""A number below all integers of 64 bits that DuckDB supports."""
_MOST = 1e300
"""Larger numbers are not compared by their doubles: neither infinity nor NaN is below it."""


def literal(text: str) -> str:
    """Return a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Return a name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True, slots=True)
class FileColumn:
    """A column of a file: its name, its SQL identifier, and its DuckDB type."""

    name: str
    expression: str
    type: str

    @property
    def family(self) -> str:
        """Return the type without its parameters; empty for a list."""
        return "" if self.type.endswith("]") else self.type.partition("(")[0]

    @property
    def text(self) -> str:
        """Return an SQL expression for the value as text."""
        return f"CAST({self.expression} AS VARCHAR)"

    @property
    def is_nameable(self) -> bool:
        """Return whether its values can be levels."""
        return self.family.startswith(tuple(_NAMEABLE))

    @property
    def is_countable(self) -> bool:
        """Return whether its values can be counts."""
        return self.family.startswith(tuple(_COUNTABLE))

    def joined(self, spans: Sequence[Span]) -> str:
        """Return an SQL expression for the value, with one text for all numbers of a span.

        Doubles only show which numbers are certainly inside: the nearest double of a number that is
        not above a bound is not above the nearest double of that bound. So numbers near a bound
        stay unchanged.
        """
        if not spans:
            return self.expression
        cases = [f"WHEN {self._inside(span)} THEN {literal(span.text)}" for span in spans]
        return f"CASE {' '.join(cases)} ELSE {self.text} END"

    def _inside(self, span: Span) -> str:
        if self.family in _INTEGERS - {"HUGEINT", "UHUGEINT"}:
            low = _LEAST if span.low is None else _clipped(floor(span.low) + 1)
            high = -_LEAST if span.high is None else _clipped(ceil(span.high) - 1)
            return f"{self.expression} BETWEEN {low} AND {high}"
        number = self.expression
        if self.family != "DOUBLE":
            number = f"CASE WHEN regexp_full_match({self.text}, {literal(NUMBER)}) "
            number += f"THEN TRY_CAST({self.text} AS DOUBLE) END"
        above = _double(-_MOST if span.low is None else float(span.low))
        below = _double(_MOST if span.high is None else float(span.high))
        return f"{number} > {above} AND {number} < {below}"

    @property
    def is_count(self) -> str:
        """Return an SQL expression for whether the value is an integer from 0 to 10^15."""
        value, most = self.expression, LARGEST_COUNT
        if self.family in _INTEGERS:
            condition = f"{value} BETWEEN 0 AND {most}"
        elif self.family in _FRACTIONS:
            condition = f"CAST({value} AS DOUBLE) BETWEEN 0 AND {most} AND {value} = floor({value})"
        else:
            condition = (
                f"regexp_full_match({self.text}, '[0-9]+(\\.0*)?') AND {self.count} <= {most}"
            )
        return f"coalesce({condition}, false)"

    @property
    def count(self) -> str:
        """Return an SQL expression for a count, NULL if the value is not a count."""
        if self.family in _INTEGERS | _FRACTIONS:
            return f"TRY_CAST({self.expression} AS BIGINT)"
        return f"TRY_CAST(split_part({self.text}, '.', 1) AS UBIGINT)"


def _clipped(value: int) -> int:
    return max(_LEAST, min(-_LEAST, value))


def _double(value: float) -> str:
    return f"CAST({literal(repr(value))} AS DOUBLE)"
