"""A reported number: its value, and on which side of the truth it stands."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from semiaudit.numeric import Interval, float_down, float_up

Side = Literal["exact", "upper", "lower"]


@dataclass(frozen=True, slots=True)
class Bound:
    """A number with the side it is certified on.

    Attributes:
        value: the exact rational, a double as the rational it is, or ``math.inf``.
        side: ``exact``; ``upper`` (the truth is not above it); ``lower`` (not below it).
        method: how it was obtained, in a word (``cks20``, ``bs16``, ``gaussian_exact``, ...).
        source: the result it rests on (paper and theorem).
    """

    value: Fraction | float
    side: Side
    method: str
    source: str

    def __post_init__(self) -> None:
        if isinstance(self.value, float) and not math.isinf(self.value):
            raise ValueError("a finite bound is a Fraction")


def exact(value: Fraction | int, method: str, source: str) -> Bound:
    """A number that was declared, or is the least (or largest) one that holds, unrounded."""
    return Bound(Fraction(value), "exact", method, source)


def known(value: Fraction, method: str, source: str, *, exact: bool) -> Bound:
    """A rational as it is: exact, or an upper bound."""
    return Bound(value, "exact" if exact else "upper", method, source)


def upper(value: Interval | Decimal | Fraction | float, method: str, source: str) -> Bound:
    """A certified upper bound, rounded up to a double."""
    return Bound(_double(value, up=True), "upper", method, source)


def lower(value: Interval | Decimal | Fraction | float, method: str, source: str) -> Bound:
    """A certified lower bound, rounded down to a double."""
    return Bound(_double(value, up=False), "lower", method, source)


def _double(value: Interval | Decimal | Fraction | float, *, up: bool) -> Fraction | float:
    if isinstance(value, Interval):
        value = value.high if up else value.low
    if isinstance(value, float):
        return value if math.isinf(value) else Fraction(value)
    rounded = float_up(value) if up else float_down(value)
    return rounded if math.isinf(rounded) else Fraction(rounded)
