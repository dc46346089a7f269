"""The arguments of the library: numbers that are read exactly, with checked ranges."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Protocol, TypeAlias

Number: TypeAlias = int | float | str | Fraction | Decimal
"""A number as in a spec: ``2``, ``1e-10``, ``"104/4099"``; a float counts as the shortest decimal
that names it."""


class Array(Protocol):
    """An array or a series, of numpy, pandas, or Polars."""

    def tolist(self) -> object:
        """Return the numbers as a plain list."""


Numbers: TypeAlias = Sequence[float | Fraction | Decimal] | list[str] | tuple[str, ...] | Array
"""Several numbers, each as a ``Number``: a list, a tuple, a numpy array, or a series."""


def plain(values: Number | Numbers) -> Number | list[Number]:
    """Return the numbers of an array, a series, a list or a tuple; a single number unchanged."""
    if isinstance(values, int | float | str | Fraction | Decimal):
        return values
    if isinstance(values, Sequence):
        return list(values)
    found = values.tolist() if hasattr(values, "tolist") else None
    if isinstance(found, list | int | float | str | Fraction | Decimal):
        return found
    raise ValueError(f"{type(values).__name__} has no numbers; give a list or an array")


def several(values: Numbers, name: str) -> list[Number]:
    """Read several numbers.

    Raises:
        ValueError: it is a single number.
    """
    found = plain(values)
    if not isinstance(found, list):
        raise ValueError(f"{name}: {found} is a single number; give a list or an array")
    return found


def number(value: Number, name: str) -> Fraction:
    """Return the exact number of an argument.

    Raises:
        ValueError: it is not a number.
    """
    from semiaudit.spec.plain import exact_number

    try:
        return exact_number(value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def require_type(value: object, kind: type, remedy: str) -> None:
    """Refuse an object of another type.

    Raises:
        TypeError: the type is wrong; the message names both types.
    """
    if not isinstance(value, kind):
        raise TypeError(f"{type(value).__name__} is not a {kind.__name__}; {remedy}")


def nonnegative(value: Number, name: str) -> Fraction:
    """Read a number of 0 or more."""
    rational = number(value, name)
    if rational < 0:
        raise ValueError(f"{name}: {value} is out of range; give at least 0")
    return rational


def share(value: Number, name: str, *, below_one: bool = False) -> Fraction:
    """Read a number from 0 to 1."""
    rational = number(value, name)
    if not 0 <= rational <= 1 or (below_one and rational == 1):
        most = "below 1" if below_one else "at most 1"
        raise ValueError(f"{name}: {value} is out of range; give at least 0 and {most}")
    return rational


def share_inside(value: Number, name: str) -> Fraction:
    """Read a number strictly between 0 and 1."""
    rational = number(value, name)
    if not 0 < rational < 1:
        raise ValueError(f"{name}: {value} is out of range; give a number above 0 and below 1")
    return rational


def whole(value: int, name: str, least: int = 1) -> int:
    """Read a whole number that is at least ``least``."""
    rational = number(value, name)
    if rational.denominator != 1 or rational < least:
        raise ValueError(f"{name}: {value} is not a whole number of at least {least}; give one")
    return rational.numerator


LONGEST = 1_000_000
"""The largest time limit, in seconds."""


def seconds(value: float) -> float:
    """Read a time limit: seconds above 0, at most 1,000,000.

    Raises:
        ValueError: it is out of range, infinite, or NaN.
    """
    limit = number(value, "time_limit")
    if not 0 < limit <= LONGEST:
        raise ValueError(
            f"time_limit: {value} is out of range; give seconds above 0 and at most {LONGEST:,}"
        )
    return float(limit)
