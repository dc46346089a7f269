"""Products of releases in which a dataset may be the first or the second."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from semiaudit.model.loss import (
    ApproxLoss,
    ConcentratedLoss,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    PrivacyLoss,
    SubsampledGaussianLoss,
)
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, ApproxZCDP
from semiaudit.privacy import domination
from semiaudit.privacy.domination import (
    approximate_zcdp,
    dominating_loss,
    product_of_losses,
    products_in_all_orders,
)
from semiaudit.privacy.loss import delta_at
from semiaudit.privacy.tradeoff.polygon import tradeoff_from_approx_dp

F = Fraction
PAIR = FiniteLoss((F(2, 5), F(1, 2), F(1, 10)), (F(1, 8), F(3, 8), F(1, 2)))
OTHER = FiniteLoss((F(9, 10), F(1, 10)), (F(3, 5), F(2, 5)))
RATE = F(1, 4)
SAMPLED = SubsampledGaussianLoss(F(1), RATE)


def single(pair: FiniteLoss | SubsampledGaussianLoss, times: int = 1) -> PrivacyLoss:
    return PrivacyLoss(((pair, times),))


def largest(products: tuple[PrivacyLoss, ...], epsilon: Fraction) -> float:
    found = [delta_at(product, epsilon) for product in products]
    return max(bracket.upper for bracket in found if bracket is not None)


def normal(x: float, centre: float) -> float:
    return math.exp(-((x - centre) ** 2) / 2) / math.sqrt(2 * math.pi)


def delta_with_sampling(first: bool, epsilon: float) -> float:
    """PAIR beside one sampled step, by the midpoint rule: delta of the larger direction.

    Args:
        first: whether the dataset of PAIR's first law has the record more.
    """
    step, growth, up, down = 2e-3, math.exp(epsilon), 0.0, 0.0
    rate = float(RATE)
    for place in range(-5000, 5500):
        x = (place + 0.5) * step
        plain, mixed = normal(x, 0), (1 - rate) * normal(x, 0) + rate * normal(x, 1)
        a, b = (mixed, plain) if first else (plain, mixed)
        for p, q in zip(PAIR.first, PAIR.second, strict=True):
            up += step * max(float(p) * a - growth * float(q) * b, 0)
            down += step * max(float(q) * b - growth * float(p) * a, 0)
    return max(up, down)


def test_a_product_is_attained_only_if_every_factor_is() -> None:
    gaussian, laplace = (
        PrivacyLoss(((pair, 1),), attained=attained)
        for pair, attained in ((GaussianLoss(F(1)), True), (LaplaceLoss(F(1)), False))
    )
    assert not product_of_losses([(gaussian, 1), (laplace, 1)]).attained
    assert product_of_losses([(gaussian, 1), (gaussian, 2)]).attained


def test_a_finite_pair_beside_sampled_noise_counts_in_both_orders() -> None:
    products = products_in_all_orders([(single(PAIR), 1), (single(SAMPLED), 1)])
    assert len(products) == 2
    both = [delta_with_sampling(first, 0.5) for first in (True, False)]
    assert max(both) - min(both) > 1e-3
    assert largest(products, F(1, 2)) == pytest.approx(max(both), rel=1e-5)


def test_too_many_releases_are_composed_with_pairs_that_dominate_in_both_orders(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    releases = [(single(PAIR), 2), (single(OTHER), 1)]
    exact = largest(products_in_all_orders(releases), F(1))
    monkeypatch.setattr(domination, "MOST_TURNED", 0)
    products = products_in_all_orders(releases)
    assert products == (product_of_losses(releases),)
    assert largest(products, F(1)) > exact


def test_one_release_and_symmetric_ones_are_one_product() -> None:
    symmetric = single(FiniteLoss(OTHER.first, OTHER.first[::-1]))
    attained = PrivacyLoss(((PAIR, 1),), attained=True)
    (product,) = products_in_all_orders([(attained, 3)])
    assert product == PrivacyLoss(((PAIR, 3),), attained=True)
    assert len(products_in_all_orders([(single(PAIR), 1), (symmetric, 2)])) == 1


@pytest.mark.parametrize("attained", [True, False])
def test_the_gaussian_pair_is_attained_if_mu_is(attained: bool) -> None:
    loss = dominating_loss((GDP(Fraction(4), attained=attained),))
    assert loss == PrivacyLoss(((GaussianLoss(Fraction(4)), 1),), attained)


@pytest.mark.parametrize("epsilon", [F(1, 4), F(1, 2), F(3)])
@pytest.mark.parametrize("delta", [F(0), F(1, 100)])
def test_a_tradeoff_function_has_the_zcdp_of_its_largest_finite_loss(
    epsilon: Fraction, delta: Fraction
) -> None:
    """rho is epsilon tanh(epsilon / 2) of pure DP, and delta is set aside."""
    part = (tradeoff_from_approx_dp(ApproxDP(epsilon, delta)),)
    found = approximate_zcdp([(part, 1), ((ZCDP(F(1)),), 2)])
    assert isinstance(found, ApproxZCDP if delta else ZCDP)
    rho = float(epsilon) * math.tanh(float(epsilon) / 2)
    assert float(found.rho) == pytest.approx(2 + rho, rel=1e-9)
    assert getattr(found, "delta", 0) == delta


def test_a_delta_that_is_set_aside_is_revealed_beside_the_loss_of_rho() -> None:
    declared = ApproxZCDP(F(1, 8), F(1, 1000))
    loss = dominating_loss((declared,))
    assert loss is not None
    assert {type(pair) for pair, _ in loss.parts} == {ApproxLoss, ConcentratedLoss}
    bracket = delta_at(loss, F(30))
    assert bracket is not None
    assert F(1, 1000) <= bracket.upper < 0.0011
