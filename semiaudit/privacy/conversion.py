"""Conversions between privacy measures (``target_from_source``), with the best known constants.

Every function returns a guarantee that follows from the one it is given; where a number is
irrational it is rounded to the weaker side. ``NO_CONVERSION`` lists the conversions that do not
exist, each with the reason; :func:`refuse` makes the error. docs/theory/conversions.md has the
proofs that are not a citation.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import assert_never

from semiaudit.errors import Refusal, RefusedError
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
from semiaudit.numeric.intervals import Interval, nonnegative_ends
from semiaudit.privacy.measures import zcdp
from semiaudit.privacy.measures.zcdp import rho_of_pure_dp
from semiaudit.privacy.tradeoff import polygon

NO_CONVERSION = {
    ("pure", "approx"): "delta > 0 allows any likelihood ratio, with probability delta",
    ("pure", "zcdp"): "Gaussian noise is zCDP and has unbounded likelihood ratios",
    ("pure", "gdp"): "Gaussian noise has unbounded likelihood ratios",
    (
        "zcdp",
        "approx",
    ): "with probability delta the loss may be infinite, and with it the divergence",
    (
        "renyi",
        "approx",
    ): "with probability delta the loss may be infinite, and with it the divergence",
    ("gdp", "approx"): "f_{epsilon,delta}(0) = 1 - delta is below G_mu(0) = 1 for every mu",
    ("gdp", "zcdp"): "mu = sqrt(2 rho) is false: the discrete Gaussian with sigma^2 = 1 is "
    "1/2-zCDP, and its delta(1) = 0.14135 exceeds the Gaussian's 0.12694 (erratum E5); no other "
    "constant is known",
    ("gdp", "renyi"): "one order bounds no tail, and all orders together are zCDP",
    ("zcdp", "renyi"): "zCDP covers every order, and one order bounds no higher order",
}
"""(target, source) of each conversion that does not exist, and the reason."""


def refuse(target: str, source: str) -> RefusedError:
    """Make the error of a conversion that does not exist, with its reason."""
    reason = NO_CONVERSION[target, source]
    return RefusedError(
        Refusal(f"no {target} guarantee follows from {source} alone: {reason}", "declare the noise")
    )


def zcdp_from_pure(measure: PureDP, distance: int = 1) -> ZCDP:
    """rho = epsilon tanh(epsilon / 2), the least that epsilon-DP implies; at most epsilon^2 / 2.

    At distance k it is that of f_{epsilon,0} composed k times, which lies below both k^2 rho and
    the rho of k epsilon. Randomized response, and at distance k the discrete Laplace, attain it as
    the order falls to 1.

    Args:
        measure: at distance 1. distance: the number of steps k.

    Source: docs/theory/conversions.md; Bun and Steinke 2016, Proposition 3.3, for epsilon^2 / 2.
    """
    return ZCDP(rho_of_pure_dp(measure.epsilon, distance), exact=not measure.epsilon)


@lru_cache
def zcdp_from_loss(loss: PrivacyLoss) -> ZCDP | None:
    """Add up the rhos of the pairs; return None if a pair has none, or none is known.

    Source: Bun and Steinke 2016, Lemma 2.3 (composition); docs/theory/conversions.md for each pair;
    Canonne, Kamath and Steinke 2020, Proposition 5, for the discrete Gaussian.
    """
    from semiaudit.privacy.loss.pairs.pair_kinds import kind_of

    rhos = [(kind_of(pair, "the rho of a loss").rho(), repeat) for pair, repeat in loss.parts]
    known = [rho * repeat for rho, repeat in rhos if rho is not None]
    if len(known) < len(rhos):
        return None
    return ZCDP(sum(known, Fraction(0)), exact=not known)


def zcdp_from_gdp(measure: GDP) -> ZCDP:
    """rho = mu^2 / 2, attained by Gaussian noise (Dong, Roth and Su 2022, Corollary B.6)."""
    return ZCDP(measure.mu_squared / 2, measure.exact)


def without_implied_zcdp(measures: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Drop zCDP if it is seen to follow from another of the measures."""
    rhos: list[Fraction] = []
    for measure in measures:
        match measure:
            case GDP():
                implied: ZCDP | None = zcdp_from_gdp(measure)
            case PureDP():
                implied = zcdp_from_pure(measure)
            case PrivacyLoss():
                implied = zcdp_from_loss(measure)
            case ApproxDP() | ZCDP() | ApproxZCDP() | PiecewiseLinear() | WorstLoss():
                implied = None
            case _:
                assert_never(measure)
        rhos += [] if implied is None else [implied.rho]
    least = min(rhos, default=None)
    return tuple(m for m in measures if not isinstance(m, ZCDP) or least is None or m.rho < least)


def approx_from_zcdp(measure: ZCDP, delta: Fraction) -> ApproxDP:
    """Return the least epsilon that zCDP implies at a delta in (0, 1), by ``joint_range``."""
    epsilon = Interval.of(zcdp.epsilon_joint_range(measure, delta))
    return ApproxDP(nonnegative_ends(epsilon)[1], delta, exact=False)


def pure_from_tradeoff(f: PiecewiseLinear) -> PureDP:
    """Return ln of the steepest slope, if f(0) = 1."""
    epsilon = polygon.pure_epsilon(f)
    if isinstance(epsilon, float):
        raise refuse("pure", "approx")
    return PureDP(Fraction(epsilon), exact=False)


def tradeoff_from_approx(measure: PureDP | ApproxDP) -> PiecewiseLinear:
    """f_{epsilon,delta}, the weakest function that the pair implies (Su's review, Theorem 5)."""
    match measure:
        case PureDP():
            return polygon.tradeoff_from_approx_dp(ApproxDP(measure.epsilon, Fraction(0)))
        case ApproxDP():
            return polygon.tradeoff_from_approx_dp(measure)
        case _:
            assert_never(measure)
