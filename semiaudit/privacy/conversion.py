"""Conversions between privacy measures (``target_from_source``), with the best known constants.

Every function returns a guarantee that follows from the one it is given; where a number is
irrational it is rounded to the weaker side. ``NO_CONVERSION`` lists the conversions that do not
exist, each with the reason; :func:`refuse` makes the error. docs/theory/conversions.md has the
proofs that are not a citation.
"""

from __future__ import annotations

from decimal import Decimal
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
from semiaudit.numeric.intervals import HALF, ONE, TWO, ZERO, Interval, nonnegative_ends
from semiaudit.privacy.measures import gdp, zcdp
from semiaudit.privacy.measures.zcdp import rho_of_pure_dp
from semiaudit.privacy.special.normal import upper_quantile
from semiaudit.privacy.tradeoff import polygon
from semiaudit.privacy.tradeoff.polygon import LARGEST_EPSILON, Line, envelope

_TAIL_NATS = 40
"""Supporting lines are used up to an epsilon at which delta is about exp(-40)."""

_ORDERS = 8
"""Orders that are tried for each epsilon around the best one, each twice the previous one."""

_LEAST_EXCESS = Fraction(1, 100)
"""The least excess of an order over 1, used if the best order is closer to 1."""

_SHORT = 10**6
"""The largest denominator of a place that can be chosen freely."""

_NO_EXPONENTIAL = 10**6
"""For a larger x, exp(-2 x) is enclosed by 0 and 1: ln cosh(x) is x to all digits."""

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


def zcdp_from_tradeoff(f: PiecewiseLinear, cells: int = 400) -> ZCDP:
    """The supremum over orders a > 1 of D_a(f) / a, from above.

    Args:
        f: holds for both orders of every pair, as a tradeoff function does.
        cells: of the orders; more cells give a tighter bound.

    Raises:
        RefusedError: neither f nor f^-1 is 1 at 0: the divergence is infinite.

    Rounding: D_a grows with a, so over a cell, D_a / a is at most D at its last order over its
    first order; beyond the last cell, D_a is at most the largest loss.
    """
    f = polygon.pointwise_max(f, polygon.inverse(f), Fraction(0))
    largest = polygon.pure_epsilon(f)
    if isinstance(largest, float) or isinstance(_renyi(f, Fraction(2)), float):
        raise refuse("zcdp", "approx")
    if not largest:
        return ZCDP(Fraction(0))
    best, order = Fraction(0), Fraction(1)
    step = 1 + Fraction(4, cells)
    excess = Fraction(1, cells)
    # For all larger orders, D_a / a is at most the largest loss over that order. If this is at most
    # the best value, the cells up to here contain the supremum.
    while Fraction(largest) / order > best:
        following = 1 + excess
        divergence = _renyi(f, following)
        if isinstance(divergence, float):
            raise refuse("zcdp", "approx")
        best = max(best, divergence / order)
        order, excess = following, _short(excess * step)
    return ZCDP(best, exact=False)


def gdp_from_pure(measure: PureDP) -> GDP:
    """mu = 2 Phi^-1(e^epsilon / (1 + e^epsilon)): G_mu touches f_{epsilon,0} at its corner.

    G_mu is convex and symmetric with fixed point Phi(-mu/2), so it lies below the two lines of
    f_{epsilon,0} exactly if that is at most the corner 1 / (1 + e^epsilon). The least mu there is.
    Source: docs/theory/conversions.md, from Dong, Roth and Su 2022, Definition 2.6.
    """
    if not measure.epsilon:
        return GDP(Fraction(0))
    if measure.epsilon > LARGEST_EPSILON:
        raise RefusedError(
            Refusal(f"epsilon {measure.epsilon} is too large for mu", "keep pure DP")
        )
    corner = ONE / (ONE + Interval.of(measure.epsilon).exp())
    mu = TWO * upper_quantile(corner.lower_rational)
    return GDP((mu * mu).upper_rational, exact=False)


def renyi_from_pure(measure: PureDP, order: Fraction) -> Fraction:
    """Return the Renyi divergence of randomized response, the maximum under epsilon-DP, rounded up.

    (ln cosh((a - 1/2) epsilon) - ln cosh(epsilon / 2)) / (a - 1) for the order a > 1.
    Source: Bun and Steinke 2016, Proposition 3.3; Mironov 2017, Proposition 5.
    """
    _check_order(order)
    if not measure.epsilon:
        return Fraction(0)
    rise = _log_cosh((order - Fraction(1, 2)) * measure.epsilon)
    value = (rise - _log_cosh(measure.epsilon / 2)) / Interval.of(order - 1)
    return min(max(value.upper_rational, Fraction(0)), measure.epsilon)


def renyi_from_zcdp(measure: ZCDP, order: Fraction) -> Fraction:
    """Return order * rho, by definition."""
    _check_order(order)
    return order * measure.rho


def renyi_from_gdp(measure: GDP, order: Fraction) -> Fraction:
    """Return order * mu^2 / 2, attained by Gaussian noise."""
    _check_order(order)
    return order * measure.mu_squared / 2


