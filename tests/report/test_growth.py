"""The advertised numbers beside the effective ones: factors are never below the exact ones."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from semiaudit.model.bound import Bound, exact, upper
from semiaudit.model.guarantee import NO_NUMBERS, ApproxPoint, Numbers
from semiaudit.report.growth import grown, growth
from tests.golden.published import PUBLISHED

DELTA = Fraction(1, 10**10)


def known(value: Fraction | float) -> Bound:
    return Bound(value, "upper", "", "")


def rho(value: str) -> Numbers:
    return replace(NO_NUMBERS, zcdp=exact(Fraction(value), "", ""))


def at_delta(value: Fraction | float, conversion: str = "cks20") -> Numbers:
    return replace(NO_NUMBERS, approx_dp=(ApproxPoint(DELTA, known(value), conversion),))


def told(nominal: Numbers, semi: Numbers, delta: Fraction | None = None) -> list[str]:
    return [f"{said.label} {said.text}" for said in grown(nominal, semi, delta)]


def test_the_factor_of_random_numbers_is_rounded_up_and_by_less_than_a_thousandth() -> None:
    chance = random.Random(17)
    for _ in range(500):
        first = Fraction(chance.randint(1, 10**6), chance.randint(1, 10**4))
        second = first * Fraction(chance.randint(1001, 10**6), 1000) * Fraction(7, 6)
        (line,) = told(
            replace(NO_NUMBERS, zcdp=known(first)), replace(NO_NUMBERS, zcdp=known(second))
        )
        shown = Fraction(line.rpartition(": ")[2].removesuffix(" times"))
        assert 0 <= shown - second / first < Fraction(1, 1000)


@pytest.mark.parametrize(("first", "second"), [("2.56", "10.24"), ("2.63", "10.52")])
def test_twice_the_distance_is_four_times_the_rho(first: str, second: str) -> None:
    assert told(rho(first), rho(second)) == [f"rho {first} advertised, {second} effective: 4 times"]


def test_published_epsilons_grow_by_the_factor_of_their_digits() -> None:
    first, second = (Fraction(PUBLISHED[f"cks20_of_{r}"].text) for r in ("2.56", "10.24"))
    (line,) = told(at_delta(first), at_delta(second), DELTA)
    # 39.82257 / 17.15831 = 2.32089...
    assert line == "epsilon 17.15831 -> 39.82257, 2.321 times, at delta 1e-10 (cks20)"


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
        ("1", "1", "rho 1 advertised, 1 effective: the same"),
        ("1", "0", "rho 1 advertised, 0 effective: less"),
        ("0", "1", "rho 0 advertised, 1 effective"),
        ("1", "4000000.5", "rho 1 advertised, 4000000.5 effective: 4000000.5 times"),
    ],
)
def test_numbers_that_do_not_grow_have_no_factor(before: str, after: str, line: str) -> None:
    assert told(rho(before), rho(after)) == [line]


def test_what_is_no_number_is_a_word_and_has_no_factor() -> None:
    assert told(NO_NUMBERS, rho("3")) == ["rho no rho is advertised, 3 effective"]
    assert told(rho("3"), NO_NUMBERS) == ["rho 3 advertised, no effective rho is known"]
    assert told(at_delta(Fraction(1)), at_delta(math.inf), DELTA) == [
        "epsilon 1 -> infinite at delta 1e-10 (cks20)"
    ]
    assert told(NO_NUMBERS, at_delta(Fraction(1)), DELTA) == [
        "epsilon not known -> 1 (cks20) at delta 1e-10"
    ]
    assert told(at_delta(Fraction(1)), at_delta(Fraction(5), "bs16"), DELTA) == [
        "epsilon 1 (cks20) -> 5 (bs16), 5 times, at delta 1e-10"
    ]
    assert told(NO_NUMBERS, NO_NUMBERS, DELTA) == []


def test_a_measure_that_both_have_comes_before_one_that_says_more() -> None:
    pure = replace(rho("1"), pure_dp=known(Fraction(2)))
    assert told(pure, rho("4")) == ["rho 1 advertised, 4 effective: 4 times"]
    both = replace(rho("4"), pure_dp=known(Fraction(6)))
    assert told(pure, both) == ["epsilon 2 advertised, 6 effective (delta 0): 3 times"]
