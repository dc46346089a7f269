"""Group privacy: what a guarantee at distance 1 says at distance k.

Source: Dong, Roth and Su 2022, Theorem 2.14; Cho and Awan, section 2.2 and Proposition 11.
"""

from __future__ import annotations

from semiaudit.model.loss import PrivacyLoss
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    Measure,
    PureDP,
)
from semiaudit.privacy.loss.pairs.registry import kind_of
from semiaudit.privacy.tradeoff.functional_power import composed_with_itself


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
    further = [kind_of(pair, "group privacy").moved_further(k) for pair, _ in loss.parts]
    if further[0] is None or len(further) > 1 or loss.parts[0][1] > 1:
        return None
    return PrivacyLoss(((further[0], 1),))
