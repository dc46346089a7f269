"""The two curve figures of pages: tradeoff functions, and ε over δ.

A plot of curves of certified points: a drawing, the numbers at a place, and a table.

Between two points, a curve is a step at the value that is certified to hold there too. So no line
on a page is on the unsafe side of the certified numbers.

The drawing of a plot: axes, curves as steps, and the mark of the shown place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal

from semiaudit.frozen import dataclass
from semiaudit.model.bound import Bound, exact
from semiaudit.model.guarantee import GuaranteeCurve
from semiaudit.model.number_text import bound_text
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.curves import (
    READ_AT,
    Line,
    Points,
    are_in_corner,
    epsilon_line,
    joint,
    on_logarithmic_axes,
    tradeoff_line,
)
from semiaudit.report.html.blocks import scrolling
from semiaudit.report.html.frame import PageSection, part
from semiaudit.report.html.markup import Attributes, Element, element

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_MOST_MARKS = 7


@dataclass(frozen=True, slots=True)
class AxisScale:
    """One axis.

    Attributes:
        low, high: the least and the largest number.
        begin, end: their positions on the page.
        logarithmic: whether equal factors have equal distances.
    """

    low: float
    high: float
    begin: float
    end: float
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """Return the position of a number, to a tenth.

        Numbers outside are put at the nearer end.
        """
        low, high, at = (self._measured(v) for v in (self.low, self.high, value))
        share = (at - low) / (high - low) if high > low else 0.5
        return round(self.begin + (self.end - self.begin) * min(max(share, 0.0), 1.0), 1)

    def marks(self) -> list[tuple[float, str]]:
        """Return the numbers of the marks, and their texts."""
        if self.logarithmic:
            first, last = math.ceil(_log(self.low)), math.floor(_log(self.high))
            powers = range(last, first - 1, -max(1, math.ceil((last - first) / _MOST_MARKS)))
            return [(10.0**power, f"1e{power}" if power else "1") for power in powers]
        step = step_of(self.high - self.low)
        number = math.floor((self.high - self.low) / step + 1e-9)
        values = [self.low + k * step for k in range(number + 1)]
        return [(value, f"{value:.6g}") for value in values]

    def _measured(self, value: float) -> float:
        return _log(value) if self.logarithmic else value


def step_of(width: float) -> float:
    """Return a round step that divides a width above 0 into about five."""
    power = 10.0 ** math.floor(_log(width / 5))
    return next(power * step for step in _STEPS if power * step >= width / 5 * (1 - 1e-9))


def begin_of(values: Sequence[float], floor: float) -> float:
    """Return the power of ten, at most 0.1, at which a logarithmic axis of errors begins.

    No positive value is below it, except those below the floor.
    """
    least = min([value for value in values if value > 0], default=0.1)
    return 10.0 ** math.floor(math.log10(min(max(least, floor), 0.1)) + 1e-9)


def up_to(values: Sequence[float]) -> float:
    """Return a round upper bound on all finite values; 1 if none is above 0."""
    most = max([value for value in values if math.isfinite(value)], default=0.0)
    if most <= 0:
        return 1.0
    step = step_of(most)
    return math.ceil(most / step - 1e-9) * step


def _log(value: float) -> float:
    return math.log10(max(value, 1e-320))


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
    ranked = sorted(series, key=lambda curve: not curve.leading)
    paths = [
        element("path", {"class": class_of("line", curve), "d": d})
        for curve in ranked
        if (d := _path(curve, values[curve.name], places, axes, plot.held))
    ]
    x = axes.x(places[chosen])
    x = axes.across.begin if x is None else x
    rule: Attributes = {"class": "rule", "x1": x, "x2": x, "y1": TOP, "y2": HEIGHT - BOTTOM}
    dots = []
    for curve in series:
        y = axes.y(values[curve.name][chosen])
        shape: Attributes = {"class": class_of("dot", curve), "cx": x, "cy": y or 0, "r": 5}
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
    lines = []
    for value, text in axes.across.marks():
        x = axes.across.place(value)
        lines.append(element("line", {"class": "mesh", "x1": x, "x2": x, "y1": TOP, "y2": bottom}))
        lines.append(element("text", {"x": x, "y": bottom + 32, "text-anchor": "middle"}, text))
    for value, text in axes.up.marks():
        y = axes.up.place(value)
        lines.append(element("line", {"class": "mesh", "x1": LEFT, "x2": right, "y1": y, "y2": y}))
        lines.append(element("text", {"x": LEFT - 8, "y": y + 5, "text-anchor": "end"}, text))
    if plot.unit_square:
        lines.append(element("path", {"class": "even", "d": _even(axes)}))
    middle = (TOP + bottom) / 2
    turned: Attributes = {"x": 12, "y": middle, "transform": f"rotate(-90 12 {middle:g})"}
    centre: Attributes = {"text-anchor": "middle", "class": "axis"}
    below: Attributes = {"x": (LEFT + right) / 2, "y": HEIGHT - 8}
    lines.append(element("text", {**centre, **below}, plot.across))
    lines.append(element("text", {**centre, **turned}, plot.up))
    return element("g", {"aria-hidden": "true"}, lines)


def _even(axes: Axes) -> str:
    """Draw the line of perfect privacy: errors that add up to 1."""
    low = axes.across.low
    rates = [low + (1 - low) * k / 64 for k in range(64)]
    if axes.across.logarithmic:
        rates = [*(low ** (1 - k / 64) for k in range(64)), *(1 - 0.1**k for k in range(1, 9))]
    points = [(rate, 1 - rate) for rate in sorted(rates) if 1 - rate >= axes.up.low]
    coordinates = [f"{axes.across.place(x):g} {axes.up.place(y):g}" for x, y in points]
    return "M" + "L".join(coordinates)


def _path(
    curve: PlotSeries, values: Values, places: Sequence[Fraction], axes: Axes, held: str
) -> str:
    if not curve.line:
        return _steps(values, places, axes, held)
    line = on_logarithmic_axes(curve.line) if axes.up.logarithmic else curve.line
    shown = [
        (axes.across.place(x), axes.up.place(y))
        for x, y in line
        if x >= axes.across.low and y >= axes.up.low
    ]
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in shown) if shown else ""


def _steps(values: Values, places: Sequence[Fraction], axes: Axes, held: str) -> str:
    """Return a path of steps; it ends where nothing finite is known, and continues after."""
    commands: list[str] = []
    before = False
    for place, bound in zip(places, values, strict=True):
        x, y = axes.x(place), axes.y(bound)
        if x is None or y is None:
            before = False
            continue
        step = f"V{y:g}H{x:g}" if held == "next" else f"H{x:g}V{y:g}"
        commands.append(step if before else f"M{x:g} {y:g}")
        before = True
    return "".join(commands)


def class_of(kind: str, series: PlotSeries) -> str:
    """Return the class of a line or a dot: its style, and whether it is the main one."""
    return f"{kind} s{series.style}" + (" leading" if series.leading else "")


_LEAST, _LEAST_OF_ALL, _BELOW = 1e-9, 1e-100, 100
"""The least error on a logarithmic axis; the least one if a curve has less at the shown place; and
how far the axis then extends below that curve."""


def figure(plot: Plot, series: Sequence[PlotSeries], notes: Sequence[str] = ()) -> Element:
    """Return a plot, the numbers at one place of it, and the table of all its points."""
    places = sorted({place for curve in series for place, _ in curve.points})
    values = {curve.name: _values(curve, places, plot.held) for curve in series}
    chosen = min(range(len(places)), key=lambda place: abs(places[place] - plot.at))
    read = [column[chosen] for column in values.values()]
    every = _axes(plot, places, list(values.values()), read)
    shown = int(plot.corner and len(every) > 1)
    elements = [
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
        elements,
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
    for line in series:
        sample = element(
            "svg",
            {"class": "sample", "viewBox": "0 0 36 12", "aria-hidden": "true"},
            element("line", {"class": class_of("line", line), "x1": 0, "x2": 36, "y1": 6, "y2": 6}),
        )
        number = element("output", {}, _text(values[line.name][chosen]))
        items.append(element("li", {}, sample, element("span", {}, line.name), number))
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
        for curve in series:
            bound = values[curve.name][number]
            heights = dict(
                zip(("data-y", "data-y2"), [axes.y(bound) for axes in every], strict=False)
            )
            cells.append(element("td", {"class": "number", **heights}, _text(bound)))
        where = dict(zip(("data-x", "data-x2"), [axes.x(place) for axes in every], strict=False))
        rows.append(element("tr", where, head, cells))
    names = [plot.across, *(curve.name for curve in series)]
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


_LEAST_SHARE = Fraction(1, 10)
"""A figure looks empty if a smaller part of the places has a number."""

_LINES = "Each curve is the largest of the lines that certified (ε, δ) pairs give."
_CHORDS = "Between two points a curve is the image of a certified chord."
_CUT = "A time limit left points out, so that curves are looser."
_TRADEOFF = Plot(
    name="tradeoff",
    title="Tradeoff functions",
    description="The least type II error of any test between two datasets, over its type I error; "
    "one curve for each guarantee. The higher a curve, the less an attacker learns; the dotted "
    "line is that of a release that reveals nothing. The table below has every point.",
    across="false positive rate (type I error)",
    up="type II error, at least",
    reading="the type II error of every test is at least",
    side="Each number is a lower bound on the type II error, computed at this false positive rate; "
    "it holds at every smaller rate too. The true positive rate is at most 1 minus it.",
    held="next",
    at=READ_AT,
    unit_square=True,
)
_EPSILON = Plot(
    name="epsilon",
    title="ε over δ",
    description="The certified ε at each δ, one curve for each guarantee; δ is on a "
    "logarithmic axis. The lower a curve, the stronger the guarantee. The table below has every "
    "point.",
    across="δ",
    up="ε, at most",
    reading="ε is at most",
    side="Each number is an upper bound on ε, computed at this δ; it holds at every larger δ too.",
    held="before",
    at=Fraction(1, 10**6),
    logarithmic=True,
)


def curves_part(
    curves: Sequence[GuaranteeCurve],
    named: Mapping[str, str],
    leading: str = "",
    below: Sequence[Element] = (),
    *,
    differences: bool = False,
) -> PageSection | None:
    """Return both figures; None if there is no curve and nothing below.

    Args:
        named: the displayed name of each curve, in the order of the lines.
        leading: the name of the main curve of the page; empty if there is none.
        below: further elements.
        differences: show differences of ε as a second view.
    """
    known = [curve for curve in curves if curve.name in named]
    lines = {c.tradeoff: tradeoff_line(c) for c in known}
    tradeoff = [
        replace(one, line=lines[one.points])
        for one in _series([(named[c.name], c.tradeoff) for c in known], named, leading)
    ]
    epsilons = [
        replace(one, line=epsilon_line(one.points))
        for one in _series([(named[c.name], c.epsilons) for c in known], named, leading)
    ]
    corner = are_in_corner([one.points for one in tradeoff])
    notes = [] if all(curve.complete for curve in curves) else [_CUT]
    return part(
        "curves",
        "What an attacker can learn",
        "Curves",
        figure(replace(_TRADEOFF, corner=corner), tradeoff, [_LINES, *notes]) if tradeoff else None,
        _epsilons(epsilons, [_CHORDS, *notes], _differences(known, named) if differences else []),
        *below,
    )


def _epsilons(
    series: Sequence[PlotSeries], notes: Sequence[str], differences: Sequence[Element]
) -> list[Element]:
    if not series:
        return []
    first = min(place for curve in series for place, bound in curve.points if _is_finite(bound))
    places = {place for curve in series for place, _ in curve.points}
    if sum(place >= first for place in places) < _LEAST_SHARE * len(places):
        text = f"ε over δ is not drawn: no finite ε is known at a δ below {rational_text(first)}."
        return [element("p", {"class": "note"}, text)]
    chart = figure(replace(_EPSILON, at=max(_EPSILON.at, first)), series, notes)
    return _views(chart, differences)


def _is_finite(bound: Bound) -> bool:
    return not isinstance(bound.value, float)  # only an infinite number is a float


def _differences(curves: Sequence[GuaranteeCurve], named: Mapping[str, str]) -> list[Element]:
    known = [curve for curve in curves if curve.epsilons]
    if len(known) < 2:
        return []
    first, *others = known
    style = styles_of(list(named.values()))
    series = [
        PlotSeries(named[curve.name], style[named[curve.name]], points)
        for curve in others
        if (points := _difference(curve.epsilons, first.epsilons))
    ]
    plot = replace(
        _EPSILON,
        name="difference",
        title=f"ε over δ: difference from {named[first.name]}",
        description="The certified ε of each curve minus that of the first; below 0 the curve "
        "has the smaller number. The table below has every point.",
        up="difference of ε",
        reading="ε is larger by",
        side="A difference of two upper bounds is a description, not a bound: it does not show "
        "which guarantee is stronger.",
        signed=True,
    )
    return [figure(plot, series)] if series else []


def _difference(points: Points, others: Points) -> Points:
    first, second = dict(points), dict(others)
    differences = []
    left = right = None
    for place in sorted({*first, *second}):
        left, right = first.get(place, left), second.get(place, right)
        if left is None or right is None:
            continue
        if not (isinstance(left.value, float) or isinstance(right.value, float)):
            differences.append((place, exact(left.value - right.value, "", "")))
    return tuple(differences)


def _views(overlay: Element, difference: Sequence[Element]) -> list[Element]:
    if not difference:
        return [overlay]
    radios = [
        element(
            "label",
            {},
            element(
                "input",
                {"type": "radio", "name": "view", "value": value, "checked": value == "overlay"},
            ),
            f" {text}",
        )
        for value, text in (("overlay", "all curves"), ("difference", "difference"))
    ]
    choice = element(
        "fieldset",
        {"class": "views", "hidden": True},
        element("legend", {}, "ε over δ"),
        radios,
    )
    return [
        choice,
        element("div", {"data-view": "overlay"}, overlay),
        element("div", {"data-view": "difference"}, difference),
    ]


def _series(
    curves: Sequence[tuple[str, Points]], named: Mapping[str, str], leading: str
) -> list[PlotSeries]:
    """Return a line for each curve; equal curves are one line with all their names."""
    style = styles_of([called for called in named.values() if called != leading])
    series = []
    for names, points in joint(curves):
        if not any(_is_finite(bound) for _, bound in points):
            continue  # an infinite number cannot be drawn
        leads = leading in names
        first = SOLID if leads else style.get(names[0], SOLID)
        series.append(PlotSeries(", ".join(names), first, points, leads))
    return series


def styles_of(names: Sequence[str]) -> dict[str, int]:
    """Return a style for each other curve: all except the solid line, in turn."""
    broken = [style for style in range(STYLES) if style != SOLID]
    return {name: broken[place % len(broken)] for place, name in enumerate(names)}
