"""The census allocations, against their exact parameters and an independent inversion."""

from __future__ import annotations

import csv
from fractions import Fraction

import pytest

from semiaudit.model.loss import DiscreteGaussianLoss, PrivacyLoss
from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.loss.engine import delta_bracket, epsilon_bracket
from tests.places import CONFIGS
from tests.privacy.loss.inversion import delta_of_discrete_gaussians
from tests.privacy.loss.published_curve import dhc_persons, dhc_variances, published_curve

ALLOCATION = CONFIGS / "data" / "census2020_pl94_us_persons_allocation.csv"
SCALE_SQUARED = Fraction(339, 542) ** 2
DELTA = Fraction(1, 10**10)
EPSILON = Fraction("20.838545")

SIX_CASES = [
    ("D at distance 1", 1, True, 16.46515),
    ("D at distance 2", 2, True, 38.36884),
    ("D_t, state split into areas, at distance 1", 1, True, 16.46515),
    ("D_t, state split into areas, at distance 2", 2, True, 38.36884),
    ("D_t, state not split, at distance 1", 1, False, 13.12594),
    ("D_t, state not split, at distance 2", 2, False, 29.99561),
]


def production_variances(*, state_total: bool) -> list[Fraction]:
    """sigma squared of every query that can move."""
    with ALLOCATION.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        SCALE_SQUARED / (Fraction(row["level_share"]) * Fraction(row["query_share"]))
        for row in rows
        if state_total or (row["level"], row["query"]) != ("State", "total")
    ]


def august_2022() -> list[tuple[Fraction, int]]:
    """(sigma squared, queries) of seven groups: ten queries share a rho_i, 20 in the fourth."""
    shares = ["2", "27.4", "8.5", "13.1", "23.8", "11.8", "0.3"]
    rhos = [Fraction("3.65") * Fraction(share) / 100 for share in shares]
    return [(10 / (2 * rho), 20 if i == 3 else 10) for i, rho in enumerate(rhos)]


def product(shift: int, variances: list[tuple[Fraction, int]]) -> PrivacyLoss:
    return PrivacyLoss(tuple((DiscreteGaussianLoss(shift, v), repeat) for v, repeat in variances))


def test_the_production_allocation_has_65_queries_and_a_rho_of_2_56() -> None:
    variances = production_variances(state_total=True)
    assert len(variances) == 65
    # Two cells of every query move by 1.
    rho = sum(2 / (2 * variance) for variance in variances)
    assert rho == Fraction(542, 339) ** 2
    assert round(float(rho), 2) == 2.56


def test_without_the_state_totals_distance_2_costs_2_71_times_as_much() -> None:
    moving = sum(2 * 4 / (2 * variance) for variance in production_variances(state_total=False))
    factor = moving / Fraction(542, 339) ** 2
    assert factor == 4 * (1 - Fraction(1440, 4099) * Fraction(3773, 4097))
    assert round(float(factor), 2) == 2.71


@pytest.mark.parametrize(("case", "shift", "state_total", "pinned"), SIX_CASES)
def test_the_six_production_cases_are_bracketed(
    case: str, shift: int, state_total: bool, pinned: float
) -> None:
    variances = production_variances(state_total=state_total)
    loss = product(shift, [(variance, 2) for variance in variances])
    found = epsilon_bracket(loss, DELTA, Accuracy(tolerance=2e-6))
    assert found.complete
    assert found.upper - found.lower < 2e-6 * found.upper, case
    assert round((found.lower + found.upper) / 2, 4) == pytest.approx(pinned, abs=1e-4)
    parts = [(shift, variance, 2) for variance in variances]
    tilt = 2.7 if state_total else 3.2
    tilt = tilt if shift == 1 else tilt / 2
    below = delta_of_discrete_gaussians(parts, Fraction(found.lower), tilt)
    above = delta_of_discrete_gaussians(parts, Fraction(found.upper), tilt)
    assert above <= 1e-10 * (1 + 1e-9)
    assert below >= 1e-10 * (1 - 1e-9)


def test_the_allocation_of_august_2022_spends_its_whole_budget() -> None:
    assert sum(repeat / (2 * variance) for variance, repeat in august_2022()) == Fraction("3.65")


def test_the_allocation_of_august_2022_lies_on_a_lattice_and_is_certified_to_nine_digits() -> None:
    loss = product(1, august_2022())
    accuracy = Accuracy(tolerance=1e-9)
    of_delta = delta_bracket(loss, EPSILON, accuracy)
    of_epsilon = epsilon_bracket(loss, DELTA, accuracy)
    assert of_delta.method == of_epsilon.method == "lattice"
    assert of_delta.complete
    assert of_epsilon.complete
    parts = [(1, variance, repeat) for variance, repeat in august_2022()]
    # 1 / sigma^2 is 0.73 times the share, and the shares are multiples of 0.1 percent.
    step = Fraction("0.00073")
    truth = delta_of_discrete_gaussians(parts, EPSILON, 2.3, step)
    assert of_delta.lower <= truth * (1 + 1e-9)
    assert of_delta.upper >= truth * (1 - 1e-9)
    assert delta_of_discrete_gaussians(parts, Fraction(of_epsilon.upper), 2.3, step) <= 1e-10 * (
        1 + 1e-9
    )
    assert delta_of_discrete_gaussians(parts, Fraction(of_epsilon.lower), 2.3, step) >= 1e-10 * (
        1 - 1e-9
    )


POINTS = published_curve()
SMALL = Fraction(1, 10**13)
"""Below it their digits are lost one after another."""


@pytest.mark.parametrize("at", [0, 21])
def test_their_larger_deltas_lie_in_our_brackets(at: int) -> None:
    point = POINTS[at]
    assert point.delta > SMALL
    found = delta_bracket(dhc_persons(), point.epsilon, Accuracy(tolerance=1e-8))
    assert found.lower <= point.delta <= found.upper
    assert found.upper - found.lower < 1e-9 * found.upper


def test_their_smallest_delta_is_three_times_too_large() -> None:
    """A tail that is off by 1e-35 is off by 1e-35 times exp(epsilon) in delta."""
    point = POINTS[-1]
    found = delta_bracket(dhc_persons(), point.epsilon, Accuracy(tolerance=1e-8))
    again = delta_of_discrete_gaussians([(1, v, 2) for v in dhc_variances()], point.epsilon, 3.1)
    assert found.lower == pytest.approx(again, rel=1e-7)
    assert found.upper == pytest.approx(again, rel=1e-7)
    assert 3.1 < float(point.delta) / found.upper < 3.2


@pytest.mark.parametrize(("digits", "tilt"), [(10, 2.0), (35, 3.9)])
def test_epsilon_is_bracketed_down_to_1e_35(digits: int, tilt: float) -> None:
    delta = Fraction(1, 10**digits)
    found = epsilon_bracket(dhc_persons(), delta, Accuracy(tolerance=1e-8))
    assert found.complete
    assert found.upper - found.lower < 1e-9
    for end, sign in ((found.lower, 1), (found.upper, -1)):
        again = delta_of_discrete_gaussians(
            [(1, v, 2) for v in dhc_variances()], Fraction(end) - sign * Fraction(1, 10**6), tilt
        )
        assert sign * (again / float(delta) - 1) > 0
