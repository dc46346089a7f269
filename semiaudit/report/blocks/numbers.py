"""How a bound is written in JSON, as a whole double on its safe side, and read back."""

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


SHORT = 15
"""Digits up to which two different decimal texts are two different doubles."""


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
    """Return the number as a lower bound."""
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
