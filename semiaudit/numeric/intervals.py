"""Certified enclosures of transcendental functions.

An :class:`Interval` is a pair of 60-digit decimals that encloses the true value: every operation
rounds its lower bound down and its upper bound up, so an enclosure never loses the truth.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from semiaudit.frozen import dataclass
from semiaudit.numeric.rationals import float_down, float_up

DIGITS = 60
_EMAX = 10**15
_DOWN = Context(prec=DIGITS, rounding=ROUND_FLOOR, Emax=_EMAX, Emin=-_EMAX)
_UP = Context(prec=DIGITS, rounding=ROUND_CEILING, Emax=_EMAX, Emin=-_EMAX)
_NEAR = Context(prec=DIGITS, rounding=ROUND_HALF_EVEN, Emax=_EMAX, Emin=-_EMAX)

_NARROW = Decimal("1e-45")
"""Below it a width is as good as none: an end that is bounded by the other one loses nothing."""

_NORMAL = Decimal("1e-300")


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
        """From the lower bound of one enclosure to the upper bound of another."""
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
        """The exponential. ``decimal`` rounds it to nearest; one unit outward makes it a bound.

        The upper bound of a narrow interval follows from the lower one: e^w <= 1 + w + w^2.
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
        """The natural logarithm of a positive interval. A narrow one uses ln(a + w) <= ln(a) + w /
        a.

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
