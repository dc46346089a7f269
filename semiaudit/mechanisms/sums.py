"""Additive measures over the parts of a mechanism: epsilon, rho, and the square of mu."""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from semiaudit.mechanisms.kind import Measures
from semiaudit.mechanisms.parts import Bundles
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
from semiaudit.privacy.ordering.implication import is_perfect


def sums_of(parts: Bundles) -> Measures:
    """Return the sums of epsilon, rho and mu squared of parts with a loss, if all have one."""
    losing = [(measures, times) for measures, times in parts if not is_perfect(measures)]
    if not losing:
        return parts[0][0] if parts else ()
    return summed(losing)


def number_of(measure: Measure) -> Fraction:
    """Return the number of an additive measure."""
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
    """Return whether a measure's kind follows from the sums over the parts, and not from products.

    Args:
        hull: whether the products are those of the corners of a convex set.
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
