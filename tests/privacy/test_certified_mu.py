"""mu of a guarantee with its regret, against the definition of the regret."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from scipy.special import ndtri

import semiaudit
from semiaudit import Gaussian, SubsampledGaussian
from semiaudit.mechanisms.declared import pure_dp
from semiaudit.mechanisms.kind import not_attained
from semiaudit.mechanisms.noise import gaussian_moved_by
from semiaudit.mechanisms.randomizers import subsampled_gaussian
from semiaudit.model.adjacency import Metric
from semiaudit.model.bound import Bound
from semiaudit.model.loss import DiscreteLaplaceLoss, LaplaceLoss, PrivacyLoss
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PureDP
from semiaudit.model.mechanism import SubsampledGaussian as SubsampledGaussianPart
from semiaudit.privacy.certified_mu import mu_of
from semiaudit.privacy.loss import Accuracy
from tests.oracles.calculus import gaussian_delta
from tests.oracles.curves import mp, real, upper_tail
from tests.oracles.regret import regret, sampled_points

ONE = Fraction(1)


def total_variation(mu: float) -> float:
    return math.erf(mu / math.sqrt(8))


def found(*measures: Measure) -> tuple[Bound, Bound]:
    mu, kappa = mu_of(measures)
    assert mu is not None
    assert kappa is not None
    return mu, kappa


@pytest.mark.parametrize(
    ("rate", "sigma", "metric", "distance"),
    [
        ("1e-3", 1, "symmetric_difference", 1),
        ("0.1", 2, "symmetric_difference", 1),
        ("0.5", 1, "symmetric_difference", 2),
        ("0.25", "0.5", "symmetric_difference", 3),
        ("0.5", 1, "hamming", 1),
        ("0.2", "0.7", "hamming", 2),
    ],
)
def test_the_regret_of_a_sampled_step_is_that_of_its_definition_or_a_little_more(
    rate: str, sigma: float | str, metric: Metric, distance: int
) -> None:
    guarantee = SubsampledGaussian(sigma, rate, 1).guarantee(distance, metric=metric)
    mu, kappa = guarantee.mu, guarantee.mu_regret
    assert mu is not None
    assert kappa is not None
    splits = [(distance, distance)]
    if metric == "symmetric_difference":
        splits = [(k, distance - k) for k in range(distance + 1)]
    points = [p for a, b in splits for p in sampled_points(a, b, float(rate), float(sigma))]
    truth = regret(points, float(mu))
    assert kappa.side == "upper"
    assert truth - 2e-6 <= float(kappa) <= truth + 0.02


def test_sampled_noise_has_the_regret_that_its_advantage_leaves() -> None:
    # The total variation of G_1 is 0.382925, and that of the sampled step a thousandth of it.
    kappa = SubsampledGaussian(1, "1e-3", 1).guarantee(metric="symmetric_difference").mu_regret
    assert kappa is not None
    assert 0.19127 <= float(kappa) <= 0.1913


def test_steps_that_hardly_ever_sample_have_a_regret_of_one_half() -> None:
    part = SubsampledGaussianPart(sigma_squared=ONE, rate=Fraction(1, 10**12), steps=10**6)
    mu, kappa = mu_of(subsampled_gaussian(part, 1), Accuracy(0.1, 0.1))
    assert mu is not None
    assert kappa is not None
    assert float(mu) == 1000
    assert 0.4999 <= float(kappa) <= 0.5


def test_only_an_attained_gaussian_function_has_an_exact_regret() -> None:
    own = Gaussian(sigma=2).guarantee()
    assert own.mu_regret is not None
    assert (own.mu_regret.value, own.mu_regret.side) == (0, "exact")
    everyone = SubsampledGaussian(1, 1, 4).guarantee(metric="symmetric_difference").mu_regret
    assert everyone is not None
    assert (everyone.value, everyone.side) == (0, "exact")
    bound = not_attained(gaussian_moved_by(ONE, ONE, exact=True))
    for measures in (bound, gaussian_moved_by(ONE, ONE, exact=False)):
        assert [(b.value, b.side) for b in found(*measures)] == [(1, "upper"), (0, "upper")]
    declared = semiaudit.GDP(1).guarantee()
    assert declared.mu is not None
    assert declared.mu_regret is not None
    assert (declared.mu.side, declared.mu_regret.side) == ("exact", "upper")


@pytest.mark.parametrize("rho", ["0.01", "0.3", "1.9"])
def test_zcdp_next_to_a_mu_raises_the_regret_to_what_its_advantage_leaves(rho: str) -> None:
    """No rho-zCDP pair has a larger advantage than the response with x tanh(x / 2) = rho."""
    x = mp.findroot(lambda y: y * mp.tanh(y / 2) - mp.mpf(rho), mp.sqrt(2 * mp.mpf(rho)))
    mu, kappa = found(GDP(Fraction(4)), ZCDP(Fraction(rho)))
    left = (total_variation(2) - float(mp.tanh(x / 2))) / 2
    assert float(mu) == 2
    assert left <= float(kappa) <= total_variation(2) / 2


def test_zcdp_of_a_large_rho_leaves_a_regret_that_is_tiny_and_not_0() -> None:
    """Its advantage, that of the response with x tanh(x / 2) = rho, is below that of G_mu.

    G_mu passes through (c, c) with c = Phi(-mu / 2), and the response through 1 / (1 + e^x). The
    Gaussian pair with mu^2 = 2 rho has the same rho, so the regret is at most the distance from it.
    """
    rho, mu = 200, 60
    found_mu, kappa = found(GDP(Fraction(mu**2)), ZCDP(Fraction(rho)))
    assert found_mu.value == mu
    corner = 1 / (1 + mp.exp(rho + 1))  # x is less than rho + 1
    least = corner - upper_tail(mp.mpf(mu) / 2)
    most = upper_tail(mp.sqrt(2 * mp.mpf(rho)) / 2)
    assert 0 < least <= real(Fraction(kappa.sharpest)) <= most * (1 + mp.mpf("1e-12"))


def test_zcdp_that_follows_from_mu_leaves_no_regret() -> None:
    assert found(GDP(Fraction(4)), ZCDP(Fraction(2)))[1].value == 0


def test_pure_dp_of_any_size_next_to_a_mu_counts_with_its_own_distance() -> None:
    for epsilon in (Fraction(1, 10), Fraction(1), Fraction(400)):
        mu, kappa = found(GDP(Fraction(1, 10**4)), PureDP(epsilon))
        e = mp.mpf(epsilon.numerator) / epsilon.denominator
        at_0 = gaussian_delta(mp.mpf("0.01"), mp.mpf(0)) - mp.tanh(e / 2)
        at_epsilon = gaussian_delta(mp.mpf("0.01"), e) / (1 + mp.exp(e))
        assert float(mu) == 0.01
        assert kappa.value >= max(at_0 / 2, at_epsilon) * (1 - mp.mpf("1e-15"))
        assert kappa.value <= max(at_0 / 2, at_epsilon) + mp.mpf("1e-9")
    assert found(GDP(Fraction(1, 4)), ApproxDP(Fraction(1, 10), Fraction(1, 100)))[1].value > 0


def test_a_loss_that_is_not_composed_leaves_half_of_the_total_variation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from semiaudit.privacy import loss as losses

    monkeypatch.setattr(losses, "advantage", lambda *_: None)
    monkeypatch.setattr(losses, "fitted_mu", lambda *_: None)
    _, kappa = found(PrivacyLoss(((LaplaceLoss(ONE), 3),)), GDP(ONE))
    assert total_variation(1) / 2 <= float(kappa) <= total_variation(1) / 2 + 1e-12


def test_a_mu_beyond_what_is_computed_has_a_regret_of_at_most_one_half() -> None:
    _, kappa = found(GDP(Fraction(10**8)), *pure_dp(PureDP(ONE)))
    assert 0 < kappa.value <= Fraction(1, 2)
    mu, kappa = found(GDP(Fraction(10**8)), ZCDP(Fraction(1, 100)))
    assert float(mu) == 10**4
    assert 0.46 < float(kappa) <= 0.5


@pytest.mark.parametrize("steps", [1, 2, 5])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(7, 2)])
def test_steps_of_pure_dp_have_the_mu_and_the_regret_of_their_definition(
    epsilon: Fraction, steps: int
) -> None:
    loss = PrivacyLoss(((DiscreteLaplaceLoss(steps, 1 / epsilon), 1),))
    mu, kappa = found(loss)
    # The mass of k is proportional to e^(-epsilon |k|): the tests are "X >= cut".
    law = {k: mp.exp(-mp.mpf(float(epsilon)) * abs(k)) for k in range(-900, 901)}
    total = sum(law.values())
    points = []
    for cut in range(-12, steps + 13):
        type_i = sum(mass for k, mass in law.items() if k >= cut) / total
        type_ii = sum(mass for k, mass in law.items() if k + steps < cut) / total
        points.append((float(type_i), float(type_ii)))
    needed = max(-ndtri(x) - ndtri(y) for x, y in points)
    assert needed * (1 - 1e-9) <= float(mu) <= needed * (1 + 1e-9)
    truth = regret(points, float(mu))
    assert truth - 2e-6 <= float(kappa) <= truth + 1.2e-5


def test_of_two_mus_that_hold_the_smaller_one_counts() -> None:
    for order in ((1, 4), (4, 1)):
        mu, _ = found(*(GDP(Fraction(square)) for square in order))
        assert mu.value == 1
