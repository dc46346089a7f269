"""A plot of curves of certified points: drawn, read at a place, and told as a table.

Between two points a curve is drawn as a step, at the value of the one whose number is certified to
hold there too. So no line on a page is on the unsafe side of what was computed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from semiaudit.model.bound import Bound
from semiaudit.report.blocks.numbers import bound_text, rational_text
from semiaudit.report.html.blocks import scrolling
from semiaudit.report.html.markup import Attributes, Element, element
from semiaudit.report.html.scales import AxisScale, begin_of, up_to

WIDTH, HEIGHT = 720, 430
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 14, 14, 70
_LEAST, _LEAST_OF_ALL, _BELOW = 1e-9, 1e-100, 100
"""The least error on a logarithmic axis; the least one where a curve has less at the place that is
read; and how far the axis then goes on below that curve."""
STYLES = 8
"""Ways to draw a line that can be told apart, in colour and without."""
SOLID = 2
"""The one that is not broken, for the curve that a page is about."""


@dataclass(frozen=True, slots=True)
class PlotSeries:
    """One curve.

    Attributes:
        style: from 0, below ``STYLES``.
        points: (place, number), by ascending places.
        leading: it is what the page is about.
    """

    name: str
    style: int
    points: tuple[tuple[Fraction, Bound], ...]
    leading: bool = False


@dataclass(frozen=True, slots=True)
class Plot:
    """What a plot says.

    Attributes:
        name: of its place on the page.
        title, description: in words.
        across, up: what the axes are.
        reading: what is read at a place, before the number.
        side: which bound the numbers are, in a sentence.
        held: which number holds between two places: that of the ``next``, or of the one ``before``.
        at: where it is read before anybody looks.
        logarithmic: the axis across is.
        unit_square: both axes go from 0 to 1.
        corner: linear axes of a unit square would show a corner only, so that logarithmic ones are
            shown first.
        signed: numbers may be below 0, so that the axis up does not begin there.
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
    """How a plot is drawn: what its axes are called together, and both scales."""

    name: str
    across: AxisScale
    up: AxisScale

    def x(self, place: Fraction) -> float | None:
        """Where a place stands; None where it lies before the axis."""
        value = float(place)
        return None if value < self.across.low else self.across.place(value)

    def y(self, bound: Bound | None) -> float | None:
        """How high a number stands; None where there is none, or none that the axis reaches."""
        value = math.inf if bound is None else float(bound)
        if math.isinf(value) or value < self.up.low:
            return None
        return self.up.place(value)


def figure(plot: Plot, series: Sequence[PlotSeries], notes: Sequence[str] = ()) -> Element:
    """A plot, what is read at one place of it, and the table of all its points."""
    places = sorted({place for one in series for place, _ in one.points})
    values = {one.name: _values(one, places, plot.held) for one in series}
    chosen = min(range(len(places)), key=lambda place: abs(places[place] - plot.at))
    read = [column[chosen] for column in values.values()]
    every = _axes(plot, places, list(values.values()), read)
    shown = int(plot.corner and len(every) > 1)
    drawn = [
        element(
            "div",
            {"class": "drawing", "hidden": number != shown},
            _drawing(plot, f"{plot.name}-{number}", axes, series, values, places, chosen),
        )
        for number, axes in enumerate(every)
    ]
    return element(
        "figure",
        {
            "class": "plot",
            "data-plot": plot.name,
            "data-held": plot.held,
            "aria-labelledby": f"{plot.name}-title",
        },
        element("figcaption", {"id": f"{plot.name}-title"}, plot.title),
        _choice(plot, every, shown) if len(every) > 1 else [],
        drawn,
        _reading(plot, series, values, places, chosen),
        [element("p", {"class": "note"}, text) for text in notes],
        element(
            "details",
            {},
            element("summary", {}, f"All {len(places)} points as a table"),
            _table(plot, series, values, places, every),
        ),
    )


