"""Certified enclosures of transcendental functions.

An :class:`Interval` is a pair of 60-digit decimals that encloses the true value: every operation
rounds its lower bound down and its upper bound up, so an enclosure never loses the truth.

Exponentials and logarithms are those of :mod:`decimal`, rounded to nearest, at a fraction of the
time: in whole multiples of 2^-256 with a bound on their error. If these leave a digit open, or if
an argument is out of their range, ``decimal`` is asked.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import lru_cache

from semiaudit.frozen import dataclass
from semiaudit.numeric.rationals import float_down, float_up

DIGITS = 60
_EMAX = 10**15
_DOWN = Context(prec=DIGITS, rounding=ROUND_FLOOR, Emax=_EMAX, Emin=-_EMAX)
_UP = Context(prec=DIGITS, rounding=ROUND_CEILING, Emax=_EMAX, Emin=-_EMAX)
_NEAR = Context(prec=DIGITS, rounding=ROUND_HALF_EVEN, Emax=_EMAX, Emin=-_EMAX)

_NARROW = Decimal("1e-45")
"""Widths below this are negligible: a bound may be computed from the other bound without loss."""

_NORMAL = Decimal("1e-300")

_LONG = Context(prec=100, rounding=ROUND_FLOOR, Emax=_EMAX, Emin=-_EMAX)
_WHOLE = Context(prec=400, rounding=ROUND_FLOOR, Emax=_EMAX, Emin=-_EMAX)

_BITS = 256
_UNIT = 1 << _BITS
_UNIT_AS_DECIMAL = Decimal(_UNIT)
_LN_TWO = int(_LONG.multiply(_LONG.ln(Decimal(2)), _UNIT_AS_DECIMAL))
_LOG_10_OF_E = math.log10(math.e)

_INDEX_BITS = 8
"""Bits of an exponent whose power is in the first table; equally many are in the second one."""
_FIRST, _SECOND = _BITS - _INDEX_BITS, _BITS - 2 * _INDEX_BITS

_TERMS = 15
"""The remainder of an exponent is below 2^-16: its 16th power, over 16!, is below 2^-300."""
_INVERSE_FACTORIALS = [_UNIT // math.factorial(n) for n in range(_TERMS, -1, -1)]

_ERROR = 1 << 20
"""The largest error of a power or a logarithm, in units of 2^-256.

