"""Figures as SVG, for pages and for files.

A drawing has its colors as attributes, so it renders outside of a page; the style of a page
replaces them by those of its theme. No text is bold or slanted: a PDF with one font always has the
same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count, islice, pairwise, product
from textwrap import wrap

from semiaudit.frozen import dataclass
from semiaudit.model.bound import Bound
from semiaudit.model.figure import Figure, Role, Series
from semiaudit.report.blocks.curves import READ_AT, Line, on_logarithmic_axes
from semiaudit.report.html.markup import Attributes, Child, Element, element

WIDTH, HEIGHT = 480, 320
"""The size of a figure of curves; one of dots is as high as its rows."""
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 30, 46
FONT, LETTER = 14, 0.58
"""The size of the letters, and the mean width of a letter in relation to it."""
NAMES, ROW = 176, 24
"""The width of the names of rows of dots, and the height of a row."""

COLORS = (
    *("#6b7480", "#a05a00", "#0a58b8", "#127a4b", "#8a3ab0", "#b3261e", "#00707a", "#a3286f"),
)
GREYS = ("#777777", "#444444", "#000000", "#555555", "#333333", "#666666", "#222222", "#808080")
DASHES = ("9 4", "3 3", None, "12 3 3 3", "6 6", "16 4", "2 5", "12 3 3 3 3 3")
INK, MUTED, HAIR, PAPER = "#1a1f27", "#525c69", "#d5dae1", "#ffffff"

_ROLES: dict[Role, int] = {"leading": 2, "reference": 0}
_WIDTHS: dict[Role, float] = {"leading": 4, "reference": 2.5, "": 2}

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_MOST_MARKS = 7
_LEAST, _LEAST_OF_ALL, _BELOW = 1e-9, 1e-100, 100
"""The least error on a logarithmic axis; the least one if a curve has less at the shown place; and
how far the axis then extends below that curve."""


@dataclass(frozen=True, slots=True)
class AxisScale:
    """One axis.

    Attributes:
        low, high: the least and the largest number.
        begin, end: their positions in the drawing.
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


@dataclass(frozen=True, slots=True)
class Axes:
    """The axes of a figure."""

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

    def shown(self, line: Line) -> Line:
        """Return the positions of the part of a line that is inside."""
        return tuple(
            (self.across.place(x), self.up.place(y))
            for x, y in line
            if x >= self.across.low and y >= self.up.low
        )


def axes_of(figure: Figure) -> Axes:
    """Return axes that include every number; logarithmic ones of errors include every curve."""
    left, right, bottom = LEFT, WIDTH - RIGHT, height_of(figure) - BOTTOM
    xs = [x for series in figure.series for x, _ in series.points]
    ys = [y for series in figure.series for _, y in series.points]
    if figure.categories:
        return Axes(_scale([*ys, figure.end], NAMES, right, False), AxisScale(0, 1, bottom, TOP))
    if not figure.unit_square:
        return Axes(
            _scale(xs, left, right, "x" in figure.logarithmic),
            _scale(ys, bottom, TOP, "y" in figure.logarithmic),
        )
    if not figure.logarithmic:
        return Axes(AxisScale(0, 1, left, right), AxisScale(0, 1, bottom, TOP))
    least = begin_of([float(place) for s in figure.series for place, _ in s.certified], _LEAST)
    read = [next((y for x, y in s.points if x >= READ_AT), 0.0) for s in figure.series]
    small = min([_LEAST, *(y / _BELOW for y in read if y > 0)])
    floor = begin_of(ys, max(small, _LEAST_OF_ALL))
    return Axes(AxisScale(least, 1, left, right, True), AxisScale(floor, 1, bottom, TOP, True))


