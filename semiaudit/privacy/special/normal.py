"""The standard normal distribution function, enclosed."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from semiaudit.numeric.intervals import HALF, ONE, SQRT_TWO_PI, TWO, ZERO, Interval
from semiaudit.numeric.rationals import float_up

_SERIES_LIMIT = Decimal(8)
"""Up to here the series is used; above it the continued fraction, which is slow near 0."""
_FRACTION_DEPTH = 120
"""Levels of the continued fraction: beyond 8, they enclose it to 40 digits."""
_SERIES_BITS = 300
"""Bits of the integers of the series and the fraction: 40 digits, and room for the errors."""
_SERIES_DIGITS = 206
"""The series ends at a term that is smaller than the sum by this many bits (62 decimals)."""
_TINY = Decimal("1e-100")
"""For a smaller x, 1/2 and 1/2 - x enclose the tail, because the density is below 1."""
_NARROW = Decimal("1e-45")
"""An interval narrower than this costs one tail instead of two, and loses no digits."""
_ZERO = Decimal(0)
_FLAT = 10.0**7
"""For larger x, the tail is below the density here, which is far below the smallest double."""
_MEDIAN = Fraction(1, 2)
_LEAST_MASS = Fraction(1, 10**300)
"""Smaller masses are not doubles for which a quantile can be estimated."""
_LARGEST_QUANTILE = 40.0
"""The largest quantile of a mass that is a double: its tail is below 1e-300."""
_BISECTIONS = 80
"""Bisection steps after which a double does not change."""
_NEAR_MEDIAN = 1e-3
"""Closer to the median, the quantile is computed by its series, because bisection cancels."""
_LEAST_STEP = 1e-300
"""The first move of a quantile of 0; others move by one unit in the last place."""
_STRIDE = 8
"""The factor by which each further move is longer, if one is not enough."""


def upper_tail(x: Interval) -> Interval:
    """Return 1 - Phi(x), enclosed with a relative width of about 1e-40.

    Near zero by the series 1/2 - phi(x) sum x^(2n+1)/(2n+1)!!, whose terms are positive and whose
    rest is below a geometric one; beyond 8 by the continued fraction of Mills' ratio with an
    enclosed tail.

    The density is at most phi(a) <= (a + 1) (1 - Phi(a)) beyond an a >= 0 (Birnbaum 1942), and
    everywhere below the tail of an a < 0. So the lower bound of a narrow interval follows from the
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
    """Return an enclosure of the point above which the mass ``tail`` in (0, 1) lies.

    Newton's method on the logarithm finds a center; both bounds are then certified.
    """
    if tail > Fraction(1, 2):
        return -upper_quantile(1 - tail)
    target = Interval.of(tail)
    log_target = target.ln()
    point = Interval.of(Fraction(quantile_estimate(float(tail))))
    for _ in range(2):
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
    """Return a close double at or above the point above which the mass ``tail`` in (0, 1) lies.

    Several times as fast as :func:`upper_quantile`: a float is moved up and certified by one tail
    or a few. For masses beyond the doubles, e^(-z^2/2) and 37 are used, whose tail exceeds 1e-300.
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
    near = flat if gap < _NEAR_MEDIAN else quantile_estimate(float(mass)) + side * 3e-16
    near = max(near * (1 + side * 1e-15), 0.0)
    step = max(math.ulp(near), _LEAST_STEP)
    # For any estimate, the returned double is one whose tail was enclosed.
    while True:
        enclosed = upper_tail(Interval.of(Decimal(near)))
        if enclosed.lower_rational >= mass if mirrored else enclosed.upper_rational <= mass:
            return side * Fraction(near)
        near, step = max(near + side * step, 0.0), _STRIDE * step


def quantile_estimate(tail: float) -> float:
    """Estimate the quantile in floats, by bisection."""
    low, high = 0.0, _LARGEST_QUANTILE
    for _ in range(_BISECTIONS):
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
    """Return the sum of T_n = x^(2n+1)/(2n+1)!!

    for x in (0, 8], in multiples of 2^-bits, rounded down.

    Integers are some ten times as fast as directed decimals; ``bits`` leaves about 300 of them.
    In these units x is short of at most 1 and x^2 of 2 x + 1, so a term adds an error of at most
    T_n (2 x + 1) / odd + 1 + 1 / odd to what it has from the one before. Errors grow as the terms
    do, in all by at most sum T_n / x <= e^(x^2 / 2) < 2^47; from x = 1 on the first part comes to
    3 of the sum over x, below 1 it is at most 1. So N terms are short of 5 N 2^47.
    """
    numerator, denominator = x.as_integer_ratio()
    bits = _SERIES_BITS + max(denominator.bit_length() - numerator.bit_length(), 0)
    term = (numerator << bits) // denominator
    square = term * term >> bits
    total, odd = term, 1
    flat = 2 * (square >> bits) + 4
    while odd <= flat or term > (total >> _SERIES_DIGITS) + 2:
        odd += 2
        term = (term * square >> bits) // odd
        total += term
    # From here on, every term is less than half of the previous one: the rest is below this one.
    short = 5 * odd << 47
    unit = 1 << bits
    return Interval.hull(
        Interval.of(Fraction(total, unit)), Interval.of(Fraction(total + term + 2 * short, unit))
    )


def _mills_ratio(x: Decimal) -> Interval:
    """Return 1 / (x + 1/(x + 2/(x + ...))) for x > 8, with its tail between x and x + depth/x."""
    numerator, denominator = x.as_integer_ratio()
    bits = _SERIES_BITS
    point = (numerator << bits) // denominator
    low, high, one = point, point + 1 + _FRACTION_DEPTH * (1 << bits) // 8, 1 << 2 * bits
    for n in range(_FRACTION_DEPTH - 1, 0, -1):
        low, high = point + n * one // high, point + 2 + n * one // low
    return Interval.hull(
        Interval.of(Fraction(1 << bits, high)), Interval.of(Fraction(1 << bits, low))
    )
