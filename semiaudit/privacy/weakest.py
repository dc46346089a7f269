"""Measures that hold for every pair of datasets, from those of several kinds of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never, get_args

from semiaudit.model.loss import PrivacyLoss, WorstLoss, products_of
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    Measure,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.privacy.domination import dominating_loss, is_concentrated
from semiaudit.privacy.ordering.implication import is_perfect
from semiaudit.privacy.ordering.matching import loss_implies
from semiaudit.privacy.tradeoff.polygon import convex_minimum

Measures = tuple[Measure, ...]

_ONE_BY_ONE = tuple(kind for kind in get_args(Measure) if kind not in (PrivacyLoss, WorstLoss))
"""The kinds of measure whose weakest is one measure of the same kind."""


def weakest(bundles: Sequence[Measures]) -> Measures:
    """Return the weakest measure of every kind that all bundles have.

    Args:
        bundles: one or more. Every relevant pair of datasets satisfies one whole bundle; or, at
            every type I error, one of the tradeoff functions, and for every other number one of the
            measures of that kind.

    Returns:
        The largest epsilon, rho and mu, the convex minimum of tradeoff functions, and all
        dominating pairs except those that are seen to lose no more than another. The pairs are
        omitted if no bundle has a loss of its own and all have a tradeoff function.
    """
    losing = [bundle for bundle in bundles if not is_perfect(bundle)] or list(bundles[:1])
    if len(losing) == 1:
        return losing[0]
    weakest_measures: list[Measure] = []
    for kind in _ONE_BY_ONE:
        column = [next((m for m in bundle if isinstance(m, kind)), None) for bundle in losing]
        some = [measure for measure in column if measure is not None]
        if len(some) == len(losing):
            worst: Measure = some[0]
            for measure in some[1:]:
                worst = _weaker(worst, measure)
            weakest_measures.append(worst)
    has_losses = any(isinstance(m, PrivacyLoss | WorstLoss) for bundle in losing for m in bundle)
    if not has_losses and any(
        isinstance(measure, GDP | PiecewiseLinear) for measure in weakest_measures
    ):
        return tuple(weakest_measures)
    losses = [_products(bundle) for bundle in losing]
    all_products = [loss for products in losses for loss in products]
    if all(losses) and not all(map(is_concentrated, all_products)):
        weakest_measures.insert(0, worst_loss(all_products))
    return tuple(weakest_measures)


def worst_loss(losses: Sequence[PrivacyLoss]) -> PrivacyLoss | WorstLoss:
    """Return the losses as one measure, without those that are seen to be dominated."""
    undominated: list[PrivacyLoss] = []
    for loss in losses:
        if any(loss_implies(loss, other) for other in undominated):
            continue
        undominated = [other for other in undominated if not loss_implies(other, loss)] + [loss]
    return undominated[0] if len(undominated) == 1 else WorstLoss(tuple(undominated))


def _products(bundle: Measures) -> tuple[PrivacyLoss, ...]:
    worst = next((measure for measure in bundle if isinstance(measure, WorstLoss)), None)
    if worst is not None:
        return products_of(worst)
    loss = dominating_loss(bundle)
    return () if loss is None else (loss,)


def _weaker(first: Measure, second: Measure) -> Measure:
    """Return the larger of two measures of one kind; of equal ones, the exact one."""
    match first:
        case PureDP():
            if isinstance(second, PureDP):
                return max(first, second, key=lambda measure: (measure.epsilon, measure.exact))
        case ZCDP():
            if isinstance(second, ZCDP):
                return max(first, second, key=lambda measure: (measure.rho, measure.exact))
        case GDP():
            if isinstance(second, GDP):
                return max(first, second, key=lambda m: (m.mu_squared, m.exact, m.attained))
        case ApproxDP():
            if isinstance(second, ApproxDP):
                equal = first == second and first.exact
                epsilon, delta = max(first.epsilon, second.epsilon), max(first.delta, second.delta)
                return ApproxDP(epsilon, delta, equal)
        case ApproxZCDP():
            if isinstance(second, ApproxZCDP):
                return ApproxZCDP(max(first.rho, second.rho), max(first.delta, second.delta))
        case PiecewiseLinear():
            if isinstance(second, PiecewiseLinear):
                return convex_minimum(first, second)
        case PrivacyLoss() | WorstLoss():
            pass  # never a single measure: ``worst_loss``
        case _:
            assert_never(first)
    raise TypeError(f"{type(second).__name__} does not compare with {type(first).__name__}")
