"""What is known of the parts of a mechanism at once: sums, and the better one of two bundles."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import assert_never

from semiaudit.mechanisms.kind import Measures
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
from semiaudit.privacy.composition import summed
from semiaudit.privacy.ordering.strongest import is_perfect, strongest

Bundles = list[tuple[Measures, int]]
"""(the measures of a part, how often it runs)."""


def sums_of(parts: Bundles) -> Measures:
    """epsilon, rho and mu squared of parts that lose something, where all have one."""
    losing = [(measures, times) for measures, times in parts if not is_perfect(measures)]
    if not losing:
        return parts[0][0] if parts else ()
    return summed(losing)


def number_of(measure: Measure) -> Fraction:
    """The number of a measure that adds up."""
    match measure:
        case PureDP():
            return measure.epsilon
        case ZCDP():
            return measure.rho
        case GDP():
            return measure.mu_squared
        case ApproxDP() | ApproxZCDP() | PiecewiseLinear() | PrivacyLoss() | WorstLoss():
            raise TypeError(f"{type(measure).__name__} has no number that adds up")
        case _:
            assert_never(measure)


def is_of_sums(measure: Measure, *, hull: bool) -> bool:
    """Whether the sums over the parts say what a measure of this kind is, and products do not.

    Args:
        hull: the products are those of the corners of a convex set.
    """
    match measure:
        case PureDP() | ZCDP() | GDP():
            return True
        case ApproxZCDP():
            return hull
        case ApproxDP() | PiecewiseLinear() | PrivacyLoss() | WorstLoss():
            return False
        case _:
            assert_never(measure)


def _rho(measures: Measures) -> Fraction | float:
    return min((m.rho for m in measures if isinstance(m, ZCDP)), default=math.inf)


def best_of(one: Measures, other: Measures) -> Measures:
    """Both, with the products of only that one whose rho is the smaller one."""
    if not has_loss(one):
        return strongest(other, one)
    if _rho(one) <= _rho(other) or not has_loss(other):
        return strongest(one, without_losses(other))
    return strongest(without_losses(one), other)


def has_loss(measures: Measures) -> bool:
    """Whether some measure is a product of pairs."""
    return any(isinstance(measure, PrivacyLoss | WorstLoss) for measure in measures)


def without_losses(measures: Measures) -> Measures:
    """The measures that are no product of pairs."""
    return tuple(m for m in measures if not isinstance(m, PrivacyLoss | WorstLoss))
