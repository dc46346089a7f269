"""A figure before it is drawn: curves or dots with their axes, in plain numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from semiaudit.frozen import dataclass
from semiaudit.model.bound import Bound

Role = Literal["leading", "reference", ""]
"""The emphasis of a series: the effective guarantee, the advertised one, or none."""


@dataclass(frozen=True, slots=True)
class Series:
    """The points of one curve, or dots of one kind.

    Attributes:
        name: is next to the curve; of dots, after each label.
        points: (across, up), ascending, to be joined by straight lines; of dots, across is the
            place of a category, from 0.
        labels: for each dot its number as a report prints it; else empty.
        certified: the certified points of a curve, for a table.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    labels: tuple[str, ...] = ()
    role: Role = ""
    certified: tuple[tuple[Fraction, Bound], ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """One pair of axes.

    Attributes:
        name: a word, for files and for choosing it.
        title, across, up: above the figure and next to its axes; ``up`` is the name of the numbers
            of dots, which have a horizontal axis.
        logarithmic: the axes with a logarithmic scale, of ``x`` and ``y``.
        categories: the names of the rows of dots; without any, the series are curves.
        end: the least end of the axis of dots.
        note: sentences below it, in lines; may be empty.
        unit_square: both axes run from 0 to 1.
    """

    name: str
    title: str
    across: str
    up: str
    series: tuple[Series, ...]
    logarithmic: frozenset[str] = frozenset()
    categories: tuple[str, ...] = ()
    end: float = 0.0
    note: str = ""
    unit_square: bool = False