A reduced exponent is off by 1 unit, and by 1 more for each ln 2 taken from it, at most 1,100 times;
each of the terms, products, and powers from the tables by less than 4 more.
"""

_LEAST_EXPONENT, _LARGEST_EXPONENT = Decimal("1e-3"), Decimal(700)
"""Exponents whose powers are found in whole numbers; ``decimal`` is as fast for smaller ones."""
_LEAST_ARGUMENT, _LARGEST_ARGUMENT = Decimal("1e-290"), Decimal("1e290")
"""Arguments whose logarithms are found in whole numbers."""
_LEAST_LOGARITHM = 1e-6
"""A logarithm closer to 0 has too few bits among multiples of 2^-256."""


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
        """Return the interval from the lower bound of ``low`` to the upper bound of ``high``."""
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
        """An exact rational that is not below the number."""
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
        """The exponential. It is rounded to nearest; one unit outward makes it a bound.

        The upper bound of a narrow interval follows from the lower one: e^w <= 1 + w + w^2.
        """
        nearest = exp_nearest(self.low)
        low, high = max(_DOWN.next_minus(nearest), Decimal(0)), _UP.next_plus(nearest)
        width = _UP.subtract(self.high, self.low)
        if width > _NARROW:
            high = _UP.next_plus(exp_nearest(self.high))
        elif width:
            growth = _UP.add(Decimal(1), _UP.add(width, _UP.multiply(width, width)))
            high = _UP.multiply(high, growth)
        return Interval(low, high)

    def ln(self) -> Interval:
        """The natural logarithm of a positive interval. A narrow one uses ln(a + w) <= ln(a) + w /
        a.

        ln 1 is 0, exactly: the neighbors of 0 among decimals have quadrillions of digits.
        """
        nearest = ln_nearest(self.low)
        low, high = _outward(nearest)
        width = _UP.subtract(self.high, self.low)
        if width > _UP.multiply(_NARROW, self.low):
            high = _outward(ln_nearest(self.high))[1]
        elif width:
            high = _UP.add(high, _UP.divide(width, self.low))
        return Interval(low, high)

    def sqrt(self) -> Interval:
        """The square root; a lower bound below zero counts as zero."""
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
    clipped = Interval(max(value.low, Decimal(0)), max(value.high, Decimal(0)))
    return clipped.lower_rational, clipped.upper_rational


def _outward(nearest: Decimal) -> tuple[Decimal, Decimal]:
    """The neighbors of a number that was rounded to nearest; 0, which is exact, is its own."""
    if not nearest:
        return nearest, nearest
    return _DOWN.next_minus(nearest), _UP.next_plus(nearest)


def exp_nearest(value: Decimal) -> Decimal:
    """e^value at 60 digits, rounded to nearest."""
    if _LEAST_EXPONENT < value.copy_abs() < _LARGEST_EXPONENT:
        power, twos = _power(int(_WHOLE.multiply(value, _UNIT_AS_DECIMAL)))
        rounded = _rounded(power, _BITS - twos, math.floor(float(value) * _LOG_10_OF_E))
        if rounded is not None:
            return rounded
    return _NEAR.exp(value)


def ln_nearest(value: Decimal) -> Decimal:
    """The natural logarithm of a positive decimal at 60 digits, rounded to nearest."""
    if _LEAST_ARGUMENT < value < _LARGEST_ARGUMENT:
        about = math.log(float(value))
        if abs(about) > _LEAST_LOGARITHM:
            logarithm = _logarithm(value, about)
            rounded = _rounded(abs(logarithm), _BITS, math.floor(math.log10(abs(about))))
            if rounded is not None:
                return rounded if logarithm > 0 else rounded.copy_negate()
    return _NEAR.ln(value)


def _power(exponent: int) -> tuple[int, int]:
    """(p, k) for an exponent in units of 2^-256, such that its power of e is p 2^(k - 256).

    The exponent is a multiple of ln 2, two indices of tables, and a rest for the exponential
    series. So p is in units of 2^-256 from 1 to 2, about.
    """
    twos, remainder = divmod(exponent, _LN_TWO)
    rest, series = remainder & ((1 << _SECOND) - 1), 0
    for coefficient in _INVERSE_FACTORIALS:
        series = (series * rest >> _BITS) + coefficient
    first = _listed_power(remainder >> _FIRST, _INDEX_BITS)
    second = _listed_power(remainder >> _SECOND & ((1 << _INDEX_BITS) - 1), 2 * _INDEX_BITS)
    return (first * second >> _BITS) * series >> _BITS, twos


@lru_cache(maxsize=2 << _INDEX_BITS)
def _listed_power(index: int, bits: int) -> int:
    """e^(index / 2^bits) in units of 2^-256."""
    exponent = _LONG.divide(Decimal(index), Decimal(1 << bits))
    return int(_WHOLE.multiply(_LONG.exp(exponent), _UNIT_AS_DECIMAL))


def _logarithm(value: Decimal, about: float) -> int:
    """ln(value) in units of 2^-256: y + ln(1 + t), where y is a double and 1 + t is value e^-y.

    Args:
        about: y, so close that t is below 2^-40, and t^7 / 7, which is left out, below 2^-280.
    """
    numerator, denominator = about.as_integer_ratio()
    near = (numerator << _BITS) // denominator
    power, twos = _power(-near)
    above, below = value.as_integer_ratio()
    product = above * power
    t = ((product << twos) if twos >= 0 else (product >> -twos)) // below - _UNIT
    series = 0
    for n in range(6, 0, -1):
        series = _UNIT // n - (series * t >> _BITS)
    return near + (series * t >> _BITS)


def _rounded(size: int, bits: int, exponent: int) -> Decimal | None:
    """size / 2^bits at 60 digits, rounded to nearest; None if its error leaves a digit open.

    Args:
        size: positive, and off by at most ``_ERROR``.
        bits: may be negative.
        exponent: that of the leading digit, off by at most 1.
    """
    for places in (DIGITS - 1 - exponent, DIGITS - exponent, DIGITS - 2 - exponent):
        scale, divisor = 10 ** max(places, 0) << max(-bits, 0), 10 ** max(-places, 0)
        divisor <<= max(bits, 0)
        digits, remainder = divmod(size * scale, divisor)
        if 10 ** (DIGITS - 1) <= digits < 10**DIGITS - 1:
            above_half = 2 * remainder - divisor
            if abs(above_half) <= 2 * _ERROR * scale:
                return None
            return _NEAR.scaleb(Decimal(digits + (above_half > 0)), -places)
    return None


ZERO = Interval.of(0)
ONE = Interval.of(1)
HALF = Interval.of(Fraction(1, 2))
TWO = Interval.of(2)
_PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")
SQRT_TWO_PI = (TWO * Interval(_DOWN.plus(_PI), _UP.plus(_PI))).sqrt()
