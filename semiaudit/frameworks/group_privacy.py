"""Group privacy: datasets in all of D that differ in as many records as semi-adjacent ones."""

from __future__ import annotations

from semiaudit.frameworks.context import UNBOUNDED, Context
from semiaudit.frameworks.orders import composition_first
from semiaudit.model.guarantee import Guarantee


def group_privacy(context: Context) -> Guarantee:
    """(D, A_a, f^{oa})-DP (Cho and Awan, section 2.2 and Example 6; E37).

    For noise on a query, the better of f^{oa} and the noise against S_Group (section 4.1).
    """
    restricts = context.universe.restricts
    gap = (
        "It does not cover the invariants: pairs in D that disagree on them are told apart with "
        "certainty by anyone who reads both."
        if restricts
        else "It does not protect groups larger than its distance."
    )
    distance, refused, metric = context.distance, "", context.adjacency.metric
    if distance is None:
        refused = "no finite a(t) is proven"
    elif distance == 0:
        refused = "a(t) is 0: there is no group size to compare at"
    else:
        refused = context.refused_at(distance)
    measures = context.loss_at(distance, "D") if distance and not refused else ()
    if not measures or distance is None:
        refused = refused or UNBOUNDED
        return Guarantee("group_privacy", "D", metric, distance, (), False, gap, refused=refused)
    return Guarantee(
        "group_privacy",
        "D",
        metric,
        distance,
        measures,
        not restricts,
        gap,
        alternatives=composition_first(context, distance),
    )
