"""Group privacy: what a guarantee at distance 1 says at distance k.

With g(a) = f(1 - a) in Cho and Awan's form, it is g composed k times: in Su's form
f_(k+1)(a) = f(1 - f_k(a)). For f_{epsilon,delta} this is strictly better than f_{k epsilon, .}.
Source: Dong, Roth and Su 2022, Theorem 2.14; Cho and Awan, section 2.2 and Proposition 11.
"""

from __future__ import annotations

from functools import lru_cache

from semiaudit.model.loss import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
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
from semiaudit.privacy.product import thinned
from semiaudit.privacy.tradeoff import IDENTITY, NOTHING, Vertex, lower_hull, rounded, type_ii_at


def group(measures: tuple[Measure, ...], distance: int) -> tuple[Measure, ...]:
    """The measures that hold at a distance of 1 or more, from those that hold at 1.

    Args:
        measures: all valid for datasets at distance 1 under an adjacency metric (Definition 1).
        distance: the number of steps k.

    Returns:
        k epsilon for pure DP, k^2 rho for zCDP (Bun and Steinke 2016, Proposition 1.9; Lemma 39),
        k mu for GDP, the k-fold functional composition of a tradeoff function. An (epsilon, delta)
        pair is kept at k = 1 only; its tradeoff function carries more at any other k. A single
        pair of log-concave noise moves k times as far; of a product nothing is known.
    """
    if distance == 1:
        return measures
    found = (_group(measure, distance) for measure in measures)
    return tuple(measure for measure in found if measure is not None)


def _group(measure: Measure, k: int) -> Measure | None:
    if isinstance(measure, PureDP):
        return PureDP(k * measure.epsilon)
    if isinstance(measure, ZCDP):
        return ZCDP(k * k * measure.rho)
    if isinstance(measure, GDP):
        return GDP(k * k * measure.mu_squared)
    if isinstance(measure, PrivacyLoss):
        return _moved_further(measure, k)
    if isinstance(measure, ApproxDP | ApproxZCDP):
        return None
    return composed_with_itself(measure, k)


def _moved_further(loss: PrivacyLoss, k: int) -> PrivacyLoss | None:
    """f_a composed k times is f_(k a) for one coordinate of log-concave noise moved by a (E15)."""
    if not loss.parts:
        return loss
    (pair, repeat), *others = loss.parts
    if repeat > 1 or others:
        return None
    if isinstance(pair, GaussianLoss):
        further: Loss = GaussianLoss(k * k * pair.mu_squared)
    elif isinstance(pair, LaplaceLoss):
        further = LaplaceLoss(k * pair.shift)
    elif isinstance(pair, DiscreteGaussianLoss):
        further = DiscreteGaussianLoss(k * pair.shift, pair.sigma_squared)
    elif isinstance(pair, DiscreteLaplaceLoss):
        further = DiscreteLaplaceLoss(k * pair.shift, pair.scale)
    else:
        return None
    return PrivacyLoss(((further, 1),))


@lru_cache(maxsize=256)
def composed_with_itself(f: PiecewiseLinear, times: int) -> PiecewiseLinear:
    """f composed k times, by repeated squaring; exact but for 256-bit rounding downwards.

    A function of more than some hundred pieces is thinned first, which lowers it.
    """
    result, power = IDENTITY, f
    while times:
        if not power.vertices[0][1]:
            return NOTHING
        if times & 1:
            result = _composed(power, result)
        times >>= 1
        if times:
            power = _composed(power, power)
    return result


def _composed(outer: PiecewiseLinear, inner: PiecewiseLinear) -> PiecewiseLinear:
    """outer(1 - inner(a)): exact vertices are the inner's own and the preimages of the outer's."""
    points: list[Vertex] = [(x, type_ii_at(outer, 1 - y)) for x, y in inner.vertices]
    cuts = [(1 - x, y) for x, y in reversed(outer.vertices)]
    place = len(cuts) - 1
    for (x0, y0), (x1, y1) in zip(inner.vertices, inner.vertices[1:], strict=False):
        while place >= 0 and cuts[place][0] >= y0:
            place -= 1
        while place >= 0 and cuts[place][0] > y1:
            level, value = cuts[place]
            points.append((x0 + (x1 - x0) * (y0 - level) / (y0 - y1), value))
            place -= 1
    return thinned(rounded(lower_hull(points)))
