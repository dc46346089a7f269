"""Budgets that limit nothing: limits that no release exceeds, and large δ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from semiaudit.model.audit import Budget, BudgetResult, Finding, Level, Release, no_protection_from
from semiaudit.model.labels import budget_name
from semiaudit.model.published_invariants import PublishedCounts
from semiaudit.model.rules import LARGE_DELTA, LIMITS_NOTHING, finding_of
from semiaudit.numeric.rationals import rational_text

LARGEST_DELTA = Fraction(1, 2)
"""The δ from which a budget is no limit, whatever its ε."""


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
