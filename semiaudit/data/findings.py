"""What is wrong with a table's rows, and how that becomes the problems of an error."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from semiaudit.errors import Problem, SpecError
from semiaudit.numeric import rational_from_text

MOST_PROBLEMS = 20
LARGEST_COUNT = 10**15
_LONGEST_QUOTE = 40

LinesOfRows = Callable[[Collection[int]], Mapping[int, int]]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong, in a column, at a 1-based data row or a line of the file (0: unknown).

    ``earlier`` is the row that a repeated row repeats.
    """

    message: str
    remedy: str
    column: str = ""
    row: int = 0
    line: int = 0
    earlier: int = 0


def no_lines(rows: Collection[int]) -> Mapping[int, int]:
    """The lines of rows in something that has none."""
    del rows
    return {}


def quoted(text: str | None) -> str:
    """A value as a message shows it: shortened, and never an empty word."""
    if not text:
        return "an empty value"
    return repr(text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "…")


def data_error(
    file: str, findings: Sequence[Finding], unlisted: int = 0, lines_of: LinesOfRows = no_lines
) -> SpecError:
    """The error that lists findings by their place in the file, and how many more there are.

    Args:
        file: what the problems name as their file.
        findings: what was found; those without a row come first.
        unlisted: how many problems there are beside the findings.
        lines_of: the 1-based lines at which data rows begin, as far as they can be told.
    """
    ordered = sorted(findings, key=lambda finding: finding.line or finding.row)
    kept, more = ordered[:MOST_PROBLEMS], len(ordered) - MOST_PROBLEMS + unlisted
    lines = lines_of({row for f in kept for row in (f.row, f.earlier) if row})
    problems = [_problem(file, finding, lines) for finding in kept]
    if len(ordered) + unlisted > MOST_PROBLEMS:
        last = problems[-1]
        told = f"{more} more problem{'s' if more > 1 else ''}"
        problems.append(Problem(file, last.line, last.column, "", told, "mend the others first"))
    return SpecError(problems)


def _problem(file: str, finding: Finding, lines: Mapping[int, int]) -> Problem:
    line = finding.line or lines.get(finding.row, 0)
    where = "" if line or not finding.row else f"row {finding.row}: "
    first = ""
    if finding.earlier:
        earlier = lines.get(finding.earlier)
        first = f" (first in {f'line {earlier}' if earlier else f'row {finding.earlier}'})"
    message = f"{where}{finding.message}{first}"
    return Problem(file, line, 1 if line else 0, finding.column, message, finding.remedy)


def wrong_count(text: str | None) -> str:
    """Why a value of the column ``count`` is no count."""
    shown = quoted(text)
    try:
        value = rational_from_text(text or "")
    except ValueError:
        return f"{shown} is no count" if text else "the count is missing"
    if value < 0:
        return f"{shown} is negative"
    if value > LARGEST_COUNT:
        return f"{shown} is more than 10^15"
    if value.denominator != 1:
        return f"{shown} is no whole number"
    return f"{shown} is not written in digits"
