"""From measures to the numbers that a report prints, each on its safe side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from semiaudit.model.bound import Bound, exact, lower, upper
from semiaudit.model.guarantee import NO_NUMBERS, ApproxPoint, Numbers
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PiecewiseLinear, PureDP
from semiaudit.numeric import exact_sqrt
from semiaudit.privacy import gaussian, tradeoff, zcdp

SOURCES = {
    "declared": "the spec",
    "pure": "epsilon-DP is (epsilon, delta)-DP for every delta",
    "tradeoff_duality": "Dong, Roth and Su 2022, Proposition 2.12 (Su's review, section 2.3)",
    "gaussian_exact": "Balle and Wang 2018, Theorem 8",
    "cks20": "Canonne, Kamath and Steinke 2020, Proposition 12",
    "bs16": "Bun and Steinke 2016, Proposition 1.3 (Cho and Awan, Lemma 40)",
    "cks20_envelope": "the envelope of Canonne, Kamath and Steinke 2020, Proposition 12",
    "tradeoff_exact": "the tradeoff function's vertices",
}


def numbers_of(
    measures: tuple[Measure, ...], deltas: Sequence[Fraction], alphas: Sequence[Fraction]
) -> Numbers:
    """Evaluate measures that all hold at once; the best of them stands in each field.

    Args:
        measures: valid for the same universe and adjacency; empty gives no numbers.
        deltas: each in (0, 1). alphas: false positive rates, each in (0, 1).
    """
    if not measures:
        return NO_NUMBERS
    source = _operating(measures)
    points = [(alpha, _type_ii(measures, alpha)) for alpha in alphas]
    return Numbers(
        pure_dp=_pure(measures),
        zcdp=_rho(measures),
        gdp=_mu(measures),
        approx_dp=tuple(point for delta in deltas for point in epsilons_at(measures, delta)),
        tradeoff=tuple((a, lower(value, source, SOURCES[source])) for a, value in points),
        advantage=upper(_advantage(measures), source, SOURCES[source]),
        tpr_at_fpr=tuple((a, upper(1 - value, source, SOURCES[source])) for a, value in points),
        operating_points_from=source,
    )


def epsilons_at(measures: tuple[Measure, ...], delta: Fraction) -> tuple[ApproxPoint, ...]:
    """epsilon at a delta by every conversion that is valid, the tightest first."""
    found: list[ApproxPoint] = []

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
            cks20 = zcdp.epsilon_cks20(measure, delta)
            add("cks20", upper(cks20, "cks20", SOURCES["cks20"]))
            bs16 = zcdp.epsilon_bs16(measure, delta)
            add("bs16", upper(bs16, "bs16", SOURCES["bs16"]))
        elif isinstance(measure, PiecewiseLinear):
            epsilon = tradeoff.epsilon_at(measure, delta)
            method = "tradeoff_duality"
            add(method, upper(epsilon, method, SOURCES[method]))
    return tuple(sorted(found, key=lambda point: point.epsilon.value))


def _pure(measures: tuple[Measure, ...]) -> Bound | None:
    for measure in measures:
        if isinstance(measure, PureDP):
            return exact(measure.epsilon, "pure", SOURCES["declared"])
    for measure in measures:
        if isinstance(measure, PiecewiseLinear):
            epsilon = tradeoff.pure_epsilon(measure)
            if not (isinstance(epsilon, float) and math.isinf(epsilon)):
                return upper(epsilon, "tradeoff_duality", SOURCES["tradeoff_duality"])
    return None


def _rho(measures: tuple[Measure, ...]) -> Bound | None:
    found = [measure.rho for measure in measures if isinstance(measure, ZCDP)]
    return exact(min(found), "zcdp", "Bun and Steinke 2016") if found else None


def _mu(measures: tuple[Measure, ...]) -> Bound | None:
    for measure in measures:
        if isinstance(measure, GDP):
            root = exact_sqrt(measure.mu_squared)
            if root is not None:
                return exact(root, "gdp", "Dong, Roth and Su 2022")
            return upper(gaussian.mu_of(measure), "gdp", "Dong, Roth and Su 2022")
    return None


def _operating(measures: tuple[Measure, ...]) -> str:
    kinds = {type(measure) for measure in measures}
    if GDP in kinds:
        return "gaussian_exact"
    return "tradeoff_exact" if PiecewiseLinear in kinds else "cks20_envelope"


def _type_ii(measures: tuple[Measure, ...], alpha: Fraction) -> Fraction:
    found = [Fraction(0)]
    kinds = _deciding(measures)
    for measure in kinds:
        if isinstance(measure, GDP):
            found.append(Fraction(gaussian.type_ii_at(measure, alpha).low))
        elif isinstance(measure, PiecewiseLinear):
            found.append(tradeoff.type_ii_at(measure, alpha))
        elif isinstance(measure, ZCDP):
            found.append(1 - Fraction(zcdp.tpr_at(measure, alpha)))
    return max(found)


def _advantage(measures: tuple[Measure, ...]) -> Fraction:
    found = [Fraction(1)]
    for measure in _deciding(measures):
        if isinstance(measure, GDP):
            found.append(Fraction(gaussian.advantage(measure)))
        elif isinstance(measure, PiecewiseLinear):
            found.append(tradeoff.advantage(measure))
        elif isinstance(measure, ZCDP):
            found.append(Fraction(zcdp.advantage(measure)))
    return min(found)


def _deciding(measures: tuple[Measure, ...]) -> list[Measure]:
    """zCDP decides an operating point only where nothing sharper is known."""
    sharper: list[Measure] = [m for m in measures if isinstance(m, GDP | PiecewiseLinear)]
    return sharper or [m for m in measures if isinstance(m, ZCDP)]
