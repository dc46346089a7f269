"""A figure before it is drawn: curves or bars with their axes, in plain numbers."""

from __future__ import annotations

from typing import Literal

from semiaudit.frozen import dataclass

Shape = Literal["line", "marks", "bars"]
"""The form of a series: lines through its points; marks alone; or bars, one for each category."""


@dataclass(frozen=True, slots=True)
class Series:
    """The points of one entry of the legend.

    Attributes:
        points: (across, up), ascending; of bars, across is the place of a category, from 0.
        shape: how the points are joined.
        labels: for each bar its number as a report prints it; else empty.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    shape: Shape = "line"
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """One pair of axes.

    Attributes:
        name: a word, for files and for choosing it.
        title, across, up: above the figure and next to its axes.
        logarithmic: the axes with a logarithmic scale, of ``x`` and ``y``.
        categories: of bars, in the order of their places; each in lines.
        note: sentences below it, in lines; may be empty.
        unit_square: both axes run from 0 to 1.
        counts: what is drawn upwards are whole numbers.
        horizontal: bars lie on their sides, with the names of the categories at their left.
        formulas: the names of both axes for a paper, with formulas in dollar signs; empty if
            they are those of ``across`` and ``up``.
    """

    name: str
    title: str
    across: str
    up: str
    series: tuple[Series, ...]
    logarithmic: frozenset[str] = frozenset()
    categories: tuple[tuple[str, ...], ...] = ()
    note: str = ""
    unit_square: bool = False
    counts: bool = False
    horizontal: bool = False
    formulas: tuple[str, str] = ("", "")
