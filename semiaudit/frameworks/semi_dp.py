"""Semi-DP: datasets with equal invariants, up to the semi-adjacent distance."""

from __future__ import annotations

from semiaudit.frameworks.context import (
    ONE_DATASET,
    Context,
    Stated,
    composition_first,
    published_bound,
    refused,
)
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.kind import not_attained
from semiaudit.mechanisms.mechanism_loss import loss_by_steps
from semiaudit.mechanisms.parts import flattened, queries_of
from semiaudit.model.guarantee import Alternative
from semiaudit.model.loss import PrivacyLoss, WorstLoss
from semiaudit.model.measure import Measure

GAP = (
    "It does not protect what the invariants themselves reveal, and it does not protect against "
    "an attacker who can rule out more datasets than the invariants do."
)
BY_STEPS = "covers noisy output and invariants together (Proposition 15)"
DIRECT = (
    "covers noisy output and invariants together, from what the query can "
    "change inside Dₜ (Definition 12, section 4.1)"
)
ENUMERATED = (
    "covers noisy output and invariants together, from every pair of datasets "
    "inside Dₜ (Definition 12)"
)


def stated(context: Context) -> Stated:
    """Return (D_t, A_{a(t)}, f)-DP of the joint release (Definition 12; E37).

    For a declared guarantee, it is f at distance 1 composed a(t) times (Proposition 15). For noise
    on a query, it is the better of that and the noise against S_Semi (section 4.1). The
    alternatives list Proposition 15's number, and Corollary 18's f^{o(p+1)}, if they differ.
    """
    distance = context.distance
    if distance is None:
        return refused(distance, GAP, context.no_distance)
    if context.universe.semi_adjacency.covering.upper == 0:
        return refused(distance, GAP, ONE_DATASET)
    loss = context.answer("semi_dp", distance)
    if loss.refused:
        return refused(distance, GAP, loss.refused)
    has_steps = any(kind_of(part).has_steps for part, _ in flattened(context.mechanism))
    meaning = BY_STEPS if has_steps else ENUMERATED
    meaning = DIRECT if queries_of(context.mechanism) else meaning
    specific = "; ".join(filter(None, (loss.remark, _of_others(context))))
    return Stated(
        distance,
        loss.measures,
        True,
        GAP,
        note=f"{meaning}; {specific}" if specific else meaning,
        alternatives=_alternatives(context, distance, loss.measures),
        specific=specific,
    )


def _of_others(context: Context) -> str:
    """Return the invariants whose a(t) the distance is, if these are not all of them."""
    parts = context.universe.semi_adjacency.own
    return "" if parts is None else f"a(t) is that of {parts.covered}; {parts.not_joint}"


def _alternatives(
    context: Context, distance: int, measures: tuple[Measure, ...]
) -> tuple[Alternative, ...]:
    if not context.steps:
        return published_bound(context, distance)
    alternatives = [*composition_first(context, distance), *published_bound(context, distance)]
    stepwise = loss_by_steps(context.made, distance, context.spaces).measures
    if stepwise and set(stepwise) != _comparable(measures, stepwise):
        alternatives.insert(0, Alternative("proposition_15", stepwise))
    bound = context.universe.semi_adjacency.joint.theorem_16_bound
    if bound is not None and bound > distance and context.adjacency.distance is None:
        weaker = loss_by_steps(context.made, bound, context.spaces).measures
        if weaker:
            alternatives.append(Alternative("corollary_18", weaker))
    return tuple(alternatives)


def _comparable(measures: tuple[Measure, ...], others: tuple[Measure, ...]) -> set[Measure]:
    """Return the measures without a loss that others lack: no steps are known for products."""
    if any(isinstance(measure, PrivacyLoss | WorstLoss) for measure in others):
        return set(not_attained(measures))
    return {measure for measure in measures if not isinstance(measure, PrivacyLoss | WorstLoss)}
