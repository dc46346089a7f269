"""Declared guarantees: from the one measure that was stated to all that follow from it.

Each function takes the measure that a spec declares for datasets at distance 1 and returns every
measure that is then known to hold; the first one is the declared one's own form.
"""

from __future__ import annotations

from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PiecewiseLinear, PureDP
from semiaudit.privacy.tradeoff.polygon import symmetrised, tradeoff_from_approx_dp


def pure_dp(measure: Measure) -> tuple[Measure, ...]:
    """epsilon-DP, its tradeoff function f_{epsilon,0}, and epsilon^2/2-zCDP.

    Source: Bun and Steinke 2016, Proposition 1.4.
    """
    assert isinstance(measure, PureDP)
    zcdp_measure = ZCDP(measure.epsilon * measure.epsilon / 2)
    return (
        measure,
        tradeoff_from_approx_dp(ApproxDP(measure.epsilon, measure.epsilon * 0)),
        (zcdp_measure),
    )


def approx_dp(measure: Measure) -> tuple[Measure, ...]:
    """(epsilon, delta)-DP and its tradeoff function f_{epsilon,delta}."""
    assert isinstance(measure, ApproxDP)
    return tradeoff_from_approx_dp(measure), measure


def zcdp(measure: Measure) -> tuple[Measure, ...]:
    """rho-zCDP, and nothing else: the noise behind it is not known."""
    assert isinstance(measure, ZCDP)
    return (measure,)


def gdp(measure: Measure) -> tuple[Measure, ...]:
    """mu-GDP, which is mu^2/2-zCDP too. Source: Dong, Roth and Su 2022; Cho and Awan, section 6."""
    assert isinstance(measure, GDP)
    return measure, ZCDP(measure.mu_squared / 2)


def tradeoff_points(measure: Measure) -> tuple[Measure, ...]:
    """The polygon through declared points; valid for both orders of a pair, so symmetrised."""
    assert isinstance(measure, PiecewiseLinear)
    return (symmetrised(measure),)
