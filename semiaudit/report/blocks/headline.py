"""The head of a report: the verdict, and the most important facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import assert_never

from semiaudit.model.audit import LEVELS, Audit, Finding
from semiaudit.model.bound import Bound
from semiaudit.model.guarantee import GuaranteeRow
from semiaudit.model.labels import DEFINITION, label
from semiaudit.model.number_text import bound_text
from semiaudit.model.rules import (
    ATTRIBUTE_DISCLOSED,
    DATASET_DISCLOSED,
    GROUP_DISCLOSED,
    TABLE_DISCLOSED,
)
from semiaudit.model.verdict import FAILED, NO_BUDGET, PASSED
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.conclusion import (
    conclusion,
    failing_budgets,
    failure,
    findings_in_verdict,
    leading_numbers,
    subject_of,
)
from semiaudit.report.blocks.distance_sentence import distance_said
from semiaudit.report.blocks.epsilon_tables import FEW
from semiaudit.report.blocks.growth import claim_of
from semiaudit.report.text.layout import Grid, Head, Said, Tone

SHOWN_BUDGETS = 2
SHOWN_FINDINGS = 2

DISCLOSING = (TABLE_DISCLOSED, DATASET_DISCLOSED, ATTRIBUTE_DISCLOSED, GROUP_DISCLOSED)
"""Rules on what the invariants disclose by themselves: the most severe of their level."""

DRAFT = "the spec has a placeholder"

_TONES: dict[str, Tone] = {"error": "bad", "warning": "warning", "note": "plain"}


def headline(audit: Audit) -> Head:
    """Return the verdict, numbers that it omits, a(t), budgets, and the most severe findings."""
    items = [
        conclusion(audit),
        *_numbers(audit),
        distance_said(audit),
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
    return [Said(row.symbol, row.sentence(claim), "number") for row in known]


def _budgets(audit: Audit) -> list[Said]:
    """Return the budgets that the verdict omits: others that failed, and how many passed."""
    if not audit.budgets:
        return [Said("budgets", NO_BUDGET, "warning")]
    failing, number = failing_budgets(audit), len(audit.budgets)
    subject = subject_of(audit)
    number_passed = sum(result.holds for result in audit.budgets)
    draft = audit.release.placeholder is not None
    if draft and number_passed == number:
        return [Said("budgets", f"not judged: {DRAFT}", "warning")]
    if (subject == "budgets" and number == 1) or (subject == "numbers" and number_passed == number):
        return []
    others = failing[subject == "budgets" :]
    lines = [Said("budgets", f"{FAILED}: {failure(b)}", "bad") for b in others[:SHOWN_BUDGETS]]
    more = len(others) - len(lines)
    counts = [f"{more} more {FAILED}"] * (more > 0) + [f"{number_passed} of {number} {PASSED}"]
    return [*lines, Said("budgets", ", ".join(counts), "plain" if failing else "good")]


def _findings(audit: Audit) -> list[Said]:
    shown_above = findings_in_verdict(audit)
    findings = sorted((f for f in audit.findings if f not in shown_above), key=_severity)
    shown = [finding for finding in findings[:SHOWN_FINDINGS] if finding.level != "note"]
    lines = [Said("findings", f"{f.level} {f.rule}: {f.message}", _TONES[f.level]) for f in shown]
    counts = Counter(finding.level for finding in findings[len(shown) :])
    others = [
        f"{counts[level]} {level}{'s' * (counts[level] > 1)}" for level in LEVELS if counts[level]
    ]
    if others:
        rules = ", ".join(sorted({finding.rule for finding in findings[len(shown) :]}))
        lines.append(Said("findings", f"{'and ' if lines else ''}{', '.join(others)} ({rules})"))
    return lines or [Said("findings", "no others" if shown_above else "none")]


def _severity(finding: Finding) -> tuple[int, bool]:
    return LEVELS.index(finding.level), finding.rule not in DISCLOSING


TITLE = "Optimal membership attack"
_AT_MOST = (
    "Upper bounds: TPR and FPR are the true and false positive rates of an attacker who decides "
    "between two datasets. The type II error at a type I error (FPR) is at least 1 - TPR."
)
_SOURCES = {
    "gaussian_exact": "the exact Gaussian tradeoff function",
    "tradeoff_exact": "the tradeoff function's vertices",
    "tradeoff_merged": "a tradeoff function with merged pieces, which is looser and stays valid",
    "loss_distribution": "the privacy-loss distribution of the noise itself",
    "cks20_envelope": "the Rényi divergences of all orders (only zCDP is known)",
}


def attack_grids(rows: Sequence[GuaranteeRow], *, caveats: bool) -> list[Grid]:
    """Return advantage and TPR of every guarantee; many type I errors have their own table.

    None if no guarantee has operating points.

    Args:
        caveats: explain the tables that are in every report.
    """
    known = [row for row in rows if row.numbers.advantage is not None]
    if not known:
        return []
    above = (_AT_MOST,) if caveats else ()
    notes = (*above, f"Computed from {_SOURCES[known[0].numbers.operating_points_from]}.")
    rates = [type_i for type_i, _ in known[0].numbers.tpr_at_fpr]
    names = tuple(label(row.guarantee.framework) for row in known)
    few = rates if len(rates) <= FEW else []
    columns = (DEFINITION, "advantage", *(f"TPR at FPR {_rate(rate)}" for rate in few))
    cells = tuple(
        (
            label(row.guarantee.framework),
            _value(row.numbers.advantage),
            *(_value(power) for _, power in row.numbers.tpr_at_fpr[: len(few)]),
        )
        for row in known
    )
    first = Grid(TITLE, columns, cells, (False, *(True for _ in columns[1:])), notes)
    if few or not rates:
        return [first]
    powers = [dict(row.numbers.tpr_at_fpr) for row in known]
    lines = tuple((_rate(rate), *(_value(power.get(rate)) for power in powers)) for rate in rates)
    title = f"TPR of the optimal membership attack at {len(rates)} FPRs"
    return [first, Grid(title, ("FPR", *names), lines, (True, *(True for _ in names)), above)]


def _rate(type_i: Fraction) -> str:
    return rational_text(type_i, up=False)


def _value(bound: Bound | None) -> str:
    return "-" if bound is None else bound_text(bound)
