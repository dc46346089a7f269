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
    approx_from_gdp,
    approx_from_pure,
    approx_from_renyi,
    approx_from_tradeoff,
    approx_from_zcdp,
    gdp_from_pure,
    pure_from_tradeoff,
    refuse,
    renyi_from_gdp,
    renyi_from_pure,
    renyi_from_zcdp,
    tradeoff_from_approx,
    tradeoff_from_renyi,
    tradeoff_from_zcdp,
    zcdp_from_gdp,
    zcdp_from_pure,
    zcdp_from_tradeoff,
)
from semiaudit.privacy.tradeoff import polygon
from semiaudit.privacy.tradeoff.polygon import lower_hull
from tests.oracles import calculus as oracle
from tests.oracles import curves as densities
from tests.oracles.curves import mp, real
from tests.samples import repeated

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
    found = approx_from_gdp(GDP(2 * Fraction(rho)), delta)
    assert f"{float(found.epsilon):.5f}" == exact


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


@repeated(2, 6)
def test_zcdp_from_a_polygon_is_a_little_above_its_orders(times: int) -> None:
    chance = random.Random(2)
    for _ in range(times):
        x = Fraction(chance.randint(5, 40), 100)
        y = x * Fraction(chance.randint(20, 90), 100)
        f = polygon.symmetrised(lower_hull([(Fraction(0), Fraction(1)), (x, y)]))
        pieces = oracle.finite_pair_from_points(f.vertices)
        p, q = zip(*[(real(a), real(b)) for a, b in zip(*pieces, strict=True) if a], strict=True)
        rho = real(zcdp_from_tradeoff(f).rho)
        orders = [1 + mp.mpf(2) ** k / 64 for k in range(-6, 14)]
        truth = max(densities.renyi_of_lists(p, q, order) / order for order in orders)
        assert truth <= rho <= truth * mp.mpf("1.02")


def test_gdp_from_pure_touches_the_corner() -> None:
    """G_mu lies below f_{epsilon,0} everywhere, and a mu smaller by 1e-12 does not."""
    for epsilon in (Fraction(1, 10), Fraction(1), Fraction(7)):
        mu = mp.sqrt(real(gdp_from_pure(PureDP(epsilon)).mu_squared))
        corner = 1 / (1 + mp.exp(real(epsilon)))
        own = 2 * densities.quantile(1 - corner)
        assert abs(mu - own) < mp.mpf("1e-30")
        assert mu >= own - SLACK
        g, f = oracle.g_mu(mu), oracle.f_epsilon_delta(epsilon, 0)
        for place in range(1, 40):
            assert g(mp.mpf(place) / 40) <= f(mp.mpf(place) / 40) + SLACK
    assert gdp_from_pure(PureDP(Fraction(0))).mu_squared == 0
    with pytest.raises(RefusedError, match="too large"):
        gdp_from_pure(PureDP(Fraction(1000)))


def test_renyi_divergences_from_each_measure() -> None:
    chance = random.Random(3)
    for _ in range(30):
        epsilon, order = (
            Fraction(chance.randint(1, 900), 100),
            Fraction(chance.randint(11, 300), 10),
        )
        truth = densities.renyi_of_lists(*response(real(epsilon)), real(order))
        found = real(renyi_from_pure(PureDP(epsilon), order))
        assert truth <= found + SLACK
        assert abs(found - truth) < mp.mpf("1e-35")
    assert renyi_from_pure(PureDP(Fraction(0)), Fraction(2)) == 0
    assert renyi_from_pure(PureDP(Fraction(10**7)), Fraction(2)) <= 10**7
    assert renyi_from_zcdp(ZCDP(Fraction(1, 4)), Fraction(3)) == Fraction(3, 4)
    assert renyi_from_gdp(GDP(Fraction(1)), Fraction(4)) == 2  # row 67: D_4 = 2
    assert zcdp_from_gdp(GDP(Fraction(4))).rho == 2


