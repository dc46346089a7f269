"""mu with its regret in a row of numbers, against mpmath and the enumerated losses."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.mechanisms.declared import approx_dp, pure_dp, tradeoff_points, zcdp
from semiaudit.model.guarantee import Numbers
from semiaudit.model.loss import (
    DiscreteGaussianLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
    SubsampledGaussianLoss,
)
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PiecewiseLinear, PureDP
from semiaudit.privacy.evaluate import numbers_of
from semiaudit.privacy.loss import DEFAULT, fitted_mu
from semiaudit.privacy.loss.delta_points import DeltaPoint, delta_points
from semiaudit.privacy.loss.mu_fit import LEAST_ROOT, _regret_of_points, fitted_mu_of_points
from tests.clocks import Ticks
from tests.oracles import calculus as oracle
from tests.oracles.curves import mp, quantile, real, upper_tail
from tests.oracles.losses import Truth

ONE = Fraction(1)


def numbers(*measures: Measure) -> Numbers:
    return numbers_of(measures, [], [])


def fitted(*measures: Measure) -> tuple[Any, Any]:
    found = numbers(*measures)
    assert found.gdp is not None
    assert found.gdp_regret is not None
    assert isinstance(found.gdp.value, Fraction)
    assert isinstance(found.gdp_regret.value, Fraction)
    return real(found.gdp.value), real(found.gdp_regret.value)


@pytest.mark.parametrize("epsilon", ["1/1000000", "1/10", "1", "5", "40"])
def test_pure_dp_has_the_mu_of_its_corner_and_the_regret_of_its_epsilon(epsilon: str) -> None:
    # Beyond epsilon nothing of pure DP is left, and delta_mu(epsilon) / (1 + e^epsilon) is.
    e = real(Fraction(epsilon))
    truth = -2 * quantile(1 / (1 + mp.exp(e)))
    mu, regret = fitted(*pure_dp(PureDP(Fraction(epsilon))))
    assert truth <= mu <= truth * (1 + mp.mpf("1e-12"))
    left = oracle.gaussian_delta(truth, e) / (1 + mp.exp(e))
    assert left <= regret * (1 + mp.mpf("1e-30"))
    assert regret == pytest.approx(float(left), rel=1e-4, abs=1e-11)


def test_epsilon_1_has_mu_1_23_with_a_regret_of_0_0575() -> None:
    mu, regret = fitted(*pure_dp(PureDP(ONE)))
    assert float(mu) == pytest.approx(1.2320353853449, abs=1e-12)
    assert float(regret) == pytest.approx(0.0575463960501, abs=1e-12)


def test_a_declared_polygon_lies_above_its_mu_and_within_its_regret() -> None:
    points = [("0", "1"), ("1/20", "3/5"), ("1/5", "3/10"), ("2/5", "1/10"), ("1", "0")]
    f = PiecewiseLinear(tuple((Fraction(x), Fraction(y)) for x, y in points))
    symmetric = tradeoff_points(f)[0]
    assert isinstance(symmetric, PiecewiseLinear)
    mu, regret = fitted(symmetric)
    g = oracle.g_mu(mu)
    shape = oracle.piecewise_linear(symmetric.vertices)
    grid = [mp.mpf(k) / 400 for k in range(1, 400)]
    assert all(shape(a) >= g(a) for a in grid)
    # Some vertex touches: a mu smaller by a millionth does not hold.
    smaller = oracle.g_mu(mu * (1 - mp.mpf("1e-6")))
    inner = [real(x) for x, y in symmetric.vertices if x * y]
    assert any(shape(x) < smaller(x) for x in inner)
    moved = [shape(min(a + regret, mp.mpf(1))) - regret <= g(a) for a in grid]
    assert all(moved)
    half = regret * mp.mpf("0.99")
    assert any(shape(min(a + half, mp.mpf(1))) - half > g(a) for a in grid)


def test_a_mu_that_two_datasets_attain_regrets_nothing() -> None:
    found = numbers(GDP(Fraction(9, 4), attained=True), ZCDP(Fraction(9, 8)))
    assert found.gdp is not None
    assert (found.gdp.value, found.gdp.side) == (Fraction(3, 2), "exact")
    assert found.gdp_regret is not None
    assert (found.gdp_regret.value, found.gdp_regret.side) == (0, "exact")
    assert found.own_gdp == found.gdp


def test_the_smallest_of_several_mus_is_stated_with_its_own_regret() -> None:
    # Pure DP of 1 has the mu 1.232, so that 1.5 is not all there is to say.
    found = numbers(GDP(Fraction(9, 4)), *pure_dp(PureDP(ONE)))
    alone = numbers(*pure_dp(PureDP(ONE)))
    assert found.gdp is not None
    assert found.gdp.value == pytest.approx(1.2320353853449, abs=1e-12)
    assert (found.gdp, found.gdp_regret) == (alone.gdp, alone.gdp_regret)
    assert found.own_gdp is None


def test_a_fitted_mu_is_not_a_measures_own() -> None:
    found = numbers(*pure_dp(PureDP(ONE)))
    assert found.gdp is not None
    assert (found.gdp.side, found.gdp.method, found.own_gdp) == ("upper", "best_mu", None)


def test_what_is_no_mu_gdp_or_not_known_to_be_has_none() -> None:
    leaky = approx_dp(ApproxDP(ONE, Fraction(1, 1000)))
    for measures in (leaky, zcdp(ZCDP(ONE)), pure_dp(PureDP(Fraction(1000)))):
        found = numbers(*measures)
        assert (found.gdp, found.gdp_regret) == (None, None)


def test_perfect_privacy_has_mu_zero() -> None:
    assert fitted(*pure_dp(PureDP(Fraction(0)))) == (0, 0)


def loss(*parts: tuple[Loss, int]) -> PrivacyLoss:
    return PrivacyLoss(tuple(parts))


PRODUCTS = {
    "a discrete Gaussian": (loss((DiscreteGaussianLoss(1, ONE), 1)), ZCDP(Fraction(1, 2))),
    "wide ones": (loss((DiscreteGaussianLoss(1, Fraction(8)), 4)), ZCDP(Fraction(1, 4))),
    "Laplace noise": (loss((LaplaceLoss(ONE), 3)), ZCDP(Fraction(3, 2))),
    "responses": (loss((RandomizedResponseLoss(Fraction(1, 5)), 25)), ZCDP(Fraction(1, 2))),
    "a Gaussian and responses": (
        loss((GaussianLoss(ONE), 1), (RandomizedResponseLoss(Fraction(1, 2)), 2)),
        ZCDP(Fraction(3, 4)),
    ),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_the_deltas_of_a_product_stay_below_those_of_its_mu_and_within_the_regret(
    name: str,
) -> None:
    product, known = PRODUCTS[name]
    mu, regret = fitted(product, known)
    truth = Truth(product)
    worst = mp.mpf(0)
    # The discrete Gaussian's delta has its kinks, where a regret is largest, at odd halves.
    for epsilon in (*(Fraction(k, 10) for k in range(20)), *map(Fraction, (3, 5, 8, 14, 20))):
        delta, growth = truth.delta(epsilon), mp.exp(real(epsilon))
        own = oracle.gaussian_delta(mu, real(epsilon))
        assert delta.low <= own * (1 + mp.mpf("1e-25"))
        worst = max(worst, (own - delta.high) / (1 + growth))
    assert worst <= regret <= worst + mp.mpf("0.004")


def test_no_mu_of_a_composition_lies_below_the_gaussian_one_that_its_tails_need() -> None:
    # Far out a discrete Gaussian of a large variance is as good as the Gaussian itself.
    mu, _ = fitted(*PRODUCTS["wide ones"])
    assert mp.sqrt(mp.mpf("0.5")) <= mu <= mp.sqrt(mp.mpf("0.5")) * mp.mpf("1.01")


def test_without_zcdp_an_unbounded_loss_has_no_mu_and_a_bounded_one_has_its_own() -> None:
    gaussian = loss((DiscreteGaussianLoss(1, ONE), 1))
    assert numbers(gaussian).gdp is None
    laplace, known = PRODUCTS["Laplace noise"]
    assert fitted(laplace)[0] == pytest.approx(fitted(laplace, known)[0], rel=1e-2)


@pytest.mark.parametrize("text", ["1e-14", "1e-15", "1e-16", "1e-30"])
def test_losses_that_no_double_tells_apart_as_ratios_have_their_mu(text: str) -> None:
    # 2 Phi^-1(e^epsilon / (1 + e^epsilon)) is epsilon sqrt(pi / 2), but for epsilon^3.
    epsilon = Fraction(text)
    product = loss((RandomizedResponseLoss(epsilon), 1))
    needed = real(epsilon) * mp.sqrt(mp.pi / 2)
    found = fitted_mu(product, None, DEFAULT)
    assert found is not None
    assert real(found.mu) >= needed * (1 - mp.mpf("1e-20"))
    assert 0 < found.regret <= found.mu
    mu, _ = fitted(product, *pure_dp(PureDP(epsilon)))
    assert needed * (1 - mp.mpf("1e-20")) <= mu <= needed * (1 + mp.mpf("1e-9"))


def test_sampled_noise_has_no_mu() -> None:
    sampled = loss((SubsampledGaussianLoss(ONE, Fraction(1, 100)), 1))
    assert fitted_mu(sampled, ZCDP(Fraction(1, 2)), DEFAULT) is None


def test_the_normal_quantile_is_concave_in_its_root_from_2_on() -> None:
    """Z(t) with 1 - Phi(Z) = e^(-t^2/2): t(Z) is convex; docs/theory/conversions.md proves it."""
    roots = [mp.sqrt(-2 * mp.log(upper_tail(2 + mp.mpf(k) / 8))) for k in range(300)]
    assert roots[0] <= real(LEAST_ROOT)
    rises = [b - a for a, b in pairwise(roots)]
    assert all(earlier < later for earlier, later in pairwise(rises))


def test_a_mu_is_fitted_only_while_there_is_time() -> None:
    """There are up to 150 points, each with a test and with quantiles of 40 digits."""
    loss = PrivacyLoss(((LaplaceLoss(Fraction(1, 3)), 5),))
    clock = Ticks(1e-6)
    with deadline.running(1.0, clock):
        points = delta_points(loss, DEFAULT)
    assert len(points) > 20
    assert clock.time >= 1e-6 * len(points)
    assert fitted_mu_of_points(points, None) is not None
    with deadline.running(3.5, Ticks(1.0)), pytest.raises(OutOfTimeError):
        fitted_mu_of_points(points, None)


@pytest.mark.parametrize("unsure", [1, 4, 8])
def test_the_regret_at_an_uncertain_delta_is_that_of_its_lower_bound(unsure: int) -> None:
    """(delta_mu - lower) / (1 + e^epsilon): any delta above the lower bound may be the true one."""
    places = [mp.mpf(k) / 8 for k in range(60)]
    deltas = [float(oracle.gaussian_delta(mp.mpf("0.99"), epsilon)) for epsilon in places]
    points = [
        DeltaPoint(float(epsilon), 0.0 if place == unsure else delta, delta)
        for place, (epsilon, delta) in enumerate(zip(places, deltas, strict=True))
    ]
    truth = oracle.gaussian_delta(mp.mpf(1), places[unsure]) / (1 + mp.exp(places[unsure]))
    assert float(truth) * (1 - 1e-12) <= float(_regret_of_points(points, ONE)) < 2 * float(truth)
