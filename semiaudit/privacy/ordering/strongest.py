"""The best of several bundles of measures that all hold for the same pairs of datasets."""

from __future__ import annotations

from semiaudit.model.loss import PrivacyLoss
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    Measure,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.privacy.ordering.matching import loss_implies
from semiaudit.privacy.tradeoff.polygon import pointwise_max


def strongest(*bundles: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """One measure of every kind that some bundle has: the strongest that follows from them all.

    Of two tradeoff functions that both bound one from below, their pointwise maximum does too.
    Of several (epsilon, delta) pairs, and of several losses of which none is known to be the
    smaller one, the first stays.
    """
    best: dict[type[Measure], Measure] = {}
    for measure in (measure for bundle in bundles for measure in bundle):
        known = best.get(type(measure))
        best[type(measure)] = measure if known is None else _stronger(known, measure)
    found = tuple(best.values())
    if is_perfect(found):
        return tuple(m for m in found if not isinstance(m, PrivacyLoss) or not m.parts)
    return found


def is_perfect(measures: tuple[Measure, ...]) -> bool:
    """Whether the measures say that the outputs have one distribution: nothing is lost at all."""
    return any(_loses_nothing(measure) for measure in measures)


def _stronger(first: Measure, second: Measure) -> Measure:
    if isinstance(first, PureDP) and isinstance(second, PureDP):
        return PureDP(min(first.epsilon, second.epsilon))
    if isinstance(first, ZCDP) and isinstance(second, ZCDP):
        return ZCDP(min(first.rho, second.rho))
    if isinstance(first, GDP) and isinstance(second, GDP):
        return GDP(min(first.mu_squared, second.mu_squared))
    if isinstance(first, PiecewiseLinear) and isinstance(second, PiecewiseLinear):
        return pointwise_max(first, second)
    if isinstance(first, PrivacyLoss) and isinstance(second, PrivacyLoss):
        return second if loss_implies(second, first) and not loss_implies(first, second) else first
    return first


def _loses_nothing(measure: Measure) -> bool:
    if isinstance(measure, PureDP):
        return measure.epsilon == 0
    if isinstance(measure, ZCDP):
        return measure.rho == 0
    if isinstance(measure, GDP):
        return measure.mu_squared == 0
    if isinstance(measure, ApproxDP):
        return measure.epsilon == measure.delta == 0
    if isinstance(measure, ApproxZCDP):
        return measure.rho == measure.delta == 0
    if isinstance(measure, PrivacyLoss):
        return not measure.parts
    return all(x + y == 1 for x, y in measure.vertices)
