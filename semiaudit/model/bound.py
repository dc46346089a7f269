"""A reported number: its value, the side of its error, and why it may be less narrow than asked."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from dataclasses import field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Protocol, SupportsIndex, get_args

from semiaudit.frozen import dataclass
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.rationals import (
    exact_sqrt,
    float_down,
    float_up,
    rational_text,
    shortest_float,
)

Side = Literal["exact", "upper", "lower"]

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_TWO_BOUNDS = "their sides cannot show that; compare float(...) of both"

_MOST_DIGITS = 20
"""An exact number of more digits, as a decimal or a fraction, is rounded in print."""

_PRINTABLE = 400
"""Decimal exponents beyond it, which no limit has: as rationals they may have no end of digits."""


@dataclass(frozen=True, slots=True, repr=False)
class Bound:
    """A number with the side it is certified on; ``float`` of it stays on that side.

    A comparison with a number is true only if it is certified: an upper bound answers ``<`` and
    ``<=``, a lower one ``>`` and ``>=``, an exact one all of them. Others, and arithmetic, raise a
    TypeError that says what to write. Bounds of one side are sorted by their values: the ``max`` of
    upper bounds is one of the largest number, and of the numbers themselves, nothing is certified.

    Attributes:
        value: the exact rational, a double as the rational it is, or ``math.inf``.
        side: ``exact``; ``upper`` (the truth is not above it); ``lower`` (not below it).
        method: how it was obtained, in a word (``cks20``, ``bs16``, ``gaussian_exact``, ...).
        source: the result it rests on (paper and theorem).
        unrounded: the certified number that ``value`` is rounded from, where it was rounded.
        squared: the square of the true number, where that is a root and its square a rational.
    """

    value: Fraction | float
    side: Side
    method: str
    source: str
    unrounded: Fraction | None = field(default=None, compare=False)
    squared: Fraction | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.value, float) and not math.isinf(self.value):
            raise ValueError("a finite bound is a Fraction")

    def __float__(self) -> float:
        """The double whose text is the number; else the next one on the safe side."""
        if isinstance(self.value, float):
            return self.value
        double = shortest_float(self.value)
        if double is not None:
            return double
        return float_down(self.value) if self.side == "lower" else float_up(self.value)

    def __repr__(self) -> str:
        """Six decimals, rounded to the safe side, with the side and the method.

        An exact number is printed whole, as a fraction if need be; one of many digits is marked.
        """
        text, kind = self._printed()
        return f"{text} ({kind}, {self.method})"

    def as_dict(self) -> dict[str, str | float]:
        """Return plain data for JSON: the double as ``value``, or ``"inf"``, and what it is."""
        value = float(self)
        return {
            "value": value if math.isfinite(value) else str(value),
            "side": self.side,
            "method": self.method,
            "source": self.source,
        }

    def _repr_html_(self) -> str:
        text, kind = self._printed()
        sign = {"exact": "=", "lower": "≥"}.get(kind, "≤")
        return f"{sign} <b>{text}</b> <small>({escape(f'{kind}, {self.method}')})</small>"

    def __format__(self, spec: str) -> str:
        """Format the number like a float, but rounded to the safe side: ``f"{bound:.3f}"``.

        An exact number is rounded up. A format without a type, such as ``>30``, is one of the text.
        """
        if not spec.endswith(tuple("eEfFgG%")):
            return format(str(self), spec)
        if not self.value or isinstance(self.value, float):
            return format(float(self.value), spec)
        spec = spec if "." in spec else f"{spec[:-1]}.6{spec[-1]}"  # the digits of a float
        rounding = ROUND_FLOOR if self.side == "lower" else ROUND_CEILING
        with localcontext(prec=_PRINTABLE, rounding=rounding):
            return format(Decimal(self.value.numerator) / self.value.denominator, spec)

    def _printed(self) -> tuple[str, str]:
        if isinstance(self.value, float):
            return str(self.value), self.side
        text = rational_text(self.value, up=self.side != "lower")
        if self.side != "exact" or Fraction(text) == self.value:
            return text, self.side
        with localcontext(prec=_MOST_DIGITS):
            decimal = Decimal(self.value.numerator) / self.value.denominator
        whole = str(decimal).lower() if Fraction(decimal) == self.value else str(self.value)
        return (whole, "exact") if len(whole) <= _MOST_DIGITS else (text, "exact, rounded up")

    def __lt__(self, other: object) -> bool:
        return self._certifies(operator.lt, "<", other)

    def __le__(self, other: object) -> bool:
        if self.squared is not None and isinstance(other, int | Fraction):
            return self.within(Fraction(other))
        return self._certifies(operator.le, "<=", other)

    def __gt__(self, other: object) -> bool:
        return self._certifies(operator.gt, ">", other)

    def __ge__(self, other: object) -> bool:
        return self._certifies(operator.ge, ">=", other)

    def _certifies(self, compare: Callable[[Any, Any], bool], sign: str, other: object) -> bool:
        """Return whether a comparison is certified; TypeError if this side can never certify it."""
        side, opposite = ("upper", "lower") if sign.startswith("<") else ("lower", "upper")
        if isinstance(other, Bound):
            if (self.side, other.side) == (opposite, side):
                raise TypeError(f"{self!r} {sign} {other!r}: {_TWO_BOUNDS}")
            return compare(self.sharpest, other.sharpest)
        if isinstance(other, SupportsIndex):
            other = operator.index(other)
        if not isinstance(other, int | float | Fraction | Decimal):
            raise TypeError(f"{self!r} {sign} {other!r}: compare a bound with a number")
        if self.side == opposite:
            what = f"{self!r} cannot show that the number is {sign} {other}"
            raise TypeError(
                f"{what}: write `not bound {_OPPOSITE[sign]} {other}`, or compare float(bound)"
            )
        return compare(self.sharpest, Fraction(other) if math.isfinite(other) else float(other))

    def _refuse(self, *_: object) -> NoReturn:
        raise TypeError(
            "a Bound is certified on one side, which arithmetic may lose; use float(bound), which "
            'stays on that side, f"{bound:.3f}", which rounds to it, or bound.value, the exact '
            "rational"
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __neg__ = __abs__ = __round__ = _refuse

    @property
    def sharpest(self) -> Fraction | float:
        """The number before it was rounded to a double."""
        return self.value if self.unrounded is None else self.unrounded

    def within(self, limit: Fraction) -> bool:
        """Return whether the number is at most the limit, before any rounding for print."""
        if self.squared is not None:
            return limit >= 0 and self.squared <= limit * limit
        return self.sharpest <= limit


def exact(value: Fraction | int, method: str, source: str) -> Bound:
    """A number that was declared, or is the least (or largest) one that holds, unrounded."""
    return Bound(Fraction(value), "exact", method, source)


def known(value: Fraction, method: str, source: str, *, exact: bool) -> Bound:
    """A rational as it is: exact, or an upper bound."""
    return Bound(value, "exact" if exact else "upper", method, source)


def upper(value: Interval | Decimal | Fraction | float, method: str, source: str) -> Bound:
    """A certified upper bound, rounded up to a double."""
    return Bound(_double(value, up=True), "upper", method, source, _unrounded(value, up=True))


def upper_root(square: Fraction, root: Interval, method: str, source: str) -> Bound:
    """The root of a rational, rounded up to a double.

    Args:
        square: the rational. root: an enclosure of its root.
    """
    return replace(upper(root, method, source), squared=square)


def lower(value: Interval | Decimal | Fraction | float, method: str, source: str) -> Bound:
    """A certified lower bound, rounded down to a double."""
    return Bound(_double(value, up=False), "lower", method, source, _unrounded(value, up=False))


def _double(value: Interval | Decimal | Fraction | float, *, up: bool) -> Fraction | float:
    if isinstance(value, Interval):
        value = value.high if up else value.low
    if isinstance(value, float):
        return value if math.isinf(value) else Fraction(value)
    rounded = float_up(value) if up else float_down(value)
    return rounded if math.isinf(rounded) else Fraction(rounded)


def _unrounded(value: Interval | Decimal | Fraction | float, *, up: bool) -> Fraction | None:
    """The end itself as a rational; None if it is a double, or of no printable size."""
    if isinstance(value, Interval):
        value = value.high if up else value.low
    if isinstance(value, float):
        return None
    if isinstance(value, Decimal) and value and abs(value.adjusted()) > _PRINTABLE:
        return None
    return Fraction(value)


Cause = Literal["time", "work limit", "precision"]
"""``time``: a clock ended something, so that another run may print other numbers. ``work limit``: a
fixed limit, such as the points of the finest grid, in every run alike. ``precision``: doubles hold
no more digits, in every run alike."""

CAUSES: tuple[Cause, ...] = get_args(Cause)

Causes = tuple[Cause, ...]
"""Each cause once, in the order of ``CAUSES``; empty if everything is complete."""


class CanBeIncomplete(Protocol):
    """A result, or a part of one, of which some numbers can be wider than requested."""

    __slots__ = ()

    if TYPE_CHECKING:  # at run time, a field of this name would take it for its default

        @property
        def incomplete_because(self) -> Causes:
            """Return why some numbers are wider than requested; empty if none is."""
            ...

    @property
    def complete(self) -> bool:
        """Return whether every number is as narrow as requested."""
        return not self.incomplete_because


SENTENCES: dict[Cause, str] = {
    "time": "the time limit was reached",
    "work limit": "a work limit was reached",
    "precision": "the precision of floating-point numbers was reached",
}
"""The words for each cause in headings and findings."""

REMEDIES: dict[Cause, str] = {
    "time": "a longer --time-limit may give tighter numbers",
    "work limit": "every run prints these numbers; a larger --tolerance accepts them as complete",
    "precision": "every run prints these numbers; a larger --tolerance accepts them as complete",
}
"""The remedy for each cause."""


def joined(*groups: Iterable[Cause]) -> Causes:
    """All causes of several parts."""
    known = {cause for causes in groups for cause in causes}
    return tuple(cause for cause in CAUSES if cause in known)


def describe(causes: Causes) -> str:
    """Return the limits that were reached, in words; empty if everything is complete."""
    return ", ".join(SENTENCES[cause] for cause in causes)


def root_of(squared: Bound) -> Bound:
    """The square root of a bound, exact where it is rational, else rounded up."""
    if isinstance(squared.value, float):
        return squared
    root = exact_sqrt(squared.value)
    if root is not None:
        return replace(squared, value=root)
    return upper(Interval.of(squared.value).sqrt(), squared.method, squared.source)
