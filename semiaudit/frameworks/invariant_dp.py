"""DP subject to invariants (Bailie, Gong and Meng): a loss per unit of distance inside D_t."""

from __future__ import annotations

from semiaudit.frameworks.context import NO_PATHS, Context
from semiaudit.mechanisms.loss import loss_at
from semiaudit.model.guarantee import Alternative, Guarantee

GAP = (
    "It states a loss per unit of distance, though the nearest dataset in D_t may be several "
    "units away: at distance k the loss is that of f composed k times."
)


def invariant_dp(context: Context) -> Guarantee:
    """(D_t, d, f): f at distance 1, f composed k times at distance k (slides, E11).

    The loss at the semi-adjacent distance is semi_dp's: both statements agree there.
    """
    metric = context.adjacency.metric
    if not context.universe.metric_is_adjacency_metric:
        return Guarantee("invariant_dp", "D_t", metric, 1, (), True, GAP, refused=NO_PATHS)
    return Guarantee(
        "invariant_dp",
        "D_t",
        metric,
        1,
        loss_at(context.mechanism, 1)[0],
        True,
        GAP,
        note="loss per unit of distance; in D_nor units a zCDP rho is sqrt(rho) (E11)",
    )


def at_distance(context: Context, distance: int) -> Alternative | None:
    """The same guarantee read at a distance, for budgets; None where it is refused."""
    if not context.universe.metric_is_adjacency_metric:
        return None
    return Alternative(f"distance_{distance}", loss_at(context.mechanism, distance)[0])
