"""Figures on pages: a drawing, the numbers of its curves at a place, and a table of all points."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from semiaudit.frozen import dataclass
from semiaudit.model.bound import Bound
from semiaudit.model.figure import Figure, Series
from semiaudit.model.number_text import bound_text
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.curves import READ_AT
from semiaudit.report.figures.drawing import (
    BOTTOM,
    TOP,
    WIDTH,
    Axes,
    axes_of,
    dot_of,
    drawing,
    height_of,
    line_of,
    looks_of,
)
from semiaudit.report.figures.figures_of import is_finite
from semiaudit.report.html.blocks import notes, table
from semiaudit.report.html.markup import Child, Element, element


@dataclass(frozen=True, slots=True)
class Reading:
    """How the curves of a figure are read.

    Attributes:
        place: the symbol or the name of the places.
        number: the text before the number at a place.
        side: which bound the numbers are.
        held: which number holds between two places: the ``next`` one, or the one ``before``.
        at: the place that is shown first, if some number is finite there.
        description: the figure in words.
    """

    place: str
    number: str
    side: str
    held: Literal["next", "before"]
    at: Fraction
    description: str


_READINGS = {
    "tradeoff": Reading(
        "false-positive rate",
        "the type II error of every test is at least",
        "Lower bounds; the true positive rate is at most 1 minus the number.",
        "next",
        READ_AT,
        "The least type II error of any test between two datasets, over its type I error; one "
        "curve for each guarantee. The higher a curve, the less an attacker learns; the dotted "
        "line is that of a release that reveals nothing. The table below has every point.",
    ),
    "epsilon": Reading(
        "δ",
        "ε is at most",
        "Upper bounds; each holds at every larger δ too.",
        "before",
        Fraction(1, 10**6),
        "The certified ε at each δ, one curve for each guarantee; δ is on a logarithmic axis. The "
        "lower a curve, the stronger the guarantee. The table below has every point.",
    ),
}
"""How curves are read, by the name of the figure."""

Values = Sequence[Bound | None]


def figures_of_page(figures: Sequence[Figure]) -> list[Element]:
    """Return figures for a page; one on logarithmic axes is a second drawing of the one before."""
    groups: list[list[Figure]] = []
    for figure in figures:
        if figure.unit_square and figure.logarithmic:
            groups[-1].append(figure)
        else:
            groups.append([figure])
    drawn: dict[str, Element] = {}
    for first, *others in groups:
        name = f"{first.name}-{len(drawn)}" if first.name in drawn else first.name
        drawn[name] = _figure(name, first, others)
    return [element("div", {"class": "figures"}, drawn.values())] if drawn else []


def _figure(name: str, figure: Figure, others: Sequence[Figure]) -> Element:
    """Return a figure; curves have the numbers at a place and a table of all points."""
    reading, every = _READINGS.get(figure.name), [figure, *others]
    title = f"{name}-caption"
    caption = element("figcaption", {"id": title}, figure.title)
    below = notes(figure.note.splitlines())
    if reading is None:
        described = figure.note or figure.title
        frame = element("div", {"class": "drawing"}, _svg(name, figure, described))
        return element("figure", {"aria-labelledby": title}, caption, frame, below)
    places = sorted({place for series in figure.series for place, _ in series.certified})
    values = [_values(series, places, reading.held) for series in figure.series]
    finite = (
        place for series in figure.series for place, bound in series.certified if is_finite(bound)
    )
    at = max(reading.at, min(finite)) if reading.held == "before" else reading.at
    chosen = min(range(len(places)), key=lambda place: abs(places[place] - at))
    every_axes = [axes_of(one) for one in every]
    drawings = [
        element(
            "div",
            {"class": "drawing", "hidden": number > 0},
            _svg(f"{name}-{number}", one, reading.description,
                 _cursor(one, axes, values, places, chosen)),
        )
        for number, (one, axes) in enumerate(zip(every, every_axes, strict=True))
    ]  # fmt: skip
    return element(
        "figure",
        {"class": "plot", "data-plot": name, "data-held": reading.held, "aria-labelledby": title},
        caption,
        _choice(name) if others else [],
        drawings,
        _read(name, reading, figure, values, places, chosen),
        below,
        element(
            "details",
            {},
            element("summary", {}, f"All {len(places)} points as a table"),
            _table(reading, figure, values, places, every_axes),
        ),
    )


def _svg(name: str, figure: Figure, description: str, *above: Child) -> Element:
    title, described = f"{name}-name", f"{name}-description"
    return element(
        "svg",
        {
            "viewBox": f"0 0 {WIDTH} {height_of(figure):g}",
            "role": "img",
            "aria-labelledby": title,
            "aria-describedby": described,
        },
        element("title", {"id": title}, figure.title),
        element("desc", {"id": described}, description),
        element("g", {"aria-hidden": "true"}, drawing(figure)),
        above,
    )


def _cursor(
    figure: Figure,
    axes: Axes,
    values: Sequence[Values],
    places: Sequence[Fraction],
    chosen: int,
) -> Element:
    """Return the mark of the shown place: a line, and a dot on each curve."""
    x = axes.x(places[chosen])
    x = axes.across.begin if x is None else x
    ends = {"x1": x, "x2": x, "y1": TOP, "y2": height_of(figure) - BOTTOM}
    dots = []
    for look, column in zip(looks_of(figure.series), values, strict=True):
        y = axes.y(column[chosen])
        dot = dot_of(look, x, y or 0)
        hidden = (("display", "none"),) if y is None else ()
        dots.append(Element(dot.tag, (*dot.attributes, *hidden), ()))
    return element("g", {"class": "cursor"}, element("line", {"class": "rule", **ends}), dots)


def _choice(name: str) -> Element:
    """Return the control that chooses the axes; without the script, there is no choice."""
    radios = [
        element(
            "label",
            {},
            element("input", {"type": "radio", "name": f"{name}-axes", "value": number,
                              "checked": not number}),
            f" {axes}",
        )
        for number, axes in enumerate(("linear", "logarithmic"))
    ]  # fmt: skip
    return element(
        "fieldset",
        {"class": "axes-choice", "hidden": True},
        element("legend", {}, "axes"),
        radios,
    )


def _values(series: Series, places: Sequence[Fraction], held: str) -> Values:
    values: list[Bound | None] = []
    known = dict(series.certified)
    for place in reversed(places) if held == "next" else places:
        values.append(known.get(place, values[-1] if values else None))
    return values[::-1] if held == "next" else values


def _read(
    name: str,
    reading: Reading,
    figure: Figure,
    values: Sequence[Values],
    places: Sequence[Fraction],
    chosen: int,
) -> Element:
    """Return the numbers at the shown place, and the controls that choose it.

    The controls do nothing without the script, so they are hidden until it runs.
    """
    at, wrong = rational_text(places[chosen]), f"{name}-wrong"
    items = [
        element(
            "li",
            {},
            element(
                "svg",
                {"class": "sample", "viewBox": "0 0 36 12", "aria-hidden": "true"},
                line_of(look, "M0 6L36 6"),
            ),
            element("span", {}, series.name),
            element("output", {}, _text(column[chosen])),
        )
        for look, series, column in zip(looks_of(figure.series), figure.series, values, strict=True)
    ]
    ends = (Fraction(0), places[-1]) if reading.held == "next" else (places[0], Fraction(1))
    low, high = map(rational_text, ends)
    field = {"type": "text", "inputmode": "decimal", "autocomplete": "off", "value": at}
    return element(
        "div",
        {"class": "reading"},
        element(
            "label",
            {"class": "field", "hidden": True},
            f"Read the curves at {reading.place} = ",
            element("input", {**field, "aria-describedby": wrong}),
        ),
        element(
            "p",
            {"class": "wrong", "id": wrong, "role": "status", "hidden": True},
            f"Enter a number from {low} to {high}.",
        ),
        element("p", {}, f"{reading.place} ", element("output", {}, at), f": {reading.number}"),
        element(
            "input",
            {
                "type": "range",
                "min": 0,
                "max": len(places) - 1,
                "value": chosen,
                "aria-label": f"{reading.place}: where the curves are read",
                "hidden": True,
            },
        ),
        element("ul", {"class": "legend"}, items),
        notes([reading.side]),
    )


def _table(
    reading: Reading,
    figure: Figure,
    values: Sequence[Values],
    places: Sequence[Fraction],
    every: Sequence[Axes],
) -> Element:
    """Return the table of points; each has its position in the drawing, which the script uses."""
    rows = []
    for number, place in enumerate(places):
        head = element("th", {"scope": "row", "class": "number"}, rational_text(place))
        cells = []
        for column in values:
            bound = column[number]
            heights = dict(
                zip(("data-y", "data-y2"), [axes.y(bound) for axes in every], strict=False)
            )
            cells.append(element("td", {"class": "number", **heights}, _text(bound)))
        where = dict(zip(("data-x", "data-x2"), [axes.x(place) for axes in every], strict=False))
        rows.append(element("tr", where, head, cells))
    names = [reading.place, *(series.name for series in figure.series)]
    header = [element("th", {"scope": "col", "class": "number"}, name) for name in names]
    return table(f"{figure.title}: {reading.number}", header, rows)


def _text(bound: Bound | None) -> str:
    return "-" if bound is None else bound_text(bound)
