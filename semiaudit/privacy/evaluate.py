"""From measures to the numbers that a report prints, each on its safe side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, assert_never

from semiaudit import deadline
from semiaudit.model.bound import Bound, exact, known, lower, upper, upper_root
from semiaudit.model.guarantee import NO_NUMBERS, ApproxPoint, Numbers
from semiaudit.model.incomplete import Causes, joined
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
from semiaudit.numeric import exact_sqrt
from semiaudit.privacy import loss as losses
from semiaudit.privacy.best_attack import BestAttack
from semiaudit.privacy.conversion import approx_from_zcdp
from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.measures import gaussian, zcdp
from semiaudit.privacy.ordering.matching import products_of
from semiaudit.privacy.tradeoff import function

if TYPE_CHECKING:
    from semiaudit.privacy.mu.fitted import FittedMu

SOURCES = {
    "none": "nothing that is known bounds it",
    "declared": "the spec",
    "pure": "epsilon-DP is (epsilon, delta)-DP for every delta",
    "tradeoff_duality": "Dong, Roth and Su 2022, Proposition 2.12 (Su's review, section 2.3)",
    "gaussian_exact": "Balle and Wang 2018, Theorem 8",
    "cks20": "Canonne, Kamath and Steinke 2020, Proposition 12",
    "bs16": "Bun and Steinke 2016, Proposition 1.3 (Cho and Awan, Lemma 40)",
    "joint_range": "docs/calculus.md, What zCDP says at every delta; Asoodeh et al. 2021",
    "cks20_envelope": "docs/calculus.md, What zCDP says at every delta",
    "tradeoff_exact": "the tradeoff function's vertices",
    "renyi_curve": "the Renyi orders of all parts; docs/calculus.md, zCDP beside privacy losses",
    "tradeoff_merged": "a tradeoff function whose pieces were joined because they were too many, "
    "which only lowers it",
    "best_mu": "Gomez et al. 2025; Kaissis et al. 2024 for the regret; docs/calculus.md",
    "loss_distribution": "the noise's own privacy loss, composed; docs/guarantee.md, One pair that "
    "dominates",
}

_WORTH_TELLING = 1 - Fraction(1, 10**7)
"""A conversion of zCDP that says no more than another one, to so many digits, is not told."""


def numbers_of(
    measures: tuple[Measure, ...],
    deltas: Sequence[Fraction],
    rates: Sequence[Fraction],
    accuracy: Accuracy = losses.DEFAULT,
) -> Numbers:
    """Evaluate measures that all hold at once; the best of them stands in each field.

    Args:
        measures: valid for the same universe and adjacency; empty gives no numbers.
        deltas: each in (0, 1). rates: type I errors, each in (0, 1).
        accuracy: of what is computed from a composed loss.
    """
    if not measures:
        return NO_NUMBERS
    attack = BestAttack(measures, accuracy)
    points = [(type_i, attack.type_ii(type_i)) for type_i in rates]
    advantage, source = attack.advantage(), attack.source
    mu, regret = mu_of(measures, accuracy)
    found = [epsilons_at(measures, delta, accuracy) for delta in deltas]
    return Numbers(
        pure_dp=pure_epsilon(measures),
        zcdp=rho_of(measures),
        gdp=mu,
        gdp_regret=regret,
        approx_dp=tuple(point for points_at, _ in found for point in points_at),
        tradeoff=tuple((a, lower(value, source, SOURCES[source])) for a, value in points),
        advantage=upper(advantage, source, SOURCES[source]),
        tpr_at_fpr=tuple((a, upper(1 - value, source, SOURCES[source])) for a, value in points),
        operating_points_from=source,
        incomplete_because=joined(attack.incomplete_because, *(causes for _, causes in found)),
    )


def epsilons_at(
    measures: tuple[Measure, ...], delta: Fraction, accuracy: Accuracy = losses.DEFAULT
) -> tuple[tuple[ApproxPoint, ...], Causes]:
    """epsilon at a delta by every conversion that is valid, the tightest first.

    Returns:
        The points, and why one is wider than was asked for, if one is.
    """
    found = [_points_of(measure, delta, accuracy) for measure in measures]
    points = [point for points, _ in found for point in points]
    return (
        tuple(sorted(points, key=lambda point: point.epsilon.value)),
        joined(*(causes for _, causes in found)),
    )


def epsilon_at(
    measures: tuple[Measure, ...], delta: Fraction, accuracy: Accuracy = losses.DEFAULT
) -> Bound:
    """The smallest epsilon at a delta in [0, 1); infinite where none is known."""
    if not delta:
        found = pure_epsilon(measures)
    else:
        points, _ = epsilons_at(measures, delta, accuracy)
        found = min((p.epsilon for p in points), key=lambda bound: bound.sharpest, default=None)
    return upper(math.inf, "none", SOURCES["none"]) if found is None else found


def delta_at(
    measures: tuple[Measure, ...], epsilon: Fraction, accuracy: Accuracy = losses.DEFAULT
) -> Bound:
    """The smallest delta at an epsilon of 0 or more; 1 where none is known."""
    from semiaudit.privacy.delta import delta_at as found_at  # only a library's user asks for it

    delta, method = found_at(measures, epsilon, accuracy)
    return upper(delta, method, SOURCES[method])


def type_ii_at(
    measures: tuple[Measure, ...], type_i: Fraction, accuracy: Accuracy = losses.DEFAULT
) -> Bound:
    """The smallest type II error at a type I error in [0, 1], from below."""
    attack = BestAttack(measures, accuracy)
    value = attack.type_ii(type_i)
    return lower(value, attack.source, SOURCES[attack.source])


def tpr_at(
    measures: tuple[Measure, ...], fpr: Fraction, accuracy: Accuracy = losses.DEFAULT
) -> Bound:
    """The largest true positive rate at a false positive rate in [0, 1], from above."""
    attack = BestAttack(measures, accuracy)
    value = 1 - attack.type_ii(fpr)
    return upper(value, attack.source, SOURCES[attack.source])


def advantage_of(measures: tuple[Measure, ...], accuracy: Accuracy = losses.DEFAULT) -> Bound:
    """The total variation distance, from above."""
    attack = BestAttack(measures, accuracy)
    value = attack.advantage()
    return upper(value, attack.source, SOURCES[attack.source])


def _points_of(
    measure: Measure, delta: Fraction, accuracy: Accuracy
) -> tuple[list[ApproxPoint], Causes]:
    """epsilon of one measure at a delta by each of its conversions, and why one is too wide."""
    match measure:
        case PureDP():
            bound = known(measure.epsilon, "pure", SOURCES["pure"], exact=measure.exact)
            return [ApproxPoint(delta, bound, "pure")], ()
        case ApproxDP():
            if delta < measure.delta:
                return [], ()
            method = "declared"
            bound = known(measure.epsilon, method, SOURCES[method], exact=measure.exact)
            return [ApproxPoint(delta, bound, method)], ()
        case GDP():
            if measure.mu_squared > gaussian.LARGEST_MU**2:
                return [], ()
            below, above = function.epsilon_at(measure, delta)
            return [_point(delta, "gaussian_exact", above, below)], ()
        case PiecewiseLinear():
            _, above = function.epsilon_at(measure, delta)
            return [_point(delta, _duality_of(measure), above)], ()
        case ZCDP():
            return _concentrated(measure, delta, delta), ()
        case ApproxZCDP():
            rest = (delta - measure.delta) / (1 - measure.delta) if measure.delta < 1 else -1
            return _concentrated(ZCDP(measure.rho), delta, Fraction(rest)), ()
        case PrivacyLoss() | WorstLoss():
            return _of_losses(products_of(measure), delta, accuracy)
        case _:
            assert_never(measure)


def _of_losses(
    products: Sequence[PrivacyLoss], delta: Fraction, accuracy: Accuracy
) -> tuple[list[ApproxPoint], Causes]:
    """The largest epsilon of several products; its lower end is that of those attained."""
    plain = [PrivacyLoss(loss.parts) for loss in products]
    reached: dict[PrivacyLoss, float] = {}

    def asked(loss: PrivacyLoss, floor: float) -> losses.Bracket | None:
        found = losses.epsilon_at(loss, delta, accuracy, floor)
        reached[loss] = 0.0 if found is None else found.lower
        return found

    before = deadline.cuts()
    worst = losses.largest(plain, asked, accuracy)
    causes: Causes = ("time",) if deadline.cuts() != before else ()
    if worst is None:
        return _by_renyi(plain, delta), causes
    attained = [reached[loss] for loss, own in zip(plain, products, strict=True) if own.attained]
    point = _point(delta, "loss_distribution", worst.upper, max(attained, default=None))
    if worst.complete:
        return [point], ()
    return [point, *_by_renyi(plain, delta)], causes or (worst.short_of,)


def _by_renyi(products: Sequence[PrivacyLoss], delta: Fraction) -> list[ApproxPoint]:
    """What is said where a loss is not composed, or not as narrowly as asked."""
    epsilon = max(losses.epsilon_of_renyi(loss, delta) for loss in products)
    return [_point(delta, "renyi_curve", epsilon)] if epsilon.is_finite() else []


def _duality_of(f: PiecewiseLinear) -> str:
    return "tradeoff_merged" if f.merged else "tradeoff_duality"


def _point(
    delta: Fraction,
    method: str,
    above: Fraction | Decimal | float,
    below: Fraction | float | None = None,
) -> ApproxPoint:
    source = SOURCES[method]
    end = None if below is None else lower(below, method, source)
    return ApproxPoint(delta, upper(above, method, source), method, end)


def _concentrated(measure: ZCDP, delta: Fraction, left: Fraction) -> list[ApproxPoint]:
    """The conversions of zCDP at what is left of a delta; infinite where nothing is.

    The best one has a point of its own only where it says more than cks20 does.
    """
    if left <= 0:
        return [_point(delta, method, math.inf) for method in ("cks20", "bs16")]
    found = [
        _point(delta, "cks20", zcdp.epsilon_cks20(measure, left)),
        _point(delta, "bs16", zcdp.epsilon_bs16(measure, left)),
    ]
    best = approx_from_zcdp(measure, left).epsilon
    if best < found[0].epsilon.value * _WORTH_TELLING:
        found.append(_point(delta, "joint_range", best))
    return found


def pure_epsilon(measures: tuple[Measure, ...]) -> Bound | None:
    """epsilon at delta 0: the measure's own, else that of the first polygon that has one."""
    found = [bound for bound in map(_pure_of, measures) if bound is not None]
    return min(found, key=lambda bound: bound.method != "pure", default=None)


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
    """The least rho that is known; None where none is."""
    found = [measure for measure in measures if isinstance(measure, ZCDP)]
    least = min(found, key=lambda measure: (measure.rho, not measure.exact), default=None)
    if least is None:
        return None
    return known(least.rho, "zcdp", "Bun and Steinke 2016", exact=least.exact)


