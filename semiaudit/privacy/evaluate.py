"""From measures to the numbers that a report prints, each on its safe side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, assert_never

from semiaudit.model.bound import Bound, exact, known, lower, upper, upper_root
from semiaudit.model.guarantee import NO_NUMBERS, ApproxPoint, Numbers
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
from semiaudit.numeric import exact_sqrt
from semiaudit.privacy import loss as losses
from semiaudit.privacy.conversion import approx_from_zcdp
from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.measures import gaussian, zcdp
from semiaudit.privacy.tradeoff import function

if TYPE_CHECKING:
    from semiaudit.privacy.mu.fitted import FittedMu

SOURCES = {
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
    attack = _Attack(measures, accuracy)
    points = [(type_i, attack.type_ii(type_i)) for type_i in rates]
    advantage, source = attack.advantage(), attack.source
    mu, regret = _mu(measures, accuracy)
    found = [epsilons_at(measures, delta, accuracy) for delta in deltas]
    return Numbers(
        pure_dp=_pure(measures),
        zcdp=_rho(measures),
        gdp=mu,
        gdp_regret=regret,
        approx_dp=tuple(point for points_at, _ in found for point in points_at),
        tradeoff=tuple((a, lower(value, source, SOURCES[source])) for a, value in points),
        advantage=upper(advantage, source, SOURCES[source]),
        tpr_at_fpr=tuple((a, upper(1 - value, source, SOURCES[source])) for a, value in points),
        operating_points_from=source,
        complete=attack.complete and all(complete for _, complete in found),
    )


def epsilons_at(
    measures: tuple[Measure, ...], delta: Fraction, accuracy: Accuracy = losses.DEFAULT
) -> tuple[tuple[ApproxPoint, ...], bool]:
    """epsilon at a delta by every conversion that is valid, the tightest first.

    Returns:
        The points, and False where a time limit cut one short.
    """
    found = [_points_of(measure, delta, accuracy) for measure in measures]
    points = [point for points, _ in found for point in points]
    return (
        tuple(sorted(points, key=lambda point: point.epsilon.value)),
        all(complete for _, complete in found),
    )


def _points_of(
    measure: Measure, delta: Fraction, accuracy: Accuracy
) -> tuple[list[ApproxPoint], bool]:
    """epsilon of one measure at a delta by each of its conversions; False if one was cut short."""
    match measure:
        case PureDP():
            bound = known(measure.epsilon, "pure", SOURCES["pure"], exact=measure.exact)
            return [ApproxPoint(delta, bound, "pure")], True
        case ApproxDP():
            if delta < measure.delta:
                return [], True
            method = "declared"
            bound = known(measure.epsilon, method, SOURCES[method], exact=measure.exact)
            return [ApproxPoint(delta, bound, method)], True
        case GDP():
            if measure.mu_squared > gaussian.LARGEST_MU**2:
                return [], True
            below, above = function.epsilon_at(measure, delta)
            return [_point(delta, "gaussian_exact", above, below)], True
        case PiecewiseLinear():
            _, above = function.epsilon_at(measure, delta)
            return [_point(delta, _duality_of(measure), above)], True
        case ZCDP():
            return _concentrated(measure, delta, delta), True
        case ApproxZCDP():
            rest = (delta - measure.delta) / (1 - measure.delta) if measure.delta < 1 else -1
            return _concentrated(ZCDP(measure.rho), delta, Fraction(rest)), True
        case PrivacyLoss():
            bracket = losses.epsilon_at(PrivacyLoss(measure.parts), delta, accuracy)
            if bracket is None:
                return _by_renyi(measure, delta), True
            end = bracket.lower if measure.attained else None
            found = _point(delta, "loss_distribution", bracket.upper, end)
            others = [] if bracket.complete else _by_renyi(measure, delta)
            return [found, *others], bracket.complete
        case _:
            assert_never(measure)


def _by_renyi(loss: PrivacyLoss, delta: Fraction) -> list[ApproxPoint]:
    """What is said where the loss is not composed, or not as narrowly as asked."""
    epsilon = losses.epsilon_of_renyi(PrivacyLoss(loss.parts), delta)
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


def _pure(measures: tuple[Measure, ...]) -> Bound | None:
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
        case ApproxDP() | ZCDP() | ApproxZCDP() | GDP() | PrivacyLoss():
            return None
        case _:
            assert_never(measure)


def _rho(measures: tuple[Measure, ...]) -> Bound | None:
    found = [measure for measure in measures if isinstance(measure, ZCDP)]
    least = min(found, key=lambda measure: (measure.rho, not measure.exact), default=None)
    if least is None:
        return None
    return known(least.rho, "zcdp", "Bun and Steinke 2016", exact=least.exact)


def _mu(measures: tuple[Measure, ...], accuracy: Accuracy) -> tuple[Bound | None, Bound | None]:
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
        case PrivacyLoss():
            return losses.fitted_mu(PrivacyLoss(measure.parts), zcdp, accuracy)
        case PureDP() | ApproxDP() | ZCDP() | ApproxZCDP() | GDP():
            return None
        case _:
            assert_never(measure)


class _Attack:
    """The operating points of the best attack: the best bound that some measure gives.

    zCDP decides only where no tradeoff function is known in closed form or composed, and leads
    only where the engine does not take the loss.

    Attributes:
        complete: False where a time limit cut a number short.
        declined: a loss whose numbers, or some of them, the engine did not find.
    """

    def __init__(self, measures: tuple[Measure, ...], accuracy: Accuracy) -> None:
        self.accuracy = accuracy
        self.complete = True
        self.declined = False
        ranked = [(_rank(measure), measure) for measure in measures]
        leading, functions, rest = ([m for r, m in ranked if r == rank] for rank in range(3))
        self.measures: list[Measure] = [*leading, *functions]
        if not functions:
            self.measures += rest

    @property
    def source(self) -> str:
        """The sharpest of what decides, by name; what all numbers rest on, once they are asked."""
        named = {_DECIDING[type(measure)] for measure in self.measures}
        if any(isinstance(m, PiecewiseLinear) and m.merged for m in self.measures):
            named = named - {"tradeoff_exact"} | {"tradeoff_merged"}
        if self.declined:
            named -= {"loss_distribution"}
        return min(named, key=_SHARPEST.index, default="cks20_envelope")

    def _known(self, bracket: losses.Bracket | None) -> losses.Bracket | None:
        """The same, once it is noted whether the engine found it, and in time."""
        self.declined = self.declined or bracket is None
        self.complete = self.complete and (bracket is None or bracket.complete)
        return bracket

    def type_ii(self, type_i: Fraction) -> Fraction:
        """A lower bound of the type II error at a type I error."""
        return max([Fraction(0), *(self._type_ii(measure, type_i) for measure in self.measures)])

    def advantage(self) -> Fraction:
        """An upper bound of the total variation distance."""
        return min([Fraction(1), *(self._advantage(measure) for measure in self.measures)])

    def _type_ii(self, measure: Measure, type_i: Fraction) -> Fraction:
        match measure:
            case PureDP() | ApproxDP() | GDP() | PiecewiseLinear():
                return function.type_ii_from_below(measure, type_i)
            case PrivacyLoss():
                parts = PrivacyLoss(measure.parts)
                power = self._known(losses.power_at(parts, type_i, self.accuracy))
                left = Fraction(0) if power is None else 1 - Fraction(power.upper)
                if left > _SMALL_TYPE_II:
                    return left
                # A double next to 1 has few digits of how far it is from 1.
                missed = self._known(losses.type_ii_at(parts, type_i, self.accuracy))
                return left if missed is None else max(left, Fraction(missed.lower))
            case ApproxZCDP():
                kept = 1 - measure.delta
                if type_i >= kept:
                    return Fraction(0)
                return kept * (1 - Fraction(zcdp.tpr_at(ZCDP(measure.rho), type_i / kept)))
            case ZCDP():
                return 1 - Fraction(zcdp.tpr_at(measure, type_i))
            case _:
                assert_never(measure)

    def _advantage(self, measure: Measure) -> Fraction:
        match measure:
            case PureDP() | ApproxDP() | GDP() | PiecewiseLinear():
                return function.advantage_from_above(measure)
            case PrivacyLoss():
                bracket = losses.advantage(PrivacyLoss(measure.parts), self.accuracy)
                bracket = self._known(bracket)
                return Fraction(1) if bracket is None else Fraction(bracket.upper)
            case ApproxZCDP():
                kept = 1 - measure.delta
                return measure.delta + kept * Fraction(zcdp.advantage(ZCDP(measure.rho)))
            case ZCDP():
                return Fraction(zcdp.advantage(measure))
            case _:
                assert_never(measure)


def _rank(measure: Measure) -> int | None:
    """0 for a loss, 1 for a tradeoff function, 2 for what lies well below one.

    None for epsilons: their polygon stands beside them.
    """
    match measure:
        case PrivacyLoss():
            return 0
        case PiecewiseLinear():
            return 2 if measure.merged else 1
        case GDP():
            return 1
        case ZCDP() | ApproxZCDP():
            return 2
        case PureDP() | ApproxDP():
            return None
        case _:
            assert_never(measure)


_SMALL_TYPE_II = Fraction(1, 1000)
"""A larger type II error has as many digits as the power; a smaller one is asked for itself."""

_DECIDING: dict[type[Measure], str] = {
    PrivacyLoss: "loss_distribution",
    GDP: "gaussian_exact",
    PiecewiseLinear: "tradeoff_exact",
    ZCDP: "cks20_envelope",
    ApproxZCDP: "cks20_envelope",
}

_SHARPEST = (
    "loss_distribution",
    "gaussian_exact",
    "tradeoff_exact",
    "tradeoff_merged",
    "cks20_envelope",
)
"""What operating points rest on, the sharpest first."""
