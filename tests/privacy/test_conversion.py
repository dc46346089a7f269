"""Conversions: never on the wrong side of a 50-digit oracle, tight where they claim to be."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from semiaudit.errors import RefusedError
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PureDP
from semiaudit.privacy.conversion import (
    NO_CONVERSION,
    approx_from_zcdp,
    pure_from_tradeoff,
    refuse,
    tradeoff_from_approx,
    zcdp_from_pure,
)
from semiaudit.privacy.tradeoff.function import epsilon_at
from tests.oracles import curves as densities
from tests.oracles.curves import mp, real

SLACK = mp.mpf("1e-40")


def response(epsilon: Any) -> tuple[list[Any], list[Any]]:
    keep = mp.exp(epsilon) / (1 + mp.exp(epsilon))
    return [1 - keep, keep], [keep, 1 - keep]


@pytest.mark.parametrize(
    ("rho", "cks20", "exact"),
    [("2.56", "17.15831", "16.47939"), ("10.24", "39.82257", "38.40502"),
     ("2.63", "17.43058", "16.74198"), ("10.52", "40.51138", "39.07313")],
)  # fmt: skip
def test_row_60_by_cks20_and_by_the_exact_profile(rho: str, cks20: str, exact: str) -> None:
    delta = Fraction(1, 10**10)
    found = approx_from_zcdp(ZCDP(Fraction(rho)), delta)
    assert f"{float(found.epsilon):.5f}" == cks20
    assert f"{float(epsilon_at(GDP(2 * Fraction(rho)), delta)[1]):.5f}" == exact


def test_zcdp_from_pure_is_the_supremum_over_orders_of_randomised_response() -> None:
    """The supremum is the limit of order 1; every other order stays below."""
    chance = random.Random(1)
    for _ in range(30):
        epsilon = Fraction(chance.randint(1, 1200), 100)
        rho = real(zcdp_from_pure(PureDP(epsilon)).rho)
        p, q = response(real(epsilon))
        near_one = densities.renyi_of_lists(p, q, 1 + mp.mpf("1e-20")) / (1 + mp.mpf("1e-20"))
        assert abs(rho - near_one) < mp.mpf("1e-15")
        for order in (mp.mpf("1.001"), mp.mpf("1.3"), mp.mpf(2), mp.mpf(17), mp.mpf(400)):
            assert densities.renyi_of_lists(p, q, order) <= rho * order
        assert rho <= real(epsilon) ** 2 / 2


def test_zcdp_from_pure_at_the_ends() -> None:
    assert zcdp_from_pure(PureDP(Fraction(0))).rho == 0
    assert zcdp_from_pure(PureDP(Fraction(10**7))).rho == 10**7


def test_tradeoff_functions_give_back_what_they_came_from() -> None:
    f = tradeoff_from_approx(ApproxDP(Fraction(1), Fraction(1, 100)))
    back = epsilon_at(f, Fraction(1, 100))[1]
    assert float(back) == pytest.approx(1, rel=1e-15)
    assert back >= 1
    pure = pure_from_tradeoff(tradeoff_from_approx(PureDP(Fraction(2))))
    assert 2 <= pure.epsilon <= 2 + Fraction(1, 10**50)


def test_conversions_that_do_not_exist_fail_closed_with_a_reason() -> None:
    for target, source in NO_CONVERSION:
        assert f"no {target} guarantee follows from {source}" in str(refuse(target, source))
    assert "0.14135" in str(refuse("gdp", "zcdp"))
    leaky = tradeoff_from_approx(ApproxDP(Fraction(1), Fraction(1, 100)))
    with pytest.raises(RefusedError, match="no pure guarantee"):
        pure_from_tradeoff(leaky)
