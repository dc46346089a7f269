"""The view of an audit that all readable formats share: blocks of text and tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from semiaudit.errors import quote_of
from semiaudit.model.audit import Audit, BudgetResult
from semiaudit.model.labels import DEFINITION, budget_word, label, measure_name
from semiaudit.model.number_text import certified_text, limit_text
from semiaudit.report.blocks.guarantees_table import guarantees_block
from semiaudit.report.blocks.headline import headline
from semiaudit.report.blocks.notices import finding_lines, notice_of
from semiaudit.report.blocks.plain_words import plain_audit
from semiaudit.report.blocks.semantics_view import semantics_blocks
from semiaudit.report.blocks.universe_view import (
    example_pair_block,
    semi_adjacency_block,
    sensitivity_block,
)
from semiaudit.report.text.layout import Block, Grid, Lines, View, heading
from semiaudit.version import __version__


def view_of(audit: Audit, *, caveats: bool = False, verbose: bool = False) -> View:
    """Arrange an audit for reading: the verdict, the guarantees, the example pair.

    Args:
        caveats: also show the privacy specification, and what is in every report.
        verbose: show the caveats, more columns, and references to theory.
    """
    caveats = caveats or verbose
    audit = audit if verbose else plain_audit(audit)
    head = headline(audit)
    if audit.release.placeholder is not None:
        return View(audit.release.title, subtitle_of(audit), (head,))
    several = len(audit.sensitivities) > 1 and not audit.semantics
    blocks: list[Block | None] = [
        head,
        guarantees_block(audit, caveats=caveats, verbose=verbose),
        *semantics_blocks(audit, caveats=caveats),
        budgets_block(audit) if verbose or len(audit.budgets) > 1 else None,
        statement_block(audit) if caveats else None,
        semi_adjacency_block(audit) if caveats else None,
        example_pair_block(audit, caveats=caveats),
        sensitivity_block(audit) if caveats or several else None,
        not_protected_block(audit) if caveats else None,
        findings_block(audit, notes=caveats),
        left_out_block(audit, sources=caveats),
    ]
    held = tuple(block for block in blocks if block is not None)
    return View(audit.release.title, subtitle_of(audit), held)


def subtitle_of(audit: Audit) -> str:
    """Return the spec's path, the version, and why the report is incomplete, if it is."""
    late = heading(audit.incomplete_because)
    return f"{audit.release.path} · semiaudit {__version__}{late}"


def statement_block(audit: Audit) -> Lines:
    """Return the five building blocks, one sentence each."""
    statement = audit.statement
    items = (
        ("domain", statement.domain),
        ("scope", statement.scope),
        ("unit", statement.unit),
        ("standard", statement.standard),
        ("intensity", statement.intensity),
    )
    return Lines("Privacy specification", items)


def budgets_block(audit: Audit) -> Grid | None:
    """Return every budget with the certified number; None if there is none."""
    if not audit.budgets:
        return None
    return budget_grid("Budgets", [(b, _budget_text(b)) for b in audit.budgets])


def budget_grid(title: str, results: Iterable[tuple[BudgetResult, str]]) -> Grid:
    """Return the table of budgets: each with its limit, the certified number, and its verdict.

    Args:
        results: each with its verdict in words.
    """
    rows = tuple(
        (
            label(result.budget.framework),
            measure_name(result.budget.measure, result.budget.at, result.budget.distance),
            limit_text(result.budget.limit, result.actual),
            "-" if result.actual is None else certified_text(result.actual, result.budget.limit),
            verdict,
        )
        for result, verdict in results
    )
    columns = (DEFINITION, "measure", "limit", "certified", "verdict")
    return Grid(title, columns, rows, (False, False, True, True, False), decisive=(4,))


def _budget_text(result: BudgetResult) -> str:
    return budget_word(result) + (f": {result.reason}" if result.reason else "")


def not_protected_block(audit: Audit) -> Lines:
    """Return what each guarantee does not protect, each sentence once."""
    named: dict[str, list[str]] = {}
    for row in audit.rows:
        named.setdefault(row.guarantee.not_protected, []).append(label(row.guarantee.framework))
    items = tuple((", ".join(names), text) for text, names in named.items())
    return Lines("What each guarantee does not protect", items)


def findings_block(audit: Audit, *, notes: bool = True) -> Lines | None:
    """Return the findings with their lines, their number, and what explains them; None without."""
    release = audit.release
    notices = [
        replace(notice_of(release.path, finding), quote=quote_of(release.lines, finding.mark))
        for finding in audit.findings
    ]
    return finding_lines("Findings", notices, file=release.path, notes=notes)


def left_out_block(audit: Audit, *, sources: bool) -> Lines | None:
    """Return what the audit does not model, and its sources; None if there is nothing to list."""
    release = audit.release
    items = [("not modeled", text) for text in release.leaves_out]
    items += [("source", text) for text in release.references if sources]
    return Lines("Scope of this audit", tuple(items)) if items else None