def _choice(plot: Plot, every: Sequence[Axes], shown: int) -> Element:
    """What a reader chooses the axes by; without the script there is nothing to choose."""
    radios = [
        element(
            "label",
            {},
            element("input", {"type": "radio", "name": f"{plot.name}-axes", "value": number,
                              "checked": number == shown}),
            f" {axes.name}",
        )
        for number, axes in enumerate(every)
    ]  # fmt: skip
    name = element("legend", {}, "axes")
    return element("fieldset", {"class": "axes-choice", "hidden": True}, name, radios)


Values = Sequence[Bound | None]


def _values(series: PlotSeries, places: Sequence[Fraction], held: str) -> Values:
    """What is certified at every place; None where nothing is."""
    values: list[Bound | None] = []
    known = dict(series.points)
    for place in reversed(places) if held == "next" else places:
        values.append(known.get(place, values[-1] if values else None))
    return values[::-1] if held == "next" else values


def _axes(
    plot: Plot, places: Sequence[Fraction], values: Sequence[Values], read: Values
) -> list[Axes]:
    """The ways to draw a plot: with even axes, and of errors with logarithmic ones too.

    Args:
        read: what is read before anybody looks; logarithmic axes have every curve there.
    """
    left, right, bottom = _LEFT, WIDTH - _RIGHT, HEIGHT - _BOTTOM
    known = [float(bound) for column in values for bound in column if bound is not None]
    if not plot.unit_square:
        across = AxisScale(float(places[0]), float(places[-1]), left, right, plot.logarithmic)
        high, low = up_to(known), 0.0
        if plot.signed:
            low = -up_to([-value for value in known])
        return [Axes("", across, AxisScale(low, high, bottom, _TOP))]
    least = AxisScale(begin_of(list(map(float, places)), _LEAST), 1.0, left, right, True)
    positive = [float(bound) for bound in read if bound is not None and float(bound) > 0]
    floor = begin_of(known, max(min([_LEAST, *(v / _BELOW for v in positive)]), _LEAST_OF_ALL))
    return [
        Axes("linear", AxisScale(0.0, 1.0, left, right), AxisScale(0.0, 1.0, bottom, _TOP)),
        Axes("logarithmic", least, AxisScale(floor, 1.0, bottom, _TOP, True)),
    ]


def _drawing(
    plot: Plot,
    name: str,
    axes: Axes,
    series: Sequence[PlotSeries],
    values: dict[str, Values],
    places: Sequence[Fraction],
    chosen: int,
) -> Element:
    title, description = f"{name}-drawn", f"{name}-told"
    ranked = sorted(series, key=lambda one: not one.leading)
    paths = [
        element("path", {"class": _class("line", one), "d": d})
        for one in ranked
        if (d := _steps(values[one.name], places, axes, plot.held))
    ]
    x = axes.x(places[chosen])
    x = axes.across.begin if x is None else x
    rule: Attributes = {"class": "rule", "x1": x, "x2": x, "y1": _TOP, "y2": HEIGHT - _BOTTOM}
    dots = []
    for one in series:
        y = axes.y(values[one.name][chosen])
        shape: Attributes = {"class": _class("dot", one), "cx": x, "cy": y or 0, "r": 5}
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
    """The axes with their marks and names, and the line of a release that tells nothing."""
    bottom, right = HEIGHT - _BOTTOM, WIDTH - _RIGHT
    drawn = []
    for value, text in axes.across.marks():
        x = axes.across.place(value)
        drawn.append(element("line", {"class": "mesh", "x1": x, "x2": x, "y1": _TOP, "y2": bottom}))
        drawn.append(element("text", {"x": x, "y": bottom + 32, "text-anchor": "middle"}, text))
    for value, text in axes.up.marks():
        y = axes.up.place(value)
        drawn.append(element("line", {"class": "mesh", "x1": _LEFT, "x2": right, "y1": y, "y2": y}))
        drawn.append(element("text", {"x": _LEFT - 8, "y": y + 5, "text-anchor": "end"}, text))
    if plot.unit_square:
        drawn.append(element("path", {"class": "even", "d": _even(axes)}))
    middle = (_TOP + bottom) / 2
    turned: Attributes = {"x": 12, "y": middle, "transform": f"rotate(-90 12 {middle:g})"}
    centre: Attributes = {"text-anchor": "middle", "class": "axis"}
    below: Attributes = {"x": (_LEFT + right) / 2, "y": HEIGHT - 8}
    drawn.append(element("text", {**centre, **below}, plot.across))
    drawn.append(element("text", {**centre, **turned}, plot.up))
    return element("g", {"aria-hidden": "true"}, drawn)