def approx_from_pure(measure: PureDP, delta: Fraction) -> ApproxDP:
    """epsilon' = ln(e^epsilon - delta (1 + e^epsilon)), the profile of randomized response.

    Source: Kairouz, Oh and Viswanath 2015; Su's review, Theorem 5.
    """
    if not delta or measure.epsilon > LARGEST_EPSILON:
        return ApproxDP(measure.epsilon, delta, measure.exact and not delta)
    growth = Interval.of(measure.epsilon).exp()
    rest = growth - Interval.of(delta) * (ONE + growth)
    if rest.high <= 1:
        return ApproxDP(Fraction(0), delta)
    return ApproxDP(min(rest.ln().upper_rational, measure.epsilon), delta, exact=False)


def approx_from_zcdp(measure: ZCDP, delta: Fraction) -> ApproxDP:
    """Return the least epsilon that zCDP implies at a delta in (0, 1), by ``joint_range``."""
    epsilon = Interval.of(zcdp.epsilon_joint_range(measure, delta))
    return ApproxDP(nonnegative_ends(epsilon)[1], delta, exact=False)


def approx_from_gdp(measure: GDP, delta: Fraction) -> ApproxDP:
    """Return the exact profile of Gaussian noise, for delta in (0, 1) (Balle and Wang 2018)."""
    return ApproxDP(Fraction(gdp.epsilon_at(measure, delta)[1]), delta, exact=False)


def approx_from_renyi(order: Fraction, divergence: Fraction, delta: Fraction) -> ApproxDP:
    """epsilon = D + ln(1/(a delta)) / (a - 1) + ln(1 - 1/a), for delta in (0, 1), at least 0.

    Source: Canonne, Kamath and Steinke 2020, Proposition 12; Asoodeh et al. 2021.
    """
    _check_order(order)
    value = zcdp.epsilon_from_renyi(Interval.of(divergence), Interval.of(order - 1), delta)
    return ApproxDP(max(value.upper_rational, Fraction(0)), delta, exact=False)


def approx_from_tradeoff(f: PiecewiseLinear, delta: Fraction) -> ApproxDP:
    """Return epsilon at delta by the duality of tradeoff functions and profiles.

    Raises:
        RefusedError: delta is below 1 - f(0).

    Source: Dong, Roth and Su 2022, Proposition 2.12 (Su's review, 2.4).
    """
    epsilon = polygon.epsilon_at(f, delta)
    if isinstance(epsilon, float):
        raise RefusedError(Refusal("delta is below 1 - f(0)", "use a larger delta"))
    return ApproxDP(Fraction(epsilon), delta, exact=False)


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


def tradeoff_from_renyi(order: Fraction, divergence: Fraction, lines: int = 48) -> PiecewiseLinear:
    """Return a polygon below the function of every pair with this divergence in both directions.

    The polygon is the maximum of f_{epsilon,delta} over the pairs of :func:`approx_from_renyi`.
    """
    _check_order(order)
    top = divergence + _TAIL_NATS / (order - 1)
    epsilons = [top * place / lines for place in range(lines + 1)]
    return _from_profile([(e, _renyi_delta(order, divergence, e)) for e in epsilons])


def tradeoff_from_zcdp(measure: ZCDP, lines: int = 48) -> PiecewiseLinear:
    """Return a polygon below the tradeoff function of every rho-zCDP pair: the envelope of cks20.

    For each epsilon, the best of several orders is kept; a poor choice is loose, never wrong.
    """
    rho = measure.rho
    if not rho:
        return polygon.IDENTITY
    top = rho + 2 * Interval.of(_TAIL_NATS * rho).sqrt().upper_rational
    points = []
    for place in range(lines + 1):
        epsilon = _short(top * place / lines)
        centre = max((epsilon - rho) / (2 * rho), _LEAST_EXCESS)
        orders = [1 + centre * Fraction(2) ** k / 4 for k in range(_ORDERS)]
        points.append((epsilon, min(_renyi_delta(a, a * rho, epsilon) for a in orders)))
    return _from_profile(points)


def _from_profile(points: list[tuple[Fraction, Fraction]]) -> PiecewiseLinear:
    lines: list[Line] = []
    for epsilon, delta in points:
        growth = Interval.of(epsilon).exp() if epsilon else ONE
        lines.append((1 - delta, growth.upper_rational))
        flat = ONE / growth
        lines.append(((Interval.of(1 - delta) * flat).lower_rational, flat.upper_rational))
    return envelope(lines)


def _renyi_delta(order: Fraction, divergence: Fraction, epsilon: Fraction) -> Fraction:
    """exp((a - 1)(D - epsilon)) (1 - 1/a)^a / (a - 1), at most 1, rounded up."""
    excess = Interval.of(order - 1)
    delta = zcdp.delta_from_renyi(Interval.of(divergence), excess, Interval.of(epsilon))
    return delta.upper_rational


def _renyi(f: PiecewiseLinear, order: Fraction) -> Fraction | float:
    from semiaudit.privacy.tradeoff.links import renyi_divergence

    return renyi_divergence(f, order)[1]


def _log_cosh(value: Fraction) -> Interval:
    """ln cosh = x + ln((1 + e^-2x) / 2)."""
    shrink = (
        (-Interval.of(2 * value)).exp()
        if value < _NO_EXPONENTIAL
        else Interval(ZERO.low, Decimal(1))
    )
    return Interval.of(value) + ((ONE + shrink) * HALF).ln()


def _short(value: Fraction) -> Fraction:
    """Return a nearby rational with a small denominator, for a place that can be chosen freely."""
    return value.limit_denominator(_SHORT) or value


def _check_order(order: Fraction) -> None:
    if order <= 1:
        raise ValueError("an order must be above 1")
