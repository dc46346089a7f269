"""Exact rationals: reading, printing, and directed rounding to floats."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semiaudit.numeric.rationals import (
    decimal_text_up,
    exact_sqrt,
    float_down,
    float_up,
    rational_from_text,
    rational_text,
    shortest_float,
)

RATIONALS = st.fractions(min_value=-(10**30), max_value=10**30, max_denominator=10**30)


@settings(derandomize=True, max_examples=500)
@given(RATIONALS)
def test_floats_are_the_nearest_ones_on_their_side(value: Fraction) -> None:
    up, down = float_up(value), float_down(value)
    assert Fraction(down) <= value <= Fraction(up)
    assert up == down or math.nextafter(down, math.inf) == up
    assert (up == down) == (Fraction(up) == value)


@pytest.mark.parametrize(
    ("value", "up", "down"),
    [
        (Fraction(10) ** 400, math.inf, math.nextafter(math.inf, 0)),
        (-(Fraction(10) ** 400), -math.nextafter(math.inf, 0), -math.inf),
        (Fraction(1, 10**400), math.ulp(0.0), 0.0),
        (Decimal("1e-400"), math.ulp(0.0), 0.0),
        (Decimal("-1e-400"), 0.0, -math.ulp(0.0)),
        (Decimal("1e400"), math.inf, math.nextafter(math.inf, 0)),
        (Decimal("0.1000000000000000055511151231257827021181583404541015625"), 0.1, 0.1),
        (Decimal("0.100000000000000005551115123125782702118158340454101562500001"),
         math.nextafter(0.1, 1), 0.1),
    ],
)  # fmt: skip
def test_floats_at_the_ends_of_their_range(
    value: Fraction | Decimal, up: float, down: float
) -> None:
    assert (float_up(value), float_down(value)) == (up, down)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2.56", Fraction(64, 25)),
        (" 1e-10 ", Fraction(1, 10**10)),
        ("104/4099", Fraction(104, 4099)),
        ("104 / 4099", Fraction(104, 4099)),
        ("-.5", Fraction(-1, 2)),
        ("5.", Fraction(5)),
        ("017", Fraction(17)),
        ("1e399", Fraction(10) ** 399),
    ],
)
def test_texts_are_read_to_the_letter(text: str, value: Fraction) -> None:
    assert rational_from_text(text) == value


@pytest.mark.parametrize(
    "text", ["", "x", "1e400", "1e-400", "1e99999999", "1/0", "1//2", "nan", "inf", "1_000",
             "0x10", "1" * 201, "١", "--1", "1e1.5"]
)  # fmt: skip
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is|has|divides"):
        rational_from_text(text)


@settings(derandomize=True, max_examples=300)
@given(RATIONALS, st.integers(min_value=0, max_value=9))
def test_decimal_texts_round_up_by_less_than_a_unit(value: Fraction, places: int) -> None:
    shown = Fraction(decimal_text_up(value, places))
    assert 0 <= shown - value < Fraction(1, 10**places)


def test_exact_roots_and_shortest_floats_are_exact_or_absent() -> None:
    assert exact_sqrt(Fraction(64, 25)) == Fraction(8, 5)
    assert exact_sqrt(Fraction(2)) is None
    assert shortest_float(Fraction("10.24")) == 10.24
    assert shortest_float(Fraction(1, 3)) is None
    assert shortest_float(Fraction(10) ** 400) is None


def test_no_double_is_a_negative_zero() -> None:
    tiny = Fraction(1, 10**400)
    for value in (Fraction(0), Decimal(0), Decimal("-0"), tiny, -tiny):
        for found in (float_up(value), float_down(value)):
            assert found or math.copysign(1, found) == 1


@pytest.mark.parametrize(
    ("value", "up", "down"),
    [
        (Fraction(1, 3), "0.333334", "0.333333"),
        (Fraction(-1, 3), "-0.333333", "-0.333334"),
        (Fraction(64, 25), "2.56", "2.56"),
        (Fraction(0), "0", "0"),
        (Fraction(1, 3 * 10**6), "3.33334e-7", "3.33333e-7"),
        (Fraction(-(10**17), 3), "-3.33333e16", "-3.33334e16"),
    ],
)
def test_texts_of_rationals_have_six_digits_on_their_side(
    value: Fraction, up: str, down: str
) -> None:
    assert rational_text(value) == rational_text(value, up=True) == up
    assert rational_text(value, up=False) == down
