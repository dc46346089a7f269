"""mu with its regret, against a grid at 50 digits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from semiaudit.errors import RefusedError
from semiaudit.model.measure import GDP
from semiaudit.privacy.curves.algebra import tensor
from semiaudit.privacy.curves.curve import ApproxCurve, Bracket, GaussianCurve, LaplaceCurve
from semiaudit.privacy.mu.best import gaussian_summary, gdp_from_curve, regret
from tests.oracles import calculus as oracle
from tests.oracles import curves as densities
from tests.oracles.curves import mp, real

PURE = ApproxCurve(Fraction(1), Fraction(0))


def distance(f: Any, mu: Any) -> Any:
    """The least kappa with f(a + kappa) - kappa <= G_mu(a), by bisection at each a of a grid."""
    g = oracle.g_mu(mu)
    worst = mp.mpf(0)
    for place in range(1, 200):
        a = mp.mpf(place) / 200
        level, low, high = g(a), mp.mpf(0), mp.mpf(1)
        for _ in range(30):
            kappa = (low + high) / 2
            moved = f(min(a + kappa, mp.mpf(1))) - kappa
            low, high = (low, kappa) if moved <= level else (kappa, high)
        worst = max(worst, high)
    return worst


def test_pure_dp_has_the_mu_of_its_corner_and_a_regret_of_six_hundredths() -> None:
    found = gaussian_summary(PURE)
    mu = 2 * densities.quantile(mp.e / (1 + mp.e))
    assert float(found.mu.value) == pytest.approx(float(mu), rel=1e-15)
    assert found.mu.side == found.regret.side == "upper"
    truth = distance(oracle.f_epsilon_delta(1, 0), mu)
    assert (
        float(found.regret_lower.value) - 2e-5 <= float(truth) <= float(found.regret.value) + 1e-9
    )
    assert float(found.regret.value) == pytest.approx(float(truth), abs=2e-4)


def test_laplace_noise_has_the_mu_of_its_fixed_point_and_its_regret() -> None:
    found = gaussian_summary(LaplaceCurve(Fraction(1)))
    fixed = mp.exp(-mp.mpf(1) / 2) / 2
    mu = 2 * densities.quantile(1 - fixed)
    assert mu <= real(Fraction(found.mu.value)) <= mu * mp.mpf("1.001")
    truth = distance(
        lambda a: densities.laplace_tradeoff(mp.mpf(1), a), real(Fraction(found.mu.value))
    )
    assert float(truth) <= float(found.regret.value) + 1e-9
    assert float(found.regret.value) == pytest.approx(float(truth), abs=2e-4)


def test_gaussian_noise_has_its_own_mu_and_no_regret() -> None:
    found = gaussian_summary(GaussianCurve(Fraction(4)))
    assert found.gdp == GDP(Fraction(4))
    assert float(found.mu.value) == pytest.approx(2, rel=1e-15)
    assert found.regret.value == 0


def test_a_looser_mu_is_regretted_more() -> None:
    tight = gdp_from_curve(PURE)
    _, least = regret(PURE, tight)
    at_more, _ = regret(PURE, GDP(tight.mu_squared * 2))
    assert at_more > least


def test_many_small_losses_have_a_small_regret() -> None:
    """A hundred responses of 1/10: nearly Gaussian (row 75: mu is about 1.0004)."""
    curve = tensor([(ApproxCurve(Fraction(1, 10), Fraction(0)), 100)])
    assert isinstance(curve, Bracket)
    found = gaussian_summary(curve)
    assert 1.0 <= float(found.mu.value) <= 1.06
    assert float(found.regret.value) <= 0.02


def test_the_best_mu_is_below_every_vertex_of_a_product() -> None:
    curve = tensor([(PURE, 4)])
    assert isinstance(curve, Bracket)
    g = oracle.g_mu(mp.sqrt(real(gdp_from_curve(curve).mu_squared)))
    for x, y in curve.below.vertices:
        if 0 < x < 1:
            assert g(real(x)) <= real(y) + mp.mpf("1e-40")


def test_what_leaks_with_certainty_has_no_mu() -> None:
    leaky = ApproxCurve(Fraction(1), Fraction(1, 10))
    for curve in (leaky, tensor([(leaky, 2)])):
        with pytest.raises(RefusedError, match="no gdp guarantee"):
            gdp_from_curve(curve)


def test_perfect_privacy_has_mu_zero() -> None:
    found = gaussian_summary(ApproxCurve(Fraction(0), Fraction(0)))
    assert found.mu.value == found.regret.value == 0
