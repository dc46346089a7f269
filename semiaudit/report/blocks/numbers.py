"""How a bound is written, and read back: whole doubles in JSON, digits on the safe side
elsewhere."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Literal

from semiaudit.model.bound import Bound, upper
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.rationals import decimal_text_down as decimal_text_down
from semiaudit.numeric.rationals import (
    exact_sqrt,
    float_down,
    float_up,
    rational_from_text,
    shortest_float,
)
from semiaudit.numeric.rationals import rational_text as rational_text

ON_SCREEN = 4
"""Significant digits of a number on the first screen."""

_MOST_DIGITS = 40
_PLAIN = range(-3, 15)
"""Powers of ten of the first digit that are written without an exponent."""

_ROUNDINGS = {"up": ROUND_CEILING, "down": ROUND_FLOOR, "nearest": ROUND_HALF_EVEN}
Rounding = Literal["up", "down", "nearest"]


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


SHORT = 15
"""Digits up to which every text is told apart by the double that stands for it."""


class Written(float):
    """A number of JSON that remembers its text, so that a delta is what was written."""

    text: str

    def __new__(cls, text: str) -> Written:
        """The number that a text of JSON stands for."""
        number = super().__new__(cls, text)
        number.text = text
        return number


def printed_bound(value: float | str) -> Bound:
    """A number of a report as an upper bound: a report does not say which numbers are exact."""
    known = math.inf if isinstance(value, str) else printed_rational(value)
    return Bound(known, "upper", "printed", "a report")


def from_below(bound: Bound) -> Bound:
    """The same number as a lower bound."""
    return replace(bound, side="lower")


def printed_rational(value: float) -> Fraction:
    """A number as its text says; one of more digits than a text keeps apart as the double it is.

    A short text is a number that was printed as it is. A long one is a double that was rounded to
    its safe side, and its text may lie on the other side of it.
    """
    if isinstance(value, Written):
        rational = rational_from_text(value.text)
        digits = value.text.lower().partition("e")[0].replace(".", "").strip("-0")
        return rational if len(digits) <= SHORT else Fraction(float(value))
    return Fraction(value)


def short_text(value: Fraction, rounding: Rounding, digits: int = ON_SCREEN) -> str:
    """A rational in so many significant digits, without zeros at the end.

    Rounding: as asked; exact where the digits suffice.
    """
    context = Context(prec=digits, rounding=_ROUNDINGS[rounding])
    rounded = context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize()
    if rounded and rounded.adjusted() not in _PLAIN:
        mantissa = f"{rounded.scaleb(-rounded.adjusted()):f}"
        return f"{mantissa}e{rounded.adjusted()}"
    return f"{rounded:f}"


def screen_text(bound: Bound) -> str:
    """A bound on the first screen: four significant digits, rounded outward."""
    return _screen_text(bound, ON_SCREEN)


def _screen_text(bound: Bound, digits: int) -> str:
    if isinstance(bound.value, float):
        return "infinite" if bound.value > 0 else "-infinite"
    return short_text(bound.value, "down" if bound.side == "lower" else "up", digits)


def ordered_texts(first: Bound, second: Bound) -> tuple[str, str]:
    """Two bounds on the first screen, with as many digits as show which of them is larger."""
    texts = _screen_text(first, ON_SCREEN), _screen_text(second, ON_SCREEN)
    if isinstance(first.value, float) or isinstance(second.value, float):
        return texts
    true = _order(first.value, second.value)
    for digits in range(ON_SCREEN, _MOST_DIGITS):
        texts = _screen_text(first, digits), _screen_text(second, digits)
        if _order(*map(Fraction, texts)) == true:
            break
    return texts


def limited_text(bound: Bound, limit: Fraction) -> str:
    """A bound on the first screen, with as many digits as show on which side of a limit it is."""
    return ordered_texts(bound, Bound(limit, "exact", "", ""))[0]


def limit_text(limit: Fraction, bound: Bound | None) -> str:
    """A limit next to a bound on the first screen: whole, but for more digits than order them."""
    short = rational_text(limit, up=False)
    if bound is None or isinstance(bound.value, float):
        return short
    if _order(Fraction(short), Fraction(limited_text(bound, limit))) == _order(limit, bound.value):
        return short
    return short_text(limit, "down", _MOST_DIGITS)


def _order(first: Fraction, second: Fraction) -> int:
    return (first > second) - (first < second)
