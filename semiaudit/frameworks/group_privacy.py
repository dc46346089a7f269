"""Group privacy: datasets in all of D that differ in as many records as semi-adjacent ones."""

from __future__ import annotations

from semiaudit.frameworks.context import Context, Stated, composition_first, refused
from semiaudit.mechanisms.mechanism_loss import refusal


def stated(context: Context) -> Stated:
    """Return (D, A_a, f^{oa})-DP (Cho and Awan, section 2.2 and Example 6; E37).

    For noise on a query, the better of f^{oa} and the noise against S_Group (section 4.1).
    """
    agree = context.universe.neighbors_agree
    gap = (
        "It does not protect groups larger than its distance."
        if agree
        else "It does not cover the invariants: an attacker who reads them can always distinguish "
        "datasets whose invariants differ."
    )
    distance, why = context.distance, ""
    if distance is None:
        why = context.no_distance
    elif distance == 0:
        why = "a(t) is 0, so there is no group size to compare at"
    else:
        mechanism, spaces = context.made, context.spaces
        why = context.refused_at(distance)
        if not why and not context.universe.whole:
            why = refusal(mechanism, "disagreeing", spaces)
        why = why or refusal(mechanism, "group_privacy", spaces)
    measures = context.loss_at(distance, "D") if distance and not why else ()
    if not measures or distance is None:
        return refused(distance, gap, why or context.no_measure(distance or 1))
    return Stated(
        distance,
        measures,
        agree,
        gap,
        alternatives=composition_first(context, distance),
    )
