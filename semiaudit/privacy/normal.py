"""The standard normal distribution function, enclosed."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from semiaudit.numeric import HALF, ONE, SQRT_TWO_PI, TWO, ZERO, Interval

_SERIES_LIMIT = Decimal(8)
_FRACTION_DEPTH = 120
_TINY = Decimal("1e-100")
_FLAT = 10.0**7


def upper_tail(x: Interval) -> Interval:
    """1 - Phi(x), enclosed with a relative width of about 1e-40.

    Near zero by the series 1/2 - phi(x) sum x^(2n+1)/(2n+1)!!, whose terms are positive and whose
    rest is below a geometric one; beyond 8 by the continued fraction of Mills' ratio with an
    enclosed tail.
    """
    low = _upper_tail_at(x.high)
    high = low if x.low == x.high else _upper_tail_at(x.low)
    return Interval.hull(low, high)


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
        return (HALF - _density(point) * _series(point)).clip(0, 1)
    return _density(point) * _mills_ratio(point)


def _density(x: Interval) -> Interval:
    return (-(x * x) / TWO).exp() / SQRT_TWO_PI


def _series(x: Interval) -> Interval:
    square = x * x
    term, total, odd = x, x, 1
    while True:
        odd += 2
        term = term * square / Interval.of(odd)
        total = total + term
        ratio = square.high / (odd + 2)
        if ratio < Fraction(1, 2) and term.high <= total.low * Decimal("1e-62"):
            return Interval.hull(total, total + term)


def _mills_ratio(x: Interval) -> Interval:
    tail = Interval.hull(x, x + Interval.of(_FRACTION_DEPTH) / x)
    for n in range(_FRACTION_DEPTH - 1, 0, -1):
        tail = x + Interval.of(n) / tail
    return ONE / tail
