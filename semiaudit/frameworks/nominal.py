"""The advertised guarantee: any two neighbouring datasets, whatever the invariants say."""

from __future__ import annotations

from semiaudit.frameworks.context import Context
from semiaudit.mechanisms.loss import loss_at
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
    return Guarantee(
        "nominal_dp",
        "D",
        context.adjacency.metric,
        1,
        loss_at(context.mechanism, 1)[0],
        not restricts,
        gap,
        note="the advertised guarantee; it holds for the noisy output alone" if restricts else "",
    )
