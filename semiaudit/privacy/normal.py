"""The standard normal distribution function, enclosed."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from semiaudit.numeric import HALF, ONE, SQRT_TWO_PI, TWO, ZERO, Interval, float_up

_SERIES_LIMIT = Decimal(8)
_FRACTION_DEPTH = 120
_SERIES_BITS = 300
_SERIES_DIGITS = 206
_TINY = Decimal("1e-100")
_NARROW = Decimal("1e-45")
_ZERO = Decimal(0)
_FLAT = 10.0**7
_MEDIAN = Fraction(1, 2)
_LEAST_MASS = Fraction(1, 10**300)


def upper_tail(x: Interval) -> Interval:
    """1 - Phi(x), enclosed with a relative width of about 1e-40.

    Near zero by the series 1/2 - phi(x) sum x^(2n+1)/(2n+1)!!, whose terms are positive and whose
    rest is below a geometric one; beyond 8 by the continued fraction of Mills' ratio with an
    enclosed tail.

    The density is at most phi(a) <= (a + 1) (1 - Phi(a)) beyond an a >= 0 (Birnbaum 1942), and
    everywhere below the tail of an a < 0. So the lower end of a narrow interval follows from the
    upper one.
    """
    high = _upper_tail_at(x.low)
    if x.low == x.high:
        return high
    fall = (Interval.of(x.high) - Interval.of(x.low)) * (Interval.of(max(x.low, _ZERO)) + ONE)
    if fall.high > _NARROW:
        return Interval.hull(_upper_tail_at(x.high), high)
    return Interval.hull(high * (ONE - fall), high)


def upper_quantile(tail: Fraction) -> Interval:
    """An enclosure of the point above which the mass ``tail`` in (0, 1) lies.

    Newton's method on the logarithm finds a centre; both ends are then certified.
    """
    if tail > Fraction(1, 2):
        return -upper_quantile(1 - tail)
    target = Interval.of(tail)
    log_target = target.ln()
    point = Interval.of(Fraction(_estimate(float(tail))))
    for _ in range(3):
        value = upper_tail(point)
        step = (value.ln() - log_target) * value / _density(point)
        point = Interval.of((point + step).low)
    slack = Interval.of(max(point.low, Decimal(1)) * Decimal("1e-38"))
    low, high = point - slack, point + slack
    while upper_tail(low).low < target.high:
        slack = slack * TWO
        low = point - slack
    while upper_tail(high).high > target.low:
        slack = slack * TWO
        high = point + slack
    return Interval.hull(low, high)


def quantile_above(tail: Fraction) -> Fraction:
    """A double at or above the point above which the mass ``tail`` in (0, 1) lies, and close to it.

    Several times as fast as :func:`upper_quantile`: a float is moved up and certified by one tail
    or a few. Beyond the doubles e^(-z^2/2) and 37 stand in, whose tail exceeds 1e-300.
    """
    mirrored = tail > _MEDIAN
    mass = 1 - tail if mirrored else tail
    if mass < _LEAST_MASS:
        root = (TWO * -Interval.of(mass).ln()).sqrt()
        return Fraction(-37) if mirrored else Fraction(float_up(root.high))
    gap = float(_MEDIAN - mass)
    line = gap * math.sqrt(2 * math.pi)
    flat = line * (1 + line**2 / 6 + 7 * line**4 / 120)
    side = -1 if mirrored else 1
    near = flat if gap < 1e-3 else _estimate(float(mass)) + side * 3e-16
    near = max(near * (1 + side * 1e-15), 0.0)
    step = max(math.ulp(near), 1e-300)
    while True:
        found = upper_tail(Interval.of(Decimal(near)))
        if Fraction(found.low) >= mass if mirrored else Fraction(found.high) <= mass:
            return side * Fraction(near)
        near, step = max(near + side * step, 0.0), 8 * step


def _estimate(tail: float) -> float:
    """The quantile in floats, by bisection."""
    low, high = 0.0, 40.0
    for _ in range(80):
        middle = (low + high) / 2
        above = 0.5 * math.erfc(middle / math.sqrt(2)) > tail
        low, high = (middle, high) if above else (low, middle)
    return (low + high) / 2


def _upper_tail_at(x: Decimal) -> Interval:
    if x < 0:
        return ONE - _upper_tail_at(x.copy_negate())
    if x < _TINY:
        return Interval.hull(HALF - Interval.of(x), HALF)
    if x > _FLAT:
        return Interval.hull(ZERO, _density(Interval.of(Decimal(_FLAT))))
    point = Interval.of(x)
    if x <= _SERIES_LIMIT:
        return (HALF - _density(point) * _series(x)).clip(0, 1)
    return _density(point) * _mills_ratio(x)


def _density(x: Interval) -> Interval:
    return (-(x * x) / TWO).exp() / SQRT_TWO_PI


def _series(x: Decimal) -> Interval:
    """sum x^(2n+1)/(2n+1)!! for x > 0, in whole multiples of 2^-bits, rounded both ways.

    Integers are some ten times as fast as directed decimals; ``bits`` leaves about 300 of them.
    """
    numerator, denominator = x.as_integer_ratio()
    bits = _SERIES_BITS + max(denominator.bit_length() - numerator.bit_length(), 0)
    low = (numerator << bits) // denominator
    high = low + 1
    square_low, square_high = low * low >> bits, (high * high >> bits) + 1
    total_low, total_high, odd = low, high, 1
    flat = 2 * (square_high >> bits) + 2
    while True:
        odd += 2
        low = (low * square_low >> bits) // odd
        high = ((high * square_high >> bits) + 1) // odd + 1
        total_low, total_high = total_low + low, total_high + high
        # From here on every term is less than half of the one before: the rest is below this one.
        if odd > flat and high <= (total_low >> _SERIES_DIGITS) + 2:
            unit = Fraction(1, 1 << bits)
            return Interval.hull(
                Interval.of(total_low * unit), Interval.of((total_high + high + 2) * unit)
            )


def _mills_ratio(x: Decimal) -> Interval:
    """1 / (x + 1/(x + 2/(x + ...))) for x > 8, its tail between x and x + depth/x; as above."""
    numerator, denominator = x.as_integer_ratio()
    bits = _SERIES_BITS
    point = (numerator << bits) // denominator
    low, high, one = point, point + 1 + _FRACTION_DEPTH * (1 << bits) // 8, 1 << 2 * bits
    for n in range(_FRACTION_DEPTH - 1, 0, -1):
        low, high = point + n * one // high, point + 2 + n * one // low
    return Interval.hull(
        Interval.of(Fraction(1 << bits, high)), Interval.of(Fraction(1 << bits, low))
    )
