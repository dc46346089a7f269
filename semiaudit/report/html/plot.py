"""A plot of curves of certified points: a drawing, the numbers at a place, and a table.

Between two points, a curve is a step at the value that is certified to hold there too. So no line
on a page is on the unsafe side of the certified numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from semiaudit.model.bound import Bound
from semiaudit.model.number_text import bound_text
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.html.blocks import scrolling
from semiaudit.report.html.drawing import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Axes,
    Plot,
    PlotSeries,
    Values,
    class_of,
    drawing,
)
from semiaudit.report.html.markup import Attributes, Element, element
from semiaudit.report.html.scales import AxisScale, begin_of, up_to

_LEAST, _LEAST_OF_ALL, _BELOW = 1e-9, 1e-100, 100
"""The least error on a logarithmic axis; the least one if a curve has less at the shown place; and
how far the axis then extends below that curve."""


def figure(plot: Plot, series: Sequence[PlotSeries], notes: Sequence[str] = ()) -> Element:
    """Return a plot, the numbers at one place of it, and the table of all its points."""
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
            drawing(plot, f"{plot.name}-{number}", axes, series, values, places, chosen),
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
    """Return the control that chooses the axes; without the script, there is no choice."""
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


def _values(series: PlotSeries, places: Sequence[Fraction], held: str) -> Values:
    values: list[Bound | None] = []
    known = dict(series.points)
    for place in reversed(places) if held == "next" else places:
        values.append(known.get(place, values[-1] if values else None))
    return values[::-1] if held == "next" else values


def _axes(
    plot: Plot, places: Sequence[Fraction], values: Sequence[Values], read: Values
) -> list[Axes]:
    """Return even axes and, for errors, logarithmic ones, which include every curve at ``read``."""
    left, right, bottom = LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM
    known = [float(bound) for column in values for bound in column if bound is not None]
    if not plot.unit_square:
        across = AxisScale(float(places[0]), float(places[-1]), left, right, plot.logarithmic)
        high, low = up_to(known), 0.0
        if plot.signed:
            low = -up_to([-value for value in known])
        return [Axes("", across, AxisScale(low, high, bottom, TOP))]
    least = AxisScale(begin_of(list(map(float, places)), _LEAST), 1.0, left, right, True)
    positive = [float(bound) for bound in read if bound is not None and float(bound) > 0]
    floor = begin_of(known, max(min([_LEAST, *(v / _BELOW for v in positive)]), _LEAST_OF_ALL))
    return [
        Axes("linear", AxisScale(0.0, 1.0, left, right), AxisScale(0.0, 1.0, bottom, TOP)),
        Axes("logarithmic", least, AxisScale(floor, 1.0, bottom, TOP, True)),
    ]


def _reading(
    plot: Plot,
    series: Sequence[PlotSeries],
    values: dict[str, Values],
    places: Sequence[Fraction],
    chosen: int,
) -> Element:
    at = rational_text(places[chosen])
    items = []
    for one in series:
        sample = element(
            "svg",
            {"class": "sample", "viewBox": "0 0 36 12", "aria-hidden": "true"},
            element("line", {"class": class_of("line", one), "x1": 0, "x2": 36, "y1": 6, "y2": 6}),
        )
        number = element("output", {}, _text(values[one.name][chosen]))
        items.append(element("li", {}, sample, element("span", {}, one.name), number))
    # The numbers of the chosen place are in the page itself. The controls do nothing without the
    # script, so they are hidden until it runs.
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
    """Return the table of points; each has its position in the drawing, which the script uses."""
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
