"""From measures to the numbers that a report prints, each on its safe side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from semiaudit.model.bound import Bound, exact, lower, upper
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
from semiaudit.privacy import loss as composed
from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.measures import gaussian, zcdp
from semiaudit.privacy.mu.fitted import FittedMu, fitted_mu
from semiaudit.privacy.tradeoff import polygon

SOURCES = {
    "declared": "the spec",
    "pure": "epsilon-DP is (epsilon, delta)-DP for every delta",
    "tradeoff_duality": "Dong, Roth and Su 2022, Proposition 2.12 (Su's review, section 2.3)",
    "gaussian_exact": "Balle and Wang 2018, Theorem 8",
    "cks20": "Canonne, Kamath and Steinke 2020, Proposition 12",
    "bs16": "Bun and Steinke 2016, Proposition 1.3 (Cho and Awan, Lemma 40)",
    "cks20_envelope": "the envelope of Canonne, Kamath and Steinke 2020, Proposition 12",
    "tradeoff_exact": "the tradeoff function's vertices",
    "best_mu": "Gomez et al. 2025; Kaissis et al. 2024 for the regret; docs/calculus.md",
    "loss_distribution": "the noise's own privacy loss, composed; docs/guarantee.md, One pair that "
    "dominates",
}


def numbers_of(
    measures: tuple[Measure, ...],
    deltas: Sequence[Fraction],
    alphas: Sequence[Fraction],
    precision: Accuracy = composed.DEFAULT,
) -> Numbers:
    """Evaluate measures that all hold at once; the best of them stands in each field.

    Args:
        measures: valid for the same universe and adjacency; empty gives no numbers.
        deltas: each in (0, 1). alphas: false positive rates, each in (0, 1).
        precision: of what is computed from a composed loss.
    """
    if not measures:
        return NO_NUMBERS
    attack = _Attack(measures, precision)
    source = attack.source
    points = [(alpha, attack.type_ii(alpha)) for alpha in alphas]
    mu, regret = _mu(measures, precision)
    found = [epsilons_at(measures, delta, precision) for delta in deltas]
    return Numbers(
        pure_dp=_pure(measures),
        zcdp=_rho(measures),
        gdp=mu,
        gdp_regret=regret,
        approx_dp=tuple(point for points_at, _ in found for point in points_at),
        tradeoff=tuple((a, lower(value, source, SOURCES[source])) for a, value in points),
        advantage=upper(attack.advantage(), source, SOURCES[source]),
        tpr_at_fpr=tuple((a, upper(1 - value, source, SOURCES[source])) for a, value in points),
        operating_points_from=source,
        complete=attack.complete and all(complete for _, complete in found),
    )


def epsilons_at(
    measures: tuple[Measure, ...], delta: Fraction, precision: Accuracy = composed.DEFAULT
) -> tuple[tuple[ApproxPoint, ...], bool]:
    """epsilon at a delta by every conversion that is valid, the tightest first.

    Returns:
        The points, and False where a time limit cut one short.
    """
    found: list[ApproxPoint] = []
    complete = True

    def add(name: str, bound: Bound, below: Bound | None = None) -> None:
        found.append(ApproxPoint(delta, bound, name, below))

    for measure in measures:
        if isinstance(measure, ApproxDP) and delta >= measure.delta:
            add("declared", exact(measure.epsilon, "declared", SOURCES["declared"]))
        elif isinstance(measure, PureDP):
            add("pure", exact(measure.epsilon, "pure", SOURCES["pure"]))
        elif isinstance(measure, GDP):
            if measure.mu_squared > gaussian.LARGEST_MU**2:
                continue
            below, above = gaussian.epsilon_at(measure, delta)
            method = "gaussian_exact"
            end = lower(below, method, SOURCES[method])
            add(method, upper(above, method, SOURCES[method]), end)
        elif isinstance(measure, ZCDP):
            for name, value in _concentrated(measure, delta):
                add(name, upper(value, name, SOURCES[name]))
        elif isinstance(measure, ApproxZCDP):
            rest = (delta - measure.delta) / (1 - measure.delta) if measure.delta < 1 else -1
            for name, value in _concentrated(ZCDP(measure.rho), rest):
                add(name, upper(value, name, SOURCES[name]))
        elif isinstance(measure, PiecewiseLinear):
            epsilon = polygon.epsilon_at(measure, delta)
            method = "tradeoff_duality"
            add(method, upper(epsilon, method, SOURCES[method]))
        elif isinstance(measure, PrivacyLoss):
            method = "loss_distribution"
            bracket = composed.epsilon_at(PrivacyLoss(measure.parts), delta, precision)
            if bracket is None:
                continue
            end = lower(bracket.lower, method, SOURCES[method])
            top = upper(bracket.upper, method, SOURCES[method])
            add(method, top, end if measure.attained else None)
            complete = complete and bracket.complete
    return tuple(sorted(found, key=lambda point: point.epsilon.value)), complete


def _concentrated(measure: ZCDP, delta: Fraction | int) -> list[tuple[str, Decimal | float]]:
    """Both conversions of zCDP at a delta; infinite where none of it is left."""
    if delta <= 0:
        return [("cks20", math.inf), ("bs16", math.inf)]
    left = Fraction(delta)
    return [
        ("cks20", zcdp.epsilon_cks20(measure, left)),
        ("bs16", zcdp.epsilon_bs16(measure, left)),
    ]


def _pure(measures: tuple[Measure, ...]) -> Bound | None:
    for measure in measures:
        if isinstance(measure, PureDP):
            return exact(measure.epsilon, "pure", SOURCES["declared"])
    for measure in measures:
        if isinstance(measure, PiecewiseLinear):
            epsilon = polygon.pure_epsilon(measure)
            if not (isinstance(epsilon, float) and math.isinf(epsilon)):
                return upper(epsilon, "tradeoff_duality", SOURCES["tradeoff_duality"])
    return None


def _rho(measures: tuple[Measure, ...]) -> Bound | None:
    found = [measure.rho for measure in measures if isinstance(measure, ZCDP)]
    return exact(min(found), "zcdp", "Bun and Steinke 2016") if found else None


def _mu(measures: tuple[Measure, ...], precision: Accuracy) -> tuple[Bound | None, Bound | None]:
    """mu and its regret: a measure's own with 0, else the smallest that is certified to hold."""
    for measure in measures:
        if isinstance(measure, GDP):
            source, root = "Dong, Roth and Su 2022", exact_sqrt(measure.mu_squared)
            known = exact(0, "gdp", source)
            if root is not None:
                return exact(root, "gdp", source), known
            return upper(gaussian.mu_of(measure), "gdp", source), known
    fitted = _fitted(measures, precision)
    if fitted is None:
        return None, None
    method = "best_mu"
    regret = upper(fitted.regret, method, SOURCES[method])
    return upper(fitted.mu, method, SOURCES[method]), regret


