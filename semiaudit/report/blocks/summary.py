"""A batch's summary: one flat row per spec, for spreadsheets and for the terminal table."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, assert_never

from semiaudit.frozen import dataclass
from semiaudit.model.audit import BudgetResult
from semiaudit.model.bound import Bound
from semiaudit.model.frameworks import LEADING, NAMES, FrameworkName
from semiaudit.model.guarantee import ApproxPoint, GuaranteeLine
from semiaudit.model.labels import label, measure_name
from semiaudit.model.number_text import certified_text, limit_text
from semiaudit.model.rules import EXCEEDED
from semiaudit.model.verdict import NO_BUDGET, PRECEDENCE, Digest, Verdict
from semiaudit.report.blocks.notices import notices_of, specs_of
from semiaudit.report.blocks.numbers import bound_number, number
from semiaudit.report.form.documents import cell_of
from semiaudit.report.text.layout import Layout

Value = str | int | float | bool | None
Kind = Literal["text", "integer", "number", "truth"]


@dataclass(frozen=True, slots=True)
class SummaryColumn:
    """One column of the summary: its name, its kind, and its value for a spec."""

    name: str
    kind: Kind
    value: Callable[[Verdict], Value]


def _of_digest(name: str, kind: Kind, value: Callable[[Digest], Value]) -> SummaryColumn:
    return SummaryColumn(name, kind, lambda v: None if v.digest is None else value(v.digest))


def _of_line(
    framework: FrameworkName, name: str, kind: Kind, value: Callable[[GuaranteeLine], Value]
) -> SummaryColumn:
    def value_of(digest: Digest) -> Value:
        line = line_of(digest, framework)
        return None if line is None else value(line)

    return _of_digest(f"{framework}_{name}", kind, value_of)


def _of_point(
    framework: FrameworkName, name: str, kind: Kind, value: Callable[[ApproxPoint], Value]
) -> SummaryColumn:
    def value_of(line: GuaranteeLine) -> Value:
        points = line.numbers.tightest
        return value(points[0]) if points else None

    return _of_line(framework, name, kind, value_of)


def line_of(digest: Digest, framework: FrameworkName) -> GuaranteeLine | None:
    """Return the numbers of one framework."""
    return next((line for line in digest.lines if line.framework == framework), None)


def _number(bound: Bound | None) -> Value:
    value = None if bound is None else bound_number(bound)
    return math.inf if value == "inf" else value


def _framework_columns(framework: FrameworkName) -> Iterator[SummaryColumn]:
    yield _of_line(framework, "distance", "integer", lambda line: line.distance)
    yield _of_line(framework, "rho", "number", lambda line: _number(line.numbers.zcdp))
    yield _of_line(framework, "mu", "number", lambda line: _number(line.numbers.gdp))
    yield _of_line(framework, "pure_epsilon", "number", lambda line: _number(line.numbers.pure_dp))
    yield _of_point(framework, "epsilon", "number", lambda point: _number(point.epsilon))
    yield _of_point(framework, "delta", "number", lambda point: number(point.delta))
    yield _of_point(framework, "conversion", "text", lambda point: point.conversion)
    yield _of_line(framework, "refused", "text", lambda line: line.refused or None)


def _is_waived(result: BudgetResult) -> bool:
    return not result.holds and result.waived is not None


def _fails(result: BudgetResult) -> bool:
    return not result.holds and result.waived is None


SECONDS = "seconds"
"""The only column that depends on more than the spec and its data."""

COLUMNS: tuple[SummaryColumn, ...] = (
    SummaryColumn("path", "text", lambda v: v.path),
    SummaryColumn("outcome", "text", lambda v: v.outcome),
    SummaryColumn("exit_code", "integer", lambda v: v.exit_code),
    _of_digest("title", "text", lambda d: d.title),
    _of_digest("metric", "text", lambda d: d.metric),
    _of_digest("reading", "text", lambda d: d.reading),
    _of_digest("covering_lower", "integer", lambda d: d.covering[0]),
    _of_digest("covering_upper", "integer", lambda d: d.covering[1]),
    _of_digest("definition_13_lower", "integer", lambda d: d.definition_13[0]),
    _of_digest("definition_13_upper", "integer", lambda d: d.definition_13[1]),
    _of_digest("distance", "integer", lambda d: d.distance),
    *(column for framework in NAMES for column in _framework_columns(framework)),
    SummaryColumn("budgets_held", "integer", lambda v: sum(b.holds for b in v.budgets)),
    SummaryColumn("budgets_waived", "integer", lambda v: sum(_is_waived(b) for b in v.budgets)),
    SummaryColumn("budgets_failed", "integer", lambda v: sum(_fails(b) for b in v.budgets)),
    SummaryColumn("findings", "integer", lambda v: len(notices_of(v))),
    SummaryColumn("first_problem", "text", lambda v: first_problem(v) or None),
    SummaryColumn("sha256", "text", lambda v: v.sha256 or None),
    SummaryColumn(SECONDS, "number", lambda v: round(v.seconds, 3)),
    SummaryColumn("complete", "truth", lambda v: v.digest is not None and v.digest.complete),
)
"""Every column, in order. ``delta`` is that of the first epsilon, the largest that is reported."""

SHORT_NAMES = {
    "a": "covering_upper",
    **{name: f"{LEADING}_{name}" for name in ("rho", "mu", "pure_epsilon", "epsilon")},
}
"""Short names of columns for --sort."""


def first_problem(verdict: Verdict) -> str:
    """Return why a spec did not pass, in one line; empty if it did."""
    if verdict.problems:
        return str(verdict.problems[0])
    match verdict.outcome:
        case "holds" | "unaudited" | "internal":
            return ""
        case "audited":
            return NO_BUDGET if verdict.budgets_required else ""
        case "exceeds":
            return _first_failure(verdict)
        case _:
            assert_never(verdict.outcome)


def _first_failure(verdict: Verdict) -> str:
    for result in verdict.budgets:
        if _fails(result):
            budget = result.budget
            limit = limit_text(budget.limit, result.actual)
            name = f"{label(budget.framework)}: "
            name += measure_name(budget.measure, budget.at, budget.distance)
            if result.actual is None:
                return f"{name} has the limit {limit}: {result.reason}"
            certified = f"{name} {certified_text(result.actual, budget.limit)}"
            if result.rule == EXCEEDED:
                return f"{certified} is above the limit {limit}"
            return f"{certified}, limit {limit}: {result.reason}"
    return next((f.message for f in verdict.findings if f.level == "error"), "")


def columns_shown(*, times: bool) -> tuple[SummaryColumn, ...]:
    """Return the columns of a file: all, or those without the run time."""
    return tuple(column for column in COLUMNS if times or column.name != SECONDS)


def csv_lines(
    verdicts: Iterable[Verdict], *, as_it_is: bool = False, times: bool = False
) -> Iterator[str]:
    """Return the summary as CSV, line by line: a header, then a row per spec, rounded outward.

    A missing value is empty; infinity is ``inf``. A text that a spreadsheet would evaluate, or a
    log would execute, has an apostrophe before it.

    Args:
        as_it_is: no person or spreadsheet reads it, so texts stay unchanged.
        times: with the run time of each spec.
    """
    columns = columns_shown(times=times)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    for verdict in verdicts:
        yield _taken(buffer)
        writer.writerow([_text(column.value(verdict), as_it_is=as_it_is) for column in columns])
    yield _taken(buffer)


def _taken(buffer: io.StringIO) -> str:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text


def _text(value: Value, *, as_it_is: bool) -> str:
    return value if as_it_is and isinstance(value, str) else cell_of(value)


def column_named(sort: str) -> SummaryColumn:
    """Return the column that ``--sort`` names.

    Raises:
        ValueError: there is no such column.
    """
    name = sort.removeprefix("-")
    name = SHORT_NAMES.get(name, name)
    for column in COLUMNS:
        if column.name == name:
            return column
    raise ValueError(f"there is no column {name}; write one of the CSV's header")


def sorted_places(verdicts: Iterable[Verdict], sort: str) -> list[int]:
    """Return the order of the verdicts by a column; missing values are last.

    Args:
        sort: a column's name, or a short name; with ``-`` before it, the largest come first; or
            ``failures`` for the most severe exit codes first.

    Raises:
        ValueError: there is no such column.
    """
    if sort == "failures":
        codes = [PRECEDENCE.index(verdict.exit_code) for verdict in verdicts]
        return sorted(range(len(codes)), key=codes.__getitem__)
    column = column_named(sort)
    values = [column.value(verdict) for verdict in verdicts]
    known = [place for place, value in enumerate(values) if value is not None]

    def key(place: int) -> tuple[float, str]:
        value = values[place]
        return (0.0, value) if isinstance(value, str) else (value or 0, "")

    known.sort(key=key, reverse=sort.startswith("-"))
    return known + [place for place, value in enumerate(values) if value is None]


def verdicts_csv(verdicts: Sequence[Verdict], layout: Layout) -> str:
    """Return the summary of all specs as CSV."""
    return "".join(csv_lines(specs_of(verdicts), times=layout.times))
