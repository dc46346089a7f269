"""Many verdicts arranged for reading: one view that text and Markdown share."""

from __future__ import annotations

from collections.abc import Sequence

from semiaudit.model.audit import BudgetResult
from semiaudit.model.verdict import Verdict
from semiaudit.report.budget_names import measure_name
from semiaudit.report.layout import Grid, Lines, View
from semiaudit.report.notices import WORDS, Notice, notices_of, specs_of, summary_of
from semiaudit.report.numbers import bound_text, rational_text
from semiaudit.version import __version__


def verdict_view(verdicts: Sequence[Verdict], *, incomplete: bool = False) -> View:
    """Arrange verdicts: the summary, every spec's outcome, its budgets, and what was found."""
    specs = specs_of(verdicts)
    blocks: list[Grid | Lines | None] = [_specs(specs) if len(specs) > 1 else None]
    for verdict in verdicts:
        blocks += [_budgets(verdict), _found(verdict)]
    summary = summary_of(verdicts, incomplete=incomplete)
    return View(
        summary[0].upper() + summary[1:],
        f"semiaudit {__version__}",
        tuple(block for block in blocks if block is not None),
    )


def _specs(specs: Sequence[Verdict]) -> Grid:
    rows = tuple(
        (WORDS[verdict.outcome], a_t_text(verdict), _held(verdict), verdict.path)
        for verdict in specs
    )
    columns = ("verdict", "a(t)", "budgets", "spec")
    return Grid("Specs", columns, rows, (False, True, False, False))


def a_t_text(verdict: Verdict) -> str:
    """Covering a(t): a number, an interval, its lower end, or ``-`` where there is no audit."""
    if verdict.digest is None:
        return "-"
    low, high = verdict.digest.covering
    if low == high:
        return str(low)
    if high is not None and not verdict.digest.established:
        return f"at least {low}"
    return f"[{low}, {'inf' if high is None else high}]"


def _held(verdict: Verdict) -> str:
    budgets = verdict.budgets
    if not budgets:
        return "-"
    held = sum(result.holds for result in budgets)
    waived = sum(result.waived is not None for result in budgets)
    return f"{held} of {len(budgets)} hold" + (f", {waived} waived" if waived else "")


def _budgets(verdict: Verdict) -> Grid | None:
    if not verdict.budgets:
        return None
    rows = tuple(
        (
            result.budget.framework,
            measure_name(result),
            rational_text(result.budget.limit, up=False),
            "-" if result.actual is None else bound_text(result.actual),
            _word(result),
        )
        for result in verdict.budgets
    )
    columns = ("guarantee", "measure", "limit", "certified", "verdict")
    return Grid(f"{verdict.path}: budgets", columns, rows, (False, False, True, True, False))


def _word(result: BudgetResult) -> str:
    whose = " (policy)" if result.budget.policy else ""
    if result.holds:
        return f"holds{whose}"
    if result.waived is not None:
        return f"waived{whose}: {result.waived}; else: {result.reason}"
    return f"does not hold{whose}: {result.reason} ({result.rule})"


def _found(verdict: Verdict) -> Lines | None:
    items = tuple(
        (
            f"{notice.rule} {'waived' if notice.waived else notice.level}",
            f"{notice.message}{_waiver(notice)} ({_place(notice)})",
        )
        for notice in notices_of(verdict)
    )
    return Lines(f"{verdict.path}: findings", items) if items else None


def _waiver(notice: Notice) -> str:
    return "" if notice.waived is None else f"; waived: {notice.waived}"


def _place(notice: Notice) -> str:
    return f"{notice.file}:{notice.line}:{notice.column}" if notice.column else notice.file
