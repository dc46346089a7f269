"""How a bound is written: whole doubles in JSON, six decimals on the safe side elsewhere."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from semiaudit.model.bound import Bound, upper
from semiaudit.numeric import (
    Interval,
    decimal_text_up,
    exact_sqrt,
    float_down,
    float_up,
    shortest_float,
)

PLACES = 6
_SMALL = Fraction(1, 1000)
_LARGE = 10**15


def bound_number(bound: Bound) -> float | int | str:
    """A bound as JSON has it: exact if a double's text is, else rounded outward; "inf"."""
    if isinstance(bound.value, float):
        return "inf" if bound.value > 0 else "-inf"
    return number(bound.value, up=bound.side != "lower")


def number(value: Fraction, *, up: bool = True) -> float | int:
    """A rational as a JSON number."""
    if value.denominator == 1 and abs(value) < 2**53:
        return value.numerator
    known = shortest_float(value)
    if known is not None:
        return known
    return float_up(value) if up else float_down(value)


def root_of(squared: Bound) -> Bound:
    """The square root of a bound, exact where it is rational, else rounded up."""
    if isinstance(squared.value, float):
        return squared
    root = exact_sqrt(squared.value)
    if root is not None:
        return replace(squared, value=root)
    return upper(Interval.of(squared.value).sqrt(), squared.method, squared.source)


def bound_text(bound: Bound) -> str:
    """A bound in a table: six decimals, or six digits if it is small, rounded outward."""
    if isinstance(bound.value, float):
        return "inf" if bound.value > 0 else "-inf"
    return rational_text(bound.value, up=bound.side != "lower")


def rational_text(value: Fraction, *, up: bool = True) -> str:
    """A rational with six decimals, exact if they are enough, else rounded up or down."""
    if value and (abs(value) < _SMALL or abs(value) >= _LARGE):
        return _scientific(value, up=up)
    return decimal_text_up(value, PLACES) if up else decimal_text_down(value)


def decimal_text_down(value: Fraction) -> str:
    """Six decimals, rounded down."""
    text = decimal_text_up(-value, PLACES)
    return text[1:] if text.startswith("-") else f"-{text}" if text.strip("0.") else text


def _scientific(value: Fraction, *, up: bool) -> str:
    context = Context(prec=PLACES, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    rounded = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    exponent = rounded.adjusted()
    digits = "".join(map(str, rounded.as_tuple().digits)).rstrip("0") or "0"
    mantissa = digits[0] + (f".{digits[1:]}" if digits[1:] else "")
    sign = "-" if rounded < 0 else ""
    return f"{sign}{mantissa}e{exponent}"