def mu_of(
    measures: tuple[Measure, ...], accuracy: Accuracy = losses.DEFAULT
) -> tuple[Bound | None, Bound | None]:
    """mu and its regret: a measure's own with 0, else the smallest that is certified to hold."""
    for measure in measures:
        if isinstance(measure, GDP):
            source, root = "Dong, Roth and Su 2022", exact_sqrt(measure.mu_squared)
            regret = exact(0, "gdp", source)
            if root is not None:
                return known(root, "gdp", source, exact=measure.exact), regret
            enclosure = gaussian.mu_of(measure)
            return upper_root(measure.mu_squared, enclosure, "gdp", source), regret
    concentrated = [m for m in measures if isinstance(m, ZCDP)]
    least = min(concentrated, key=lambda measure: measure.rho, default=None)
    found = [_fitted_of(measure, least, accuracy) for measure in measures]
    fitted = min((f for f in found if f is not None), key=lambda f: f.mu, default=None)
    if fitted is None:
        return None, None
    method = "best_mu"
    regret = upper(fitted.regret, method, SOURCES[method])
    return upper(fitted.mu, method, SOURCES[method]), regret


def _fitted_of(measure: Measure, zcdp: ZCDP | None, accuracy: Accuracy) -> FittedMu | None:
    """The smallest mu that a measure is certified for, where it is a polygon or a loss."""
    match measure:
        case PiecewiseLinear():
            from semiaudit.privacy.mu.fitted import fitted_mu

            return fitted_mu(measure)
        case PrivacyLoss() | WorstLoss():
            # G_mu lies below the least of several functions if it lies below each; how far it
            # lies below the least one is no more than below the one that needs the largest mu.
            found = [
                losses.fitted_mu(PrivacyLoss(loss.parts), zcdp, accuracy)
                for loss in products_of(measure)
            ]
            fits = [fitted for fitted in found if fitted is not None]
            return max(fits, key=lambda f: f.mu) if len(fits) == len(found) else None
        case PureDP() | ApproxDP() | ZCDP() | ApproxZCDP() | GDP():
            return None
        case _:
            assert_never(measure)
