"""A policy: what a spec may not loosen, because it stands outside the spec."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from semiaudit.model.adjacency import Metric
from semiaudit.model.audit import Budget, BudgetMeasure, Finding, Release, measure_text
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.policy import Policy
from semiaudit.model.rules import LOOSENED
from semiaudit.numeric import rational_text

ALLOWED: dict[Metric, tuple[Metric, ...]] = {
    "hamming": ("hamming",),
    "multiset_hamming": ("hamming", "multiset_hamming"),
    "symmetric_difference": ("hamming", "symmetric_difference"),
}
"""For each metric that a policy may demand the metrics that meet it: at least as demanding ones.

The two metrics without places are not ordered against each other."""


def with_budgets(release: Release, policy: Policy | None) -> Release:
    """The release with the policy's budgets behind its own.

    A spec that has the same budget, or a tighter one, keeps both: a waiver inside the spec speaks
    of its own budget only.
    """
    if policy is None:
        return release
    return replace(release, budgets=(*release.budgets, *policy.budgets))


def loosened(release: Release, policy: Policy | None, distance: int | None) -> list[Finding]:
    """Where a spec is looser than the policy allows.

    Args:
        distance: that is in force in D_t: the spec's own, or the established a(t); None where
            there is none.
    """
    if policy is None:
        return []
    adjacency, told = release.adjacency, []
    if policy.metric is not None and adjacency.metric not in ALLOWED[policy.metric]:
        told.append(f"the metric is {adjacency.metric}, and the policy asks for {policy.metric}")
    if policy.reading == "covering" and adjacency.reading != "covering":
        told.append(f"the reading is {adjacency.reading}, and the policy asks for covering")
    if policy.distance is not None and distance is not None and distance < policy.distance:
        told.append(
            f"the distance in force is {distance}, and the policy asks for {policy.distance} or "
            "more"
        )
    found = [Finding(LOOSENED, "error", message, adjacency.mark) for message in told]
    return [*found, *_looser_budgets(release, policy)]


def _looser_budgets(release: Release, policy: Policy) -> list[Finding]:
    found = []
    for budget in release.budgets:
        limits = [b.limit for b in policy.budgets if not budget.policy and _same(b, budget)]
        if limits and budget.limit > min(limits):
            message = (
                f"the budget {name_of(budget)} allows {rational_text(budget.limit)}, and the "
                f"policy allows {rational_text(min(limits))}"
            )
            found.append(Finding(LOOSENED, "error", message, budget.mark))
    return found


def _same(first: Budget, second: Budget) -> bool:
    return (first.framework, first.measure, first.at, first.distance) == (
        second.framework,
        second.measure,
        second.at,
        second.distance,
    )


def name_of(budget: Budget) -> str:
    """A budget in words: ``semi_dp epsilon at delta 1e-10``."""
    return number_name(budget.framework, budget.measure, budget.at, budget.distance)


def number_name(
    framework: FrameworkName,
    measure: BudgetMeasure,
    at: Fraction | None,
    distance: int | None = None,
) -> str:
    """A number of a framework in words; ``at`` is its delta or its type I error."""
    return f"{framework} {measure_text(measure, at, distance, ' at ')}"
