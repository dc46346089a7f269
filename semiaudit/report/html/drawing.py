"""The drawing of a plot: axes, curves as steps, and the mark of the shown place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from semiaudit.frozen import dataclass
from semiaudit.model.bound import Bound
from semiaudit.report.blocks.curves import Line
from semiaudit.report.html.markup import Attributes, Element, element
from semiaudit.report.html.scales import AxisScale

WIDTH, HEIGHT = 720, 430
LEFT, RIGHT, TOP, BOTTOM = 70, 14, 14, 70
STYLES = 8
"""The number of line styles that stay distinguishable, with and without color."""
SOLID = 2
"""The unbroken style, for the main curve of a page."""


@dataclass(frozen=True, slots=True)
class PlotSeries:
    """One curve.

    Attributes:
        style: from 0, below ``STYLES``.
        points: (place, number), by ascending places.
        leading: whether it is the main curve of the page.
        line: how the points are joined; empty for steps.
    """

    name: str
    style: int
    points: tuple[tuple[Fraction, Bound], ...]
    leading: bool = False
    line: Line = ()


@dataclass(frozen=True, slots=True)
class Plot:
    """The content of a plot.

    Attributes:
        name: the name of its place on the page.
        title, description: in words.
        across, up: the names of the axes.
        reading: the text before the number at a place.
        side: which bound the numbers are, in a sentence.
        held: which number holds between two places: the ``next`` one, or the one ``before``.
        at: the place that is shown first.
        logarithmic: whether the horizontal axis is logarithmic.
        unit_square: both axes go from 0 to 1.
        corner: whether linear axes of a unit square would show only a corner, so that logarithmic
            ones are shown first.
        signed: whether numbers can be negative, so that the vertical axis does not begin at 0.
    """

    name: str
    title: str
    description: str
    across: str
    up: str
    reading: str
    side: str
    held: Literal["next", "before"]
    at: Fraction
    logarithmic: bool = False
    unit_square: bool = False
    corner: bool = False
    signed: bool = False


@dataclass(frozen=True, slots=True)
class Axes:
    """The axes of a plot: their common name, and both scales."""

    name: str
    across: AxisScale
    up: AxisScale

    def x(self, place: Fraction) -> float | None:
        """Return the position of a place; None if it is before the axis."""
        value = float(place)
        return None if value < self.across.low else self.across.place(value)

    def y(self, bound: Bound | None) -> float | None:
        """Return the height of a number; None if there is none, or if it is outside of the axis."""
        value = math.inf if bound is None else float(bound)
        if math.isinf(value) or value < self.up.low:
            return None
        return self.up.place(value)


Values = Sequence[Bound | None]


def drawing(
    plot: Plot,
    name: str,
    axes: Axes,
    series: Sequence[PlotSeries],
    values: dict[str, Values],
    places: Sequence[Fraction],
    chosen: int,
) -> Element:
    """Draw a plot on some axes as SVG.

    Args:
        name: of the drawing on the page.
        values: the values of each curve at every place.
        chosen: the index of the place that is shown first.
    """
    title, description = f"{name}-title", f"{name}-description"
    ranked = sorted(series, key=lambda one: not one.leading)
    paths = [
        element("path", {"class": class_of("line", one), "d": d})
        for one in ranked
        if (d := _path(one, values[one.name], places, axes, plot.held))
    ]
    x = axes.x(places[chosen])
    x = axes.across.begin if x is None else x
    rule: Attributes = {"class": "rule", "x1": x, "x2": x, "y1": TOP, "y2": HEIGHT - BOTTOM}
    dots = []
    for one in series:
        y = axes.y(values[one.name][chosen])
        shape: Attributes = {"class": class_of("dot", one), "cx": x, "cy": y or 0, "r": 5}
        hidden = {"display": "none"} if y is None else {}
        dots.append(element("circle", {**shape, **hidden}))
    box: Attributes = {"viewBox": f"0 0 {WIDTH} {HEIGHT}", "role": "img"}
    return element(
        "svg",
        {**box, "aria-labelledby": title, "aria-describedby": description},
        element("title", {"id": title}, f"{plot.title}{axes.name and f', {axes.name} axes'}"),
        element("desc", {"id": description}, plot.description),
        _mesh(plot, axes),
        paths,
        element("g", {"class": "cursor"}, element("line", rule), dots),
    )


def _mesh(plot: Plot, axes: Axes) -> Element:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    drawn = []
    for value, text in axes.across.marks():
        x = axes.across.place(value)
        drawn.append(element("line", {"class": "mesh", "x1": x, "x2": x, "y1": TOP, "y2": bottom}))
        drawn.append(element("text", {"x": x, "y": bottom + 32, "text-anchor": "middle"}, text))
    for value, text in axes.up.marks():
        y = axes.up.place(value)
        drawn.append(element("line", {"class": "mesh", "x1": LEFT, "x2": right, "y1": y, "y2": y}))
        drawn.append(element("text", {"x": LEFT - 8, "y": y + 5, "text-anchor": "end"}, text))
    if plot.unit_square:
        drawn.append(element("path", {"class": "even", "d": _even(axes)}))
    middle = (TOP + bottom) / 2
    turned: Attributes = {"x": 12, "y": middle, "transform": f"rotate(-90 12 {middle:g})"}
    centre: Attributes = {"text-anchor": "middle", "class": "axis"}
    below: Attributes = {"x": (LEFT + right) / 2, "y": HEIGHT - 8}
    drawn.append(element("text", {**centre, **below}, plot.across))
    drawn.append(element("text", {**centre, **turned}, plot.up))
    return element("g", {"aria-hidden": "true"}, drawn)


def _even(axes: Axes) -> str:
    """Draw the line of perfect privacy: errors that add up to 1."""
    low = axes.across.low
    rates = [low + (1 - low) * k / 64 for k in range(64)]
    if axes.across.logarithmic:
        rates = [*(low ** (1 - k / 64) for k in range(64)), *(1 - 0.1**k for k in range(1, 9))]
    points = [(rate, 1 - rate) for rate in sorted(rates) if 1 - rate >= axes.up.low]
    drawn = [f"{axes.across.place(x):g} {axes.up.place(y):g}" for x, y in points]
    return "M" + "L".join(drawn)


def _path(
    one: PlotSeries, values: Values, places: Sequence[Fraction], axes: Axes, held: str
) -> str:
    if not one.line:
        return _steps(values, places, axes, held)
    shown = [(axes.across.place(x), axes.up.place(y)) for x, y in one.line if x >= axes.across.low]
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in shown) if shown else ""


def _steps(values: Values, places: Sequence[Fraction], axes: Axes, held: str) -> str:
    """Return a path of steps; it ends where nothing finite is known, and continues after."""
    drawn: list[str] = []
    before = False
    for place, bound in zip(places, values, strict=True):
        x, y = axes.x(place), axes.y(bound)
        if x is None or y is None:
            before = False
            continue
        step = f"V{y:g}H{x:g}" if held == "next" else f"H{x:g}V{y:g}"
        drawn.append(step if before else f"M{x:g} {y:g}")
        before = True
    return "".join(drawn)


def class_of(kind: str, series: PlotSeries) -> str:
    """Return the class of a line or a dot: its style, and whether it is the main one."""
    return f"{kind} s{series.style}" + (" leading" if series.leading else "")
