"""The best of several bundles of measures that all hold for the same pairs of datasets."""

from __future__ import annotations

from typing import assert_never

from semiaudit.model.loss import PrivacyLoss, WorstLoss
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
    kept = tuple(best.values())
    if is_perfect(kept):
        return tuple(m for m in kept if not isinstance(m, PrivacyLoss) or not m.parts)
    return kept


def is_perfect(measures: tuple[Measure, ...]) -> bool:
    """Whether the measures say that the outputs have one distribution: nothing is lost at all."""
    perfect = [_loses_nothing(measure) for measure in measures]
    return any(perfect)


def _stronger(first: Measure, second: Measure) -> Measure:
    """The smaller of two measures of one kind; of equal numbers the one of which more is known."""
    match first:
        case PureDP():
            if isinstance(second, PureDP):
                return min(first, second, key=lambda measure: (measure.epsilon, not measure.exact))
        case ZCDP():
            if isinstance(second, ZCDP):
                return min(first, second, key=lambda measure: (measure.rho, not measure.exact))
        case GDP():
            if isinstance(second, GDP):
                return min(first, second, key=lambda m: (m.mu_squared, not m.exact, not m.attained))
        case PiecewiseLinear():
            if isinstance(second, PiecewiseLinear):
                return pointwise_max(first, second)
        case PrivacyLoss():
            if isinstance(second, PrivacyLoss):
                smaller = loss_implies(second, first) and not loss_implies(first, second)
                return second if smaller else first
        case ApproxDP() | ApproxZCDP() | WorstLoss():
            if type(second) is type(first):
                return first
        case _:
            assert_never(first)
    raise TypeError(f"{type(second).__name__} does not compare with {type(first).__name__}")


def _loses_nothing(measure: Measure) -> bool:
    match measure:
        case PureDP():
            return measure.epsilon == 0
        case ApproxDP():
            return measure.epsilon == measure.delta == 0
        case ZCDP():
            return measure.rho == 0
        case ApproxZCDP():
            return measure.rho == measure.delta == 0
        case GDP():
            return measure.mu_squared == 0
        case PiecewiseLinear():
            return all(x + y == 1 for x, y in measure.vertices)
        case PrivacyLoss():
            return not measure.parts
        case WorstLoss():
            return False
        case _:
            assert_never(measure)
