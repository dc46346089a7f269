"""The head of a report: the verdict, and what a reader must know before anything else."""

from __future__ import annotations

from collections import Counter
from typing import assert_never

from semiaudit.model.audit import LEVELS, Audit, Finding
from semiaudit.model.rules import (
    ATTRIBUTE_DISCLOSED,
    DATASET_DISCLOSED,
    GROUP_DISCLOSED,
    TABLE_DISCLOSED,
)
from semiaudit.model.verdict import FAILED, NO_BUDGET, PASSED
from semiaudit.report.blocks.conclusion import (
    conclusion,
    failing_budgets,
    failure,
    findings_in_verdict,
    leading_numbers,
    subject_of,
)
from semiaudit.report.blocks.distance_sentence import distance_said
from semiaudit.report.text.layout import Head, Said, Tone

SHOWN_BUDGETS = 2
SHOWN_FINDINGS = 2

DISCLOSING = (TABLE_DISCLOSED, DATASET_DISCLOSED, ATTRIBUTE_DISCLOSED, GROUP_DISCLOSED)
"""Rules of what the invariants disclose by themselves: the most severe of their level."""

_TONES: dict[str, Tone] = {"error": "bad", "warning": "warning", "note": "plain"}


def headline(audit: Audit) -> Head:
    """The verdict; numbers that it leaves out; a(t); budgets; the most severe findings."""
    items = [
        conclusion(audit),
        *_numbers(audit),
        distance_said(audit),
        *_budgets(audit),
        *_findings(audit),
    ]
    return Head(tuple(items), audit.release.path)


def _numbers(audit: Audit) -> list[Said]:
    """Advertised and effective numbers that are not in the verdict."""
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
    return [Said(row.symbol, row.sentence(), "number") for row in known]


def _budgets(audit: Audit) -> list[Said]:
    """What the verdict leaves out of the budgets: others that failed, and how many passed."""
    if not audit.budgets:
        return [Said("budgets", NO_BUDGET, "warning")]
    failing, number = failing_budgets(audit), len(audit.budgets)
    subject = subject_of(audit)
    held = sum(result.holds for result in audit.budgets)
    if (subject == "budgets" and number == 1) or (subject == "numbers" and held == number):
        return []
    others = failing[subject == "budgets" :]
    said = [Said("budgets", f"{FAILED}: {failure(b)}", "bad") for b in others[:SHOWN_BUDGETS]]
    more = len(others) - len(said)
    counts = [f"{more} more {FAILED}"] * (more > 0) + [f"{held} of {number} {PASSED}"]
    return [*said, Said("budgets", ", ".join(counts), "plain" if failing else "good")]


def _findings(audit: Audit) -> list[Said]:
    """The most severe two, and the others counted; those that the verdict says are left out."""
    shown_above = findings_in_verdict(audit)
    findings = sorted((f for f in audit.findings if f not in shown_above), key=_severity)
    shown = [finding for finding in findings[:SHOWN_FINDINGS] if finding.level != "note"]
    said = [Said("findings", f"{f.level} {f.rule}: {f.message}", _TONES[f.level]) for f in shown]
    counts = Counter(finding.level for finding in findings[len(shown) :])
    rest = [
        f"{counts[level]} {level}{'s' * (counts[level] > 1)}" for level in LEVELS if counts[level]
    ]
    if rest:
        said.append(Said("findings", f"{'and ' if said else ''}{', '.join(rest)}"))
    return said or [Said("findings", "no others" if shown_above else "none")]


def _severity(finding: Finding) -> tuple[int, bool]:
    return LEVELS.index(finding.level), finding.rule not in DISCLOSING
