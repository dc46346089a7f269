"""Many verdicts arranged for reading: one view for text and Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from semiaudit.errors import NOWHERE
from semiaudit.model.audit import BudgetResult
from semiaudit.model.bound import Bound
from semiaudit.model.frameworks import ADVERTISED, LEADING
from semiaudit.model.guarantee import GuaranteeLine
from semiaudit.model.labels import WAIVED, budget_word
from semiaudit.model.number_text import bound_text, range_text
from semiaudit.model.verdict import PASSED, WORDS, Verdict
from semiaudit.report.blocks.notices import (
    Notice,
    finding_lines,
    listed_together,
    most_severe_first,
    notices_of,
    of_both,
    severity,
    specs_of,
    summary_of,
)
from semiaudit.report.blocks.plain_words import plain_verdicts
from semiaudit.report.blocks.summary import line_of
from semiaudit.report.blocks.view import budget_grid
from semiaudit.report.text.layout import Grid, Layout, Lines, View, skipped_lines
from semiaudit.version import __version__

OF_SPECS = "Specs"
"""The title of the table with a row per spec."""

OF_THE_RUN = "Of this run"
"""The title of what is hidden and what was skipped."""

OTHERS = "Warnings and notes"
"""The title of the findings of specs that did not fail, and of those that fail nothing."""

FAILED = (4, 2, 1)
"""Exit codes of specs that are listed one by one; specs without a budget are listed together."""


def verdict_view(verdicts: Sequence[Verdict], layout: Layout) -> View:
    """Arrange verdicts: the summary, what fails, every spec's outcome, and what else was found.

    Equal findings of several specs appear once, with their number.
    """
    verdicts = verdicts if layout.verbose else plain_verdicts(verdicts)
    ordered = most_severe_first(verdicts)
    shown = [v for v in ordered if v.exit_code] if layout.only_failures else ordered
    failing = [verdict for verdict in shown if verdict.exit_code in FAILED]
    notices = {id(verdict): notices_of(verdict) for verdict in shown}
    named: set[int] = set()
    blocks: list[Grid | Lines | None] = []
    for verdict in failing:
        errors = unless_ignored([n for n in notices[id(verdict)] if severity(n) < 2], layout)
        named |= {id(notice) for notice in errors}
        shown_errors = listed_together(of_both(errors))
        blocks += [_budgets(verdict), finding_lines(f"{verdict.path}: findings", shown_errors)]
    specs = specs_of(shown)
    blocks.append(specs_grid(specs) if len(specs_of(verdicts)) > 1 and specs else None)
    for verdict in shown:
        waived = any(result.waived for result in verdict.budgets)
        if verdict not in failing and (waived or len(verdicts) == 1):
            blocks.append(_budgets(verdict))
    all_notices = [notice for verdict in shown for notice in notices[id(verdict)]]
    rest = sorted(unless_ignored(all_notices, layout), key=severity)
    blocks.append(finding_lines(OTHERS, [n for n in rest if id(n) not in named]))
    blocks.append(_left_out(all_notices, layout))
    summary = summary_of(verdicts, incomplete=layout.incomplete)
    return View(
        summary[0].upper() + summary[1:],
        f"semiaudit {__version__}",
        tuple(block for block in blocks if block is not None),
    )


def unless_ignored(notices: Sequence[Notice], layout: Layout) -> list[Notice]:
    """Return findings without those of the rules that are only counted."""
    return [notice for notice in notices if notice.rule not in layout.ignored]


def _left_out(notices: Sequence[Notice], layout: Layout) -> Lines | None:
    hidden = Counter(notice.rule for notice in notices if notice.rule in layout.ignored)
    items = [("not shown", f"{rule}: {number}") for rule, number in sorted(hidden.items())]
    items += [("skipped", text) for text in skipped_lines(layout)]
    return Lines(OF_THE_RUN, tuple(items)) if items else None


def specs_grid(specs: Iterable[Verdict]) -> Grid:
    """Return a table with a row for each spec."""
    rows = tuple((WORDS[v.outcome], a_t_text(v), loss_text(v), held_text(v), v.path) for v in specs)
    columns = ("verdict", "a(t)", "loss", "budgets", "spec")
    return Grid(OF_SPECS, columns, rows, (False, True, False, False, False))


def a_t_text(verdict: Verdict) -> str:
    """Return covering a(t): a number, an interval, its lower bound, or ``-`` without an audit."""
    digest = verdict.digest
    return "-" if digest is None else range_text(*digest.covering, digest.established)


def loss_text(verdict: Verdict) -> str:
    """Return the leading measure, advertised and effective; a dash if there is none."""
    (symbol, before), (other, after) = (
        leading_measure(None if verdict.digest is None else line_of(verdict.digest, name))
        for name in (ADVERTISED, LEADING)
    )
    first = "none" if before is None else f"{symbol} {bound_text(before)}"
    second = "none" if after is None else f"{other * (other != symbol)} {bound_text(after)}"
    if before is None and after is None:
        return "-"
    same = before and after and before.value == after.value
    return first if same else f"{first} → {second.strip()}"


def leading_measure(line: GuaranteeLine | None) -> tuple[str, Bound | None]:
    """Return the most informative measure of a guarantee, and its number; None if there is none."""
    if line is None or line.refused:
        return "", None
    numbers = line.numbers
    own_mu = numbers.gdp if numbers.gdp and numbers.gdp.method == "gdp" else None
    kinds = (("ε", numbers.pure_dp), ("μ", own_mu), ("ρ", numbers.zcdp))
    return next(((name, bound) for name, bound in kinds if bound), ("", None))


def held_text(verdict: Verdict) -> str:
    """Return how many budgets passed; ``-`` without budgets."""
    budgets = verdict.budgets
    if not budgets:
        return "-"
    held = sum(result.holds for result in budgets)
    waived = sum(result.waived is not None for result in budgets)
    return f"{held} of {len(budgets)} {PASSED}" + (f", {waived} {WAIVED}" if waived else "")


def _budgets(verdict: Verdict) -> Grid | None:
    if not verdict.budgets:
        return None
    results = merged(verdict.budgets)
    worded = [(result, _word(result, whose)) for result, whose in results]
    return budget_grid(f"{verdict.path}: budgets", worded)


def merged(results: Sequence[BudgetResult]) -> list[tuple[BudgetResult, str]]:
    """Results with whose budgets they are: a policy's that repeats the spec's own has no row."""
    alike = [replace(r, budget=replace(r.budget, policy=False, mark=NOWHERE)) for r in results]
    rows = []
    for result, same in zip(results, alike, strict=True):
        both = {r.budget.policy for r, other in zip(results, alike, strict=True) if other == same}
        if len(both) == 2:
            if not result.budget.policy:
                rows.append((result, " (spec and policy)"))
        else:
            rows.append((result, " (policy)" if result.budget.policy else ""))
    return rows


def _word(result: BudgetResult, whose: str) -> str:
    word = budget_word(result) + whose
    if result.holds:
        return word
    if result.waived is not None:
        return f"{word}: {result.waived}; without the waiver: {result.reason}"
    return f"{word}: {result.reason} ({result.rule})"
