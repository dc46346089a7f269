"""From a target to the parameter of each kind of noise, on the safe side and close to it."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from semiaudit.errors import RefusedError
from semiaudit.mechanisms.designs.gaussian_designs import (
    concentrated_constant,
    printed_constant,
    realised_delta,
)
from semiaudit.mechanisms.designs.intensity import (
    NoDesignError,
    down,
    laplace_shift_of,
    mu_squared_of,
    rho_of,
    root_up,
    up,
)
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PureDP
from tests.oracles import designs as oracle
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
        ("1", "1e-15", "5.5e-14"),
        ("0.5", "1e-15", "2.1e-14"),
        ("5", "1e-6", "1.318e-6"),
        ("10", "1e-5", "1.08e-4"),
    ],
)
def test_lemma_3_4s_printed_constant_is_refused_where_it_fails(
    epsilon: str, delta: str, realised: str
) -> None:
    """E4: the realised deltas are those of theory.md."""
    with pytest.raises(RefusedError, match="realises delta") as refused:
        printed_constant(approx(epsilon, delta))
    told = float(str(refused.value).split("realises delta ")[1].split(" ")[0])
    assert told == pytest.approx(float(realised), rel=2e-2)
    constant = (1 + math.sqrt(1 - math.log(float(delta)))) / float(epsilon)
    assert told == pytest.approx(oracle.profile(constant, float(epsilon)), rel=1e-5)


@pytest.mark.parametrize(
    ("delta", "fails_from"),
    [
        ("1e-2", 8.83), ("1e-3", 7.76), ("1e-4", 6.69), ("1e-5", 5.63), ("1e-6", 4.58),
        ("1e-7", 3.58), ("1e-8", 2.65), ("1e-9", 1.83), ("1e-10", 1.15), ("1e-12", 0.334),
        ("1e-15", 0.0295),
    ],
)  # fmt: skip
def test_lemma_3_4s_printed_constant_fails_from_the_epsilons_of_e4(
    delta: str, fails_from: float
) -> None:
    for share, fails in ((0.98, False), (0.995, False), (1.005, True), (1.02, True), (2.0, True)):
        target = approx(str(round(fails_from * share, 6)), delta)
        constant = (1 + math.sqrt(1 - math.log(float(delta)))) / float(target.epsilon)
        assert (oracle.profile(constant, float(target.epsilon)) > float(delta)) == fails
        if fails:
            with pytest.raises(RefusedError, match="realises delta"):
                printed_constant(target)
        else:
            assert float(printed_constant(target).high) == pytest.approx(constant)


@pytest.mark.parametrize(
    ("epsilon", "smallest"), [("0.999999", 5.4e-11), ("0.5", 3.8e-12), ("0.1", 2.8e-14)]
)
def test_below_epsilon_1_lemma_3_4_fails_for_very_small_deltas_only(
    epsilon: str, smallest: float
) -> None:
    assert printed_constant(approx(epsilon, f"{smallest * 1.05:.3e}"))
    with pytest.raises(RefusedError, match="realises delta"):
        printed_constant(approx(epsilon, f"{smallest * 0.95:.3e}"))


def test_where_lemma_3_4_holds_it_is_loose() -> None:
    for epsilon, delta, looser in (("1", "1e-5", 1.216), ("0.1", "1e-3", 2.19)):
        exact = oracle.least_constant(float(epsilon), float(delta))
        printed = float(printed_constant(approx(epsilon, delta)).high)
        assert printed / exact == pytest.approx(looser, abs=5e-3)
        square = mu_squared_of(approx(epsilon, delta))
        assert square is not None
        ours = 1 / math.sqrt(square)
        assert 0 <= ours / exact - 1 < 1e-9


def test_the_three_constants_of_row_96() -> None:
    target = approx("1", "1e-5")
    assert float(printed_constant(target).high) == pytest.approx(4.537361, abs=1e-6)
    assert float(concentrated_constant(target).high) == pytest.approx(4.900555, abs=1e-6)


@pytest.mark.parametrize("epsilon", ["0.01", "1", "20", "100"])
@pytest.mark.parametrize("delta", ["1e-2", "1e-10", "1e-30"])
def test_the_concentrated_constant_always_holds(epsilon: str, delta: str) -> None:
    target = approx(epsilon, delta)
    constant = concentrated_constant(target)
    assert Fraction(realised_delta(constant, target.epsilon).high) <= target.delta
    assert oracle.profile(float(constant.high), float(epsilon)) <= float(delta)


def test_the_concentrated_constant_is_a_thirtieth_too_long_at_least() -> None:
    """E4: on epsilons from 0.01 to 20 and deltas from 1e-2 to 1e-30 the least ratio is 1.036."""
    ratios = [
        float(concentrated_constant(approx(epsilon, delta)).high)
        / oracle.least_constant(float(epsilon), float(delta))
        for epsilon in ("0.01", "0.1", "1", "5", "20")
        for delta in ("1e-2", "1e-5", "1e-10", "1e-30")
    ]
    assert 1.036 <= min(ratios) < 1.04


@pytest.mark.parametrize(
    ("delta", "fails_from"), [("1e-2", 15.42), ("1e-5", 19.97), ("1e-10", 24.86), ("1e-30", 36.48)]
)
def test_the_constant_that_grows_as_the_root_of_2_l_fails_from_about_epsilon_20(
    delta: str, fails_from: float
) -> None:
    """E4: it holds up to about 10. No design uses it."""

    def fails(epsilon: float) -> bool:
        constant = (1 + math.sqrt(-2 * math.log(float(delta)))) / epsilon
        return oracle.profile(constant, epsilon) > float(delta)

    assert not any(map(fails, (0.01, 0.1, 1, 5, 10, fails_from - 0.02)))
    assert all(map(fails, (fails_from + 0.02, 40, 50)))


@pytest.mark.parametrize("power", [-40, -21, -6, 0, 7, 40])
@pytest.mark.parametrize("square", [Fraction(2), Fraction(1, 3), Fraction(99)])
def test_a_root_is_rounded_up_in_its_twelfth_digit(square: Fraction, power: int) -> None:
    square *= Fraction(10) ** power
    root = root_up(square)
    assert root**2 >= square
    assert (root / (1 + Fraction(1, 10**11))) ** 2 < square
    assert len(str(root.numerator * 10**60 // root.denominator).strip("0")) <= max(13, 1 + power)


@pytest.mark.parametrize("solve", [mu_squared_of, laplace_shift_of, rho_of])
def test_a_target_of_no_known_kind_is_not_met(solve: Callable[[Any], object]) -> None:
    with pytest.raises(AssertionError, match="unreachable"):
        solve("a stranger")
