"""Exact rationals: parsing, printing with a rounding side, and outward rounding to floats.

Privacy parameters are :class:`fractions.Fraction`. A float leaves the calculus only through
:func:`float_up` or :func:`float_down`.
"""

from __future__ import annotations

import math
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

MAX_EXPONENT = 399
MAX_NUMBER_LENGTH = 200
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([-+]?[0-9]+))?")
PLACES = 6
"""Decimals of a printed number."""
_SMALL = Fraction(1, 1000)
_LARGE = 10**15
_RATIO = re.compile(r"[-+]?[0-9]+\s*/\s*[0-9]+")


def rational_from_text(text: str) -> Fraction:
    """Read ``2.56``, ``1e-10`` or ``104/4099`` exactly.

    Args:
        text: a decimal number, with or without exponent, or a ratio of two integers.

    Returns:
        The rational that the text names, without any rounding.

    Raises:
        ValueError: the text is not a finite number, is longer than 200 characters, has an exponent
            beyond 399 in size, or divides by zero. The message says which.
    """
    text = text.strip()
    if len(text) > MAX_NUMBER_LENGTH:
        raise ValueError(f"is a number of more than {MAX_NUMBER_LENGTH} characters")
    if _RATIO.fullmatch(text):
        numerator, denominator = text.split("/")
        if int(denominator) == 0:
            raise ValueError("divides by zero")
        return Fraction(int(numerator), int(denominator))
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise ValueError("is not a number")
    exponent = match.group(1)
    if exponent is not None and (len(exponent) > 5 or abs(int(exponent)) > MAX_EXPONENT):
        raise ValueError(f"has an exponent beyond {MAX_EXPONENT}")
    return Fraction(text)


def decimal_from_text(text: str) -> Fraction | None:
    """Return the exact number of a data value; None if it is not a number.

    A value with surrounding blanks, or a ratio such as ``1/2``, is not a number.
    """
    if not _NUMBER.fullmatch(text):
        return None
    try:
        return rational_from_text(text)
    except ValueError:
        return None


def float_up(value: Fraction | Decimal) -> float:
    """Return the smallest double that is not below ``value`` (or infinity); 0.0, not -0.0."""
    try:
        nearest = float(value)
    except OverflowError:
        nearest = math.inf if value > 0 else -math.inf
    if math.isinf(nearest):
        return nearest if nearest > 0 else -math.nextafter(math.inf, 0)
    exact = Decimal(nearest) if isinstance(value, Decimal) else Fraction(nearest)
    return (nearest if exact >= value else math.nextafter(nearest, math.inf)) + 0.0


def float_down(value: Fraction | Decimal) -> float:
    """Return the largest double that is not above ``value``; 0.0, not -0.0."""
    return -float_up(value.copy_negate() if isinstance(value, Decimal) else -value) + 0.0


def shortest_float(value: Fraction) -> float | None:
    """Return the double whose shortest decimal text is exactly ``value``, or None."""
    try:
        nearest = float(value)
    except OverflowError:
        return None
    return nearest if Fraction(repr(nearest)) == value else None


def exact_sqrt(value: Fraction) -> Fraction | None:
    """Return the rational square root of a rational, or None if it is irrational."""
    root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    return root if root * root == value else None


def decimal_text_up(value: Fraction, places: int) -> str:
    """Return ``value`` in decimal notation with at most ``places`` decimals, rounded up.

    An exact short decimal is not padded (10.24 is ``10.24``); any other number has all places.
    """
    scaled = value * 10**places
    digits = -((-scaled.numerator) // scaled.denominator)
    sign = "-" if digits < 0 else ""
    whole, remainder = divmod(abs(digits), 10**places)
    decimals = f"{remainder:0{places}d}"
    if scaled.denominator == 1:
        decimals = decimals.rstrip("0")
    return f"{sign}{whole}" + (f".{decimals}" if decimals else "")


def rational_text(value: Fraction, *, up: bool = True) -> str:
    """Return a rational with six decimals: exact if they are enough, else rounded up or down."""
    if value and (abs(value) < _SMALL or abs(value) >= _LARGE):
        return _scientific(value, up=up)
    return decimal_text_up(value, PLACES) if up else decimal_text_down(value)


def decimal_text_down(value: Fraction) -> str:
    """Return six decimals, rounded down."""
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
