"""Rows 75 to 79 and Table 1 of Su: limits, moments, the Edgeworth accountant, and DP-SGD."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from statistics import NormalDist
from types import SimpleNamespace
from typing import Any

import mpmath
import pytest
from scipy.integrate import quad

from semiaudit import DPSGD
from semiaudit.model.loss import LaplaceLoss
from semiaudit.model.measure import GDP, ApproxDP, PiecewiseLinear, PureDP
from semiaudit.privacy.approximations.clt import berry_esseen_gap, clt_delta, clt_mu, clt_type_ii
from semiaudit.privacy.approximations.dp_sgd import (
    dp_sgd_clt_epsilon,
    dp_sgd_clt_mu,
    dp_sgd_edgeworth_epsilon,
    dp_sgd_numeric_epsilon,
)
from semiaudit.privacy.approximations.edgeworth import (
    edgeworth_delta,
    edgeworth_epsilon,
    edgeworth_type_ii,
)
from semiaudit.privacy.approximations.last_iterate import (
    Column,
    CyclicDescent,
    composition_mu,
    last_iterate_epsilon,
    last_iterate_mu,
    last_iterate_rho,
)
from semiaudit.privacy.approximations.moments import (
    Moments,
    moments_of,
    subsampled_gaussian_moments,
)
from semiaudit.privacy.tradeoff.sources import bracket_of
from tests.golden.published import PUBLISHED

mp: Any = mpmath.mp
ALPHA = Fraction(1, 20)
ROW_75 = [
    (Fraction(1, 10), 100, 1.000417, 0.741216, 0.740354),
    (Fraction(1, 20), 1000, 1.581304, 0.525322, 0.525336),
    (Fraction(1), 10, 3.295696, 0.080403, 0.049385),
]


def responses(epsilon: Fraction, times: int) -> Any:
    return [(moments_of(ApproxDP(epsilon, Fraction(0))), times)]


def exact_type_ii(epsilon: Fraction, times: int) -> float:
    """The number of true answers is binomial; the test between two counts is randomised."""
    keep = 1 / (1 + math.exp(-float(epsilon)))
    x, y, points = 0.0, 1.0, [(0.0, 1.0)]
    for k in range(times, -1, -1):
        ways = math.comb(times, k)
        x += float(ways * mp.mpf(1 - keep) ** k * mp.mpf(keep) ** (times - k))
        y -= float(ways * mp.mpf(keep) ** k * mp.mpf(1 - keep) ** (times - k))
        points.append((x, y))
    (x0, y0), (x1, y1) = next((a, b) for a, b in pairwise(points) if b[0] >= 0.05)
    return y0 + (y1 - y0) * (0.05 - x0) / (x1 - x0)


@pytest.mark.parametrize(("epsilon", "times", "mu", "exact", "limit"), ROW_75)
def test_row_75_the_limit_and_the_truth(
    epsilon: Fraction, times: int, mu: float, exact: float, limit: float
) -> None:
    parts = responses(epsilon, times)
    assert round(clt_mu(parts).estimate, 6) == mu
    assert round(clt_type_ii(parts, ALPHA).estimate, 6) == limit
    assert round(exact_type_ii(epsilon, times), 6) == exact


def test_row_75_the_gaussian_is_its_own_limit() -> None:
    gaussian = moments_of(GDP(Fraction(1)))
    assert -gaussian.null.mean == 0.5
    assert gaussian.null.variance + gaussian.null.mean**2 == 1.25  # kappa_2
    assert clt_mu([(gaussian, 1)]).estimate == 1
    assert clt_delta([(gaussian, 1)], Fraction(1)).estimate == pytest.approx(0.1269367375)
    assert gaussian.null.absolute == pytest.approx(float(mp.quad(
        lambda x: abs(x) ** 3 * mp.npdf(x), [-20, 0, 20])))  # fmt: skip


def test_erratum_e6_the_limit_lies_on_either_side() -> None:
    signs = {limit > exact for _, _, _, exact, limit in ROW_75}
    assert signs == {True, False}


def test_the_gap_of_the_limit_covers_what_it_errs_by() -> None:
    """The theorem moves G_mu by gamma in both errors."""
    for epsilon, times, mu, exact, _ in ROW_75:
        gap = berry_esseen_gap(responses(epsilon, times)).estimate
        low, high = (
            float(mp.ncdf(-mp.sqrt(2) * mp.erfinv(2 * a - 1) - mu)) if 0 < a < 1 else 1.0
            for a in (0.05 + gap, 0.05 - gap)
        )
        assert low - gap <= exact <= high + gap


def test_row_76_the_accountant_is_exact_for_the_gaussian() -> None:
    parts = [(moments_of(GDP(Fraction(1))), 1)]
    assert edgeworth_delta(parts, 1.0).estimate == pytest.approx(0.1269367375, abs=5e-11)
    assert edgeworth_epsilon(parts, 1e-5).estimate == pytest.approx(4.377178, abs=5e-7)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(8)])
@pytest.mark.parametrize("delta", [0.1, 1e-5, 1e-10])
def test_epsilon_of_the_accountant_is_the_last_with_its_delta(
    epsilon: Fraction, delta: float
) -> None:
    """Just beyond it delta may be 0; far before it, delta may fall and rise again."""
    parts = responses(epsilon, 10)
    found = edgeworth_epsilon(parts, delta).estimate
    assert edgeworth_delta(parts, found).estimate <= delta
    assert edgeworth_delta(parts, found * (1 - 1e-6)).estimate > delta
    beyond = [edgeworth_delta(parts, found * (1 + k / 100)).estimate for k in range(1, 300)]
    assert max(beyond) <= delta


def test_the_accountant_of_gaussian_noise_is_exact_below_700_nats_and_above_it_no_less() -> None:
    with mp.workdps(30):
        for mu in (26, 60):
            parts = [(moments_of(GDP(Fraction(mu * mu))), 1)]
            epsilon = edgeworth_epsilon(parts, 1e-5).estimate
            null, alternative = (
                mp.ncdf(-epsilon / mp.mpf(mu) - s * mp.mpf(mu) / 2) for s in (1, -1)
            )
            exact = float(alternative - mp.exp(epsilon) * null)
            assert exact <= 1e-5 * (1 + 1e-9)
            assert exact >= (1e-5 * (1 - 1e-9) if epsilon < 700 else 1e-8)


@pytest.mark.parametrize(
    ("pair", "times"),
    [
        (GDP(Fraction(1, 10)), 2),
        (GDP(Fraction(1, 10)), 3),
        (PureDP(Fraction(1)), 1),
        (LaplaceLoss(Fraction(1)), 1),
        (LaplaceLoss(Fraction(1)), 2),
    ],
)
def test_the_accountant_needs_no_epsilon_for_the_delta_of_epsilon_0(
    pair: GDP | PureDP | LaplaceLoss, times: int
) -> None:
    parts = [(moments_of(pair), times)]
    advantage = edgeworth_delta(parts, 0.0).estimate
    assert 0 < advantage < 1
    assert edgeworth_epsilon(parts, advantage).estimate == 0.0
    assert edgeworth_epsilon(parts, 0.9 * advantage).estimate > 0.0


@pytest.mark.parametrize("delta", [0.3, 0.1, 0.01])
def test_epsilon_of_the_accountant_may_lie_a_hundred_deviations_from_0(delta: float) -> None:
    """A loss of ln 100 or ln 150, as a coin decides, but for one time in 10^12.

    The sum of sixteen is symmetric, and under the other law the normal tail beyond it is 0 in
    doubles: epsilon is a quantile of a normal law.
    """
    seldom = Fraction(1, 10**12)
    inner = (Fraction(1, 300), (1 + seldom) / 2), (Fraction(1, 120), seldom)
    pair = PiecewiseLinear(((Fraction(0), Fraction(1)), *inner, (Fraction(1), Fraction(0))))
    losses = math.log(100), math.log(150)
    mean, spread = 16 * sum(losses) / 2, 4 * (losses[1] - losses[0]) / 2
    truth = NormalDist(mean, spread).inv_cdf(1 - delta)
    assert mean > 90 * spread
    found = edgeworth_epsilon([(moments_of(pair), 16)], delta).estimate
    assert found == pytest.approx(truth, abs=1e-4 * spread)


@pytest.mark.parametrize(("epsilon", "times", "mu", "exact", "limit"), [ROW_75[0], ROW_75[2]])
def test_row_76_the_first_order_lies_between_the_limit_and_the_truth(
    epsilon: Fraction, times: int, mu: float, exact: float, limit: float
) -> None:
    found = edgeworth_type_ii(responses(epsilon, times), 0.05).estimate
    assert limit < found < exact


def test_row_76_where_the_limit_is_near_the_first_order_is_no_nearer() -> None:
    """A thousand responses of 1/20: both err by less than 1e-4, on one side."""
    epsilon, times, _, exact, limit = ROW_75[1]
    found = edgeworth_type_ii(responses(epsilon, times), 0.05).estimate
    assert abs(found - exact) < 1e-4
    assert exact < limit < found


def test_moments_of_laplace_noise_are_those_of_its_densities() -> None:
    found = moments_of(LaplaceLoss(Fraction(1)))

    def loss(x: Any) -> Any:
        return abs(x) - abs(x - 1)

    def mean_of(function: Any) -> float:
        return float(mp.quad(lambda x: function(x) * mp.exp(-abs(x)) / 2, [-60, 0, 0.5, 1, 60]))

    mean = mean_of(loss)
    assert found.null.mean == pytest.approx(mean, rel=1e-10)
    assert found.null.variance == pytest.approx(mean_of(lambda x: (loss(x) - mean) ** 2), rel=1e-9)
    assert found.null.third == pytest.approx(mean_of(lambda x: (loss(x) - mean) ** 3), rel=1e-8)
    assert found.alternative.mean == pytest.approx(-mean, rel=1e-10)
    # A fine polygon of the same curve has nearly the same moments, by another route.
    polygon = moments_of(bracket_of(LaplaceLoss(Fraction(1)), 200))
    assert polygon.null.mean == pytest.approx(mean, rel=1e-3)


def test_infinite_losses_have_no_moments() -> None:
    leaky = ApproxDP(Fraction(1), Fraction(1, 10))
    for curve in (leaky, bracket_of(leaky)):
        with pytest.raises(ValueError, match="infinite"):
            moments_of(curve)


def test_row_77_the_convention_of_the_sensitivity_is_named() -> None:
    assert DPSGD.gradient_sensitivity_l2(1, 256, "replace_one") == Fraction(2, 256)
    assert DPSGD.gradient_sensitivity_l2(1, 256, "add_remove") == Fraction(1, 256)
    with pytest.raises(ValueError, match="neighbors"):
        DPSGD.gradient_sensitivity_l2(1, 256, "swap_one")  # type: ignore[arg-type]


def test_row_79_and_erratum_e34_both_versions_of_the_limit() -> None:
    assert round(dp_sgd_clt_mu(0.01, 1000, 1, "poisson").estimate, 6) == 0.414522
    assert round(dp_sgd_clt_mu(0.01, 1000, 1, "uniform").estimate, 6) == 0.540795
    rate, steps = 256 / 60000, 15 * 60000 / 256
    assert round(dp_sgd_clt_mu(rate, steps, 1.3, "poisson").estimate, 6) == 0.227274
    found = dp_sgd_clt_epsilon(rate, steps, 1.3, Fraction(1, 10**5), "poisson")
    assert round(found.estimate, 6) == 0.834463


def test_row_78_the_bound_itself_lies_above_its_limit() -> None:
    """Two accountants that share no code: a gridded transform and an expansion."""
    rate, steps = 256 / 60000, 3516
    numeric = dp_sgd_numeric_epsilon(rate, steps, 1.3, 1e-5)
    expansion = dp_sgd_edgeworth_epsilon(rate, steps, 1.3, 1e-5)
    assert numeric.estimate > 0.834463
    assert expansion.estimate == pytest.approx(numeric.estimate, rel=0.05)
    coarser = dp_sgd_numeric_epsilon(rate, steps, 1.3, 1e-5, grid=2e-4)
    assert coarser.estimate == pytest.approx(numeric.estimate, rel=1e-3)


def test_dp_sgd_without_sampling_is_the_gaussian() -> None:
    """rate 1, four steps, sigma 2: mu = 1, epsilon 4.377178 at 1e-5 (row 6)."""
    numeric = dp_sgd_numeric_epsilon(1.0, 4, 2.0, 1e-5, grid=5e-4)
    assert numeric.estimate == pytest.approx(4.377178, rel=1e-4)
    moments = subsampled_gaussian_moments(1.0, 2.0)
    assert moments.null.variance == pytest.approx(0.25, rel=1e-9)


def test_one_subsampled_step_has_the_profile_of_a_mixture() -> None:
    """delta of one step at epsilon, by quadrature, in the worse direction."""
    rate, sigma, delta = 0.2, 1.0, 1e-3
    epsilon = dp_sgd_numeric_epsilon(rate, 1, sigma, delta, grid=5e-4).estimate

    def gain(way: int) -> float:
        def at(x: Any) -> Any:
            null = mp.npdf(x)
            other = (1 - rate) * null + rate * mp.npdf(x, 1 / sigma)
            first, second = (other, null) if way > 0 else (null, other)
            return max(first - mp.exp(epsilon) * second, mp.mpf(0))

        return float(mp.quad(at, [-12, -6, -3, -1, 0, 1, 2, 3, 4, 6, 14], maxdegree=6))

    assert max(gain(1), gain(-1)) == pytest.approx(delta, rel=5e-3)


def test_mu_and_the_gap_are_the_quotients_of_the_theorem() -> None:
    """25 parts: mu is 2 * 25 * 3 / 10 and the gap 0.56 * 25 * 10 / 10^3, as the variance is 100."""
    moments: Any = SimpleNamespace(null=SimpleNamespace(mean=-3.0, variance=4.0, absolute=10.0))
    assert clt_mu([(moments, 25)]).estimate == pytest.approx(15)
    assert berry_esseen_gap([(moments, 25)]).estimate == pytest.approx(0.14)
    assert berry_esseen_gap([(moments, 16), (moments, 9)]).estimate == pytest.approx(0.14)


DELTA = Fraction(1, 10**5)
TABLE_1 = CyclicDescent(2 / 3, 40, 0.9999)
COLUMNS: tuple[Column, ...] = ("composition", "renyi", "f_dp")


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("epochs", [50, 100, 200])
def test_table_1_to_two_decimals(epochs: int, column: Column) -> None:
    found = last_iterate_epsilon(TABLE_1, epochs, DELTA, column).estimate
    assert f"{found:.2f}" == PUBLISHED[f"table_1_{epochs}_{column}"].text


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("epochs", [50, 100])
def test_table_1_to_four_decimals(epochs: int, column: Column) -> None:
    found = last_iterate_epsilon(TABLE_1, epochs, DELTA, column).estimate
    assert f"{found:.4f}" == PUBLISHED[f"fitted_table_1_{epochs}_{column}"].text


def test_the_last_iterate_stays_bounded_and_the_composition_does_not() -> None:
    mus = [last_iterate_mu(TABLE_1, 10**k).estimate for k in (1, 3, 5, 7)]
    rhos = [last_iterate_rho(TABLE_1, 10**k).estimate for k in (1, 3, 5, 7)]
    assert mus[3] == mus[2] > mus[1] > mus[0]
    assert rhos[3] == rhos[2] > rhos[1] > rhos[0]
    assert composition_mu(TABLE_1, 10**7).estimate > 100 * mus[3]


def test_one_epoch_is_one_gaussian_step() -> None:
    assert last_iterate_mu(TABLE_1, 1).estimate == composition_mu(TABLE_1, 1).estimate == 2 / 3


def test_the_fit_is_named_in_every_number() -> None:
    found = last_iterate_epsilon(TABLE_1, 50, DELTA, "renyi")
    assert "E35" in found.caveat
    assert "fitted" in found.source


Real = Callable[[float], float]


def integrated(loss: Real, density: Real, points: list[float]) -> Moments:
    def mean_of(value: Real) -> float:
        parts = pairwise(points)
        return math.fsum(quad(lambda x: value(x) * density(x), a, b)[0] for a, b in parts)

    mean = mean_of(loss)
    return Moments(
        mean,
        mean_of(lambda x: (loss(x) - mean) ** 2),
        mean_of(lambda x: (loss(x) - mean) ** 3),
        mean_of(lambda x: abs(loss(x) - mean) ** 3),
    )


def listed(losses: list[float], masses: list[float]) -> Moments:
    mean = sum(x * p for x, p in zip(losses, masses, strict=True))
    powers = [[(x - mean) ** k for x in losses] for k in (2, 3)]
    powers.append([abs(x - mean) ** 3 for x in losses])
    return Moments(mean, *(sum(map(float.__mul__, row, masses)) for row in powers))


def check(found: Moments, truth: Moments, close: float) -> None:
    for name in ("mean", "variance", "third", "absolute"):
        assert getattr(found, name) == pytest.approx(getattr(truth, name), rel=close, abs=close)


def normal(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


@pytest.mark.parametrize(("rate", "sigma"), [(0.2, 0.8), (0.5, 1.5), (1.0, 1.0)])
def test_a_sampled_gaussian_has_the_moments_of_its_mixture_in_both_orders(
    rate: float, sigma: float
) -> None:
    mu = 1 / sigma

    def mixture(x: float) -> float:
        return (1 - rate) * normal(x) + rate * normal(x - mu)

    def loss(x: float) -> float:
        return math.log(mixture(x) / normal(x))

    points = [-9.0, -3.0, 0.0, 3.0, 9.0]
    found = subsampled_gaussian_moments(rate, sigma)
    check(found.null, integrated(loss, normal, points), 1e-7)
    check(found.alternative, integrated(loss, mixture, points), 1e-7)
    back = found.reversed()
    check(back.null, integrated(lambda x: -loss(x), mixture, points), 1e-7)
    check(back.alternative, integrated(lambda x: -loss(x), normal, points), 1e-7)


def test_sampling_everything_is_gaussian_noise() -> None:
    found, whole = moments_of(GDP(Fraction(9, 4))), subsampled_gaussian_moments(1.0, 2 / 3)
    check(whole.null, found.null, 1e-8)
    check(whole.alternative, found.alternative, 1e-8)
    assert found.null.mean == -9 / 8


@pytest.mark.parametrize("shift", ["1/3", "2"])
def test_a_laplace_loss_has_the_moments_of_its_density(shift: str) -> None:
    s = float(Fraction(shift))

    def loss(x: float) -> float:
        return abs(x) - abs(x - s)

    points = [-40.0, 0.0, s, 40.0]
    found = moments_of(LaplaceLoss(Fraction(shift)))
    check(found.null, integrated(loss, lambda x: math.exp(-abs(x)) / 2, points), 1e-6)
    check(found.alternative, integrated(loss, lambda x: math.exp(-abs(x - s)) / 2, points), 1e-6)


def test_a_finite_loss_has_the_moments_of_its_outcomes() -> None:
    """A polygon's pieces are its outcomes: P has their widths, Q their heights."""
    vertices = ((0, 1), (Fraction(1, 10), Fraction(1, 2)), (Fraction(1, 2), Fraction(1, 5)), (1, 0))
    function = PiecewiseLinear(tuple((Fraction(x), Fraction(y)) for x, y in vertices))
    widths, heights = [0.1, 0.4, 0.5], [0.5, 0.3, 0.2]
    losses = [math.log(q / p) for p, q in zip(widths, heights, strict=True)]
    found = moments_of(function)
    check(found.null, listed(losses, widths), 1e-12)
    check(found.alternative, listed(losses, heights), 1e-12)


def test_pure_dp_is_randomized_response() -> None:
    keep = math.e / (1 + math.e)
    for measure in (PureDP(Fraction(1)), ApproxDP(Fraction(1), Fraction(0))):
        found = moments_of(measure)
        check(found.null, listed([1.0, -1.0], [1 - keep, keep]), 1e-12)
        check(found.alternative, listed([1.0, -1.0], [keep, 1 - keep]), 1e-12)
    with pytest.raises(ValueError, match="infinite with probability delta"):
        moments_of(ApproxDP(Fraction(1), Fraction(1, 9)))
