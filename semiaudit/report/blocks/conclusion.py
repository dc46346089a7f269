"""The verdict of an audit in one sentence: the first sentence of a report."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, assert_never

from semiaudit.model.adjacency import assumed_neighbors, has_places
from semiaudit.model.audit import Audit, BudgetResult, Finding, only_margin
from semiaudit.model.bound import REMEDIES
from semiaudit.model.frameworks import ADVERTISED, LEADING
from semiaudit.model.guarantee import GuaranteeRow
from semiaudit.model.labels import OPEN, budget_name, label, measure_name
from semiaudit.model.measure import PiecewiseLinear
from semiaudit.model.number_text import certified_text, limit_text, sentence_text
from semiaudit.model.rules import (
    DATASET_DISCLOSED,
    OPEN_INTERVAL,
    PLACEHOLDER,
    REFUSED,
    TABLE_DISCLOSED,
)
from semiaudit.model.topdown import Semantic
from semiaudit.model.verdict import ERROR, FAILED, NO_BUDGET, PASSED
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.distance_sentence import number_word, plural
from semiaudit.report.blocks.growth import Compared, claim_of, compared, factor_text, is_finite
from semiaudit.report.text.layout import Said, Tone

LABEL = "verdict"

Subject = Literal["disclosed dataset", "refusal", "budgets", "disclosed table", "numbers"]
"""The subject of a verdict; the first that applies."""

_NAMED = 2
"""Attributes that the sentence names."""


def conclusion(audit: Audit) -> Said:
    """Return the most important result; ``subject_of`` gives its subject."""
    draft = draft_sentence(audit.release.placeholder_place)
    if draft:
        return Said(LABEL, draft, "bad")
    tone, first = _first(audit)
    late = "time" in audit.incomplete_because
    return Said(LABEL, first + (f" {_capitalized(REMEDIES['time'])}." if late else ""), tone)


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
        return f"{budget_name(budget)}, limit {limit}: {result.reason}"
    text = f"{budget_name(budget)} is {certified_text(actual, budget.limit)}"
    if result.reason == "above its limit":
        return f"{text}, above the limit {limit}"
    return f"{text} (limit {limit}); {result.reason}"


def draft_sentence(place: str) -> str:
    """Return that a spec describes no release yet.

    Args:
        place: of the placeholder, as ``Release.placeholder_place``; empty if there is none.
    """
    return f"Not your release yet: replace the mechanism at {place}" if place else ""


def _first(audit: Audit) -> tuple[Tone, str]:
    subject = subject_of(audit)
    match subject:
        case "disclosed dataset":
            return "bad", "The release protects nothing: the invariants disclose the whole dataset."
        case "refusal":
            return "bad", f"{_capitalized(_refusal(audit))}."
        case "budgets":
            return "bad", f"{_failed(audit)}."
        case "disclosed table":
            public = "the invariants disclose the whole table"
            return "bad", f"The release protects only which record belongs to whom: {public}."
        case "numbers":
            tone, sentence = _compared(audit)
            return tone, f"{_limited(audit)}{sentence}."
        case _:
            assert_never(subject)


def _failed(audit: Audit) -> str:
    failing, number = failing_budgets(audit), len(audit.budgets)
    text = failure(failing[0])
    if failing[0].reason.startswith(OPEN):
        text = f"Undecided, so failed: {failing[0].reason.removeprefix(OPEN)}"
        return text if number == 1 else f"{len(failing)} of {number} budgets failed. {text}"
    which = "its budget" if number == 1 else f"{len(failing)} of its {number} budgets"
    return f"The release fails {which}: {text}"


def _passes(audit: Audit) -> bool:
    return bool(audit.budgets) and all(result.holds for result in audit.budgets)


def _limited(audit: Audit) -> str:
    """Return that the budgets passed, with the number of a single one."""
    if not _passes(audit):
        return ""
    if len(audit.budgets) > 1:
        return f"Passed all {len(audit.budgets)} budgets. "
    ((budget, actual),) = [(result.budget, result.actual) for result in audit.budgets]
    name = budget_name(budget)
    if budget.framework == LEADING:
        name = measure_name(budget.measure, budget.at, budget.distance)
    if actual is None:
        return "Passed. "
    limit = limit_text(budget.limit, actual)
    return f"Passed: {name} is {certified_text(actual, budget.limit)}, within the limit {limit}. "


def _compared(audit: Audit) -> tuple[Tone, str]:
    nominal, semi = rows_of(audit)
    numbers, claim = leading_numbers(audit), claim_of(audit.release.mechanism)
    if not numbers:
        return "bad", "The release has no certified privacy number"
    first = numbers[0]
    before, after = first.texts
    number = f"{first.symbol} is {after}"
    least, least_before = (least_delta(row) for row in (semi, nominal))
    if least is not None and not is_finite(first.after):
        text = f"There is no guarantee for δ below {rational_text(least)}"
        if least_before not in (None, least):
            text += f" ({rational_text(least_before or least)} {claim.of_it})"
        return "bad", text
    if not after:
        return "bad", f"The release has no effective {first.symbol}: {claim.only(before)}"
    if not is_finite(first.after):
        if not is_finite(first.before):
            both = f", neither {claim.of_it} nor effective" if before else ""
            return "bad", f"The release has no finite {first.symbol}{first.at}{both}"
        none = f"The release has no finite effective {first.symbol}{first.at}"
        return "bad", f"{none}; {claim.gives(before)}"
    inside = "datasets that agree on the invariants"
    if not before:
        if nominal.guarantee.refused:
            protects = f"The release protects {inside}: {number}{first.at} between them"
            others = "Between datasets whose invariants differ, there is no guarantee"
            return "plain", f"{protects}. {others}"
        has_no = f"The release {claim.has_no} {first.symbol}"
        return "plain", f"{has_no}; between {inside}, {number}{first.at}"
    if not is_finite(first.before):
        return (
            "good",
            f"The release protects more than {claim.it}: {number}{first.at}, not infinite",
        )
    factor = first.growth
    if first.is_the_same:
        return "good", f"The release protects {claim.the_same}: {number}{first.at}"
    text = f"{number}{first.at}, not {before}{factor_text(factor)}"
    if factor is not None and factor < 1:
        return "good", f"The release protects more than {claim.it} between {inside}: {text}"
    return "warning", f"The release protects less than {claim.it}: {text}{_because(audit, semi)}"


def least_delta(row: GuaranteeRow) -> Fraction | None:
    """Return the δ below which a guarantee has no ε; None if it has a privacy measure for all δ."""
    numbers = row.numbers
    if any(is_finite(bound) for bound in (numbers.pure_dp, numbers.zcdp, numbers.gdp)):
        return None
    functions = (f for f in row.guarantee.measures if isinstance(f, PiecewiseLinear))
    return next((1 - f.vertices[0][1] for f in functions if f.vertices[0][1] < 1), None)


def _because(audit: Audit, semi: GuaranteeRow) -> str:
    """Explain why the effective number is larger; empty at distance 1.

    The pair with the largest privacy loss need not be a closest one, so the sentence says what the
    invariants force, and of a hierarchical release which pair is the worst.
    """
    distance, units = semi.guarantee.distance, plural(audit.release.dataspace.unit)
    if distance is None or distance < 2:
        return ""
    if audit.release.adjacency.distance is not None:
        return f". The spec compares datasets at distance {distance}"
    chosen, metric = audit.universe.semi_adjacency.chosen, audit.release.adjacency.metric
    kept, number = _invariants(audit), number_word(distance)
    if not has_places(metric):
        unit = label(assumed_neighbors(metric))
        return f". To keep {kept}, tables must differ by up to {distance} ({unit}), not by 1"
    forced = bool(only_margin(audit.release.published_invariants)) and chosen.lower == distance
    must = f"{'' if forced else 'up to '}{number} {units} must change together, not one"
    inside = [s for s in audit.semantics if (s.universe, s.distance) == ("D_t", distance)]
    inside = [semantic for semantic in inside if semantic.zcdp is not None]
    worst = max(inside, key=lambda s: s.zcdp.value if s.zcdp else 0, default=None)
    if worst is not None and worst.name == "unrelated_records":
        return _unrelated(audit, inside, distance) or f". To keep {kept}, {must}"
    if worst is None or not worst.name.startswith("within_"):
        return f". To keep {kept}, {must}"
    place = worst.name.removeprefix("within_")
    text = f". In the worst pair, {number} unrelated {units} of one {place} change freely"
    across = [s.zcdp for s in inside if s.name.startswith("across_") and s.zcdp]
    if not across:
        return text
    largest = max(across, key=lambda bound: bound.value)
    moved = f"if one moves to another {place}, another must move too"
    return f"{text}; {moved}, and ρ is {sentence_text(largest)}"


def _unrelated(audit: Audit, inside: Sequence[Semantic], distance: int) -> str:
    """Return that the worst pair is of records that change freely; empty if this is not known.

    It is, if so many records that change alike lose as much: as rho of Gaussian noise does, with
    the square of the distance.
    """
    rhos = {s.name: s.zcdp for s in inside if s.zcdp}
    one = next((s.zcdp for s in audit.semantics if s.name == "one_record"), None)
    worst = rhos.pop("unrelated_records")
    known = one is not None and one.value * distance**2 == worst.value and worst.side == "exact"
    if not known or any(rho.value >= worst.value for rho in rhos.values()):
        return ""
    units = plural(audit.release.dataspace.unit)
    text = f". In the worst pair, {number_word(distance)} unrelated {units} change freely"
    name = "exchange:" + "".join(only_margin(audit.release.published_invariants)[:1])
    if name not in rhos:
        return text
    return f"{text}; for an exchange of {name.partition(':')[2]}, ρ is {sentence_text(rhos[name])}"


def _invariants(audit: Audit) -> str:
    parts = audit.universe.semi_adjacency.own
    if parts is not None:
        return parts.covered
    attributes = only_margin(audit.release.published_invariants)
    if 0 < len(attributes) <= _NAMED:
        return f"the published counts by {' and '.join(attributes)}"
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
