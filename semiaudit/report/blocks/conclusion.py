"""The verdict of an audit in one sentence: the first sentence of a report."""

from __future__ import annotations

from typing import Literal, assert_never

from semiaudit.model.adjacency import assumed_neighbors, has_places
from semiaudit.model.audit import Audit, BudgetResult, Finding, only_margin
from semiaudit.model.bound import REMEDIES
from semiaudit.model.frameworks import ADVERTISED, LEADING
from semiaudit.model.guarantee import GuaranteeRow
from semiaudit.model.labels import budget_name, label
from semiaudit.model.number_text import limit_text, limited_text
from semiaudit.model.rules import (
    DATASET_DISCLOSED,
    OPEN_INTERVAL,
    PLACEHOLDER,
    REFUSED,
    TABLE_DISCLOSED,
)
from semiaudit.model.verdict import ERROR, FAILED, NO_BUDGET, PASSED
from semiaudit.report.blocks.distance_sentence import Name, number_word, shortened_name
from semiaudit.report.blocks.growth import Compared, claim_of, compared, factor_text, is_finite
from semiaudit.report.text.layout import Said, Tone

LABEL = "verdict"

Subject = Literal["disclosed dataset", "refusal", "budgets", "disclosed table", "numbers"]
"""The subject of a verdict; the first that applies."""

_NAMED = 2
"""Attributes that the sentence names."""


def conclusion(audit: Audit) -> Said:
    """Return the most important result; ``subject_of`` gives its subject."""
    tone, whole = _sentences(audit, str)
    return Said(LABEL, whole, tone, brief=_sentences(audit, shortened_name)[1])


def status_of(audit: Audit) -> str:
    """Return the outcome in a word, as in a batch; ERROR if no effective guarantee is proven."""
    if subject_of(audit) == "refusal":
        return ERROR
    if failing_budgets(audit) or any(f.level == "error" and not f.waived for f in audit.findings):
        return FAILED
    return PASSED if audit.budgets else NO_BUDGET


def leading_numbers(audit: Audit) -> list[Compared]:
    """The advertised numbers with the effective ones, the leading measure first."""
    nominal, semi = rows_of(audit)
    delta = max(audit.release.options.deltas, default=None)
    return compared(nominal.numbers, semi.numbers, delta)


def failing_budgets(audit: Audit) -> list[BudgetResult]:
    """Return the budgets that failed and are not waived, in the order of the spec."""
    return [result for result in audit.budgets if not result.holds and result.waived is None]


def subject_of(audit: Audit) -> Subject:
    """Return the subject of the verdict; the lines below it cover the rest."""
    disclosed = audit.universe.disclosed
    if audit.universe.semi_adjacency.covering.upper == 0:
        return "disclosed dataset"
    if rows_of(audit)[1].guarantee.refused:
        return "refusal"
    if failing_budgets(audit):
        return "budgets"
    return "disclosed table" if disclosed.table_is_public else "numbers"


def findings_in_verdict(audit: Audit) -> list[Finding]:
    """The findings that the verdict says itself."""
    placeholders = [finding for finding in audit.findings if finding.rule == PLACEHOLDER]
    return [*placeholders, *_findings_of_subject(audit)]


def _findings_of_subject(audit: Audit) -> list[Finding]:
    subject = subject_of(audit)
    match subject:
        case "disclosed dataset":
            return [finding for finding in audit.findings if finding.rule == DATASET_DISCLOSED]
        case "refusal":
            unknown = rows_of(audit)[1].guarantee.distance is None
            rules = {OPEN_INTERVAL} if unknown else set()
            return [
                finding
                for finding in audit.findings
                if is_refusal(finding) or finding.rule in rules
            ]
        case "disclosed table":
            return [finding for finding in audit.findings if finding.rule == TABLE_DISCLOSED]
        case "budgets" | "numbers":
            return []
        case _:
            assert_never(subject)


def failure(result: BudgetResult) -> str:
    """Describe a budget that failed: its number, its limit, and why."""
    budget, actual = result.budget, result.actual
    limit = limit_text(budget.limit, actual)
    if actual is None:
        return f"{budget_name(result.budget)}, limit {limit}: {result.reason}"
    text = f"{budget_name(result.budget)} is {limited_text(actual, budget.limit)}"
    if result.reason == "above its limit":
        return f"{text}, above the limit {limit}"
    return f"{text} (limit {limit}); {result.reason}"


def _sentences(audit: Audit, name: Name) -> tuple[Tone, str]:
    tone, first = _first(audit, name)
    late = "time" in audit.incomplete_because
    sentence = first + (f" {_capitalized(REMEDIES['time'])}." if late else "")
    draft = draft_sentence(audit.release.placeholder_place)
    return ("bad", f"{draft} {sentence}") if draft else (tone, sentence)


def draft_sentence(place: str) -> str:
    """Return that a spec describes no release yet.

    Args:
        place: of the placeholder, as ``Release.placeholder_place``; empty if there is none.
    """
    return f"This is not your release yet: the spec has a placeholder ({place})." if place else ""