def _scale(values: Sequence[float], begin: float, end: float, logarithmic: bool) -> AxisScale:
    if logarithmic:
        low = math.floor(_log(min(value for value in values if value > 0)))
        high = math.ceil(_log(max(values)))
        return AxisScale(10.0**low, 10.0 ** max(high, low + 1), begin, end, True)
    least = -up_to([-value for value in values]) if min(values) < 0 else 0.0
    return AxisScale(least, up_to(values), begin, end)


def height_of(figure: Figure) -> float:
    """Return the height of the drawing of a figure."""
    if not figure.categories:
        return HEIGHT
    return top_of(figure) + BOTTOM + sum(height for _, _, height in _rows(figure))


def top_of(figure: Figure) -> float:
    """Return the top of the axes; above those of curves is the name of the vertical one."""
    return 4 if figure.categories else TOP


@dataclass(frozen=True, slots=True)
class Look:
    """How a series differs from the others of its figure.

    Attributes:
        color: from 0, below the number of colors.
        dash: its dashes; None for a solid line.
        width: of its line.
    """

    color: int
    dash: str | None
    width: float


def looks_of(series: Sequence[Series]) -> list[Look]:
    """Return the look of each series; no two of the first 64 have the same color and dashes."""
    used = {_ROLES[one.role] for one in series if one.role}
    order = (k for k in (_ROLES["leading"], *range(2), *range(3, 8)) if k not in used)
    free = (k for numbers in (order, count(8)) for k in numbers)
    numbers = [_ROLES[one.role] if one.role else next(free) for one in series]
    return [
        Look((k + k // 8) % 8, DASHES[k % 8], _WIDTHS[one.role])
        for k, one in zip(numbers, series, strict=True)
    ]


def drawing(figure: Figure, *, grey: bool = False) -> list[Element]:
    """Draw a figure, without its title and its notes, in ``WIDTH`` times ``height_of``.

    Args:
        grey: whether lines are grey.
    """
    axes, colors = axes_of(figure), GREYS if grey else COLORS
    looks = looks_of(figure.series)
    if figure.categories:
        return [*_mesh(figure, axes), *_dots(figure, axes, looks, colors)]
    logarithmic = figure.unit_square and bool(figure.logarithmic)
    lines = [
        axes.shown(on_logarithmic_axes(series.points) if logarithmic else series.points)
        for series in figure.series
    ]
    ranked = sorted(zip(figure.series, lines, looks, strict=True), key=lambda s: bool(s[0].role))
    curves = [line_of(look, path_of(line), colors) for _, line, look in ranked if line]
    even = _even(axes) if figure.unit_square else ()
    rest = [_path("even", even, MUTED, "1 5")] if even else []
    named = [(s.name, line, look.color) for s, line, look in ranked[::-1] if line and s.name]
    return [*_mesh(figure, axes), *rest, *curves, *_labels(named, even, axes, colors)]


def line_of(look: Look, path: str, colors: Sequence[str] = COLORS) -> Element:
    """Return a line with the look of a series."""
    return element(
        "path",
        {
            "class": f"line c{look.color}",
            "d": path,
            "fill": "none",
            "stroke": colors[look.color],
            "stroke-width": look.width,
            "stroke-dasharray": look.dash,
            "stroke-linejoin": "round",
        },
    )


def path_of(line: Line) -> str:
    """Return straight lines through some positions, as a path."""
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in line)


def _path(name: str, line: Line, color: str, dash: str | None = None) -> Element:
    plain = {"class": name, "d": path_of(line), "fill": "none", "stroke": color}
    return element("path", {**plain, "stroke-dasharray": dash})


def text_of(
    words: str,
    x: float,
    y: float,
    *,
    anchor: str = "start",
    color: str = INK,
    kind: str | None = None,
    size: float = FONT,
    halo: bool = False,
) -> Element:
    """Return a line of text. Subscripts are lowered letters: not every font has small ones."""
    around: Attributes = {"stroke": PAPER, "stroke-width": 4, "paint-order": "stroke"}
    pieces: list[Child] = []
    for place, piece in enumerate(words.split("ₜ")):
        if place:
            small = {"font-size": round(size * 0.7, 1)}
            pieces += [element("tspan", {**small, "dy": 3}, "t")]
            pieces += [element("tspan", {"dy": -3}, piece)] if piece else []
        else:
            pieces.append(piece)
    return element(
        "text",
        {
            "class": kind,
            "x": round(x, 1),
            "y": round(y, 1),
            "font-size": size,
            "text-anchor": None if anchor == "start" else anchor,
            "fill": color,
            **(around if halo else {}),
        },
        pieces,
    )


def _mesh(figure: Figure, axes: Axes) -> list[Element]:
    bottom, right = height_of(figure) - BOTTOM, WIDTH - RIGHT
    drawn = []
    for value, text in axes.across.marks():
        x = axes.across.place(value)
        drawn.append(_path("mesh", ((x, top_of(figure)), (x, bottom)), HAIR))
        drawn.append(text_of(text, x, bottom + 18, anchor="middle"))
    if not figure.categories:
        for value, text in axes.up.marks():
            y = axes.up.place(value)
            drawn.append(_path("mesh", ((LEFT, y), (right, y)), HAIR))
            drawn.append(text_of(text, LEFT - 7, y + 5, anchor="end"))
    middle = (axes.across.begin + axes.across.end) / 2
    name = figure.up if figure.categories else figure.across
    drawn.append(text_of(name, middle, bottom + 39, anchor="middle", color=MUTED, kind="axis"))
    if not figure.categories:
        drawn.append(text_of(figure.up, 4, 16, color=MUTED, kind="axis"))
    return drawn


Row = tuple[int, float, str]
"""The index of a series, its number, and its label."""


def _rows(figure: Figure) -> list[tuple[list[str], list[Row], float]]:
    """Return the lines of the name of each category, its dots, and its height."""
    every = []
    for place, name in enumerate(figure.categories):
        lines = wrap(name, int((NAMES - 16) / (FONT * LETTER)))
        dots = [
            (number, value, label + f" {series.name}".rstrip())
            for number, series in enumerate(figure.series)
            for (at, value), label in zip(series.points, series.labels, strict=True)
            if at == place
        ]
        every.append((lines, dots, max(ROW * len(dots), 17 * len(lines) + 4) + 4.0))
    return every


def _dots(
    figure: Figure, axes: Axes, looks: Sequence[Look], colors: Sequence[str]
) -> Iterator[Element]:
    top = top_of(figure)
    for lines, dots, height in _rows(figure):
        for number, line in enumerate(lines):
            yield text_of(line, 4, top + 17 + 17 * number)
        for number, (series, value, label) in enumerate(dots):
            x, y, color = axes.across.place(value), top + 13 + ROW * number, looks[series].color
            left = x > (NAMES + WIDTH) / 2
            end = x - 14 - LETTER * FONT * len(label) if left else x
            yield _path("mesh", ((NAMES, y), (end, y)), HAIR)
            yield dot_of(looks[series], x, y, colors)
            yield text_of(
                label,
                x - 11 if left else x + 11,
                y + 5,
                anchor="end" if left else "start",
                color=colors[color],
                kind=f"label c{color}",
                halo=True,
            )
        top += height


def dot_of(look: Look, x: float, y: float, colors: Sequence[str] = COLORS) -> Element:
    """Return a dot in the color of a series."""
    place = {"cx": x, "cy": round(y, 1), "r": 6}
    around: Attributes = {"fill": colors[look.color], "stroke": PAPER, "stroke-width": 1.5}
    return element("circle", {"class": f"dot c{look.color}", **place, **around})


def _even(axes: Axes) -> Line:
    """Return the line of perfect privacy: errors that add up to 1."""
    if not axes.across.logarithmic:
        return axes.shown(((0.0, 1.0), (1.0, 0.0)))
    low = axes.across.low
    rates = [*(low ** (1 - k / 64) for k in range(64)), *(1 - 0.1 ** (k / 4) for k in range(1, 40))]
    return axes.shown(tuple((rate, 1 - rate) for rate in sorted(rates)))


_CELL = 6
_NEAR, _FAR = (8, 5), (28, 60, 100, 150)
_MOST_LETTERS = 30
_CANDIDATES = 24

Box = tuple[float, float, float, float]
"""Left, right, top, bottom."""


def _labels(
    named: Sequence[tuple[str, Line, int]], even: Line, axes: Axes, colors: Sequence[str]
) -> Iterator[Element]:
    """Put the name of each curve next to it, where it covers the fewest others.

    If there is no room next to a curve, a thin line leads to its name.
    """
    taken = {cell for _, line, _ in named for cell in _cells_of(line)} | {*_cells_of(even)}
    every: list[tuple[str, Line, int | None]] = [*named]
    if even and not axes.across.logarithmic:
        every.append(("no information", even, None))
    for name, line, color in every:
        lines = wrap(name, _MOST_LETTERS) or [""]
        width = LETTER * FONT * max(map(len, lines)) + 4
        height = 17.0 * len(lines)
        (x, y), box, leads = min(
            _places(line, width, height),
            key=lambda place: _cost(place, taken, axes),
        )
        left, right, top, bottom = box
        ink = MUTED if color is None else colors[color]
        if leads:
            end = (left if x < left else right, (top + bottom) / 2)
            yield _path("lead", ((x, y), end), MUTED)
        anchor, at = ("start", left + 2) if x <= left else ("end", right - 2)
        for number, words in enumerate(lines):
            kind = "label axis" if color is None else f"label c{color}"
            yield text_of(words, at, top + 13 + 17 * number, anchor=anchor, color=ink, kind=kind,
                          halo=True)  # fmt: skip
        taken |= {*_cells_in(box)}


def _places(
    line: Line, width: float, height: float
) -> Iterator[tuple[tuple[float, float], Box, float]]:
    """Return places of a label: the point of the curve, the box, and how far it leads."""
    points = [*_spread(line)]
    for x, y in islice(points, 0, None, max(1, len(points) // _CANDIDATES)):
        for right, above, far in product((True, False), (True, False), (0, *_FAR)):
            across, up = _NEAR[0] + far, _NEAR[1] + far * 0.7
            left = x + across if right else x - across - width
            top = y - up - height if above else y + up
            yield (x, y), (left, left + width, top, top + height), far


def _cost(
    place: tuple[tuple[float, float], Box, float], taken: set[tuple[int, int]], axes: Axes
) -> float:
    (x, _), (left, right, top, bottom), far = place
    outside = max(axes.across.begin - left, 0) + max(right - axes.across.end, 0)
    outside += max(TOP - top, 0) + max(bottom - axes.up.begin, 0)
    middle = (axes.across.begin + axes.across.end) / 2
    covered = sum(cell in taken for cell in _cells_in((left, right, top, bottom)))
    return 100 * outside + 40 * covered + far + abs(x - middle) / 20


def _spread(line: Line) -> Iterator[tuple[float, float]]:
    """Return positions along a line, at most half a cell apart."""
    yield line[0]
    for (x1, y1), (x2, y2) in pairwise(line):
        pieces = math.ceil(max(abs(x2 - x1), abs(y2 - y1)) / (_CELL / 2))
        for piece in range(1, pieces + 1):
            share = piece / pieces
            yield x1 + share * (x2 - x1), y1 + share * (y2 - y1)


def _cells_of(line: Line) -> Iterator[tuple[int, int]]:
    return ((int(x // _CELL), int(y // _CELL)) for x, y in (_spread(line) if line else ()))


def _cells_in(box: Box) -> Iterator[tuple[int, int]]:
    left, right, top, bottom = (int(end // _CELL) for end in box)
    return ((x, y) for x in range(left, right + 1) for y in range(top, bottom + 1))
