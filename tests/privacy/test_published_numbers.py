"""The calculus gives the published numbers of tests/golden/published.csv."""

from __future__ import annotations

from fractions import Fraction

import pytest

from semiaudit.mechanisms.mechanism_loss import loss_at, loss_composition_first
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PiecewiseLinear, PureDP
from semiaudit.model.mechanism import Composition, Declared, DeclaredMeasure, Mechanism
from semiaudit.privacy.composition import compose
from semiaudit.privacy.evaluate import numbers_of
from semiaudit.privacy.group import group
from semiaudit.privacy.ordering.implication import implies
from semiaudit.privacy.tradeoff import polygon
from semiaudit.privacy.tradeoff.algebra import composed_with_itself
from semiaudit.privacy.tradeoff.polygon import tradeoff_from_approx_dp
from semiaudit.privacy.tradeoff.product import tensor_product
from tests.golden.published import golden
from tests.mechanisms.fakes import NoSpaces
from tests.privacy.instances import gdp

ALPHA = Fraction(1, 20)
CENSUS = ("2.56", "10.24", "2.63", "10.52")


def f_epsilon_delta(epsilon: str, delta: str = "0") -> PiecewiseLinear:
    return tradeoff_from_approx_dp(ApproxDP(Fraction(epsilon), Fraction(delta)))


def polygon_of(measures: tuple[Measure, ...]) -> PiecewiseLinear:
    return next(m for m in measures if isinstance(m, PiecewiseLinear))


def declared(measure: DeclaredMeasure) -> Declared:
    return Declared(measure)


def test_row_7_group_privacy_of_pure_dp_is_not_replaced_by_three_epsilon() -> None:
    grouped = composed_with_itself(f_epsilon_delta("1"), 3)
    loose = f_epsilon_delta("3")
    assert float(polygon.advantage(grouped)) == golden("advantage_of_group_of_3")
    assert float(polygon.advantage(loose)) == golden("advantage_of_f_3_0")
    for epsilon in (1, 2):
        at = Fraction(epsilon)
        assert float(polygon.delta_at(grouped, at)) == golden(f"delta_of_group_of_3_at_{epsilon}")
        assert float(polygon.delta_at(loose, at)) == golden(f"delta_of_f_3_0_at_{epsilon}")
    assert float(polygon.delta_at(grouped, Fraction(3))) < 1e-50
    assert float(polygon.delta_at(loose, Fraction(3))) < 1e-50


def test_row_7_exact_group_privacy_of_gdp() -> None:
    assert group((gdp("1"),), 3) == (gdp("3"),)


def test_row_8_composition() -> None:
    (composed,) = compose([((gdp("1"),), 1), ((gdp("2"),), 1)])
    assert composed == GDP(Fraction(5))
    mu = numbers_of((composed,), [], []).gdp
    assert mu is not None
    assert float(mu.value) == golden("mu_of_1_and_2")
    twice = tensor_product([(f_epsilon_delta("1"), 2)])
    assert float(polygon.type_ii_at(twice, ALPHA)) == golden("f_1_0_twice")


def test_row_30_ordering_of_measures() -> None:
    g1, f1 = gdp("1"), PureDP(Fraction(1))
    assert not implies(g1, f1)
    assert not implies(f1, g1)
    above = ApproxDP(Fraction(1), Fraction("0.12693674"))
    below = ApproxDP(Fraction(1), Fraction("0.12693673"))
    assert implies(g1, above)
    assert not implies(above, g1)
    assert not implies(g1, below)


@pytest.mark.parametrize("kind", ["twice", "repeat"])
def test_row_31_semi_dp_first_beats_composition_first(kind: str) -> None:
    part = declared(PureDP(Fraction(1)))
    parts = ((part, 1), (part, 1)) if kind == "twice" else ((part, 2),)
    other = loss_composition_first(Composition(parts), 2, NoSpaces())
    assert other is not None
    semi = polygon_of(loss_at(Composition(parts), 2, "D_t", NoSpaces()))
    composed = polygon_of(other)
    assert float(polygon.type_ii_at(semi, ALPHA)) == golden("type_ii_of_semi_dp_first")
    assert float(polygon.type_ii_at(composed, ALPHA)) == golden("type_ii_of_composition_first")
    assert float(polygon.delta_at(semi, Fraction(1))) == golden("delta_of_semi_dp_first")
    assert float(polygon.delta_at(composed, Fraction(1))) == golden("delta_of_composition_first")


def test_row_31_both_orders_agree_for_gdp() -> None:
    mechanism: Mechanism = Composition(((declared(gdp("1")), 1), (declared(gdp("2")), 1)))
    best = loss_at(mechanism, 3, "D_t", NoSpaces())
    assert best == loss_composition_first(mechanism, 3, NoSpaces())
    mu = numbers_of(best, [], []).gdp
    assert mu is not None
    assert float(mu.value) == golden("mu_of_1_and_2_at_distance_3")


@pytest.mark.parametrize("rho", CENSUS)
def test_rows_59_to_61_zcdp_conversions_at_1e_10(rho: str) -> None:
    numbers = numbers_of((ZCDP(Fraction(rho)),), [Fraction("1e-10")], [])
    found = {point.conversion: float(point.epsilon.value) for point in numbers.approx_dp}
    assert found == {name: golden(f"{name}_of_{rho}") for name in ("bs16", "cks20")}


def test_row_58_group_zcdp() -> None:
    assert group((ZCDP(Fraction("2.56")),), 2) == (ZCDP(Fraction("10.24")),)


def test_only_zcdp_known_never_gives_the_gaussian_profile() -> None:
    # Erratum E5: the discrete Gaussian is zCDP and violates the Gaussian profile.
    numbers = numbers_of((ZCDP(Fraction("2.56")),), [Fraction("1e-10")], [ALPHA])
    assert {point.conversion for point in numbers.approx_dp} == {"bs16", "cks20"}
    assert numbers.operating_points_from == "cks20_envelope"


def test_census_tables_round_up_at_the_sixth_digit() -> None:
    from semiaudit.model.number_text import bound_text

    numbers = numbers_of((ZCDP(Fraction("10.24")),), [Fraction("1e-10")], [])
    texts = [bound_text(point.epsilon) for point in numbers.approx_dp]
    assert texts == ["39.8226", "40.9506"]
    assert numbers.zcdp is not None
    assert bound_text(numbers.zcdp) == "10.24"
