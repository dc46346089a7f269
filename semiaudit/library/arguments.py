"""The arguments of the library: numbers that are read exactly, with checked ranges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from semiaudit.spec.python_values import exact_number

if TYPE_CHECKING:
    from semiaudit.errors import Problem, SpecError

Number: TypeAlias = int | float | str | Fraction | Decimal
"""A number as in a spec: ``2``, ``1e-10``, ``"104/4099"``; a float counts as the shortest decimal
that names it."""


ROUNDED = Fraction(1, 10**12)
"""The relative tolerance of probabilities in floating point, by default."""

POINTS_OR_CURVE = "[(0, 1), (1/4, 1/4), (1, 0)], or a Curve such as guarantee.tradeoff(101)"
"""Points of a tradeoff function, as a message shows them."""

_PYTHON = {"true": "True", "false": "False", ".nan": "nan", ".inf": "inf", "-.inf": "-inf"}
"""Words that a spec and Python write differently, at the beginning of a message."""


class Array(Protocol):
    """An array or a series with one axis: of NumPy, pandas, Polars, Arrow, or another library."""

    def __array__(self) -> Any:
        """Return the numbers as an array of NumPy."""


class Table(Protocol):
    """A table of pandas, Polars, Arrow, Ibis, DuckDB, or another library with Arrow streams."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return the rows as an Arrow stream."""


Numbers: TypeAlias = Sequence[float | Fraction | Decimal] | list[str] | tuple[str, ...] | Array
"""Several numbers, each as a ``Number``: a list, a tuple, a numpy array, or a series."""


def plain(values: Number | Numbers) -> Number | list[Number]:
    """Return the numbers of an array, a series, a list or a tuple; a single number unchanged."""
    if isinstance(values, int | float | str | Fraction | Decimal):
        return values
    if isinstance(values, Sequence):
        return list(values)
    single_or_list: object = None
    if hasattr(values, "tolist"):
        single_or_list = values.tolist()
    elif isinstance(values, Iterable) and hasattr(values, "__array__"):  # a series of Polars
        single_or_list = list(values)
    if isinstance(single_or_list, list | int | float | str | Fraction | Decimal):
        return single_or_list
    raise ValueError(f"{type(values).__name__} has no numbers; give a list or an array")


def several(values: Numbers, name: str) -> list[Number]:
    """Read several numbers.

    Raises:
        ValueError: it is a single number.
    """
    listed = plain(values)
    if not isinstance(listed, list):
        raise ValueError(f"{name}: {listed} is a single number; give a list or an array")
    return listed


def number(value: Number, name: str) -> Fraction:
    """The number that an argument names.

    Raises:
        ValueError: it is not a number.
    """
    try:
        return exact_number(value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def error_of_arguments(error: SpecError, head: str) -> ValueError:
    """The problems of a section that was made of arguments, each with the name of its argument.

    Args:
        head: the place of the section in a spec.
    """
    return ValueError("\n".join(map(str, problems_of_arguments(error, head))))


def problems_of_arguments(error: SpecError, head: str, name: str = "") -> list[Problem]:
    """Problems in the words of Python, with arguments as their places.

    Args:
        head: the place of a section in a spec; problems elsewhere stay as they are.
        name: of the argument that is the section; empty if its keys are the arguments.
    """
    problems = []
    for problem in error.problems:
        if problem.path.startswith(head) and not problem.line:
            place = f"{name}{problem.path.removeprefix(head)}".removeprefix(".")
            word, space, remainder = problem.message.partition(" ")
            message = f"{_PYTHON.get(word, word)}{space}{remainder}"
            problem = replace(problem, file=place, path="", message=message)
        problems.append(problem)
    return problems


def rows_of(values: object, name: str, example: str) -> list[list[Any]]:
    """Read a list of lists, or of tuples, or an array with two axes.

    Args:
        example: of the argument, for the message.

    Raises:
        TypeError: it is none.
    """
    rows = items_of(values, name, example)
    return [items_of(row, f"{name}[{place}]", example) for place, row in enumerate(rows)]


def items_of(values: object, name: str, example: str) -> list[Any]:
    """Read a list, a tuple, or an array; otherwise as ``rows_of``."""
    if not isinstance(values, Iterable) or isinstance(values, str | Mapping):
        raise TypeError(f"{name}: {type(values).__name__} is not a list; give such as {example}")
    return list(values)


def require_type(value: object, kind: type, remedy: str, name: str = "") -> None:
    """Refuse an object of another type.

    Args:
        name: of the argument.

    Raises:
        TypeError: the type is wrong; the message names both types.
    """
    if not isinstance(value, kind):
        where = f"{name}: " if name else ""
        raise TypeError(f"{where}{type(value).__name__} is not a {kind.__name__}; {remedy}")


def nonnegative(value: Number, name: str) -> Fraction:
    """Read a number of 0 or more."""
    rational = number(value, name)
    if rational < 0:
        raise ValueError(f"{name}: {value} is out of range; give at least 0")
    return rational


def tolerance(laws: Sequence[Sequence[Number]], rtol: Number | None) -> Fraction | None:
    """The tolerance of probabilities: 1e-12 if floats are given that do not sum to 1."""
    if rtol is not None:
        return number(rtol, "rtol")
    floats = any(isinstance(share, float) for law in laws for share in law)
    sums = floats and [sum(number(share, "probabilities") for share in law) for law in laws]
    return ROUNDED if sums and any(total != 1 for total in sums) else None


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
