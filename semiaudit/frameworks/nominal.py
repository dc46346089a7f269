"""The advertised guarantee: any two neighbouring datasets, whatever the invariants say."""

from __future__ import annotations

from semiaudit.frameworks.context import UNBOUNDED, Context
from semiaudit.model.guarantee import Guarantee


def nominal_dp(context: Context) -> Guarantee:
    """(D, A_1, f)-DP of the noisy output alone (Definition 3; E31: the claim stays true)."""
    restricts = context.universe.restricts
    gap = (
        "It does not cover the invariants: neighbours that disagree on them are told apart with "
        "certainty by anyone who reads both."
        if restricts
        else "It does not protect what several records say together."
    )
    measures = context.loss_at(1, "D")
    metric = context.adjacency.metric
    if not measures:
        return Guarantee("nominal_dp", "D", metric, 1, (), False, gap, refused=UNBOUNDED)
    return Guarantee(
        "nominal_dp",
        "D",
        metric,
        1,
        measures,
        not restricts,
        gap,
        note="the advertised guarantee; it holds for the noisy output alone" if restricts else "",
    )