def _even(axes: Axes) -> str:
    """Errors that add up to 1: the line that a release draws which tells nothing."""
    low = axes.across.low
    rates = [low + (1 - low) * k / 64 for k in range(64)]
    if axes.across.logarithmic:
        rates = [*(low ** (1 - k / 64) for k in range(64)), *(1 - 0.1**k for k in range(1, 9))]
    points = [(rate, 1 - rate) for rate in sorted(rates) if 1 - rate >= axes.up.low]
    drawn = [f"{axes.across.place(x):g} {axes.up.place(y):g}" for x, y in points]
    return "M" + "L".join(drawn)


def _steps(values: Values, places: Sequence[Fraction], axes: Axes, held: str) -> str:
    """A path of steps; it ends where nothing finite is known, and begins anew behind it."""
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


def _class(kind: str, series: PlotSeries) -> str:
    return f"{kind} s{series.style}" + (" leading" if series.leading else "")


def _reading(
    plot: Plot,
    series: Sequence[PlotSeries],
    values: dict[str, Values],
    places: Sequence[Fraction],
    chosen: int,
) -> Element:
    """The legend, in which the numbers at one place stand, and what moves the place."""
    at = rational_text(places[chosen])
    items = []
    for one in series:
        sample = element(
            "svg",
            {"class": "sample", "viewBox": "0 0 36 12", "aria-hidden": "true"},
            element("line", {"class": _class("line", one), "x1": 0, "x2": 36, "y1": 6, "y2": 6}),
        )
        number = element("output", {}, _text(values[one.name][chosen]))
        items.append(element("li", {}, sample, element("span", {}, one.name), number))
    field: Attributes = {"type": "text", "inputmode": "decimal", "autocomplete": "off", "value": at}
    return element(
        "div",
        {"class": "reading"},
        element(
            "label",
            {"class": "field", "hidden": True},
            f"Read the curves at {plot.across} = ",
            element("input", field),
        ),
        element("p", {}, f"{plot.across} ", element("output", {}, at), f": {plot.reading}"),
        element(
            "input",
            {
                "type": "range",
                "min": 0,
                "max": len(places) - 1,
                "value": chosen,
                "aria-label": f"{plot.across}: where the curves are read",
                "hidden": True,
            },
        ),
        element("ul", {"class": "legend"}, items),
        element("p", {"class": "note"}, plot.side),
    )


def _table(
    plot: Plot,
    series: Sequence[PlotSeries],
    values: dict[str, Values],
    places: Sequence[Fraction],
    every: Sequence[Axes],
) -> Element:
    """The points; each with its place in the drawing, which the script reads here."""
    rows = []
    for number, place in enumerate(places):
        head = element("th", {"scope": "row", "class": "number"}, rational_text(place))
        cells = []
        for one in series:
            bound = values[one.name][number]
            heights = dict(
                zip(("data-y", "data-y2"), [axes.y(bound) for axes in every], strict=False)
            )
            cells.append(element("td", {"class": "number", **heights}, _text(bound)))
        where = dict(zip(("data-x", "data-x2"), [axes.x(place) for axes in every], strict=False))
        rows.append(element("tr", where, head, cells))
    names = [plot.across, *(one.name for one in series)]
    header = [element("th", {"scope": "col", "class": "number"}, name) for name in names]
    table = element(
        "table",
        {},
        element("caption", {}, f"{plot.title}: {plot.reading}"),
        element("thead", {}, element("tr", {}, header)),
        element("tbody", {}, rows),
    )
    return scrolling(plot.title, table)


def _text(bound: Bound | None) -> str:
    return "-" if bound is None else bound_text(bound)