def _fitted(measures: tuple[Measure, ...], precision: Accuracy) -> FittedMu | None:
    """Of the polygons and losses, which each hold, the one with the smallest mu."""
    known = [m for m in measures if isinstance(m, ZCDP)]
    concentrated = min(known, key=lambda measure: measure.rho, default=None)
    found = [fitted_mu(m) for m in measures if isinstance(m, PiecewiseLinear)]
    found += [
        composed.fitted_mu(PrivacyLoss(m.parts), concentrated, precision)
        for m in measures
        if isinstance(m, PrivacyLoss)
    ]
    return min((f for f in found if f is not None), key=lambda f: f.mu, default=None)


class _Attack:
    """The operating points of the best attack: the best bound that some measure gives.

    zCDP decides only where no tradeoff function is known in closed form, and leads only where the
    engine does not take the loss.
    """

    def __init__(self, measures: tuple[Measure, ...], precision: Accuracy) -> None:
        self.precision = precision
        self.complete = True
        exact = [m for m in measures if isinstance(m, GDP | PiecewiseLinear)]
        losses = [m for m in measures if isinstance(m, PrivacyLoss) and self._taken(m)]
        envelope = [m for m in measures if isinstance(m, ZCDP | ApproxZCDP)]
        self.measures: list[Measure] = [*losses, *(exact or envelope)]

    def _taken(self, loss: PrivacyLoss) -> bool:
        bracket = composed.advantage(PrivacyLoss(loss.parts), self.precision)
        return bracket is not None

    @property
    def source(self) -> str:
        """The sharpest of what decides, by name."""
        kinds = {type(measure) for measure in self.measures}
        for kind, name in _DECIDING.items():
            if kind in kinds:
                return name
        return "cks20_envelope"

    def type_ii(self, alpha: Fraction) -> Fraction:
        """A lower bound of the type II error at a type I error."""
        return max([Fraction(0), *(self._type_ii(measure, alpha) for measure in self.measures)])

    def advantage(self) -> Fraction:
        """An upper bound of the total variation distance."""
        return min([Fraction(1), *(self._advantage(measure) for measure in self.measures)])

    def _type_ii(self, measure: Measure, alpha: Fraction) -> Fraction:
        if isinstance(measure, GDP):
            return Fraction(gaussian.type_ii_at(measure, alpha).low)
        if isinstance(measure, PiecewiseLinear):
            return polygon.type_ii_at(measure, alpha)
        if isinstance(measure, PrivacyLoss):
            bracket = composed.type_ii_at(PrivacyLoss(measure.parts), alpha, self.precision)
            if bracket is None:
                return Fraction(0)
            self.complete = self.complete and bracket.complete
            return Fraction(bracket.lower)
        if isinstance(measure, ApproxZCDP):
            kept = 1 - measure.delta
            if alpha >= kept:
                return Fraction(0)
            return kept * (1 - Fraction(zcdp.tpr_at(ZCDP(measure.rho), alpha / kept)))
        assert isinstance(measure, ZCDP)
        return 1 - Fraction(zcdp.tpr_at(measure, alpha))

    def _advantage(self, measure: Measure) -> Fraction:
        if isinstance(measure, GDP):
            return Fraction(gaussian.advantage(measure))
        if isinstance(measure, PiecewiseLinear):
            return polygon.advantage(measure)
        if isinstance(measure, PrivacyLoss):
            bracket = composed.advantage(PrivacyLoss(measure.parts), self.precision)
            if bracket is None:
                return Fraction(1)
            self.complete = self.complete and bracket.complete
            return Fraction(bracket.upper)
        if isinstance(measure, ApproxZCDP):
            kept = 1 - measure.delta
            return measure.delta + kept * Fraction(zcdp.advantage(ZCDP(measure.rho)))
        assert isinstance(measure, ZCDP)
        return Fraction(zcdp.advantage(measure))


_DECIDING: dict[type[Measure], str] = {
    PrivacyLoss: "loss_distribution",
    GDP: "gaussian_exact",
    PiecewiseLinear: "tradeoff_exact",
}
