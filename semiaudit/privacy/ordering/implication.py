"""Implications between measures, and the strongest of several; proven, or not decided.

``implies(strong, weak)`` is True if it is proven that every pair of distributions that satisfies
the strong measure satisfies the weak one. It is False if this fails or could not be decided.
"""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from semiaudit.model.loss import PrivacyLoss, WorstLoss, products_of
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    Measure,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.conversion import tradeoff_from_approx
from semiaudit.privacy.measures import gdp
from semiaudit.privacy.special.normal import upper_tail
from semiaudit.privacy.tradeoff import polygon
from semiaudit.privacy.tradeoff.polygon import pointwise_max


def implies(strong: Measure, weak: Measure) -> bool:
    """Return whether g <= f (Definition 20), with f of the strong and g of the weak measure.

    zCDP is compared with zCDP only, because it is not a statement about one tradeoff function.
    Losses are compared with losses only, pair by pair.
    """
    # Check both, so that an unknown kind is refused on either side.
    perfect = [is_perfect((measure,)) for measure in (strong, weak)]
    if perfect[0]:
        return True
    match strong:
        case ZCDP() | ApproxZCDP():
            return _concentrated(strong, weak)
        case PrivacyLoss() | WorstLoss():
            return _loses_no_more(strong, weak)
        case GDP():
            return _gaussian_above(strong, weak)
        case PureDP() | ApproxDP():
            return _epsilon_above(strong, weak)
        case PiecewiseLinear():
            return _polygon_above(strong, weak)
        case _:
            assert_never(strong)


def _loses_no_more(strong: PrivacyLoss | WorstLoss, weak: Measure) -> bool:
    """Return whether each product of the strong measure loses no more than one of the weak."""
    if not isinstance(weak, PrivacyLoss | WorstLoss):
        return False
    from semiaudit.privacy.ordering.matching import loss_implies

    known = products_of(weak)
    return all(any(loss_implies(p, other) for other in known) for p in products_of(strong))


def _concentrated(strong: ZCDP | ApproxZCDP, weak: Measure) -> bool:
    if isinstance(weak, ZCDP | ApproxZCDP):
        deltas = [m.delta if isinstance(m, ApproxZCDP) else 0 for m in (strong, weak)]
        return strong.rho <= weak.rho and deltas[0] <= deltas[1]
    return False


def _epsilon_above(strong: PureDP | ApproxDP, weak: Measure) -> bool:
    match weak:
        case PureDP() | ApproxDP():
            (e1, d1), (e2, d2) = _pair(strong), _pair(weak)
            return d1 == d2 == 0 and e1 <= e2 if d2 == 0 else _approx_implies((e1, d1), (e2, d2))
        case GDP():
            return _gaussian_below(weak, strong)
        case PiecewiseLinear():
            return polygon.lies_below(weak, tradeoff_from_approx(strong))
        case ZCDP() | ApproxZCDP() | PrivacyLoss() | WorstLoss():
            return False
        case _:
            assert_never(weak)


def _polygon_above(strong: PiecewiseLinear, weak: Measure) -> bool:
    match weak:
        case PureDP() | ApproxDP():
            epsilon, delta = _pair(weak)
            return polygon.delta_at(strong, epsilon) <= Interval.of(delta).low
        case GDP():
            return _gaussian_below(weak, strong)
        case PiecewiseLinear():
            return polygon.lies_below(weak, strong)
        case ZCDP() | ApproxZCDP() | PrivacyLoss() | WorstLoss():
            return False
        case _:
            assert_never(weak)


def bundle_implies(strong: tuple[Measure, ...], weak: tuple[Measure, ...]) -> bool:
    """Return whether every measure of ``weak`` follows from one of ``strong``."""
    return bool(weak) and all(any(implies(s, measure) for s in strong) for measure in weak)


def _pair(measure: PureDP | ApproxDP) -> tuple[Fraction, Fraction]:
    match measure:
        case PureDP():
            return measure.epsilon, Fraction(0)
        case ApproxDP():
            return measure.epsilon, measure.delta
        case _:
            assert_never(measure)


def _approx_implies(strong: tuple[Fraction, Fraction], weak: tuple[Fraction, Fraction]) -> bool:
    """Return whether f_{e2,d2} <= f_{e1,d1}: the first profile at e2 is at most d2."""
    (e1, d1), (e2, d2) = strong, weak
    if e1 <= e2:
        return d1 <= d2
    grown, growth = Interval.of(e1).exp(), Interval.of(e2).exp()
    one = Interval.of(1)
    needed = one - (one + growth) * Interval.of(1 - d1) / (one + grown)
    return d2 >= d1 and needed.high <= Interval.of(d2).low


