"""Subspace DP (Gao, Gong and Yu): the part of the output that the invariants do not determine."""

from __future__ import annotations

from semiaudit.frameworks.context import NO_NEIGHBORS, UNCOVERED, Context, Stated, refused
from semiaudit.mechanisms.kind import NO_SUBSPACE
from semiaudit.mechanisms.mechanism_loss import loss_projected


def stated(context: Context) -> Stated:
    """Return (D, A_1) of the projection of M on null(C), T = C phi (Definition 10 as meant: E21).

    Projecting is post-processing, so a declared measure carries over unchanged; Gaussian noise on a
    query uses the projected sensitivity.
    """
    if not context.universe.linear:
        return refused(1, UNCOVERED, NO_SUBSPACE)
    loss = loss_projected(context.made, context.spaces, ("subspace_dp",))
    if not loss.measures:
        return refused(1, UNCOVERED, loss.refused or context.no_measure(1))
    if context.shows_no_neighbors(1, loss.measures):
        return refused(1, UNCOVERED, NO_NEIGHBORS)
    agree = context.universe.neighbors_agree
    gap = "It does not protect what several records reveal together." if agree else UNCOVERED
    return Stated(
        1,
        loss.measures,
        agree,
        gap,
        note="covers the output projected on the null space of the invariants (E21)",
    )
