"""Numbers for people: four significant digits on the safe side."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction

import pytest

from semiaudit.model.bound import Bound, Side
from semiaudit.model.number_text import (
    bound_text,
    certified_text,
    limit_text,
    ordered_texts,
    sentence_text,
    short_text,
)


def bound(value: str, side: Side = "upper") -> Bound:
    return Bound(Fraction(value), side, "", "")


@pytest.mark.parametrize(
    ("value", "up", "down", "nearest"),
    [
        ("17.158308", "17.16", "17.15", "17.16"),
        ("39.8225", "39.83", "39.82", "39.82"),
        ("10.24", "10.24", "10.24", "10.24"),
        ("0.0001", "1e-4", "1e-4", "1e-4"),
        ("1e-10", "1e-10", "1e-10", "1e-10"),
        ("0.00012345", "1.235e-4", "1.234e-4", "1.234e-4"),
        ("123456", "123500", "123400", "123500"),
        ("9.99991", "10", "9.999", "10"),
        ("0", "0", "0", "0"),
        ("-3.14159", "-3.141", "-3.142", "-3.142"),
    ],
)
def test_four_significant_digits(value: str, up: str, down: str, nearest: str) -> None:
    number = Fraction(value)
    assert short_text(number, "up") == up
    assert short_text(number, "down") == down
    assert short_text(number, "nearest") == nearest


def test_upper_bounds_are_rounded_up_and_lower_bounds_down() -> None:
    chance = random.Random(33)
    for _ in range(500):
        value = Fraction(chance.randint(1, 10**9), chance.randint(1, 10**6))
        high = Fraction(sentence_text(Bound(value, "upper", "", "")))
        low = Fraction(sentence_text(Bound(value, "lower", "", "")))
        assert low <= value <= high
        assert high - low <= Fraction(10) ** (Decimal(float(value)).adjusted() - 3)


def test_two_numbers_have_the_digits_that_show_which_is_larger() -> None:
    assert ordered_texts(bound("2.55991"), bound("2.55992")) == ("2.55991", "2.55992")
    assert ordered_texts(bound("2.56"), bound("10.24")) == ("2.56", "10.24")
    assert ordered_texts(bound("3"), bound("3")) == ("3", "3")
    chance = random.Random(34)
    for _ in range(200):
        first = Fraction(chance.randint(1, 10**12), 10**6)
        second = first + Fraction(chance.randint(-3, 3), 10 ** chance.randint(1, 9))
        if second > 0:
            texts = ordered_texts(Bound(first, "upper", "", ""), Bound(second, "upper", "", ""))
            one, two = map(Fraction, texts)
            assert (one < two, one > two) == (first < second, first > second)


def test_a_number_below_its_limit_is_not_shown_as_the_limit() -> None:
    assert certified_text(bound("2.5599999"), Fraction("2.56")) == "2.5599999"
    assert certified_text(bound("10.24"), Fraction("10.239999")) == "10.24"
    assert limit_text(Fraction("10.239999"), bound("10.24")) == "10.239999"
    assert limit_text(Fraction("10.2399999999"), bound("10.24")) == "10.239999"
    assert limit_text(Fraction(10), None) == "10"


def test_an_upper_bound_below_1_is_not_shown_as_1() -> None:
    assert bound_text(bound("0.99998379")) == "0.99999"
    assert bound_text(bound("1.0000123")) == "1.001"


def test_infinity_is_a_word() -> None:
    assert sentence_text(Bound(float("inf"), "upper", "", "")) == "infinite"
