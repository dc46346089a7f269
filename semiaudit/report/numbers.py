"""How a bound is written: whole doubles in JSON, six decimals on the safe side elsewhere."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from semiaudit.model.bound import Bound, upper
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.rationals import decimal_text_down as decimal_text_down
from semiaudit.numeric.rationals import exact_sqrt, float_down, float_up, shortest_float
from semiaudit.numeric.rationals import rational_text as rational_text


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
