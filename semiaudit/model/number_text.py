"""Numbers as people read them: digits on the safe side, and enough of them to order two."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Literal

from semiaudit.model.bound import Bound
from semiaudit.numeric.rationals import rational_text

DIGITS = 4
"""Significant digits of a number wherever people read it; JSON has all."""

_MOST_SHOWN = 6
_MOST_DIGITS = 40
_PLAIN = range(-3, 15)
"""Powers of ten of the first digit that are written without an exponent."""

_ROUNDINGS = {"up": ROUND_CEILING, "down": ROUND_FLOOR, "nearest": ROUND_HALF_EVEN}
Rounding = Literal["up", "down", "nearest"]


def bound_text(bound: Bound, digits: int = DIGITS) -> str:
    """A bound for people: four significant digits, rounded outward.

    A whole number has all of its digits, and one that six digits write exactly has those. A number
    below 1 that would round up to 1 has up to six, to be below 1.
    """
    value = bound.value
    if isinstance(value, float):
        return "inf" if value > 0 else "-inf"
    if value.denominator == 1:
        return rational_text(value)
    rounding: Rounding = "down" if bound.side == "lower" else "up"
    rounded = _rounded(value, rounding, _MOST_SHOWN)
    if Fraction(rounded) != value:
        while (rounded := _rounded(value, rounding, digits)) == 1 and digits < _MOST_SHOWN:
            digits += 1
    return _text(rounded.normalize())


def decimals_text(bound: Bound) -> str:
    """A bound in an entry of the registry: six decimals, or six digits if it is small."""
    if isinstance(bound.value, float):
        return "inf" if bound.value > 0 else "-inf"
    return rational_text(bound.value, up=bound.side != "lower")


def certified_text(bound: Bound, limit: Fraction) -> str:
    """A bound next to its limit: with as many digits as show on which side of it the bound is."""
    return ordered_texts(bound, Bound(limit, "exact", "", ""))[0]


def short_text(value: Fraction, rounding: Rounding, digits: int = DIGITS) -> str:
    """A rational in so many significant digits, without zeros at the end.

    Rounding: as asked; exact where the digits suffice.
    """
    return _text(_rounded(value, rounding, digits).normalize())


def _rounded(value: Fraction, rounding: Rounding, digits: int) -> Decimal:
    """Return a decimal of ``digits`` digits if the value was rounded, else of those that it has."""
    context = Context(prec=digits, rounding=_ROUNDINGS[rounding])
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def _text(rounded: Decimal) -> str:
    if rounded and rounded.adjusted() not in _PLAIN:
        mantissa = f"{rounded.scaleb(-rounded.adjusted()):f}"
        return f"{mantissa}e{rounded.adjusted()}"
    return f"{rounded:f}"


def sentence_text(bound: Bound) -> str:
    """A bound in a sentence: as in a table, but infinity is a word."""
    return bound_text(bound).replace("inf", "infinite")


def ordered_texts(first: Bound, second: Bound) -> tuple[str, str]:
    """Two bounds in a sentence, with as many digits as show which of them is larger."""
    if isinstance(first.value, float) or isinstance(second.value, float):
        return sentence_text(first), sentence_text(second)
    texts, true = (bound_text(first), bound_text(second)), _order(first.value, second.value)
    for digits in range(DIGITS, _MOST_DIGITS if true else DIGITS):
        texts = bound_text(first, digits), bound_text(second, digits)
        if _order(*map(Fraction, texts)) == true:
            break
    return texts


def limit_text(limit: Fraction, bound: Bound | None) -> str:
    """A limit next to a bound: whole, but for more digits than order them."""
    short = rational_text(limit, up=False)
    if bound is None or isinstance(bound.value, float) or bound.value == limit:
        return short
    if _order(Fraction(short), Fraction(certified_text(bound, limit))) == _order(
        limit, bound.value
    ):
        return short
    return short_text(limit, "down", _MOST_DIGITS)


def range_text(lower: int, upper: int | None, established: bool = True) -> str:
    """The value of a(t), or its interval.

    Args:
        established: whether the upper bound is more than the number of records.
    """
    if lower == upper:
        return str(upper)
    if upper is None or not established:
        return f"at least {lower}" if lower else "not known"
    return f"{lower} to {upper}"


def _order(first: Fraction, second: Fraction) -> int:
    return (first > second) - (first < second)
