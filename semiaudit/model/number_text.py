"""Numbers as people read them: digits on the safe side, and enough of them to order two."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Literal

from semiaudit.model.bound import Bound
from semiaudit.numeric.rationals import rational_text

ON_SCREEN = 4
"""Significant digits of a number on the first screen."""
IN_TABLES = 6
"""Significant digits of a number in a table."""

_MOST_DIGITS = 40
_PLAIN = range(-3, 15)
"""Powers of ten of the first digit that are written without an exponent."""

_ROUNDINGS = {"up": ROUND_CEILING, "down": ROUND_FLOOR, "nearest": ROUND_HALF_EVEN}
Rounding = Literal["up", "down", "nearest"]


def bound_text(bound: Bound) -> str:
    """A bound in a table: six significant digits, rounded outward; a whole number with all."""
    if isinstance(bound.value, float):
        return "inf" if bound.value > 0 else "-inf"
    if bound.value.denominator == 1:
        return rational_text(bound.value)
    return _text(_rounded(bound.value, "down" if bound.side == "lower" else "up", IN_TABLES))


def decimals_text(bound: Bound) -> str:
    """A bound in an entry of the registry: six decimals, or six digits if it is small."""
    if isinstance(bound.value, float):
        return "inf" if bound.value > 0 else "-inf"
    return rational_text(bound.value, up=bound.side != "lower")


def certified_text(bound: Bound, limit: Fraction) -> str:
    """A bound in a table next to its limit: with more digits where six do not order the two."""
    text = bound_text(bound)
    if isinstance(bound.value, float):
        return text
    true = _order(bound.value, limit)
    if not true:
        return text
    for digits in range(IN_TABLES, _MOST_DIGITS):
        if _order(Fraction(text), limit) == true:
            break
        text = _screen_text(bound, digits)
    return text


def short_text(value: Fraction, rounding: Rounding, digits: int = ON_SCREEN) -> str:
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
    if not true:
        return texts
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
    if bound is None or isinstance(bound.value, float) or bound.value == limit:
        return short
    if _order(Fraction(short), Fraction(limited_text(bound, limit))) == _order(limit, bound.value):
        return short
    return short_text(limit, "down", _MOST_DIGITS)


def _order(first: Fraction, second: Fraction) -> int:
    return (first > second) - (first < second)
