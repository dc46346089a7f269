"""Declared guarantees: from the one measure that was stated to all that follow from it.

Each function takes the measure that a spec declares for datasets at distance 1 and returns every
measure that is then known to hold; the first one is the declared one's own form.
"""

from __future__ import annotations

from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PiecewiseLinear, PureDP
from semiaudit.privacy.conversion import tradeoff_from_approx, zcdp_from_gdp, zcdp_from_pure
from semiaudit.privacy.tradeoff.polygon import symmetrised


def unknown(measure: Measure) -> TypeError:
    """The error of a measure that is not the one its kind declares."""
    return TypeError(f"{type(measure).__name__} is not the measure of this kind")


def pure_dp(measure: Measure) -> tuple[Measure, ...]:
    """epsilon-DP, its tradeoff function f_{epsilon,0}, and zCDP with epsilon tanh(epsilon / 2)."""
    if not isinstance(measure, PureDP):
        raise unknown(measure)
    return measure, tradeoff_from_approx(measure), zcdp_from_pure(measure)


def approx_dp(measure: Measure) -> tuple[Measure, ...]:
    """(epsilon, delta)-DP and its tradeoff function f_{epsilon,delta}."""
    if not isinstance(measure, ApproxDP):
        raise unknown(measure)
    return tradeoff_from_approx(measure), measure


def zcdp(measure: Measure) -> tuple[Measure, ...]:
    """rho-zCDP, and nothing else: the noise behind it is not known."""
    if not isinstance(measure, ZCDP):
        raise unknown(measure)
    return (measure,)


def gdp(measure: Measure) -> tuple[Measure, ...]:
    """mu-GDP, which is mu^2/2-zCDP too. Source: Dong, Roth and Su 2022; Cho and Awan, section 6."""
    if not isinstance(measure, GDP):
        raise unknown(measure)
    return measure, zcdp_from_gdp(measure)


def tradeoff_points(measure: Measure) -> tuple[Measure, ...]:
    """The polygon through declared points; valid for both orders of a pair, so symmetrised."""
    if not isinstance(measure, PiecewiseLinear):
        raise unknown(measure)
    return (symmetrised(measure),)
