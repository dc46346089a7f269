"""The advertised numbers beside the effective ones, and by which factor they grew."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from semiaudit.model.bound import Bound
from semiaudit.model.guarantee import ApproxPoint, Numbers
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.rationals import decimal_text_up, exact_sqrt, rational_text
from semiaudit.report.layout import Said
from semiaudit.report.numbers import bound_text

_PLACES = 3
_MANY = 10**6

_MEASURES: tuple[tuple[str, str, Callable[[Numbers], Bound | None]], ...] = (
    ("mu", "", lambda numbers: numbers.own_gdp),
    ("epsilon", " (delta 0)", lambda numbers: numbers.pure_dp),
    ("rho", "", lambda numbers: numbers.zcdp),
)
"""Measures by their gravity for a reader: one that says all there is to say comes first."""


def grown(nominal: Numbers, semi: Numbers, delta: Fraction | None) -> list[Said]:
    """The leading measure, and epsilon at a delta; empty where no number is known of either.

    Args:
        nominal: the advertised numbers. semi: the effective ones.
        delta: at which epsilon is told; None: at none.
    """
    said = [_leading(nominal, semi)]
    if delta:
        said.append(_epsilon(nominal, semi, delta))
    return [one for one in said if one is not None]


def _leading(nominal: Numbers, semi: Numbers) -> Said | None:
    """The first measure that both have, else the first that either has."""
    pairs = [(name, at, of(nominal), of(semi)) for name, at, of in _MEASURES]
    both = [pair for pair in pairs if _finite(pair[2]) and _finite(pair[3])]
    either = [pair for pair in pairs if pair[3] is not None or pair[2] is not None]
    for name, at, before, after in both or either:
        first = f"{_number(before)} advertised" if before else f"no {name} is advertised"
        second = f"{_number(after)} effective" if after else f"no effective {name} is known"
        factor = _factor(before, after)
        return Said(name, f"{first}, {second}{at}{factor and ': '}{factor}", "number")
    return None


def _epsilon(nominal: Numbers, semi: Numbers, delta: Fraction) -> Said | None:
    """Epsilon at a delta, each with the conversion that is the tightest for it."""
    before, after = _at(nominal, delta), _at(semi, delta)
    if before is None and after is None:
        return None
    conversions = [point.conversion if point else "" for point in (before, after)]
    ends = ["not known" if p is None else _number(p.epsilon) for p in (before, after)]
    at = f"at delta {rational_text(delta)}"
    if conversions[0] == conversions[1]:
        at += f" ({conversions[0]})"
    else:
        ends = [f"{e} ({c})" if c else e for e, c in zip(ends, conversions, strict=True)]
    factor = _factor(*(None if point is None else point.epsilon for point in (before, after)))
    told = f"{ends[0]} -> {ends[1]}, {factor}, {at}" if factor else f"{ends[0]} -> {ends[1]} {at}"
    return Said("epsilon", told, "number")


def _at(numbers: Numbers, delta: Fraction) -> ApproxPoint | None:
    return next((point for point in numbers.tightest if point.delta == delta), None)


def _finite(bound: Bound | None) -> bool:
    return bound is not None and not isinstance(bound.value, float)


def _number(bound: Bound) -> str:
    return bound_text(bound) if _finite(bound) else "infinite"


def _factor(before: Bound | None, after: Bound | None) -> str:
    """By which factor a certified number lies above another, in words; empty where by none."""
    if before is None or after is None or not (_finite(before) and _finite(after)):
        return ""
    factor = growth(before, after)
    if factor is None:
        return ""
    if factor == 1:
        return "the same"
    if factor < 1:
        return "less"
    text = decimal_text_up(factor, _PLACES) if factor < _MANY else rational_text(factor)
    return f"{text} times"


def growth(before: Bound, after: Bound) -> Fraction | None:
    """The second of two finite certified numbers over the first, from both before any rounding.

    Rounding: up; exact where both numbers, or their squares, are exact and the root is rational.

    Returns:
        None where the first is 0.
    """
    if before.squared is None and after.squared is None:
        first, second = Fraction(before.sharpest), Fraction(after.sharpest)
        return second / first if first else None
    first, second = _square(before), _square(after)
    if not first:
        return None
    root = exact_sqrt(second / first)
    if root is not None:
        return root
    high = Interval.of(second / first).sqrt().high
    return Fraction(high) if math.isfinite(high) else None


def _square(bound: Bound) -> Fraction:
    return bound.squared if bound.squared is not None else Fraction(bound.sharpest) ** 2
