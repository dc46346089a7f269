"""The judgement of an audit: its budgets, the policy's findings, waivers, and drift.

Budgets that limit nothing: limits that no release exceeds, and large δ.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from semiaudit.errors import Mark
from semiaudit.frozen import dataclass
from semiaudit.gate.baseline import drifts, earlier_of, unknown, with_points
from semiaudit.gate.drift import Drift, rank_of
from semiaudit.gate.policy import allowed, as_errors, loosened, with_budgets
from semiaudit.gate.verification import unverified
from semiaudit.gate.waivers import Failure, SpecFile, Waivers
from semiaudit.model.audit import (
    LEVELS,
    Audit,
    Budget,
    BudgetResult,
    Finding,
    Level,
    PublishedCounts,
    Release,
    no_protection_from,
)
from semiaudit.model.bound import REMEDIES, describe
from semiaudit.model.frameworks import INSIDE_D_T
from semiaudit.model.labels import BUDGET_OF_POLICY, OWN_BUDGET, budget_name
from semiaudit.model.number_text import certified_text, limit_text
from semiaudit.model.policy import FailOn, GateOptions
from semiaudit.model.rules import (
    BUDGETS_MISS_INVARIANTS,
    INCOMPLETE,
    LARGE_DELTA,
    LIMITS_NOTHING,
    NEAR_LIMIT,
    NO_BUDGET,
    PLACEHOLDER,
    WAIVABLE,
    WAIVED_BY_ITSELF,
    finding_of,
)
from semiaudit.model.verdict import FAILED, PASSED
from semiaudit.numeric.rationals import rational_text

LARGEST_DELTA = Fraction(1, 2)
"""From this δ on, a budget limits nothing, at any ε."""


def without_effect(results: Sequence[BudgetResult]) -> list[Finding]:
    """Return the findings on budgets that passed, and whose limit is no limit."""
    findings = []
    for budget in _passed(results):
        least = no_protection_from(budget.measure)
        if least is not None and budget.limit >= least:
            limit = rational_text(budget.limit, up=False)
            message = (
                f"the budget for {budget_name(budget)} limits nothing: its limit {limit} is "
                f"{least} or more; lower it, or remove it"
            )
            findings.append(finding_of(LIMITS_NOTHING, message, budget.mark, budget.key))
    return findings


def _passed(results: Sequence[BudgetResult]) -> list[Budget]:
    return [result.budget for result in results if result.holds]


def large_deltas(release: Release, results: Sequence[BudgetResult]) -> list[Finding]:
    """Return the findings on budgets that passed with a δ of 1/n or more.

    At such a δ, one whole record may be published. From 1/2 on, the finding is an error: a release
    of everything with probability 1/2 is (0, 1/2)-DP.
    """
    published = release.published
    size = published.size if isinstance(published, PublishedCounts) else None
    size = size or release.dataspace.size
    least, share = LARGEST_DELTA, "1/2"
    if size is not None and size > 2:
        least, share = Fraction(1, size), f"1/n, with n = {size} records"
    findings = []
    for budget in _passed(results):
        at = budget.at or Fraction(0)
        if budget.measure == "epsilon" and at >= least:
            message = (
                f"the δ of the budget for {budget_name(budget)} is at least {share}: a release "
                "that publishes one whole record at random could pass; use a δ much smaller than "
                "1/n"
            )
            if at >= LARGEST_DELTA:
                message = (
                    f"the δ of the budget for {budget_name(budget)} is {LARGEST_DELTA} or more: a "
                    "release that publishes all records whenever a coin shows heads could pass; "
                    "use a δ much smaller than 1/n"
                )
            finding = finding_of(LARGE_DELTA, message, budget.mark, budget.key)
            level: Level = "error" if at >= LARGEST_DELTA else finding.level
            findings.append(replace(finding, level=level))
    return findings


@dataclass(frozen=True, slots=True)
class Judgement:
    """The results of the gate for one spec.

    Attributes:
        fails: whether something fails that is not waived: a budget, a rule of the gate, or a
            finding of a level that the gate lets fail.
        used: which of the gate's waivers (by index) met something.
    """

    budgets: tuple[BudgetResult, ...]
    findings: tuple[Finding, ...]
    fails: bool
    used: tuple[int, ...] = ()


def prepared(release: Release, gate: GateOptions) -> Release:
    """The release as the gate has it audited: held to the policy's budgets too."""
    release = with_budgets(release, gate.policy)
    return with_points(release, earlier_of(release.path, gate.baseline))


def judged(audit: Audit, gate: GateOptions, file: SpecFile) -> Judgement:
    """The gate's word on an audit of a prepared release."""
    release = audit.release
    waivers = Waivers(release.waivers, gate.waivers, file, gate.today)
    budgets = tuple(_waived(result, waivers) for result in audit.budgets)
    loose = [_over(finding, waivers) for finding in loosened(release, gate, audit.universe)]
    earlier = earlier_of(release.path, gate.baseline)
    weaker = [_drift(drift, waivers) for drift in drifts(audit, earlier)]
    deltas = large_deltas(release, budgets)
    findings = [
        *audit.findings,
        *_near(budgets, gate),
        *_about(audit),
        *(delta for delta in deltas if delta.level != "error"),
        *_own_waivers(budgets),
    ]
    if gate.baseline is not None and earlier is None:
        findings.append(unknown(audit))
    findings = [_over(finding, waivers) for finding in as_errors(findings, gate.policy)]
    gated = [*(_of_budget(b) for b in budgets if not b.holds), *loose, *weaker]
    gated += without_effect(budgets)
    gated += unverified(release, gate.policy)
    gated += [_over(delta, waivers) for delta in deltas if delta.level == "error"]
    gated += as_errors([*waivers.findings, *waivers.of_its_own()], gate.policy)
    failing = {*(gate.policy.fail_on if gate.policy else ()), *[PLACEHOLDER] * gate.defaults}
    gated += [finding for finding in findings if finding.rule in failing]
    findings = [finding for finding in findings if finding.rule not in failing]
    spoken = allowed(release, gate.policy, release.adjacency.distance)
    fails = any(finding.level == "error" and finding.waived is None for finding in gated)
    gated, findings = fatal_as_errors(gated, gate), fatal_as_errors(findings, gate, spoken)
    fails |= any(is_fatal(f, gate.fail_on) and f.rule not in spoken for f in (*gated, *findings))
    return Judgement(budgets, _sorted([*gated, *findings]), fails, waivers.used)


