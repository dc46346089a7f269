"""Budgets that limit nothing: limits that no release exceeds, and large δ."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import assert_never

from semiaudit.gate.policy import name_of
from semiaudit.model.audit import Budget, BudgetResult, Finding, Release
from semiaudit.model.published_invariants import PublishedCounts
from semiaudit.model.rules import LARGE_DELTA, LIMITS_NOTHING, finding_of
from semiaudit.model.wording import Wording
from semiaudit.numeric.rationals import rational_text


def without_effect(results: Sequence[BudgetResult]) -> list[Finding]:
    """Return the findings on budgets that passed, and whose limit is no limit."""
    findings = []
    for budget in _passed(results):
        least = _least(budget)
        if least is not None and budget.limit >= least:
            limit = rational_text(budget.limit, up=False)
            message = Wording(
                f"the budget for {name_of(budget)} limits nothing: its limit {limit} is {least} or "
                "more; lower it, or remove it"
            )
            findings.append(finding_of(LIMITS_NOTHING, message, budget.mark, budget.key))
    return findings


def _passed(results: Sequence[BudgetResult]) -> list[Budget]:
    return [result.budget for result in results if result.holds]


def _least(budget: Budget) -> int | None:
    """The least limit that limits nothing; None for a(t), of which no bound may be known.

    From the limits of ε, μ and ρ on, an attack may have error rates below 1e-300: e^-700, Φ(-75/2)
    and, as ρ is that of Gaussian noise with μ = sqrt(2ρ), Φ(-sqrt(2 * 2800)/2).
    """
    match budget.measure:
        case "advantage" | "tpr":
            return 1
        case "epsilon":
            return 700
        case "mu":
            return 75
        case "rho":
            return 2800
        case "a_t":
            return None
        case _:
            assert_never(budget.measure)


def large_deltas(release: Release, results: Sequence[BudgetResult]) -> list[Finding]:
    """Return the findings on budgets that passed with a δ of 1/n or more.

    At such a δ, one whole record may be published.
    """
    published = release.published
    size = published.size if isinstance(published, PublishedCounts) else None
    size = size or release.dataspace.size
    least, share = Fraction(1, 2), "1/2"
    if size is not None and size > 2:
        least, share = Fraction(1, size), f"1/n, with n = {size} records"
    findings = []
    for budget in _passed(results):
        if budget.measure == "epsilon" and (budget.at or 0) >= least:
            message = Wording(
                f"the δ of the budget for {name_of(budget)} is at least {share}: a release that "
                "publishes one whole record at random could pass; use a δ much smaller than 1/n"
            )
            findings.append(finding_of(LARGE_DELTA, message, budget.mark, budget.key))
    return findings
