"""Semi-DP: datasets that agree on the invariants, up to the semi-adjacent distance."""

from __future__ import annotations

from semiaudit.frameworks.context import NO_PATHS, ONE_DATASET, Context
from semiaudit.mechanisms.loss import loss_at
from semiaudit.model.guarantee import Alternative, Guarantee

GAP = (
    "It does not protect what the invariants themselves reveal, nor against a reader who can rule "
    "out more datasets than they do."
)


def semi_dp(context: Context) -> Guarantee:
    """(D_t, A_{a(t)}, f^{o a(t)})-DP of the joint release (Definition 12, Proposition 15; E37).

    Corollary 18's f^{o(p+1)} stands under the alternatives where it differs.
    """
    distance, refused = context.distance, ""
    if distance is None:
        refused = "no finite a(t) is proven"
    elif context.universe.semi_adjacency.covering.upper == 0:
        refused = ONE_DATASET
    elif distance > 1 and not context.universe.metric_is_adjacency_metric:
        refused = NO_PATHS
    metric = context.adjacency.metric
    if refused or distance is None:
        return Guarantee("semi_dp", "D_t", metric, distance, (), False, GAP, refused=refused)
    measures, alternatives = loss_at(context.mechanism, distance)
    bound = context.universe.semi_adjacency.theorem_16_bound
    if bound is not None and bound > distance and context.adjacency.distance is None:
        weaker = loss_at(context.mechanism, bound)[0]
        alternatives = (*alternatives, Alternative("corollary_18", weaker))
    return Guarantee(
        "semi_dp",
        "D_t",
        metric,
        distance,
        measures,
        True,
        GAP,
        note="the effective guarantee of noisy output and invariants together (Proposition 15)",
        alternatives=alternatives,
    )
