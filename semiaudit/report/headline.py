"""The answer of an audit: what a reader must know before anything else, as a head of a report."""

from __future__ import annotations

from collections import Counter

from semiaudit.model.audit import LEVELS, Audit, BudgetResult, Finding
from semiaudit.model.frameworks import ADVERTISED, LEADING
from semiaudit.model.rules import (
    ATTRIBUTE_DISCLOSED,
    DATASET_DISCLOSED,
    GROUP_DISCLOSED,
    REFUSED,
    TABLE_DISCLOSED,
)
from semiaudit.model.verdict import FAILED, NO_BUDGET, PASSED
from semiaudit.report.budget_names import budget_name
from semiaudit.report.distance_sentence import distance_said
from semiaudit.report.growth import grown
from semiaudit.report.layout import Head, Said, Tone
from semiaudit.report.numbers import bound_text, rational_text

SHOWN_BUDGETS = 3
SHOWN_FINDINGS = 2

DISCLOSING = (TABLE_DISCLOSED, DATASET_DISCLOSED, ATTRIBUTE_DISCLOSED, GROUP_DISCLOSED)
"""Rules of what the invariants disclose by themselves: the gravest of their level."""

_TONES: dict[str, Tone] = {"error": "bad", "warning": "warning", "note": "plain"}


def headline(audit: Audit) -> Head:
    """The advertised numbers beside the effective ones, a(t), failing budgets, gravest findings."""
    items = [*_numbers(audit), distance_said(audit), *_budgets(audit), *_findings(audit)]
    return Head(tuple(items), audit.release.path)


def _numbers(audit: Audit) -> list[Said]:
    """By how much the numbers grow; where semi_dp is refused why, and no number."""
    rows = {row.guarantee.framework: row for row in audit.rows}
    nominal, semi = rows[ADVERTISED], rows[LEADING]
    if semi.guarantee.refused:
        told = next((finding.message for finding in audit.findings if _is_refusal(finding)), "")
        why = told or f"{LEADING} is not stated: {semi.guarantee.refused}"
        return [Said("refused", why, "bad")]
    delta = max(audit.release.options.deltas, default=None)
    unknown = Said("effective", "no number is known of this mechanism", "bad")
    return grown(nominal.numbers, semi.numbers, delta) or [unknown]


def _is_refusal(finding: Finding) -> bool:
    """Whether it says that there is no effective guarantee; of other notions it is no error."""
    return finding.rule == REFUSED and finding.level == "error"


def _budgets(audit: Audit) -> list[Said]:
    """Budgets that failed, the first three in the order of the spec, and how many others passed."""
    if not audit.budgets:
        return [Said("budgets", NO_BUDGET)]
    failing = [result for result in audit.budgets if not result.holds and result.waived is None]
    said = [Said("budgets", _failing(result), "bad") for result in failing[:SHOWN_BUDGETS]]
    more = len(failing) - len(said)
    held = sum(result.holds for result in audit.budgets)
    told = [f"{more} more {FAILED}"] * (more > 0) + [f"{held} of {len(audit.budgets)} {PASSED}"]
    return [*said, Said("budgets", ", ".join(told), "plain" if failing else "good")]


def _failing(result: BudgetResult) -> str:
    limit = f"limit {rational_text(result.budget.limit, up=False)}"
    if result.actual is None:
        return f"{FAILED} {budget_name(result)}, {limit}: {result.reason}"
    told = f"{FAILED} {budget_name(result)}: certified {bound_text(result.actual)}, {limit}"
    return told if result.reason == "above its limit" else f"{told}; {result.reason}"


def _findings(audit: Audit) -> list[Said]:
    """The gravest two, and the others counted; a refusal stands above in place of the numbers."""
    found = sorted((f for f in audit.findings if not _is_refusal(f)), key=_gravity)
    shown = [finding for finding in found[:SHOWN_FINDINGS] if finding.level != "note"]
    said = [Said("findings", f"{f.level} {f.rule}: {f.message}", _TONES[f.level]) for f in shown]
    counts = Counter(finding.level for finding in found[len(shown) :])
    rest = [
        f"{counts[level]} {level}{'s' * (counts[level] > 1)}" for level in LEVELS if counts[level]
    ]
    if rest:
        said.append(Said("findings", f"{'and ' if said else ''}{', '.join(rest)}"))
    return said or [Said("findings", "none")]


def _gravity(finding: Finding) -> tuple[int, bool]:
    return LEVELS.index(finding.level), finding.rule not in DISCLOSING
