"""The head of a report: the verdict, and the most important facts."""

from __future__ import annotations

from typing import assert_never

from semiaudit.model.audit import LEVELS, Audit, Finding
from semiaudit.model.labels import label
from semiaudit.model.rules import (
    ATTRIBUTE_DISCLOSED,
    DATASET_DISCLOSED,
    GROUP_DISCLOSED,
    TABLE_DISCLOSED,
)
from semiaudit.model.verdict import FAILED, PASSED
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.conclusion import (
    conclusion,
    failing_budgets,
    failure,
    findings_in_verdict,
    leading_numbers,
    rows_of,
    subject_of,
)
from semiaudit.report.blocks.distance_sentence import distance_said
from semiaudit.report.blocks.growth import Compared, claim_of
from semiaudit.report.blocks.notices import counts_of
from semiaudit.report.text.layout import Head, Said, Tone

SHOWN_BUDGETS = 2
SHOWN_FINDINGS = 2

DISCLOSING = (TABLE_DISCLOSED, DATASET_DISCLOSED, ATTRIBUTE_DISCLOSED, GROUP_DISCLOSED)
"""Rules on what the invariants disclose by themselves: the most severe of their level."""

NO_LIMIT = "none; add budgets to the spec to set a limit"

_TONES: dict[str, Tone] = {"error": "bad", "warning": "warning", "note": "plain"}


def headline(audit: Audit) -> Head:
    """Return the verdict, numbers that it omits, a(t), budgets, and the most severe findings.

    Of a spec that describes no release yet, only that it does not.
    """
    if audit.release.placeholder is not None:
        return Head((conclusion(audit),), audit.release.path)
    verdict = conclusion(audit)
    items = [
        verdict,
        *_numbers(audit),
        distance_said(audit, explained=" must " in verdict.text),
        *_budgets(audit),
        *_findings(audit),
    ]
    return Head(tuple(items), audit.release.path)


def _numbers(audit: Audit) -> list[Said]:
    subject = subject_of(audit)
    match subject:
        case "disclosed dataset" | "refusal":
            return []
        case "budgets" | "disclosed table":
            known = leading_numbers(audit)
        case "numbers":
            known = leading_numbers(audit)[1:]
        case _:
            assert_never(subject)
    claim = claim_of(audit.release.mechanism)
    return [
        Said(row.symbol, row.sentence(claim, _conversion(audit, row)), "number") for row in known
    ]


def _conversion(audit: Audit, number: Compared) -> str:
    """Return the conversion by which an ε at a δ follows from the effective guarantee."""
    points = rows_of(audit)[1].numbers.tightest
    names = [p.conversion for p in points if number.at == f" at δ = {rational_text(p.delta)}"]
    return f", by {label(names[0])}" if names else ""


def _budgets(audit: Audit) -> list[Said]:
    """Return the budgets that the verdict omits: others that failed, and how many passed."""
    if not audit.budgets:
        return [Said("budgets", NO_LIMIT, "warning")]
    failing, number = failing_budgets(audit), len(audit.budgets)
    subject = subject_of(audit)
    number_passed = sum(result.holds for result in audit.budgets)
    if (subject == "budgets" and number == 1) or (subject == "numbers" and number_passed == number):
        return []
    others = failing[subject == "budgets" :]
    lines = [Said("budgets", f"{FAILED}: {failure(b)}", "bad") for b in others[:SHOWN_BUDGETS]]
    more = len(others) - len(lines)
    counts = [f"{more} more {FAILED}"] * (more > 0) + [f"{number_passed} of {number} {PASSED}"]
    return [*lines, Said("budgets", ", ".join(counts), "plain" if failing else "good")]


def _findings(audit: Audit) -> list[Said]:
    """Return errors and disclosures that the verdict omits, and the number of all others."""
    shown_above = findings_in_verdict(audit)
    findings = sorted((f for f in audit.findings if f not in shown_above), key=_severity)
    grave = [f for f in findings if f.level == "error" or f.rule in DISCLOSING]
    shown = [finding for finding in grave[:SHOWN_FINDINGS] if finding.level != "note"]
    lines = [Said("findings", f"{f.level}: {f.message}", _TONES[f.level]) for f in shown]
    others = [finding for finding in findings if finding not in shown]
    if others:
        counts = counts_of(finding.level for finding in others)
        rules = ", ".join(sorted({finding.rule for finding in others}))
        lines.append(Said("findings", f"{'and ' if lines else ''}{counts} ({rules})"))
    return lines or [Said("findings", "no others" if shown_above else "none")]


def _severity(finding: Finding) -> tuple[int, bool]:
    return LEVELS.index(finding.level), finding.rule not in DISCLOSING
