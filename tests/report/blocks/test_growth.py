"""The advertised numbers compared with the effective ones: factors come from unrounded numbers."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from semiaudit.model.bound import Bound, exact, upper
from semiaudit.model.guarantee import NO_NUMBERS, ApproxPoint, Numbers
from semiaudit.report.blocks.growth import compared, factor_text, growth
from tests.golden.published import PUBLISHED

DELTA = Fraction(1, 10**10)


def known(value: Fraction | float) -> Bound:
    return Bound(value, "upper", "", "")


def rho(value: str) -> Numbers:
    return replace(NO_NUMBERS, zcdp=exact(Fraction(value), "", ""))


def at_delta(value: Fraction | float, conversion: str = "cks20") -> Numbers:
    return replace(NO_NUMBERS, approx_dp=(ApproxPoint(DELTA, known(value), conversion),))


def told(nominal: Numbers, semi: Numbers, delta: Fraction | None = None) -> list[str]:
    return [f"{found.symbol} {found.sentence()}" for found in compared(nominal, semi, delta)]


def test_the_factor_of_random_numbers_is_the_nearest_of_four_digits() -> None:
    chance = random.Random(17)
    for _ in range(500):
        first = Fraction(chance.randint(1, 10**6), chance.randint(1, 10**4))
        ratio = Fraction(chance.randint(1100, 9999), 1000) * Fraction(7, 6)
        (found,) = compared(
            replace(NO_NUMBERS, zcdp=known(first)),
            replace(NO_NUMBERS, zcdp=known(first * ratio)),
            None,
        )
        shown = Fraction(factor_text(found.growth).strip(" (×)"))
        last_digit = Fraction(1, 1000) if ratio < 10 else Fraction(1, 100)
        assert abs(shown - ratio) <= last_digit / 2


@pytest.mark.parametrize(("first", "second"), [("2.56", "10.24"), ("2.63", "10.52")])
def test_twice_the_distance_is_four_times_the_rho(first: str, second: str) -> None:
    assert told(rho(first), rho(second)) == [f"ρ {first} advertised, {second} effective (4×)"]


def test_published_epsilons_grow_by_the_factor_of_their_digits() -> None:
    first, second = (Fraction(PUBLISHED[f"cks20_of_{r}"].text) for r in ("2.56", "10.24"))
    (line,) = told(at_delta(first), at_delta(second), DELTA)
    # 39.82257 / 17.15831 = 2.32089..., and both numbers are rounded up.
    assert line == "ε 17.16 advertised, 39.83 effective (2.321×) at δ = 1e-10"


def test_a_root_is_grown_from_its_square() -> None:
    first, second = (replace(known(Fraction(v)), squared=Fraction(s)) for v, s in ((2, 2), (3, 6)))
    factor = growth(first, second)
    assert factor is not None
    assert factor**2 >= 3
    assert factor - Fraction(math.isqrt(3 * 10**40), 10**20) < Fraction(1, 10**15)
    assert growth(first, replace(known(Fraction(3)), squared=Fraction(8))) == 2
    assert growth(exact(2, "", ""), replace(known(Fraction(3)), squared=Fraction(9))) == Fraction(
        3, 2
    )


def test_what_was_rounded_for_print_is_grown_from_what_it_was() -> None:
    first, second = upper(Fraction(1, 3), "", ""), upper(Fraction(2, 3), "", "")
    assert first.value != Fraction(1, 3)
    assert growth(first, second) == 2


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("1", "1", "ρ 1 effective, as advertised"),
        ("0", "0", "ρ 0 effective, as advertised"),
        ("1", "0", "ρ 1 advertised, 0 effective (0×)"),
        ("1", "0.5", "ρ 1 advertised, 0.5 effective (0.5×)"),
        ("0", "1", "ρ 0 advertised, 1 effective"),
        ("1", "4000000.5", "ρ 1 advertised, 4001000 effective (4000000×)"),
        ("1", "1.00001", "ρ 1 advertised, 1.00001 effective"),
        ("9.9999", "9.99999", "ρ 9.9999 advertised, 9.99999 effective"),
        ("9.99999", "9.9999999", "ρ 9.99999 advertised, 10 effective"),
    ],
)
def test_numbers_appear_in_their_order_and_a_factor_of_about_1_is_left_out(
    before: str, after: str, line: str
) -> None:
    assert told(rho(before), rho(after)) == [line]


def test_what_is_no_number_is_a_word_and_has_no_factor() -> None:
    assert told(NO_NUMBERS, rho("3")) == ["ρ 3 effective; none is advertised"]
    assert told(rho("3"), NO_NUMBERS) == ["ρ 3 advertised; no effective one is known"]
    assert told(at_delta(Fraction(1)), at_delta(math.inf), DELTA) == [
        "ε 1 advertised, infinite effective at δ = 1e-10"
    ]
    assert told(NO_NUMBERS, at_delta(Fraction(1)), DELTA) == [
        "ε 1 effective at δ = 1e-10; none is advertised"
    ]
    assert told(NO_NUMBERS, NO_NUMBERS, DELTA) == []


def test_a_measure_that_both_have_comes_before_one_that_says_more() -> None:
    pure = replace(rho("1"), pure_dp=known(Fraction(2)))
    assert told(pure, rho("4")) == ["ρ 1 advertised, 4 effective (4×)"]
    both = replace(rho("4"), pure_dp=known(Fraction(6)))
    assert told(pure, both) == ["ε 2 advertised, 6 effective (3×) at δ = 0"]


def both_epsilons(pure: str, approximate: str) -> Numbers:
    return replace(at_delta(Fraction(approximate)), pure_dp=known(Fraction(pure)))


def test_an_epsilon_that_hardly_depends_on_delta_is_shown_once() -> None:
    lines = told(both_epsilons("1", "0.999"), both_epsilons("3", "2.998"), DELTA)
    assert lines == ["ε 1 advertised, 3 effective (3×) at δ = 0"]
    lines = told(both_epsilons("1", "0.5"), both_epsilons("3", "2.998"), DELTA)
    assert lines == [
        "ε 1 advertised, 3 effective (3×) at δ = 0",
        "ε 0.5 advertised, 2.998 effective (5.996×) at δ = 1e-10",
    ]
