"""What a reading of a(t) rests on: two tables and the record that changes between them."""

from __future__ import annotations

from dataclasses import dataclass

from semiaudit.universe.system import Table


@dataclass(frozen=True, slots=True)
class Found:
    """One reading and the datasets that show it.

    Attributes:
        value: a(t) under this reading, over the tables given.
        start, end: the tables of X and Y; None where the value is 0.
        classes: the classes of x and y; equal where x only changes inside its class.
    """

    value: int
    start: Table | None = None
    end: Table | None = None
    classes: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Ends:
    """lower <= a reading of a(t) <= upper, with the datasets that show the lower end."""

    lower: Found
    upper: int | None
