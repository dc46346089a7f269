"""Group privacy: datasets in all of D that differ in as many records as semi-adjacent ones."""

from __future__ import annotations

from semiaudit.frameworks.context import NO_PATHS, Context
from semiaudit.mechanisms.loss import loss_at
from semiaudit.model.guarantee import Guarantee


def group_privacy(context: Context) -> Guarantee:
    """(D, A_a, f^{oa})-DP (Cho and Awan, section 2.2 and Example 6; E37)."""
    restricts = context.universe.restricts
    gap = (
        "It does not cover the invariants: pairs in D that disagree on them are told apart with "
        "certainty by anyone who reads both."
        if restricts
        else "It does not protect groups larger than its distance."
    )
    distance, refused = context.distance, ""
    if distance is None:
        refused = "no finite a(t) is proven"
    elif distance == 0:
        refused = "a(t) is 0: there is no group size to compare at"
    elif distance > 1 and not context.universe.metric_is_adjacency_metric:
        refused = NO_PATHS
    metric = context.adjacency.metric
    if refused or distance is None:
        return Guarantee("group_privacy", "D", metric, distance, (), False, gap, refused=refused)
    measures, alternatives = loss_at(context.mechanism, distance)
    return Guarantee(
        "group_privacy",
        "D",
        metric,
        distance,
        measures,
        not restricts,
        gap,
        alternatives=alternatives,
    )
