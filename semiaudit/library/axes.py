"""The numbers of a figure on axes of matplotlib, which is imported only if it is used."""

from __future__ import annotations

import importlib.util
from importlib import import_module
from typing import TYPE_CHECKING

from semiaudit.errors import OutputError
from semiaudit.model.figure import Figure
from semiaudit.report.blocks.curves import on_logarithmic_axes
from semiaudit.report.figures.drawing import COLORS, looks_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw(figure: Figure, axes: Axes | None) -> Axes:
    """Draw the numbers of a figure on some axes; on those of a new figure with None.

    Raises:
        OutputError: matplotlib is not installed.
    """
    if axes is None:
        if importlib.util.find_spec("matplotlib") is None:
            raise OutputError("plot needs matplotlib; pip install matplotlib")
        axes = import_module("matplotlib.figure").Figure(layout="constrained").subplots()
    unit = figure.unit_square
    for series, look in zip(figure.series, looks_of(figure.series), strict=True):
        points = series.points
        if unit and figure.logarithmic:
            points = tuple((x, y) for x, y in on_logarithmic_axes(points) if x > 0 < y)
        xs, ys = zip(*points, strict=True)
        dashes = tuple(map(float, (look.dash or "1 0").split()))
        if figure.categories:
            axes.plot(ys, xs, "o", color=COLORS[look.color], label=series.name or None)
        else:
            axes.plot(
                xs,
                ys,
                color=COLORS[look.color],
                linewidth=look.width,
                dashes=[length / look.width for length in dashes],
                label=series.name,
            )
    if figure.categories:
        axes.set_yticks(range(len(figure.categories)), figure.categories)
        axes.invert_yaxis()
    for axis, set_scale in (("x", axes.set_xscale), ("y", axes.set_yscale)):
        if axis in figure.logarithmic:
            set_scale("log")
    axes.set_xlabel(figure.up if figure.categories else figure.across)
    axes.set_ylabel("" if figure.categories else figure.up)
    axes.set_title(figure.title, parse_math=False)
    if any(series.name for series in figure.series):
        axes.legend()
    return axes