def _first(audit: Audit, name: Name) -> tuple[Tone, str]:
    subject = subject_of(audit)
    match subject:
        case "disclosed dataset":
            return "bad", "The release protects nothing: the invariants disclose the whole dataset."
        case "refusal":
            return "bad", f"{_capitalized(_refusal(audit))}."
        case "budgets":
            failing, number = failing_budgets(audit), len(audit.budgets)
            which = "its budget" if number == 1 else f"{len(failing)} of its {number} budgets"
            return "bad", f"The release fails {which}: {failure(failing[0])}."
        case "disclosed table":
            public = "the invariants disclose the whole table"
            return "bad", f"The release protects only which record belongs to whom: {public}."
        case "numbers":
            tone, sentence = _compared(audit, name)
            return tone, f"{_passed(audit)} {sentence}."
        case _:
            assert_never(subject)


def _passed(audit: Audit) -> str:
    number = len(audit.budgets)
    if audit.release.placeholder is not None:
        return "With it, the release"
    if not number or not all(result.holds for result in audit.budgets):
        return "The release"
    budgets_text = "its budget" if number == 1 else f"its {number} budgets"
    return f"The release passes {budgets_text}; it"


def _compared(audit: Audit, name: Name) -> tuple[Tone, str]:
    nominal, semi = rows_of(audit)
    numbers, claim = leading_numbers(audit), claim_of(audit.release.mechanism)
    if not numbers:
        return "bad", "has no certified privacy number"
    first = numbers[0]
    before, after = first.texts
    number = f"{first.symbol} is {after}"
    if not after:
        return "bad", f"has no effective {first.symbol}: {claim.only(before)}"
    if not is_finite(first.after):
        if not is_finite(first.before):
            both = f", neither {claim.of_it} nor effective" if before else ""
            return "bad", f"has no finite {first.symbol}{first.at}{both}"
        return "bad", f"has no finite effective {first.symbol}{first.at}; {claim.gives(before)}"
    if not before:
        inside = "datasets that agree on the invariants"
        if nominal.guarantee.refused:
            protects = f"protects {inside} ({number}{first.at} between them)"
            return "plain", f"{protects}; {claim.none_for_others}"
        return "plain", f"{claim.has_no} {first.symbol}; between {inside}, {number}{first.at}"
    if not is_finite(first.before):
        return "good", f"protects more than {claim.it}: {number}{first.at}, not infinite"
    factor = first.growth
    if first.is_the_same:
        return "good", f"protects {claim.the_same}: {number}{first.at}"
    text = f"{number}{first.at}, not {before}{factor_text(factor)}"
    if factor is not None and factor < 1:
        inside = "between datasets that agree on the invariants"
        return "good", f"protects more than {claim.it} {inside}: {text}"
    return "warning", f"protects less than {claim.it}: {text}{_because(audit, semi, name)}"


def _because(audit: Audit, semi: GuaranteeRow, name: Name) -> str:
    """Explain why the effective number is larger; empty at distance 1.

    The pair with the largest privacy loss need not be a closest one, so the sentence names no pair.
    """
    distance = semi.guarantee.distance
    if distance is None or distance < 2:
        return ""
    if audit.release.adjacency.distance is not None:
        return f", because the spec compares datasets at distance {distance}"
    chosen, metric = audit.universe.semi_adjacency.chosen, audit.release.adjacency.metric
    most = "" if chosen.lower == chosen.upper else "up to "
    if has_places(metric):
        differ = f"differ in {most}{number_word(distance)} records"
    else:
        differ = f"be at distance {most}{distance} ({label(assumed_neighbors(metric))})"
    return f", because the nearest datasets that agree on {_invariants(audit, name)} can {differ}"


def _invariants(audit: Audit, name: Name) -> str:
    parts = audit.universe.semi_adjacency.own
    if parts is not None:
        return parts.covered
    attributes = only_margin(audit.release.published_invariants)
    if 0 < len(attributes) <= _NAMED:
        return f"the published counts by {' and '.join(map(name, attributes))}"
    return "the published invariants"


def is_refusal(finding: Finding) -> bool:
    """Return whether a finding says that there is no effective guarantee.

    For other definitions, this is not an error.
    """
    return finding.rule == REFUSED and finding.level == "error"


def _refusal(audit: Audit) -> str:
    why = f"no effective guarantee is proven: {rows_of(audit)[1].guarantee.refused}"
    return next((finding.message for finding in audit.findings if is_refusal(finding)), why)


def rows_of(audit: Audit) -> tuple[GuaranteeRow, GuaranteeRow]:
    """The advertised and the effective guarantee."""
    rows = {row.guarantee.framework: row for row in audit.rows}
    return rows[ADVERTISED], rows[LEADING]


def _capitalized(text: str) -> str:
    return text[0].upper() + text[1:]
