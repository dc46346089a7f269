"""A policy: what a spec may not loosen, because it stands outside the spec."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from semiaudit.model.adjacency import Metric, Reading, has_places
from semiaudit.model.audit import Budget, Finding, Release
from semiaudit.model.labels import budget_name
from semiaudit.model.policy import GateOptions, Policy
from semiaudit.model.rules import (
    DISTANCE_BELOW_A,
    LOOSENED,
    METRIC_WITHOUT_PLACES,
    READING_AS_PRINTED,
    finding_of,
)
from semiaudit.model.semi_adjacency import Universe
from semiaudit.numeric.rationals import rational_text

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


def loosened(release: Release, gate: GateOptions, universe: Universe) -> list[Finding]:
    """Return a finding for each choice of a spec that is looser than the policy or the default.

    Without a policy's word the default is hamming, where it could be audited, the reading
    covering, and no distance below covering a(t).
    """
    policy = gate.policy or Policy("", "")
    messages: list[tuple[str, str]] = [
        *_metric(release, policy.metric, universe, defaults=gate.defaults),
        *_reading(release, policy.reading, defaults=gate.defaults),
        *_distance(release, policy.distance, universe, defaults=gate.defaults),
    ]
    mark = release.adjacency.mark
    findings = [finding_of(LOOSENED, message, mark, key) for key, message in messages]
    return [*findings, *_looser_budgets(release, policy)]


def allowed(release: Release, policy: Policy | None, distance: int | None) -> frozenset[str]:
    """The rules of the audit that fail nothing, because the policy allows what they tell."""
    if policy is None:
        return frozenset()
    is_far = policy.distance is not None and distance is not None and distance >= policy.distance
    allowed_rules = {
        READING_AS_PRINTED: policy.reading == release.adjacency.reading,
        METRIC_WITHOUT_PLACES: policy.metric == release.adjacency.metric,
        DISTANCE_BELOW_A: is_far,
    }
    return frozenset(rule for rule, is_allowed in allowed_rules.items() if is_allowed)


def _metric(
    release: Release, least: Metric | None, universe: Universe, *, defaults: bool
) -> Iterator[tuple[str, str]]:
    metric = release.adjacency.metric
    if least is not None and metric not in ALLOWED[least]:
        message = f"the metric is {metric}, and the policy asks for {least}"
        yield "adjacency.metric", message
    elif least is None and defaults and not has_places(metric) and universe.one_size:
        message = (
            f"the metric is {metric}, which promises less than hamming does here; only a policy "
            f"can allow it (least: {{metric: {metric}}})"
        )
        yield "adjacency.metric", message


def _reading(
    release: Release, least: Reading | None, *, defaults: bool
) -> Iterator[tuple[str, str]]:
    if release.adjacency.reading == "covering":
        return
    if least == "covering":
        message = "the reading is definition_13, and the policy asks for covering"
        yield "adjacency.reading", message
    elif least is None and defaults:
        message = (
            "the reading is definition_13, which promises less than covering; only a policy can "
            "allow it (least: {reading: definition_13})"
        )
        yield "adjacency.reading", message


def _distance(
    release: Release, least: int | None, universe: Universe, *, defaults: bool
) -> Iterator[tuple[str, str]]:
    specified, upper = release.adjacency.distance, universe.semi_adjacency.joint.covering.upper
    distance = specified or universe.semi_adjacency.value
    if least is not None:
        if distance is not None and distance < least:
            message = (
                f"the distance in force is {distance}, and the policy asks for {least} or more"
            )
            yield "adjacency.distance", message
    elif defaults and specified is not None and (upper is None or specified < upper):
        message = (
            f"the distance {specified} is below covering a(t), and so promises less; only a policy "
            f"can allow it (least: {{distance: {specified}}})"
        )
        yield "adjacency.distance", message


def _looser_budgets(release: Release, policy: Policy) -> list[Finding]:
    findings = []
    for budget in release.budgets:
        limits = [b.limit for b in policy.budgets if not budget.policy and _same(b, budget)]
        if limits and budget.limit > min(limits):
            name, limit = budget_name(budget), rational_text(budget.limit)
            least = rational_text(min(limits), up=False)
            message = f"the budget for {name} allows {limit}, and the policy allows {least}"
            findings.append(finding_of(LOOSENED, message, budget.mark, budget.key))
    return findings


def _same(first: Budget, second: Budget) -> bool:
    return (first.framework, first.measure, first.at, first.distance) == (
        second.framework,
        second.measure,
        second.at,
        second.distance,
    )


def as_errors(findings: Sequence[Finding], policy: Policy | None) -> list[Finding]:
    """Return findings, with those of the rules that the policy names as errors."""
    named = policy.fail_on if policy else ()
    return [replace(f, level="error") if f.rule in named else f for f in findings]
