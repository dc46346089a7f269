"""Group privacy: guarantees at distance k from a guarantee at distance 1.

Source: Dong, Roth and Su 2022, Theorem 2.14; Cho and Awan, section 2.2 and Proposition 11.
"""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from semiaudit import deadline
from semiaudit.model.loss import (
    DiscreteLaplaceLoss,
    PrivacyLoss,
    RandomizedResponseLoss,
    WorstLoss,
)
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
from semiaudit.privacy.conversion import zcdp_from_loss, zcdp_from_pure
from semiaudit.privacy.ordering.implication import strongest
from semiaudit.privacy.tradeoff import algebra, polygon
from semiaudit.privacy.tradeoff.algebra import functional_power
from semiaudit.privacy.tradeoff.polygon import tradeoff_from_pairs

_FEWER = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20)
"""Exponents k: delta = 10^-k for an (epsilon, delta) pair of a loss in a tradeoff function."""

_COARSE = losses.Accuracy(tolerance=1e-3, time_limit=None)
"""The accuracy of pairs that enter a measure: no time limit, so no result depends on a clock."""


def group(measures: tuple[Measure, ...], distance: int) -> tuple[Measure, ...]:
    """Return the measures that hold at a distance of 1 or more, from those that hold at distance 1.

    Args:
        measures: all valid for datasets at distance 1 under an adjacency metric (Definition 1).
        distance: the number of steps k.

    Returns:
        k epsilon for pure DP, with the rho of f_{epsilon,0} composed k times; k^2 rho for zCDP (Bun
        and Steinke 2016, Proposition 1.9; Lemma 39), the smaller of the two; k mu for GDP, the
        k-fold functional composition of a tradeoff function. An (epsilon, delta) pair is kept at k
        = 1 only; its tradeoff function carries more at any other k. A single pair of log-concave
        noise moves k times as far; nothing is known for a product. If only epsilon is known,
        f_{epsilon,0} composed k times is the function of the discrete Laplace with scale 1/epsilon
        moved by k (docs/theory/conversions.md).
    """
    grouped = [_group(measure, distance) for measure in measures]
    if distance == 1:
        return measures
    grouped += [_steps_of_pure_dp(measures, distance)]
    known = tuple(measure for measure in grouped if measure is not None)
    pure = [zcdp_from_pure(m, distance) for m in measures if isinstance(m, PureDP)]
    from_losses = [zcdp_from_loss(m) for m in known if isinstance(m, PrivacyLoss)]
    return strongest(known, (*pure, *(rho for rho in from_losses if rho is not None)))


def _steps_of_pure_dp(measures: tuple[Measure, ...], k: int) -> PrivacyLoss | None:
    """Return the pair of f_{epsilon,0} composed k times; None if more than epsilon is known."""
    if not any(isinstance(measure, PureDP | PrivacyLoss) for measure in measures):
        return None
    from semiaudit.privacy.domination import dominating_loss

    loss = dominating_loss(measures)
    match loss:
        case PrivacyLoss(((RandomizedResponseLoss(epsilon, 2), 1),), False):
            return PrivacyLoss(((DiscreteLaplaceLoss(k, 1 / epsilon), 1),))
        case _:
            return None


def steps_of_pure_dp(epsilon: Fraction, k: int) -> PiecewiseLinear:
    """f_{epsilon,0} composed k times, a polygon: the function of the discrete Laplace with scale
    1/epsilon moved by k, from below.

    Args:
        epsilon: at distance 1. k: the number of steps, 0 or more.

    Source: docs/theory/conversions.md; Dong, Roth and Su 2022, Theorem 2.14.
    """

    if not k:
        return polygon.IDENTITY
    step = polygon.tradeoff_from_approx_dp(ApproxDP(epsilon, Fraction(0)))
    steps = algebra.functional_power(step, k)
    return steps if isinstance(steps, PiecewiseLinear) else polygon.NOTHING


def _group(measure: Measure, k: int) -> Measure | None:
    match measure:
        case PureDP():
            return PureDP(k * measure.epsilon, measure.exact)
        case ZCDP():
            return ZCDP(k * k * measure.rho, measure.exact)
        case GDP() | PiecewiseLinear():
            return _composed_with_itself(measure, k)
        case PrivacyLoss():
            return _moved_further(measure, k)
        case ApproxDP() | ApproxZCDP() | WorstLoss():
            return None
        case _:
            assert_never(measure)


def _composed_with_itself(f: GDP | PiecewiseLinear, k: int) -> Measure:
    """Return f^{ok} of a tradeoff function that is a measure; the result is a measure again."""

    further = functional_power(f, k)
    if not isinstance(further, GDP | PiecewiseLinear):
        raise TypeError(f"{type(further).__name__} is not a measure")
    return further


def _moved_further(loss: PrivacyLoss, k: int) -> PrivacyLoss | None:
    """For one coordinate of log-concave noise: f_a composed k times is f_(k a) (E15)."""
    if not loss.parts:
        return loss
    from semiaudit.privacy.loss.pairs.pair_kinds import kind_of

    further = [kind_of(pair, "group privacy").moved_further(k) for pair, _ in loss.parts]
    if further[0] is None or len(further) > 1 or loss.parts[0][1] > 1:
        return None
    return PrivacyLoss(((further[0], 1),))


@deadline.cached(16)
def tradeoff_of_loss(loss: PrivacyLoss) -> PiecewiseLinear:
    """Return the polygon of (epsilon, delta) pairs of a product, for steps of group privacy."""
    deltas = (Fraction(1, 10**k) for k in _FEWER)
    points = ((losses.epsilon_at(loss, delta, _COARSE), delta) for delta in deltas)
    pairs = [(end.upper, delta) for end, delta in points if end is not None]
    distance = losses.advantage(loss, _COARSE)
    at_0 = Fraction(1) if distance is None else Fraction(distance.upper)
    return tradeoff_from_pairs([*pairs, (0.0, at_0)])
