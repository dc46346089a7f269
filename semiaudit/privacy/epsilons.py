"""Bounds on epsilon at a delta, on epsilon at delta 0, and on rho, for each measure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import assert_never

from semiaudit import deadline
from semiaudit.model.bound import Bound, Causes, joined, known, lower, upper
from semiaudit.model.guarantee import ApproxPoint
from semiaudit.model.loss import PrivacyLoss, WorstLoss, plain_products_of, products_of
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    Measure,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.privacy import loss as losses
from semiaudit.privacy.conversion import approx_from_zcdp
from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.measures import gdp, zcdp
from semiaudit.privacy.tradeoff import function

SOURCES = {
    "none": "nothing that is known bounds it",
    "declared": "the spec",
    "pure": "epsilon-DP is (epsilon, delta)-DP for every delta",
    "tradeoff_duality": "Dong, Roth and Su 2022, Proposition 2.12 (Su's review, section 2.3)",
    "gaussian_exact": "Balle and Wang 2018, Theorem 8",
    "cks20": "Canonne, Kamath and Steinke 2020, Proposition 12",
    "bs16": "Bun and Steinke 2016, Proposition 1.3 (Cho and Awan, Lemma 40)",
    "joint_range": "docs/theory/conversions.md, What zCDP says at every delta; Asoodeh et al. 2021",
    "cks20_envelope": "docs/theory/conversions.md, What zCDP says at every delta",
    "tradeoff_exact": "the tradeoff function's vertices",
    "renyi_curve": "the Renyi orders of all parts; docs/theory/conversions.md, zCDP with privacy "
    "losses",
    "tradeoff_merged": "a tradeoff function whose pieces were joined because they were too many, "
    "which only lowers it",
    "loss_distribution": "the noise's own privacy loss, composed; docs/theory/queries.md, One pair "
    "that dominates",
}

LOOSE = ("none", "renyi_curve")
"""The conversions if a loss was not composed."""

_WORTH_LISTING = 1 - Fraction(1, 10**7)
"""A conversion of zCDP is not listed if it equals another one to this relative accuracy."""


def epsilons_at(
    measures: tuple[Measure, ...], delta: Fraction, accuracy: Accuracy = losses.DEFAULT
) -> tuple[tuple[ApproxPoint, ...], Causes]:
    """epsilon at a delta by every conversion that is valid, the tightest first.

    Returns:
        The points, and why one is wider than was asked for, if one is.
    """
    answers = [points_of(measure, delta, accuracy) for measure in measures]
    points = [point for points, _ in answers for point in points]
    return (
        tuple(sorted(points, key=lambda point: point.epsilon.value)),
        joined(*(causes for _, causes in answers)),
    )


def points_of(
    measure: Measure, delta: Fraction, accuracy: Accuracy
) -> tuple[list[ApproxPoint], Causes]:
    """Return epsilon at a delta by each conversion of a measure, and why one is too wide."""
    match measure:
        case PureDP():
            # At a delta above 0, a smaller epsilon holds too, unless epsilon is 0.
            least = measure.exact and not measure.epsilon
            bound = known(measure.epsilon, "pure", SOURCES["pure"], exact=least)
            return [ApproxPoint(delta, bound, "pure")], ()
        case ApproxDP():
            if delta < measure.delta:
                return [], ()
            method = "declared"
            least = measure.exact and (delta == measure.delta or not measure.epsilon)
            bound = known(measure.epsilon, method, SOURCES[method], exact=least)
            return [ApproxPoint(delta, bound, method)], ()
        case GDP():
            if measure.mu_squared > gdp.LARGEST_MU**2:
                return [], ()
            below, above = function.epsilon_at(measure, delta)
            attained = below if measure.attained else None
            return [_approx_point(delta, "gaussian_exact", above, attained)], ()
        case PiecewiseLinear():
            _, above = function.epsilon_at(measure, delta)
            return [_approx_point(delta, _duality_of(measure), above)], ()
        case ZCDP():
            return _concentrated(measure, delta, delta), ()
        case ApproxZCDP():
            share = (delta - measure.delta) / (1 - measure.delta) if measure.delta < 1 else -1
            return _concentrated(ZCDP(measure.rho), delta, Fraction(share)), ()
        case PrivacyLoss() | WorstLoss():
            return _of_losses(measure, delta, accuracy)
        case _:
            assert_never(measure)


_FOR_COMPOSITION = 0.8
"""The part of the time of one epsilon that a composition may take; Rényi orders have the rest."""


def _of_losses(
    measure: PrivacyLoss | WorstLoss, delta: Fraction, accuracy: Accuracy
) -> tuple[list[ApproxPoint], Causes]:
    """The largest epsilon of several products; its lower bound is that of those attained."""
    plain = plain_products_of(measure)
    lower_bounds: dict[PrivacyLoss, float] = {}

    def asked(loss: PrivacyLoss, floor: float) -> losses.Bracket | None:
        bracket = losses.epsilon_at(loss, delta, accuracy, floor)
        lower_bounds[loss] = 0.0 if bracket is None else bracket.lower
        return bracket

    before = deadline.cuts()
    with deadline.part(_FOR_COMPOSITION):
        worst = losses.largest(plain, asked, accuracy)
    causes: Causes = ("time",) if deadline.cuts() != before else ()
    if worst is None:
        return _by_renyi(plain, delta), causes
    pairs = zip(plain, products_of(measure), strict=True)
    attained = [lower_bounds[loss] for loss, product in pairs if product.attained]
    point = _approx_point(delta, "loss_distribution", worst.upper, max(attained, default=None))
    if worst.complete:
        return [point], ()
    return [point, *_by_renyi(plain, delta)], causes or (worst.short_of,)


def _by_renyi(products: Sequence[PrivacyLoss], delta: Fraction) -> list[ApproxPoint]:
    epsilon = max(losses.epsilon_of_renyi(loss, delta) for loss in products)
    return [_approx_point(delta, "renyi_curve", epsilon)] if epsilon.is_finite() else []


def _duality_of(f: PiecewiseLinear) -> str:
    return "tradeoff_merged" if f.merged else "tradeoff_duality"


def _approx_point(
    delta: Fraction,
    method: str,
    upper_end: Fraction | Decimal | float,
    lower_end: Fraction | float | None = None,
) -> ApproxPoint:
    source = SOURCES[method]
    end = None if lower_end is None else lower(lower_end, method, source)
    return ApproxPoint(delta, upper(upper_end, method, source), method, end)


def _concentrated(measure: ZCDP, delta: Fraction, remaining: Fraction) -> list[ApproxPoint]:
    """Apply the conversions of zCDP at the rest of a delta; infinite if nothing is left.

    The best one has a point of its own only if it is tighter than cks20.
    """
    if remaining <= 0:
        return [_approx_point(delta, method, math.inf) for method in ("cks20", "bs16")]
    points = [
        _approx_point(delta, "cks20", zcdp.epsilon_cks20(measure, remaining)),
        _approx_point(delta, "bs16", zcdp.epsilon_bs16(measure, remaining)),
    ]
    best = approx_from_zcdp(measure, remaining).epsilon
    if best < points[0].epsilon.value * _WORTH_LISTING:
        points.append(_approx_point(delta, "joint_range", best))
    return points


def epsilon_lower_at(
    measures: tuple[Measure, ...], delta: Fraction, accuracy: Accuracy = losses.DEFAULT
) -> Bound:
    """Return the largest certified lower bound on the least epsilon at a delta in (0, 1), or 0.

    Measures that all hold are bounds of one loss: a pair that attains any of them has that loss.
    """
    points = [point for m in measures for point in points_of(m, delta, accuracy)[0]]
    known = [point.epsilon_lower for point in points if point.epsilon_lower is not None]
    nothing = lower(Fraction(0), "none", "epsilon is at least 0")
    return max(known, key=lambda bound: bound.sharpest, default=nothing)


def pure_epsilon(measures: tuple[Measure, ...]) -> Bound | None:
    """Return the least epsilon at delta 0, None if none is known; of equal ones, the exact one."""
    bounds = [bound for bound in map(_pure_of, measures) if bound is not None]
    return min(bounds, key=lambda bound: (bound.sharpest, bound.side != "exact"), default=None)


def _pure_of(measure: Measure) -> Bound | None:
    match measure:
        case PureDP():
            return known(measure.epsilon, "pure", SOURCES["declared"], exact=measure.exact)
        case PiecewiseLinear():
            method = _duality_of(measure)
            _, epsilon = function.epsilon_at(measure, Fraction(0))
            return None if math.isinf(epsilon) else upper(epsilon, method, SOURCES[method])
        case ApproxDP() | ZCDP() | ApproxZCDP() | GDP() | PrivacyLoss() | WorstLoss():
            return None
        case _:
            assert_never(measure)


def rho_of(measures: tuple[Measure, ...]) -> Bound | None:
    """Return the least known rho; None if none is known."""
    concentrated = [measure for measure in measures if isinstance(measure, ZCDP)]
    least = min(concentrated, key=lambda measure: (measure.rho, not measure.exact), default=None)
    if least is None:
        return None
    return known(least.rho, "zcdp", "Bun and Steinke 2016", exact=least.exact)
