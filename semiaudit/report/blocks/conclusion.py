"""The verdict of an audit in one sentence: the first sentence of a report."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Literal, assert_never

from semiaudit.model.adjacency import has_places
from semiaudit.model.audit import Audit, BudgetResult, Finding
from semiaudit.model.bound import REMEDIES, Bound
from semiaudit.model.frameworks import ADVERTISED, LEADING
from semiaudit.model.guarantee import GuaranteeRow, Numbers
from semiaudit.model.labels import budget_name, label
from semiaudit.model.number_text import limit_text, limited_text, screen_text
from semiaudit.model.published_invariants import only_margin
from semiaudit.model.rules import DATASET_DISCLOSED, OPEN_INTERVAL, REFUSED, TABLE_DISCLOSED
from semiaudit.model.verdict import ERROR, FAILED, NO_BUDGET, PASSED
from semiaudit.report.blocks.distance_sentence import Name, number_word, shortened_name
from semiaudit.report.blocks.growth import Compared, compared, factor_text, is_finite
from semiaudit.report.text.layout import Said, Tone

LABEL = "verdict"

Subject = Literal["disclosed dataset", "refusal", "budgets", "disclosed table", "numbers"]
"""The subject of a verdict; the first that applies."""

_NAMED = 2
"""Attributes that the sentence names."""

_PROPORTION = "in proportion to the number of records"
_GROWTH: dict[str, tuple[Callable[[Numbers], Bound | None], int, str]] = {
    "μ": (lambda numbers: numbers.own_gdp, 1, _PROPORTION),
    "ε": (lambda numbers: numbers.pure_dp, 1, _PROPORTION),
    "ρ": (lambda numbers: numbers.zcdp, 2, "with the square of the number of records"),
}
"""How group privacy lets a measure grow with the number of records, by the measure's symbol: the
number, the power of the factor, and the phrase."""


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
    """Return the advertised numbers with the effective ones, the leading measure first."""
    nominal, semi = _rows(audit)
    delta = max(audit.release.options.deltas, default=None)
    return compared(nominal.numbers, semi.numbers, delta)


def growth_sentence(audit: Audit) -> str:
    """Return why the leading number grows with a(t); empty unless group privacy gives it exactly.

    ρ grows with the square of the number of records, and μ and ε of pure DP in proportion. The
    sentence appears only if the effective number is the advertised one times that factor.
    """
    nominal, semi = _rows(audit)
    distance, first = semi.guarantee.distance, next(iter(leading_numbers(audit)), None)
    if first is None or distance is None or distance < 2:
        return ""
    number, power, how = _GROWTH[first.symbol]
    if (first.before, first.after) != (number(nominal.numbers), number(semi.numbers)):
        return ""
    adjacency = audit.release.adjacency
    if adjacency.distance is not None or not has_places(adjacency.metric):
        return ""
    before, after = first.before, first.after
    if not is_finite(before) or not is_finite(after) or first.growth != distance**power:
        return ""
    factor = f"{distance}²" if power == 2 else str(distance)
    texts = screen_text(before), screen_text(after)
    whole = tuple(map(Fraction, texts)) == (before.value, after.value)
    product = f"{factor} × {texts[0]} = {texts[1]}" if whole else f"the factor is {factor}"
    pairs = _pairs(audit, distance)
    return f"The guarantee is for {pairs}, and {first.symbol} grows {how}: {product}."


def failing_budgets(audit: Audit) -> list[BudgetResult]:
    """Return the budgets that failed and are not waived, in the order of the spec."""
    return [result for result in audit.budgets if not result.holds and result.waived is None]


def subject_of(audit: Audit) -> Subject:
    """Return the subject of the verdict; the lines below it cover the rest."""
    disclosed = audit.universe.disclosed
    if audit.universe.semi_adjacency.covering.upper == 0:
        return "disclosed dataset"
    if _rows(audit)[1].guarantee.refused:
        return "refusal"
    if failing_budgets(audit):
        return "budgets"
    return "disclosed table" if disclosed.table_is_public else "numbers"


def findings_in_verdict(audit: Audit) -> list[Finding]:
    """Return the findings that are in the verdict already."""
    subject = subject_of(audit)
    match subject:
        case "disclosed dataset":
            return [finding for finding in audit.findings if finding.rule == DATASET_DISCLOSED]
        case "refusal":
            unknown = _rows(audit)[1].guarantee.distance is None
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
        return f"{budget_name(result)}, limit {limit}: {result.reason}"
    text = f"{budget_name(result)} is {limited_text(actual, budget.limit)}"
    if result.reason == "above its limit":
        return f"{text}, above the limit {limit}"
    return f"{text} (limit {limit}); {result.reason}"


def _sentences(audit: Audit, name: Name) -> tuple[Tone, str]:
    tone, first = _first(audit, name)
    late = "time" in audit.incomplete_because
    return tone, first + (f" {_capitalized(REMEDIES['time'])}." if late else "")


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
            tone, said = _compared(audit, name)
            return tone, f"{_passed(audit)} {said}."
        case _:
            assert_never(subject)


def _passed(audit: Audit) -> str:
    """Return the beginning of the sentence if no budget failed; it counts the budgets, if any."""
    number = len(audit.budgets)
    if not number or not all(result.holds for result in audit.budgets):
        return "The release"
    held = "its budget" if number == 1 else f"its {number} budgets"
    return f"The release passes {held}; it"


def _compared(audit: Audit, name: Name) -> tuple[Tone, str]:
    """Return a verb and the leading numbers: what the release does."""
    nominal, semi = _rows(audit)
    numbers = leading_numbers(audit)
    if not numbers:
        return "bad", "has no certified privacy number"
    first = numbers[0]
    before, after = first.texts
    number = f"{first.symbol} is {after}"
    if not after:
        return "bad", f"has no effective {first.symbol}: only {before} is advertised"
    if not is_finite(first.after):
        if not is_finite(first.before):
            both = ", neither advertised nor effective" if before else ""
            return "bad", f"has no finite {first.symbol}{first.at}{both}"
        return "bad", f"has no finite effective {first.symbol}{first.at}; {before} is advertised"
    if not before:
        inside = "datasets that agree on the invariants"
        if nominal.guarantee.refused:
            protects = f"protects {inside} ({number}{first.at} between them)"
            return "plain", f"{protects}; it advertises no guarantee for other datasets"
        return "plain", f"advertises no {first.symbol}; between {inside}, {number}{first.at}"
    if not is_finite(first.before):
        return "good", f"protects more than advertised: {number}{first.at}, not infinite"
    factor = first.growth
    if first.is_the_same:
        return "good", f"protects as advertised: {number}{first.at}"
    text = f"{number}{first.at}, not {before}{factor_text(factor)}"
    if factor is not None and factor < 1:
        inside = "between datasets that agree on the invariants"
        return "good", f"protects more than advertised {inside}: {text}"
    return "warning", f"protects less than advertised: {text}{_because(audit, semi, name)}"


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
        apart = f"differ in {most}{number_word(distance)} records"
    else:
        apart = f"be at distance {most}{distance} ({label(metric)})"
    return f", because the nearest datasets that agree on {_invariants(audit, name)} can {apart}"


def _pairs(audit: Audit, distance: int) -> str:
    """Describe the pairs of datasets that a guarantee up to a distance covers."""
    metric = audit.release.adjacency.metric
    if has_places(metric):
        return f"datasets that differ in up to {number_word(distance)} records"
    return f"datasets up to distance {distance} ({label(metric)})"


def _invariants(audit: Audit, name: Name) -> str:
    own = audit.universe.semi_adjacency.own
    if own is not None:
        return own.covered
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
    """Return the finding that there is no effective guarantee, with what helps."""
    why = f"no effective guarantee is proven: {_rows(audit)[1].guarantee.refused}"
    return next((finding.message for finding in audit.findings if is_refusal(finding)), why)


def _rows(audit: Audit) -> tuple[GuaranteeRow, GuaranteeRow]:
    rows = {row.guarantee.framework: row for row in audit.rows}
    return rows[ADVERTISED], rows[LEADING]


def _capitalized(text: str) -> str:
    return text[0].upper() + text[1:]
