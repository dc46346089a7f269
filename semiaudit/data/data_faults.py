"""Faults of a table's rows, and their conversion to the problems of an error."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice

from semiaudit.errors import Problem, SpecError
from semiaudit.frozen import dataclass
from semiaudit.numeric.rationals import rational_from_text

MOST_PROBLEMS = 20
LARGEST_COUNT = 10**15
_LONGEST_QUOTE = 40

LinesOfRows = Callable[[Collection[int]], Mapping[int, int]]


@dataclass(frozen=True, slots=True)
class DataFault:
    """A fault in a column, at a 1-based data row or a line of the file (0 if unknown).

    Attributes:
        message: what is wrong, without any value of the data.
        earlier: the row that a repeated row repeats.
        quoted: the message with the values quoted, for readers who can see them; empty if the
            message is complete.
        quoted_remedy: the remedy with the values quoted.
    """

    message: str
    remedy: str
    column: str = ""
    row: int = 0
    line: int = 0
    earlier: int = 0
    quoted: str = ""
    quoted_remedy: str = ""


def first_of(findings: Iterator[DataFault]) -> tuple[list[DataFault], int]:
    """Return the first findings, and how many more there are."""
    shown = list(islice(findings, MOST_PROBLEMS))
    return shown, sum(1 for _ in findings)


def no_lines(rows: Collection[int]) -> Mapping[int, int]:
    """Return no lines of rows, for data without lines."""
    del rows
    return {}


def quoted(text: str | None) -> str:
    """Return a value for a message: shortened, and never empty."""
    if not text:
        return "an empty value"
    return repr(text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "…")


def data_error(
    file: str,
    findings: Sequence[DataFault],
    unlisted: int = 0,
    lines_of: LinesOfRows = no_lines,
    *,
    show_values: bool = False,
) -> SpecError:
    """Make the error that lists findings by place, and the number of further ones.

    Args:
        file: the file that the problems name.
        findings: the findings; those without a row come first.
        unlisted: the number of problems in addition to the findings.
        lines_of: the 1-based lines at which data rows begin, as far as they are known.
        show_values: quote values of the data.
    """
    ordered = sorted(findings, key=lambda finding: finding.line or finding.row)
    listed, more = ordered[:MOST_PROBLEMS], len(ordered) - MOST_PROBLEMS + unlisted
    lines = lines_of({row for f in listed for row in (f.row, f.earlier) if row})
    problems = [_problem(file, finding, lines, show_values) for finding in listed]
    if len(ordered) + unlisted > MOST_PROBLEMS:
        last = problems[-1]
        message = f"{more} more problem{'s' if more > 1 else ''}"
        problems.append(Problem(file, last.line, last.column, "", message, "fix the others first"))
    return SpecError(problems)


def _problem(file: str, finding: DataFault, lines: Mapping[int, int], show_values: bool) -> Problem:
    line = finding.line or lines.get(finding.row, 0)
    where = "" if line or not finding.row else f"row {finding.row}: "
    first = ""
    if finding.earlier:
        earlier = lines.get(finding.earlier)
        first = f" (first in {f'line {earlier}' if earlier else f'row {finding.earlier}'})"
    text = finding.quoted if show_values and finding.quoted else finding.message
    remedy = finding.quoted_remedy if show_values and finding.quoted_remedy else finding.remedy
    message = f"{where}{text}{first}"
    return Problem(file, line, 1 if line else 0, finding.column, message, remedy)


def wrong_type(form: object, remedy: str, column: str) -> DataFault:
    """Make the finding that a column's type fits no level or count.

    Type names can contain values.
    """
    what = "has a type that can be neither a level nor a count"
    return DataFault(what, f"store {remedy}", column=column, quoted=f"has the type {form}")


def wrong_count(
    text: str | None, remedy: str, column: str, row: int = 0, times: str = ""
) -> DataFault:
    """Make the finding that a value of the column of counts is not a count.

    Args:
        column: the name of the column.
        times: the number of occurrences, in words; empty if it must not be shown.
    """
    fault = _fault_of_count(text) if text else ""
    message = f"a value {fault}" if fault else "the count is missing"
    shown = f"{quoted(text)} {fault}{times}" if fault else f"{message}{times}"
    return DataFault(message, remedy, column=column, row=row, quoted=shown)


def _fault_of_count(text: str) -> str:
    try:
        value = rational_from_text(text)
    except ValueError:
        return "is not a count"
    if value < 0:
        return "is negative"
    if value > LARGEST_COUNT:
        return "is more than 10^15"
    if value.denominator != 1:
        return "is not a whole number"
    return "is not written in digits"
