"""rho-zCDP against a 50-digit oracle: never below the truth, and close to it."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest

from semiaudit.model.measure import ZCDP
from semiaudit.privacy.measures import zcdp
from tests.oracles import calculus as oracle
from tests.privacy.instances import exactly, random_delta, random_rational
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
