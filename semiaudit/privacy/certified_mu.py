"""mu of a guarantee and its regret, from all measures that hold for it.

f is the tradeoff function that the measures certify: the largest one of all of theirs. The regret
of mu is the distance of G_mu from f, down and to the left. Moving the largest of several functions
moves each of them, so it is the largest distance of G_mu from one of them
(docs/theory/conversions.md).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import assert_never

from semiaudit.frozen import dataclass
from semiaudit.model.bound import Bound, exact, known, upper, upper_root
from semiaudit.model.loss import DiscreteLaplaceLoss, PrivacyLoss, WorstLoss, plain_products_of
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
from semiaudit.numeric.rationals import exact_sqrt, float_up
from semiaudit.privacy import loss as losses
from semiaudit.privacy.conversion import without_implied_zcdp
from semiaudit.privacy.group import steps_of_pure_dp
from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.loss.mu_fit import fitted_mu, gaussian_delta_above, regret_of
from semiaudit.privacy.measures import gdp, zcdp
from semiaudit.privacy.measures.zcdp import rho_of_pure_dp

OWN = "gdp", "Dong, Roth and Su 2022"
FITTED = (
    "best_mu",
    "Gomez et al. 2025; Kaissis et al. 2024 for the regret; docs/theory/conversions.md",
)

MuAndRegret = tuple[Bound | None, Bound | None]


@dataclass(frozen=True, slots=True)
class _Fit:
    """The smallest mu that is certified for a measure, and a function that computes its regret."""

    mu: Fraction
    regret: Callable[[], Fraction]


@dataclass(frozen=True, slots=True)
class LeastMu:
    """The least mu that is certified for measures that all hold.

    Attributes:
        bound: mu itself.
        regret: finds how far the tradeoff function that all of them certify is from G_mu, from
            above. It is 0 and exact if two datasets attain G_mu. Else it is an upper bound, also of
            0: then G_mu is all that is certified.
    """

    bound: Bound
    regret: Callable[[], Bound]


def mu_of(
    measures: tuple[Measure, ...],
    accuracy: Accuracy = losses.DEFAULT,
    implied: PiecewiseLinear | None = None,
) -> MuAndRegret:
    """The least mu that is certified, and its regret from above; None and None without a mu."""
    least = least_mu_of(measures, accuracy, implied)
    return (None, None) if least is None else (least.bound, least.regret())


def least_mu_of(
    measures: tuple[Measure, ...],
    accuracy: Accuracy = losses.DEFAULT,
    implied: PiecewiseLinear | None = None,
) -> LeastMu | None:
    """The least mu that is certified; None without one.

    Args:
        measures: all of them hold.
        accuracy: of what is computed from a composed loss.
        implied: a tradeoff function that holds too, because it follows from other numbers.
    """
    concentrated = [m for m in measures if isinstance(m, ZCDP)]
    rho = min(concentrated, key=lambda measure: measure.rho, default=None)
    gaussian = [m for m in measures if isinstance(m, GDP)]
    least = min(gaussian, key=lambda m: (m.mu_squared, not m.attained, not m.exact), default=None)
    if least is not None and least.attained:
        return LeastMu(_bound_of(least), lambda: exact(0, *OWN))
    fits = {measure: _fitted_to(measure, rho, accuracy) for measure in measures}
    # No G_mu lies below a function that is less than 1 at 0.
    if implied is not None and implied.vertices[0][1] == 1:
        fits[implied] = _fitted_to(implied, rho, accuracy)
    known_fits = [fit for fit in fits.values() if fit is not None]
    fitted = min(known_fits, key=lambda fit: fit.mu, default=None)
    if least is not None and (fitted is None or least.mu_squared <= fitted.mu**2):
        mu, mark = _bound_of(least), OWN
        chosen = GDP(least.mu_squared)
    elif fitted is not None:
        mu, mark = upper(fitted.mu, *FITTED), FITTED
        chosen = GDP(fitted.mu**2)
    else:
        return None

    def regret() -> Bound:
        if not chosen.mu_squared:
            return upper(Fraction(0), *mark)
        attained = tuple(m for m in measures if isinstance(m, PrivacyLoss) and m.attained)
        deciding = attained or without_implied_zcdp(measures)
        distances = (_distance(m, chosen, fits[m], accuracy) for m in deciding)
        return upper(max(distances), *mark)

    return LeastMu(mu, regret)


def _bound_of(measure: GDP) -> Bound:
    root = exact_sqrt(measure.mu_squared)
    if root is not None:
        return known(root, *OWN, exact=measure.exact)
    return upper_root(measure.mu_squared, gdp.mu_of(measure), *OWN)


def _fitted_to(measure: Measure, rho: ZCDP | None, accuracy: Accuracy) -> _Fit | None:
    """The smallest mu that a measure is certified for, where it is a polygon or a loss."""
    match measure:
        case PiecewiseLinear():
            return _fitted_to_polygon(measure)
        case PrivacyLoss() | WorstLoss():
            # G_mu lies below the least of several functions if it lies below each; how far it
            # lies below the least one is no more than below the one that needs the largest mu.
            candidates = [
                _fitted_to_product(loss, rho, accuracy) for loss in plain_products_of(measure)
            ]
            fits = [fitted for fitted in candidates if fitted is not None]
            return max(fits, key=lambda f: f.mu) if len(fits) == len(candidates) else None
        case PureDP() | ApproxDP() | ZCDP() | ApproxZCDP() | GDP():
            return None
        case _:
            assert_never(measure)


def _fitted_to_polygon(f: PiecewiseLinear, lowered: Fraction = Fraction(0)) -> _Fit | None:
    """``lowered`` is what the regret gains because the vertices were rounded down."""

    mu = fitted_mu(f)
    if mu is None:
        return None
    return _Fit(mu, lambda: Fraction(float_up(regret_of(f, mu) + lowered)))


def _fitted_to_product(loss: PrivacyLoss, rho: ZCDP | None, accuracy: Accuracy) -> _Fit | None:
    """The smallest mu of a product of pairs; of steps of pure DP it is that of their polygon."""
    match loss:
        case PrivacyLoss(((DiscreteLaplaceLoss(shift, scale), 1),)) if abs(shift) <= _FEW_STEPS:
            polygon = steps_of_pure_dp(1 / scale, abs(shift))
            fit = None if polygon.merged else _fitted_to_polygon(polygon, _LOWERED)
            if fit is not None:
                return fit
        case _:
            pass
    fitted = losses.fitted_mu(loss, rho, accuracy)
    return None if fitted is None else _Fit(fitted.mu, lambda: fitted.regret)


def _distance(measure: Measure, mu: GDP, fit: _Fit | None, accuracy: Accuracy) -> Fraction:
    """Return an upper bound on the distance from the function of a measure down and left to G_mu.

    Args:
        mu: no larger than that of the fit, so that the regret of the fit is a bound.
    """
    match measure:
        case GDP():
            return _between(measure, mu)
        case ZCDP() | ApproxZCDP():
            # The Gaussian pair and the response with this rho are zCDP, so that the function of
            # zCDP lies below theirs.
            gaussian_pair = _between(GDP(2 * measure.rho), mu)
            return min(gaussian_pair, _by_advantage(_advantage_of_zcdp(measure.rho), mu))
        case PureDP() | ApproxDP():
            return _by_advantage(_advantage_of_pure(measure.epsilon), mu)
        case PiecewiseLinear():
            return regret_of(measure, gdp.mu_from_above(mu))
        case PrivacyLoss() | WorstLoss():
            advantages = [losses.advantage(loss, accuracy) for loss in plain_products_of(measure)]
            least = max(
                (Fraction(b.lower) for b in advantages if b is not None), default=Fraction(0)
            )
            by_advantage = _by_advantage(least, mu)
            return by_advantage if fit is None else min(fit.regret(), by_advantage)
        case _:
            assert_never(measure)


def _between(measure: GDP, mu: GDP) -> Fraction:
    """Return the regret of G_m and G_mu, m <= mu: half of the difference of their total variation
    distances.

    The derivative of delta_s(epsilon) / (1 + e^epsilon) by s falls in epsilon: the largest
    difference is at 0.
    """
    if measure.mu_squared >= mu.mu_squared:
        return Fraction(0)
    return (_advantage(mu)[1] - _advantage(measure)[0]) / 2


def _by_advantage(least: Fraction, mu: GDP) -> Fraction:
    """Return the regret of a function whose total variation distance v is known from below.

    By symmetry it passes through ((1 - v)/2, (1 - v)/2), and so lies below f_{epsilon,0} with
    e^epsilon = (1 + v)/(1 - v). The largest distance from that is at one of its slopes, 1 and
    e^epsilon.
    """

    at_0 = (_advantage(mu)[1] - least) / 2
    if least >= 1:
        return max(at_0, Fraction(0))
    slope = (1 + least) / (1 - least)
    delta = gaussian_delta_above(gdp.mu_from_above(mu), slope)
    return max(at_0, delta * (1 - least) / 2)


def _advantage(measure: GDP) -> tuple[Fraction, Fraction]:
    """The total variation distance of G_mu: (from below, from above)."""
    if not _has_profile(measure):
        return gdp.delta_at(_LARGEST, Interval.of(0)).lower_rational, Fraction(1)
    advantage = gdp.delta_at(measure, Interval.of(0))
    return advantage.lower_rational, advantage.upper_rational


def _advantage_of_pure(epsilon: Fraction) -> Fraction:
    """tanh(epsilon / 2), from below."""
    growth = Interval.of(min(epsilon, _LARGEST_EPSILON)).exp()
    return ((growth - Interval.of(1)) / (growth + Interval.of(1))).lower_rational


def _advantage_of_zcdp(rho: Fraction) -> Fraction:
    """tanh(x / 2) of a response with x tanh(x / 2) <= rho, almost the largest."""
    most = Fraction(zcdp.advantage(ZCDP(rho)))
    almost = most * (1 - (1 - most) * _CLOSE)
    if almost == 1:
        return Fraction(0)
    epsilon = Interval.of((1 + almost) / (1 - almost)).ln().upper_rational
    return almost if rho_of_pure_dp(epsilon) <= rho else Fraction(0)


def _has_profile(measure: GDP) -> bool:
    return measure.mu_squared <= gdp.LARGEST_MU**2


_FEW_STEPS = 64
"""With more steps, a polygon has so many vertices that a composition is as fast."""
_LOWERED = Fraction(1, 10**40)
"""More than the delta that a polygon gains where its vertices are rounded down: below 2^-150."""
_CLOSE = Fraction(1, 10**9)
_LARGEST = GDP(Fraction(gdp.LARGEST_MU) ** 2)
_LARGEST_EPSILON = Fraction(100)
"""The largest epsilon whose advantage is computed; larger ones differ by less than 1e-43."""