def _gaussian_above(strong: GDP, weak: Measure) -> bool:
    """Return whether all supporting lines of the weak function are on or below G_mu, mu above 0."""
    match weak:
        case GDP():
            return strong.mu_squared <= weak.mu_squared
        case PureDP() | ApproxDP():
            epsilon, delta = _pair(weak)
            return delta > 0 and (
                gdp.delta_at(strong, Interval.of(epsilon)).high <= Interval.of(delta).low
            )
        case PiecewiseLinear():
            return _lines_below(weak, strong)
        case ZCDP() | ApproxZCDP() | PrivacyLoss() | WorstLoss():
            return False
        case _:
            assert_never(weak)


def _lines_below(weak: PiecewiseLinear, strong: GDP) -> bool:
    """Return whether the line of every piece is on or below G_mu; their maximum is the polygon."""
    for (x0, y0), (x1, y1) in zip(weak.vertices, weak.vertices[1:], strict=False):
        slope = (y0 - y1) / (x1 - x0)
        if slope == 0:
            continue
        intercept = y0 + slope * x0
        log_slope = Interval.of(slope).ln()
        room = Interval.of(1) - gdp.delta_at(strong, log_slope)
        if room.low < Interval.of(intercept).high:
            return False
    return True


def _gaussian_below(weak: GDP, strong: PureDP | ApproxDP | PiecewiseLinear) -> bool:
    match strong:
        case PureDP():
            half = gdp.mu_of(weak) * Interval.of(Fraction(1, 2))
            corner = Interval.of(1) / (Interval.of(1) + Interval.of(strong.epsilon).exp())
            return strong.epsilon == 0 or upper_tail(half).high <= corner.low
        case ApproxDP():
            return not strong.delta and _above_gaussian(tradeoff_from_approx(strong), weak)
        case PiecewiseLinear():
            return _above_gaussian(strong, weak)
        case _:
            assert_never(strong)


def _above_gaussian(f: PiecewiseLinear, weak: GDP) -> bool:
    if f.vertices[0][1] < 1:
        return False
    return all(gdp.type_ii_at(weak, x).upper_rational <= y for x, y in f.vertices)


def strongest(*bundles: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Return the strongest measure of each kind that follows from all bundles.

    If two tradeoff functions are both lower bounds, so is their pointwise maximum. Of several
    (epsilon, delta) pairs, and of several losses without a known order, the first one is kept.
    """
    best: dict[type[Measure], Measure] = {}
    for measure in (measure for bundle in bundles for measure in bundle):
        known = best.get(type(measure))
        best[type(measure)] = measure if known is None else _stronger(known, measure)
    remaining = tuple(best.values())
    if is_perfect(remaining):
        return tuple(m for m in remaining if not isinstance(m, PrivacyLoss) or not m.parts)
    return remaining


def is_perfect(measures: tuple[Measure, ...]) -> bool:
    """Return whether the measures say that the outputs have equal distributions: no loss at all."""
    perfect = [_loses_nothing(measure) for measure in measures]
    return any(perfect)


def _stronger(first: Measure, second: Measure) -> Measure:
    """Return the smaller of two of one kind; of equal ones, the one with more information."""
    match first:
        case PureDP():
            if isinstance(second, PureDP):
                return min(first, second, key=lambda measure: (measure.epsilon, not measure.exact))
        case ZCDP():
            if isinstance(second, ZCDP):
                return min(first, second, key=lambda measure: (measure.rho, not measure.exact))
        case GDP():
            if isinstance(second, GDP):
                return min(first, second, key=lambda m: (m.mu_squared, not m.exact, not m.attained))
        case PiecewiseLinear():
            if isinstance(second, PiecewiseLinear):
                return pointwise_max(first, second)
        case PrivacyLoss():
            if isinstance(second, PrivacyLoss):
                smaller = _loses_no_more(second, first) and not _loses_no_more(first, second)
                return second if smaller else first
        case ApproxDP() | ApproxZCDP() | WorstLoss():
            if type(second) is type(first):
                return first
        case _:
            assert_never(first)
    raise TypeError(f"{type(second).__name__} does not compare with {type(first).__name__}")


def _loses_nothing(measure: Measure) -> bool:
    match measure:
        case PureDP():
            return measure.epsilon == 0
        case ApproxDP():
            return measure.epsilon == measure.delta == 0
        case ZCDP():
            return measure.rho == 0
        case ApproxZCDP():
            return measure.rho == measure.delta == 0
        case GDP():
            return measure.mu_squared == 0
        case PiecewiseLinear():
            return all(x + y == 1 for x, y in measure.vertices)
        case PrivacyLoss():
            return not measure.parts
        case WorstLoss():
            return False
        case _:
            assert_never(measure)