def test_approx_from_pure_is_the_profile_of_randomised_response() -> None:
    for epsilon, delta in ((1, Fraction(1, 10)), (3, Fraction(1, 10**6)), (2, Fraction(1, 3))):
        found = approx_from_pure(PureDP(Fraction(epsilon)), delta)
        p, q = response(mp.mpf(epsilon))
        attained = oracle.hockey_stick(p, q, real(found.epsilon))
        assert attained <= real(delta) + SLACK
        assert attained >= real(delta) * (1 - mp.mpf("1e-30"))
    assert approx_from_pure(PureDP(Fraction(1)), Fraction(1, 2)).epsilon == 0
    assert approx_from_pure(PureDP(Fraction(1)), Fraction(0)).epsilon == 1


def test_the_best_order_of_renyi_is_cks20() -> None:
    """A hundred orders of a 1/2-zCDP guarantee: none beats cks20, the best nearly attains it."""
    delta, rho = Fraction(1, 10**10), Fraction(1, 2)
    best = oracle.cks20(rho, delta)
    found = [
        real(approx_from_renyi(order, order * rho, delta).epsilon)
        for order in (1 + Fraction(k, 5) for k in range(1, 101))
    ]
    assert min(found) >= best
    assert min(found) <= best + mp.mpf("0.001")


def test_polygons_of_renyi_and_zcdp_lie_below_gaussian_noise_and_imply_little_less() -> None:
    for rho in (Fraction(1, 8), Fraction(1, 2), Fraction(64, 25)):
        implying = tradeoff_from_zcdp(ZCDP(rho))
        single = tradeoff_from_renyi(Fraction(8), 8 * rho)
        g = oracle.g_mu(mp.sqrt(2 * real(rho)))
        for place in range(1, 30):
            a = Fraction(place, 30)
            for f in (implying, single):
                assert real(polygon.type_ii_at(f, a)) <= g(real(a))
        for delta in (Fraction(1, 100), Fraction(1, 10**8)):
            implied = real(approx_from_tradeoff(implying, delta).epsilon)
            best = oracle.cks20(rho, delta)
            assert best - SLACK <= implied <= best * mp.mpf("1.02")
    assert tradeoff_from_zcdp(ZCDP(Fraction(0))) == polygon.IDENTITY


def test_tradeoff_functions_give_back_what_they_came_from() -> None:
    f = tradeoff_from_approx(ApproxDP(Fraction(1), Fraction(1, 100)))
    back = approx_from_tradeoff(f, Fraction(1, 100))
    assert float(back.epsilon) == pytest.approx(1, rel=1e-15)
    assert back.epsilon >= 1
    pure = pure_from_tradeoff(tradeoff_from_approx(PureDP(Fraction(2))))
    assert 2 <= pure.epsilon <= 2 + Fraction(1, 10**50)


def test_conversions_that_do_not_exist_fail_closed_with_a_reason() -> None:
    for target, source in NO_CONVERSION:
        assert f"no {target} guarantee follows from {source}" in str(refuse(target, source))
    assert "0.14135" in str(refuse("gdp", "zcdp"))
    leaky = tradeoff_from_approx(ApproxDP(Fraction(1), Fraction(1, 100)))
    with pytest.raises(RefusedError, match="no pure guarantee"):
        pure_from_tradeoff(leaky)
    with pytest.raises(RefusedError, match="no zcdp guarantee"):
        zcdp_from_tradeoff(leaky)
    with pytest.raises(RefusedError, match="below 1 - f"):
        approx_from_tradeoff(leaky, Fraction(1, 1000))
    for order in (Fraction(1), Fraction(1, 2)):
        with pytest.raises(ValueError, match="above 1"):
            renyi_from_zcdp(ZCDP(Fraction(1)), order)
        with pytest.raises(ValueError, match="above 1"):
            renyi_from_gdp(GDP(Fraction(1)), order)
        with pytest.raises(ValueError, match="above 1"):
            renyi_from_pure(PureDP(Fraction(1)), order)


@pytest.mark.parametrize("exact", [True, False])
def test_only_an_exact_epsilon_at_delta_0_stays_exact(exact: bool) -> None:
    for epsilon in (Fraction(1), Fraction(polygon.LARGEST_EPSILON) + 1):
        for delta in (Fraction(0), Fraction(1, 10)):
            found = approx_from_pure(PureDP(epsilon, exact=exact), delta)
            assert found.exact == (exact and not delta)
