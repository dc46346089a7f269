"""Subspace DP (Gao, Gong and Yu): the part of the output that the invariants do not fix."""

from __future__ import annotations

from semiaudit.frameworks.context import UNBOUNDED, Context
from semiaudit.mechanisms.loss import loss_projected
from semiaudit.model.guarantee import Guarantee

GAP = (
    "It does not cover the invariants: its neighbours may disagree on them, and whoever reads "
    "them tells such neighbours apart (Cho and Awan, section 3.2)."
)


def subspace_dp(context: Context) -> Guarantee:
    """(D, A_1) of the projection of M on null(C), for T = C phi (Definition 10 as meant: E21).

    Projecting is post-processing, so a declared measure carries over unchanged; Gaussian noise on
    a query is set against the projected sensitivity.
    """
    metric = context.adjacency.metric
    refused, measures = "", None
    if context.universe.linear:
        measures = loss_projected(context.mechanism, context.spaces)
    if measures is None:
        refused = "the invariants are not linear in the query: there is no subspace to project on"
    elif not measures:
        refused = UNBOUNDED
    if refused or measures is None:
        return Guarantee("subspace_dp", "D", metric, 1, (), False, GAP, refused=refused)
    restricts = context.universe.restricts
    gap = GAP if restricts else "It does not protect what several records say together."
    return Guarantee(
        "subspace_dp",
        "D",
        metric,
        1,
        measures,
        not restricts,
        gap,
        note="speaks of the output projected on the null space of the invariants (E21)",
    )
