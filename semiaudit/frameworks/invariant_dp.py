"""DP subject to invariants (Bailie, Gong and Meng): a loss per unit of distance inside D_t."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.frameworks.context import (
    ONE_DATASET,
    Context,
    Stated,
    published_bound,
    refused,
)
from semiaudit.mechanisms.kind import NO_PATHS, KnownLoss, not_attained
from semiaudit.mechanisms.mechanism_loss import loss_by_steps
from semiaudit.mechanisms.parts import queries_of
from semiaudit.model.guarantee import Alternative, name_at_distance
from semiaudit.model.measure import ZCDP, Measure
from semiaudit.model.mechanism import parts_of
from semiaudit.model.topdown import TopDown
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.rationals import decimal_text_up, exact_sqrt, float_up
from semiaudit.privacy.ordering.implication import strongest

GAP = (
    "It gives a privacy loss for each unit of distance, but the nearest dataset in Dₜ may be "
    "several units away: at distance k the loss is composed k times."
)
GAP_INSIDE = (
    "It gives a privacy loss for each unit of distance, but the nearest dataset in Dₜ may be "
    "several units away: at distance k, ε is multiplied by k and ρ by k²; there is no tradeoff "
    "function at distance k, because steps inside Dₜ may not lead there."
)
PER_UNIT = "the privacy loss for each unit of distance inside Dₜ"


def stated(context: Context) -> Stated:
    """Return (D_t, d, f): f at distance 1, f composed k times at distance k (slides, E11).

    At the semi-adjacent distance, it is the guarantee of Proposition 15, which is that of semi_dp,
    unless the noise is on a query that changes less inside D_t than this number of steps allows.
    """
    loss, shown = _per_unit(context)
    if not loss.measures:
        return refused(1, GAP, loss.refused or context.no_measure(1))
    root_of = "Proposition 15's ρ" if queries_of(context.mechanism) else "the effective ρ"
    # If the output shows the invariants, semi_dp's rho is not that of this number of units.
    root = _root(loss.measures, None if shown else context.distance, root_of)
    return Stated(
        1,
        loss.measures,
        True,
        GAP_INSIDE if shown else GAP,
        note="; ".join(filter(None, (PER_UNIT, loss.remark, root))),
        alternatives=published_bound(context, 1),
        specific=loss.remark,
    )


def _per_unit(context: Context) -> tuple[KnownLoss, bool]:
    """Return the loss at distance 1 in D, which steps between datasets of D_t use.

    In a hierarchical release, queries that the invariants determine lose nothing there. If nothing
    holds in D, because the output shows the invariants, it is the kinds' loss of one unit inside
    D_t, with its remark.

    Returns:
        The loss, and whether the output shows the invariants.
    """
    if why := _no_units(context):
        return KnownLoss(refused=why), False
    anywhere = context.loss_at(1, "D", "disagreeing", "invariant_dp")
    measures, shown = not_attained(anywhere.measures), bool(anywhere.refused)
    if measures and not parts_of(context.made, TopDown):
        return KnownLoss(measures), shown
    unit = _by_steps(context, 1)
    return (KnownLoss(strongest(measures, unit.measures)) if measures else unit), shown


def _no_units(context: Context) -> str:
    if context.universe.semi_adjacency.covering.upper == 0:
        return ONE_DATASET
    return "" if context.universe.metric_is_adjacency_metric else NO_PATHS


def _by_steps(context: Context, distance: int) -> KnownLoss:
    return loss_by_steps(context.made, distance, context.spaces, ("invariant_dp",))


def _root(measures: tuple[Measure, ...], distance: int | None, root_of: str) -> str:
    """Return the loss of zCDP in D_nor, the unit of the slides (E11); empty for other measures."""
    rhos = [measure.rho for measure in measures if isinstance(measure, ZCDP)]
    if not rhos:
        return ""
    root = exact_sqrt(rhos[0]) or Fraction(float_up(Interval.of(rhos[0]).sqrt().high))
    text = f"as a divergence D_nor it is √ρ = {decimal_text_up(root, 6)} for each unit"
    if distance is None or distance < 2:
        return text
    further = decimal_text_up(distance * root, 6)
    return f"{text} and {further} at distance {distance}, the root of {root_of} (E11)"


def at_distance(context: Context, distance: int) -> Alternative | None:
    """Return the guarantee at a distance, for budgets; None if it is refused."""
    if _no_units(context):
        return None
    loss = _by_steps(context, distance)
    return None if loss.refused else Alternative(name_at_distance(distance), loss.measures)
