"""Exact rationals in, certified bounds out.

Privacy parameters are :class:`fractions.Fraction`. Transcendental functions are evaluated as
:class:`Interval`, a pair of 60-digit decimals that encloses the true value: every operation
rounds its lower end down and its upper end up, so an enclosure never loses the truth. A float
leaves this module only through :func:`float_up` or :func:`float_down`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

DIGITS = 60
_EMAX = 10**15
_DOWN = Context(prec=DIGITS, rounding=ROUND_FLOOR, Emax=_EMAX, Emin=-_EMAX)
_UP = Context(prec=DIGITS, rounding=ROUND_CEILING, Emax=_EMAX, Emin=-_EMAX)
_NEAR = Context(prec=DIGITS, rounding=ROUND_HALF_EVEN, Emax=_EMAX, Emin=-_EMAX)

_NARROW = Decimal("1e-45")
"""Below it a width is as good as none: an end that is bounded by the other one loses nothing."""

_NORMAL = Decimal("1e-300")

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
        ValueError: the text is no finite number, is longer than 200 characters, has an exponent
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
    """The number that a value of data is, exactly; None where it is none.

    Blanks around it and ratios such as ``1/2`` make it a word.
    """
    if not _NUMBER.fullmatch(text):
        return None
    try:
        return rational_from_text(text)
    except ValueError:
        return None


def float_up(value: Fraction | Decimal) -> float:
    """The smallest double that is not below ``value`` (or infinity); 0.0, not -0.0."""
    try:
        nearest = float(value)
    except OverflowError:
        nearest = math.inf if value > 0 else -math.inf
    if math.isinf(nearest):
        return nearest if nearest > 0 else -math.nextafter(math.inf, 0)
    exact = Decimal(nearest) if isinstance(value, Decimal) else Fraction(nearest)
    return (nearest if exact >= value else math.nextafter(nearest, math.inf)) + 0.0


def float_down(value: Fraction | Decimal) -> float:
    """The largest double that is not above ``value``; 0.0, not -0.0."""
    return -float_up(value.copy_negate() if isinstance(value, Decimal) else -value) + 0.0


def shortest_float(value: Fraction) -> float | None:
    """The double whose shortest decimal text is exactly ``value``, or None if there is none."""
    try:
        nearest = float(value)
    except OverflowError:
        return None
    return nearest if Fraction(repr(nearest)) == value else None


def exact_sqrt(value: Fraction) -> Fraction | None:
    """The square root of a rational that is the square of one, else None."""
    root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    return root if root * root == value else None


def decimal_text_up(value: Fraction, places: int) -> str:
    """``value`` in decimal notation with at most ``places`` decimals, rounded up.

    An exact short decimal stays as it is (10.24 is ``10.24``); anything else has all its places.
    """
    scaled = value * 10**places
    digits = -((-scaled.numerator) // scaled.denominator)
    sign = "-" if digits < 0 else ""
    whole, rest = divmod(abs(digits), 10**places)
    decimals = f"{rest:0{places}d}"
    if scaled.denominator == 1:
        decimals = decimals.rstrip("0")
    return f"{sign}{whole}" + (f".{decimals}" if decimals else "")


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


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval of decimals that contains one real number.

    Arithmetic encloses: the result of an operation contains the operation's value for every
    choice of points in its operands.
    """

    low: Decimal
    high: Decimal

    @classmethod
    def of(cls, value: Fraction | int | Decimal) -> Interval:
        """The tightest enclosure of an exact number."""
        if isinstance(value, Decimal):
            return cls(_DOWN.plus(value), _UP.plus(value))
        numerator, denominator = Decimal(value.numerator), Decimal(value.denominator)
        return cls(_DOWN.divide(numerator, denominator), _UP.divide(numerator, denominator))

    @classmethod
    def hull(cls, low: Interval, high: Interval) -> Interval:
        """From the lower end of one enclosure to the upper end of another."""
        return cls(low.low, high.high)

    @property
    def lower_rational(self) -> Fraction:
        """A rational that is not above the number: the lower bound, if that has few digits.

        A bound next to 0, whose exact rational may have more digits than fit in memory, goes
        outward to a double.
        """
        return Fraction(self.low if self.low.copy_abs() > _NORMAL else float_down(self.low))

    @property
    def upper_rational(self) -> Fraction:
        """A rational that is not below the number, likewise."""
        return Fraction(self.high if self.high.copy_abs() > _NORMAL else float_up(self.high))

    def __add__(self, other: Interval) -> Interval:
        return Interval(_DOWN.add(self.low, other.low), _UP.add(self.high, other.high))

    def __sub__(self, other: Interval) -> Interval:
        return Interval(_DOWN.subtract(self.low, other.high), _UP.subtract(self.high, other.low))

    def __neg__(self) -> Interval:
        return Interval(self.high.copy_negate(), self.low.copy_negate())

    def __mul__(self, other: Interval) -> Interval:
        if self.low >= 0 and other.low >= 0:
            return Interval(
                _DOWN.multiply(self.low, other.low), _UP.multiply(self.high, other.high)
            )
        pairs = [(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(
            min(_DOWN.multiply(a, b) for a, b in pairs), max(_UP.multiply(a, b) for a, b in pairs)
        )

    def __truediv__(self, other: Interval) -> Interval:
        if other.low <= 0 <= other.high:
            raise ZeroDivisionError("division by an interval that contains zero")
        if self.low >= 0 and other.low > 0:
            return Interval(_DOWN.divide(self.low, other.high), _UP.divide(self.high, other.low))
        pairs = [(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(
            min(_DOWN.divide(a, b) for a, b in pairs), max(_UP.divide(a, b) for a, b in pairs)
        )

    def exp(self) -> Interval:
        """The exponential. ``decimal`` rounds it to nearest; one unit outward makes it a bound.

        The upper end of a narrow interval follows from the lower one: e^w <= 1 + w + w^2.
        """
        nearest = _NEAR.exp(self.low)
        low, high = max(_DOWN.next_minus(nearest), Decimal(0)), _UP.next_plus(nearest)
        width = _UP.subtract(self.high, self.low)
        if width > _NARROW:
            high = _UP.next_plus(_NEAR.exp(self.high))
        elif width:
            growth = _UP.add(Decimal(1), _UP.add(width, _UP.multiply(width, width)))
            high = _UP.multiply(high, growth)
        return Interval(low, high)

    def ln(self) -> Interval:
        """The natural logarithm of a positive interval, likewise: ln(a + w) <= ln(a) + w / a.

        ln 1 is 0, exactly: the neighbors of 0 among decimals have quadrillions of digits.
        """
        nearest = _NEAR.ln(self.low)
        low, high = _outward(nearest)
        width = _UP.subtract(self.high, self.low)
        if width > _UP.multiply(_NARROW, self.low):
            high = _outward(_NEAR.ln(self.high))[1]
        elif width:
            high = _UP.add(high, _UP.divide(width, self.low))
        return Interval(low, high)

    def sqrt(self) -> Interval:
        """The square root; a lower end below zero counts as zero."""
        if self.high == 0:
            return ZERO
        low = _NEAR.sqrt(max(self.low, Decimal(0)))
        return Interval(
            max(_DOWN.next_minus(low), Decimal(0)), _UP.next_plus(_NEAR.sqrt(self.high))
        )

    def clip(self, low: int, high: int) -> Interval:
        """The part between two known limits of the true value."""
        return Interval(
            min(max(self.low, Decimal(low)), Decimal(high)),
            max(min(self.high, Decimal(high)), Decimal(low)),
        )


def nonnegative_ends(value: Interval) -> tuple[Fraction, Fraction]:
    """Both bounds of an enclosure of a number that is at least 0, as rationals rounded outward."""
    kept = Interval(max(value.low, Decimal(0)), max(value.high, Decimal(0)))
    return kept.lower_rational, kept.upper_rational


def _outward(nearest: Decimal) -> tuple[Decimal, Decimal]:
    """The neighbors of a number that was rounded to nearest; 0, which is exact, is its own."""
    if not nearest:
        return nearest, nearest
    return _DOWN.next_minus(nearest), _UP.next_plus(nearest)


ZERO = Interval.of(0)
ONE = Interval.of(1)
HALF = Interval.of(Fraction(1, 2))
TWO = Interval.of(2)
_PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")
SQRT_TWO_PI = (TWO * Interval(_DOWN.plus(_PI), _UP.plus(_PI))).sqrt()
