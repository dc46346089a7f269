"""zCDP and GDP against a 50-digit oracle: never below the truth, and close to it."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest

from semiaudit.model.measure import GDP, ZCDP
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.measures import gdp, zcdp
from tests.enclosing import encloses
from tests.oracles import calculus as oracle
from tests.privacy.instances import exactly, random_delta, random_rational, seeds
from tests.samples import sampled


@pytest.mark.parametrize("cases", sampled([30, 150], fast=(0,)))
def test_zcdp_conversions_lie_above_the_truth_by_less_than_1e_12(cases: int) -> None:
    chance = random.Random(5)
    for _ in range(cases):
        rho, delta = random_rational(chance, -4, 3), random_delta(chance)
        for ours, theirs in ((zcdp.epsilon_cks20, oracle.cks20), (zcdp.epsilon_bs16, oracle.bs16)):
            found = mpmath.mpf(str(ours(ZCDP(rho), delta)))
            truth = theirs(exactly(rho), exactly(delta))
            assert truth <= found + mpmath.mpf("1e-45"), (rho, delta)
            assert found <= truth * (1 + mpmath.mpf("1e-12")) + mpmath.mpf("1e-9"), (rho, delta)


@pytest.mark.parametrize(
    ("rho", "fpr"),
    [
        pytest.param("0.1", "0.05", marks=pytest.mark.slow),
        ("2.56", "0.01"),
        pytest.param("0.001", "1e-6", marks=pytest.mark.slow),
        pytest.param("10.24", "0.05", marks=pytest.mark.slow),
    ],
)
def test_zcdp_operating_points_are_below_the_envelope_of_cks20(rho: str, fpr: str) -> None:
    found = mpmath.mpf(str(zcdp.tpr_at(ZCDP(Fraction(rho)), Fraction(fpr))))
    truth = oracle.zcdp_tpr(rho, fpr)
    assert mpmath.mpf(fpr) < found <= truth
    assert found >= truth / 2


@pytest.mark.parametrize("rho", sampled(["2.56", "0.01"], fast=(0,)))
def test_zcdp_advantage_is_below_the_envelope_of_cks20(rho: str) -> None:
    found = mpmath.mpf(str(zcdp.advantage(ZCDP(Fraction(rho)))))
    truth = oracle.zcdp_advantage(rho)
    assert truth * mpmath.mpf("0.8") <= found <= truth


@pytest.mark.parametrize("epsilon", [zcdp.epsilon_cks20, zcdp.epsilon_bs16])
def test_without_rho_no_epsilon_is_lost(epsilon: Callable[[ZCDP, Fraction], Decimal]) -> None:
    assert epsilon(ZCDP(Fraction(0)), Fraction(1, 10)) == 0


@pytest.mark.parametrize("seed", seeds(3, 3))
@pytest.mark.parametrize("cases", sampled([8, 25], fast=(0,)))
def test_gaussian_epsilon_brackets_the_truth_within_a_few_doubles(seed: int, cases: int) -> None:
    chance = random.Random(seed)
    for _ in range(cases):
        mu = random_rational(chance, -2, 1.5)
        delta = random_delta(chance, chance.choice([6, 30, 200]))
        below, above = gdp.epsilon_at(GDP(mu * mu), delta)
        truth = oracle.gaussian_epsilon(mu, delta)
        slack = mpmath.mpf("1e-40")
        assert below - slack <= truth <= above + slack, (mu, delta)
        assert above - below <= 1e-14 * max(above, 1e-12), (mu, delta)


@pytest.mark.parametrize("mu", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-12, 1e-200])
def test_newtons_method_begins_next_to_the_root(mu: float, delta: float) -> None:
    truth = float(oracle.gaussian_epsilon(mu, delta))
    begin = gdp._float_estimate(mu, delta, 2 * truth + 1)
    assert begin == pytest.approx(truth, rel=1e-3, abs=1e-6)


def test_gaussian_tradeoff_and_delta_enclose_the_truth() -> None:
    chance = random.Random(4)
    for _ in range(60):
        mu = random_rational(chance, -2, 1)
        alpha = random_delta(chance, 12)
        measure = GDP(mu * mu)
        assert encloses(gdp.type_ii_at(measure, alpha), oracle.g_mu(mu)(alpha))
        epsilon = random_rational(chance, -2, 1)
        truth = oracle.gaussian_delta(mu, epsilon)
        found = gdp.delta_at(measure, Interval.of(epsilon))
        low, high = mpmath.mpf(str(found.low)), mpmath.mpf(str(found.high))
        assert low <= truth + mpmath.mpf("1e-49") * truth
        assert truth <= high + mpmath.mpf("1e-49") * truth


@pytest.mark.parametrize("seed", range(40))
def test_what_is_seen_to_say_less_does(seed: int) -> None:
    chance = random.Random(seed)
    mu = random_rational(chance, -1.5, 1)
    epsilon, rate = random_rational(chance, -2, 1), Fraction(chance.randint(1, 999), 1000)
    with mpmath.workdps(50):
        size, at = (mpmath.mpf(x.numerator) / x.denominator for x in (mu, epsilon))
        delta = mpmath.ncdf(size / 2 - at / size)
        delta -= mpmath.exp(at) * mpmath.ncdf(-size / 2 - at / size)
        below = mpmath.mpf(rate.numerator) / rate.denominator
        missed = mpmath.ncdf(mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * below) - size)
    for factor in (0.5, 0.98, 1.0, 1.02):
        other = Fraction(float(delta)) * Fraction(factor)
        if gdp.is_delta_larger(GDP(mu * mu), epsilon, other):
            assert float(delta) > other
        other = min(Fraction(float(missed)) * Fraction(2 - factor), Fraction(1))
        if gdp.is_type_ii_smaller(GDP(mu * mu), rate, other):
            assert float(missed) < other
    assert gdp.is_delta_larger(GDP(mu * mu), epsilon, Fraction(float(delta)) / 2) or delta < 1e-300
    assert gdp.is_type_ii_smaller(GDP(Fraction(4)), Fraction(1, 20), Fraction(9, 10))
