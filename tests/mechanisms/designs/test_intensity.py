"""From a target to the parameter of each kind of noise, on the safe side and close to it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from semiaudit.errors import RefusedError
from semiaudit.mechanisms.designs.intensity import (
    NoDesignError,
    down,
    laplace_shift_of,
    mu_squared_of,
    rho_of,
    root_up,
    up,
)
from semiaudit.mechanisms.designs.lemma_3_4 import (
    concentrated_constant,
    printed_constant,
    realised_delta,
)
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PureDP
from semiaudit.numeric import Interval
from tests.oracles.designs import gaussian_delta, laplace_delta, laplace_rho


def approx(epsilon: str, delta: str) -> ApproxDP:
    return ApproxDP(Fraction(epsilon), Fraction(delta))


def test_gaussian_noise_of_row_96_meets_its_target_and_no_longer_noise_is_needed() -> None:
    square = mu_squared_of(approx("1", "1e-5"))
    assert square is not None
    assert float(square) ** -0.5 == pytest.approx(3.730632, abs=5e-7)


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "0.01"), ("0.1", "1e-3"), ("3", "1e-4")])
def test_the_mu_of_an_approx_target_realises_its_delta(epsilon: str, delta: str) -> None:
    square = mu_squared_of(approx(epsilon, delta))
    assert square is not None
    realised = gaussian_delta(float(square) ** 0.5, float(epsilon))
    assert realised == pytest.approx(float(delta), rel=1e-5)


def test_no_gaussian_noise_meets_an_epsilon_at_delta_0() -> None:
    assert mu_squared_of(PureDP(Fraction(5))) is None
    assert mu_squared_of(ZCDP(Fraction(2))) == 4
    assert mu_squared_of(GDP(Fraction(9, 4))) == Fraction(9, 4)


def test_the_shift_of_laplace_noise_is_the_largest_that_meets_the_target() -> None:
    assert laplace_shift_of(PureDP(Fraction(1, 3))) == Fraction(1, 3)
    shift = float(laplace_shift_of(ZCDP(Fraction(1, 2))))
    assert laplace_rho(shift) == pytest.approx(0.5, abs=2e-6)
    shift = float(laplace_shift_of(approx("1", "0.01")))
    assert laplace_delta(shift, 1.0) == pytest.approx(0.01, abs=1e-6)


@pytest.mark.parametrize("mu", [0.25, 1.0, 3.5])
def test_no_epsilon_tells_laplace_noise_of_a_gdp_target_from_what_is_allowed(mu: float) -> None:
    shift = float(laplace_shift_of(GDP(Fraction(mu) ** 2)))
    epsilons = [shift * k / 5 for k in range(6)]
    assert all(laplace_delta(shift, e) <= gaussian_delta(mu, e) + 1e-6 for e in epsilons)
    assert laplace_delta(1.001 * shift, 0) > gaussian_delta(mu, 0)


def test_zcdp_implies_no_gdp_and_no_epsilon_at_delta_0() -> None:
    assert rho_of(GDP(Fraction(1))) is None
    assert rho_of(PureDP(Fraction(1))) is None
    assert rho_of(ZCDP(Fraction(1, 8))) == Fraction(1, 8)


def test_the_rho_of_an_approx_target_is_that_of_the_best_conversion() -> None:
    # theory.md, row 60: rho 2.56 is 17.15831 at delta 1e-10 by cks20, and less than 2.5601
    rho = rho_of(approx("17.15831", "1e-10"))
    assert rho is not None
    assert 2.5599 < rho < 2.5605


def test_a_target_that_needs_endless_noise_is_refused() -> None:
    with pytest.raises(NoDesignError, match="too small"):
        mu_squared_of(approx("1e-250", "1e-250"))


def test_parameters_are_short_decimals_on_the_safe_side() -> None:
    assert root_up(Fraction(4)) == 2
    assert root_up(Fraction(6)) == Fraction("2.44948974279")
    assert up(Fraction(1, 3)) == Fraction("0.333333333334")
    assert down(Fraction(1, 3)) == Fraction("0.333333333333")
    assert up(Fraction(6)) == down(Fraction(6)) == 6
    assert root_up(Fraction(10) ** 14 + 1) >= Fraction(10) ** 7


@pytest.mark.parametrize(
    ("epsilon", "delta", "realised"),
    [
        ("1", "1e-12", "4.17e-12"),
        ("10", "1e-5", "1.08e-4"),
        ("5", "1e-6", "1.318e-6"),
        ("1", "1e-15", "5.5e-14"),
    ],
)
def test_lemma_3_4s_printed_constant_is_refused_where_it_fails(
    epsilon: str, delta: str, realised: str
) -> None:
    """E4: the realised deltas are those of theory.md."""
    with pytest.raises(RefusedError, match="realises delta") as refused:
        printed_constant(approx(epsilon, delta))
    told = str(refused.value).split("realises delta ")[1].split(" ")[0]
    assert float(told) == pytest.approx(float(realised), rel=1e-2)


def test_the_three_constants_of_row_96() -> None:
    target = approx("1", "1e-5")
    assert float(printed_constant(target).high) == pytest.approx(4.537361, abs=1e-6)
    assert float(concentrated_constant(target).high) == pytest.approx(4.900555, abs=1e-6)


@pytest.mark.parametrize("epsilon", ["0.01", "1", "20", "100"])
@pytest.mark.parametrize("delta", ["1e-2", "1e-10", "1e-30"])
def test_the_concentrated_constant_always_holds(epsilon: str, delta: str) -> None:
    target = approx(epsilon, delta)
    realised = realised_delta(concentrated_constant(target), target.epsilon)
    assert Fraction(realised.high) <= target.delta


def test_the_constant_that_grows_as_the_root_of_2_l_fails_at_epsilon_20() -> None:
    target = approx("20", "1e-2")
    two_l = -Interval.of(target.delta).ln() * Interval.of(2)
    constant = (Interval.of(1) + two_l.sqrt()) / Interval.of(target.epsilon)
    assert Fraction(realised_delta(constant, target.epsilon).low) > target.delta
