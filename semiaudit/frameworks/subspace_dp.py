"""Subspace DP (Gao, Gong and Yu): the part of the output that the invariants do not determine."""

from __future__ import annotations

from semiaudit.frameworks.context import NO_NEIGHBORS, Context, Stated, refused
from semiaudit.mechanisms.kind import NO_SUBSPACE
from semiaudit.mechanisms.mechanism_loss import loss_projected

GAP = (
    "It does not cover the invariants: an attacker who reads them can distinguish neighboring "
    "datasets whose invariants differ (Cho and Awan, section 3.2)."
)


def stated(context: Context) -> Stated:
    """Return (D, A_1) of the projection of M on null(C), T = C phi (Definition 10 as meant: E21).

    Projecting is post-processing, so a declared measure carries over unchanged; Gaussian noise on a
    query uses the projected sensitivity.
    """
    if not context.universe.linear:
        return refused(1, GAP, NO_SUBSPACE)
    loss = loss_projected(context.made, context.spaces, ("subspace_dp",))
    if not loss.measures:
        return refused(1, GAP, loss.refused or context.no_measure(1))
    if context.shows_no_neighbors(1, loss.measures):
        return refused(1, GAP, NO_NEIGHBORS)
    agree = context.universe.neighbors_agree
    gap = "It does not protect what several records reveal together." if agree else GAP
    return Stated(
        1,
        loss.measures,
        agree,
        gap,
        note="covers the output projected on the null space of the invariants (E21)",
    )
