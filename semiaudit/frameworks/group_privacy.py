"""Group privacy: datasets in all of D that differ in as many records as semi-adjacent ones."""

from __future__ import annotations

from semiaudit.frameworks.context import UNCOVERED, Context, Stated, composition_first, refused


def stated(context: Context) -> Stated:
    """Return (D, A_a, f^{oa})-DP (Cho and Awan, section 2.2 and Example 6; E37).

    For noise on a query, the better of f^{oa} and the noise against S_Group (section 4.1).
    """
    agree = context.universe.neighbors_agree
    gap = "It does not protect groups larger than its distance." if agree else UNCOVERED
    distance = context.distance
    if distance is None:
        return refused(distance, gap, context.no_distance)
    if distance == 0:
        return refused(distance, gap, "a(t) is 0, so there is no group size to compare at")
    loss = context.answer("group_privacy", distance, disagree=not context.universe.whole)
    if loss.refused:
        return refused(distance, gap, loss.refused)
    return Stated(
        distance,
        loss.measures,
        agree,
        gap,
        alternatives=composition_first(context, distance),
    )
