"""delta at an epsilon: of every kind of measure, against other accountants and closed forms."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest

from semiaudit.model.loss import (
    ConcentratedLoss,
    DiscreteGaussianLoss,
    GaussianLoss,
    LaplaceLoss,
    PrivacyLoss,
    WorstLoss,
)
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    Measure,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.privacy.delta import NOTHING, _delta_of, delta_at
from semiaudit.privacy.evaluate import epsilon_at
from semiaudit.privacy.loss import DEFAULT
from tests.oracles import concentrated

HALF = Fraction(1, 2)
CORNER = PiecewiseLinear(
    ((Fraction(0), Fraction(1)), (Fraction(1, 4), Fraction(1, 4)), (Fraction(1), Fraction(0)))
)


def delta(measure: Measure, epsilon: float) -> float:
    return float(delta_at((measure,), Fraction(epsilon))[0])


def of_gaussian(mu: float, epsilon: float) -> float:
    """Balle and Wang 2018, Theorem 8, in 50 digits."""
    with mpmath.mp.workdps(50):
        near, far = mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu
        return float(mpmath.ncdf(near) - mpmath.exp(epsilon) * mpmath.ncdf(far))


def of_response(epsilon0: float, epsilon: float) -> float:
    """Randomised response: p - e^epsilon q, where the odds are e^epsilon0."""
    kept = math.exp(epsilon0) / (1 + math.exp(epsilon0))
    return max(kept - math.exp(epsilon) * (1 - kept), 0.0)


@pytest.mark.parametrize("epsilon", [0, 0.25, 1, 4])
def test_closed_forms(epsilon: float) -> None:
    for mu in (0.5, 1, 3):
        found = delta(GDP(Fraction(mu) ** 2), epsilon)
        assert found == pytest.approx(of_gaussian(mu, epsilon), rel=1e-12)
        product = PrivacyLoss(((GaussianLoss(Fraction(mu) ** 2 / 2), 2),))
        assert delta(product, epsilon) == pytest.approx(of_gaussian(mu, epsilon), rel=1e-6)
    for local in (0.5, 2):
        found = delta(PureDP(Fraction(local)), epsilon)
        assert found == pytest.approx(of_response(local, epsilon), rel=1e-12)
        set_aside = ApproxDP(Fraction(local), Fraction(1, 10))
        expected = 0.1 + 0.9 * of_response(local, epsilon)
        assert delta(set_aside, epsilon) == pytest.approx(expected, rel=1e-12)
    laplace = PrivacyLoss(((LaplaceLoss(Fraction(2)), 1),))
    expected = max(1 - math.exp((epsilon - 2) / 2), 0.0)
    assert delta(laplace, epsilon) == pytest.approx(expected, rel=1e-9)
    vertex = max(0.0, 1 - 0.25 - 0.25 * math.exp(epsilon))
    assert delta(CORNER, epsilon) == pytest.approx(vertex, abs=1e-15)


OTHERS = [
    (((LaplaceLoss(Fraction(1)), 3),), 0.5, 0.449368389408363, 0.44937359352775996),
    (((LaplaceLoss(Fraction(1)), 3),), 2, 0.1470621372573453, 0.14706625977813723),
    (((GaussianLoss(Fraction(1, 4)), 10), (LaplaceLoss(Fraction(1)), 1)), 2, 0.25319, 0.25321),
    (((DiscreteGaussianLoss(1, Fraction(4)), 4),), 0.5, 0.2363359881797349, 0.2363420484920584),
    (((DiscreteGaussianLoss(1, Fraction(4)), 4),), 5, 5.020617785e-07, 5.020839441e-07),
]
"""Pairs, epsilon, and the optimistic and the pessimistic delta of dp_accounting 0.6 at a grid of
1e-5."""


@pytest.mark.parametrize(("parts", "epsilon", "low", "high"), OTHERS)
def test_products_lie_in_the_brackets_of_another_accountant(
    parts: tuple[tuple[LaplaceLoss, int], ...], epsilon: float, low: float, high: float
) -> None:
    """But for the width that is asked for, one part in a million."""
    assert low <= delta(PrivacyLoss(parts), epsilon) <= high * (1 + 1e-6)


@pytest.mark.parametrize(("first", "second"), [(0.6, 0.3), (0.2, 0.01), (0.99, 0.2)])
def test_zcdp_exceeds_every_pair_of_that_rho(first: float, second: float) -> None:
    pair = concentrated.binary(first, second)
    rho = Fraction(concentrated.rho(pair) * (1 + 1e-9))
    for epsilon in (0, 0.1, 1.5):
        assert delta(ZCDP(rho), epsilon) >= concentrated.delta(pair, epsilon) * (1 - 1e-9)


@pytest.mark.parametrize("rho", ["1e-4", "0.5", "10.24"])
@pytest.mark.parametrize("epsilon", ["0.02", "1", "9"])
def test_zcdp_is_the_inverse_of_its_epsilon_and_no_less_than_the_gaussian(
    rho: str, epsilon: str
) -> None:
    measure, at = ZCDP(Fraction(rho)), Fraction(epsilon)
    found, method = delta_at((measure,), at)
    assert method == "joint_range"
    if found > Fraction(1, 10**290):
        back = epsilon_at((measure,), found)
        assert at * (1 - Fraction(1, 10**6)) - Fraction(1, 10**4) <= back.sharpest <= at
    assert float(found) >= of_gaussian(math.sqrt(2 * float(rho)), float(epsilon)) * (1 - 1e-12)


def test_a_delta_that_is_set_aside_stays() -> None:
    inner, aside = Fraction(delta(ZCDP(HALF), 1)), Fraction(1, 1000)
    found = delta(ApproxZCDP(HALF, aside), 1)
    assert found == pytest.approx(float(aside + (1 - aside) * inner), rel=1e-9)
    assert delta(ApproxZCDP(HALF, Fraction(1)), 1) == 1


def test_the_worst_of_several_products_decides_and_the_best_of_several_measures() -> None:
    small, large = (PrivacyLoss(((LaplaceLoss(Fraction(s)), 1),)) for s in (1, 2))
    assert delta(WorstLoss((small, large)), 0.5) == delta(large, 0.5)
    both = delta_at((large, small), HALF)
    assert both == delta_at((small,), HALF)
    assert delta_at((PureDP(Fraction(1)), ZCDP(HALF)), Fraction(1)) == (Fraction(0), "pure")


def test_what_the_engine_does_not_take_is_told_by_renyi_divergences() -> None:
    tiny = PrivacyLoss(((ConcentratedLoss(Fraction(1, 10**70)), 1), (LaplaceLoss(HALF), 1)))
    found, method = delta_at((tiny,), Fraction(9, 20))
    assert method == "renyi_curve"
    assert 1 - math.exp((0.45 - 0.5) / 2) <= found < Fraction(1, 2)


def test_nothing_is_said_of_what_is_out_of_reach() -> None:
    assert delta_at((GDP(Fraction(10**8)),), Fraction(1)) == NOTHING
    assert delta_at((), Fraction(1)) == NOTHING == (Fraction(1), "none")
    with pytest.raises(ValueError, match="at least 0"):
        delta_at((PureDP(HALF),), Fraction(-1))
    assert 0 < delta(GDP(Fraction(1)), 10**9) < 1e-300


@pytest.mark.parametrize("digits", [304, 310, 600])
@pytest.mark.parametrize("epsilon", [1, 10**6, 10**9])
def test_a_rho_below_all_doubles_beside_a_large_epsilon_has_a_delta(
    digits: int, epsilon: int
) -> None:
    """The order to begin at was once no number."""
    found, method = delta_at((ZCDP(Fraction(1, 10**digits)),), Fraction(epsilon))
    assert 0 <= found < Fraction(1, 10**150)
    assert method == "joint_range"


def test_a_mu_above_500_has_no_delta() -> None:
    """Its tails lie beyond what the normal distribution function is certified for."""
    largest = Fraction(500) ** 2
    assert _delta_of(GDP(largest), Fraction(1), DEFAULT)[0] == 1
    assert _delta_of(GDP(largest), Fraction(1), DEFAULT) != NOTHING
    assert _delta_of(GDP(largest + 1), Fraction(1), DEFAULT) == NOTHING