def is_fatal(finding: Finding, fail_on: FailOn) -> bool:
    """Return whether a finding fails by its level; a missing budget has an exit code of its own."""
    if finding.waived is not None or finding.rule == NO_BUDGET or fail_on == "never":
        return False
    return LEVELS.index(finding.level) <= LEVELS.index(fail_on)


def fatal_as_errors(
    findings: Iterable[Finding], gate: GateOptions, spoken: Collection[str] = ()
) -> list[Finding]:
    """Return findings; those that fail by their level are errors, so that reports show why.

    Args:
        spoken: the rules whose findings the policy allows.
    """
    return [
        replace(f, level="error") if is_fatal(f, gate.fail_on) and f.rule not in spoken else f
        for f in findings
    ]


def _over(finding: Finding, waivers: Waivers) -> Finding:
    if finding.rule not in WAIVABLE:
        return finding
    failure = Failure(finding.rule, mark=finding.mark)
    return replace(finding, waived=waivers.over(failure))


def _waived(result: BudgetResult, waivers: Waivers) -> BudgetResult:
    if result.holds:
        return result
    budget = result.budget
    value = None if result.actual is None else result.actual.value
    failure = Failure(
        result.rule,
        budget.framework,
        budget.measure,
        budget.at,
        budget.distance,
        value,
        budget.policy,
        budget.mark,
    )
    return replace(result, waived=waivers.over(failure))


def _drift(drift: Drift, waivers: Waivers) -> Finding:
    finding = drift.finding
    failure = Failure(
        finding.rule,
        drift.framework,
        drift.measure,
        drift.at,
        value=drift.now,
        mark=finding.mark,
    )
    return replace(finding, waived=waivers.over(failure))


def _of_budget(result: BudgetResult) -> Finding:
    budget = result.budget
    whose, certified = BUDGET_OF_POLICY if budget.policy else OWN_BUDGET, ""
    limit = limit_text(budget.limit, result.actual)
    if result.actual is not None:
        certified = f", certified {certified_text(result.actual, budget.limit)}"
    numbers = f"limit {limit}{certified}"
    message = f"{whose} for {budget_name(budget)} {FAILED}: {result.reason} ({numbers})"
    return replace(finding_of(result.rule, message, budget.mark, budget.key), waived=result.waived)


def _near(budgets: Sequence[BudgetResult], gate: GateOptions) -> list[Finding]:
    findings = []
    for result in budgets:
        budget, actual = result.budget, result.actual
        if not result.holds or actual is None or budget.measure == "a_t":
            continue
        if not actual.within(budget.limit * (1 - gate.margin)):
            number, share = budget_name(budget), rational_text(100 * gate.margin)
            number_text = certified_text(actual, budget.limit)
            message = (
                f"the budget for {number} {PASSED} within {share}% of its limit: certified "
                f"{number_text}, limit {limit_text(budget.limit, actual)}"
            )
            findings.append(finding_of(NEAR_LIMIT, message, budget.mark, budget.key))
    return findings


def _own_waivers(budgets: Sequence[BudgetResult]) -> Iterator[Finding]:
    for result in budgets:
        if result.waived is not None and result.waived.inside:
            message = (
                f"the spec itself waives the failed budget for {budget_name(result.budget)}; a "
                "file given by --waivers shows who accepted it"
            )
            yield finding_of(WAIVED_BY_ITSELF, message, result.waived.mark, result.budget.key)


def _about(audit: Audit) -> list[Finding]:
    release, findings = audit.release, []
    covering = {row.guarantee.framework for row in audit.rows if row.guarantee.universe == "D_t"}
    named = {b.framework for b in release.budgets if b.measure != "a_t"}
    if release.budgets and not audit.universe.neighbors_agree and not named & covering:
        frameworks = " or ".join(INSIDE_D_T)
        message = (
            "no budget limits the effective guarantee: the release publishes invariants, and its "
            "budgets are on guarantees that do not cover them, so they can pass whatever the "
            f"invariants cost; add one on {frameworks}"
        )
        mark = next((b.mark for b in release.budgets if not b.policy), release.first_invariant)
        findings.append(finding_of(BUDGETS_MISS_INVARIANTS, message, mark))
    if not audit.complete:
        findings.append(finding_of(INCOMPLETE, _incomplete(audit)))
    if not release.budgets:
        message = "no budget; add budgets to the spec, or give a policy"
        findings.append(finding_of(NO_BUDGET, message))
    return findings


def _incomplete(audit: Audit) -> str:
    causes = audit.incomplete_because
    remedies = dict.fromkeys(REMEDIES[cause] for cause in causes)
    return f"{describe(causes)}: {'; '.join(remedies)}"


def _sorted(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Errors that are not waived first, then by rule and place; in one order in every version."""

    def place(f: Finding) -> tuple[bool, int, str, int, Mark, str, str]:
        level = LEVELS.index(f.level)
        return f.waived is not None, level, f.rule, rank_of(f), f.mark, f.key, f.message

    return tuple(sorted(findings, key=place))
