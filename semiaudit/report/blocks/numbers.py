"""Bounds in JSON, as whole doubles on their safe side, and their parsing."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from semiaudit.model.bound import Bound
from semiaudit.numeric.rationals import (
    float_down,
    float_up,
    rational_from_text,
    shortest_float,
)


def bound_number(bound: Bound) -> float | int | str:
    """Return a bound for JSON: exact if a double's text is, else rounded outward; "inf"."""
    if isinstance(bound.value, float):
        return "inf" if bound.value > 0 else "-inf"
    return number(bound.value, up=bound.side != "lower")


def number(value: Fraction, *, up: bool = True) -> float | int:
    """Return a rational as a JSON number."""
    if value.denominator == 1 and abs(value) < 2**53:
        return value.numerator
    known = shortest_float(value)
    if known is not None:
        return known
    return float_up(value) if up else float_down(value)


SHORT = 15
"""Up to this many digits, different decimal texts are different doubles."""


class Written(float):
    """A number of JSON that remembers its text, so that a delta stays as written."""

    text: str

    def __new__(cls, text: str) -> Written:
        """Parse the text of a number of JSON."""
        number = super().__new__(cls, text)
        number.text = text
        return number


def printed_bound(value: float | str) -> Bound:
    """Return a number of a report as an upper bound; a report does not show exactness."""
    known = math.inf if isinstance(value, str) else printed_rational(value)
    return Bound(known, "upper", "printed", "a report")


def from_below(bound: Bound) -> Bound:
    """Return the number as a lower bound."""
    return replace(bound, side="lower")


def printed_rational(value: float) -> Fraction:
    """Return a number as its text says; for more digits than texts distinguish, its double.

    A short text is a number that was printed exactly. A long one is a double that was rounded to
    its safe side, and its text can be on the other side of it.
    """
    if isinstance(value, Written):
        rational = rational_from_text(value.text)
        digits = value.text.lower().partition("e")[0].replace(".", "").strip("-0")
        return rational if len(digits) <= SHORT else Fraction(float(value))
    return Fraction(value)
