"""Figures drawn by matplotlib in black and white: lines and marks distinguish curves, not colors.

Matplotlib's global state is not used: figures have their own canvas, and every setting applies only
during a drawing. So a user's style has no effect, and is not changed.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from textwrap import fill
from typing import TYPE_CHECKING, Any

import matplotlib
from matplotlib.figure import Figure as Drawn
from matplotlib.ticker import MaxNLocator

from semiaudit.model.figure import Figure, Series
from semiaudit.report import PlotForm, PlotStyle
from semiaudit.report.blocks.curves import READ_AT
from semiaudit.report.text.shield import visible
from semiaudit.version import __version__

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

SIZES: dict[PlotStyle, tuple[float, float]] = {"plain": (4.6, 3.9), "paper": (3.3, 2.6)}
"""The size of one figure in inches; for a paper, it is as wide as a column."""
PER_BAR, AROUND_BARS = 0.18, 0.9
"""The height of a horizontal bar in inches, and of the space above and below all bars."""

LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)))
MARKS = "osD^vP*X"
GREYS = ("0.0", "0.35", "0.0", "0.35", "0.55", "0.2")
FILLS = ("0.25", "1.0", "0.7", "0.9", "0.5")
HATCHES = ("", "///", "...", "xxx", "\\\\\\")
"""Hatches, of which up to this many series repeat none together."""

FOLDED, MOST_LETTERS, LONGEST = 16, 96, 30
"""The most letters in a line of a name below a bar, in all names side by side in a plain figure,
and in a line of a name at the left of a bar."""
SMALL = 6.5
"""The font size in points below bars, and above many bars."""

LEAST, BELOW = 1e-9, 100
"""The end of a logarithmic axis of errors if no curve has one, and how far it is below a curve."""

MOST_AMONG = 3
"""The most names of curves that are placed between the curves."""

STYLE: dict[Any, Any] = {
    # The first one comes with matplotlib, so every machine has it; no other one is wider.
    "font.family": ["DejaVu Sans", "sans-serif"],
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "0.88",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.4,
    "lines.markersize": 4,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "hatch.linewidth": 0.6,
    "text.usetex": False,
    "text.parse_math": False,  # a dollar sign in a title does not start a formula
    "svg.hashsalt": "semiaudit",
    "pdf.fonttype": 42,
    "savefig.dpi": 200,
}
PAPER: dict[Any, Any] = {
    # STIX comes with matplotlib, and has the letters of Times.
    "font.family": ["STIXGeneral", "serif"],
    "mathtext.fontset": "stix",
    "font.size": 8,
    "axes.titlesize": 8,
    "legend.fontsize": 7,
    "lines.linewidth": 1.0,
    "lines.markersize": 3,
    "savefig.dpi": 600,
}
"""The settings of a paper."""
_MADE_BY = f"semiaudit {__version__}"
_METADATA: dict[PlotForm, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": _MADE_BY},
    "png": {"Software": _MADE_BY},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": _MADE_BY},
}


@contextmanager
def _styled(style: PlotStyle) -> Iterator[None]:
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE | (PAPER if style == "paper" else {}))
        yield


def drawn(figures: Sequence[Figure], style: PlotStyle = "plain") -> Drawn:
    """Return the figures side by side, at most two in a row; for a paper, below each other."""
    with _styled(style):
        return _drawn(figures, style)


def plotted(
    figures: Sequence[Figure], form: PlotForm, style: PlotStyle = "plain", *, shapes: bool = True
) -> bytes:
    """Return the bytes of a file with the figures of ``drawn``.

    Args:
        shapes: whether letters of SVG are shapes.
    """
    buffer = io.BytesIO()
    with _styled(style):
        matplotlib.rcParams["svg.fonttype"] = "path" if shapes else "none"
        _drawn(figures, style).savefig(buffer, format=form, metadata=_METADATA[form])
    return buffer.getvalue()


def _drawn(figures: Sequence[Figure], style: PlotStyle) -> Drawn:
    width, _ = SIZES[style]
    columns = 1 if style == "paper" else min(2, len(figures))
    rows = [figures[first : first + columns] for first in range(0, len(figures), columns)]
    heights = [max(_height(figure, style) for figure in row) for row in rows]
    page = Drawn(figsize=(width * columns, sum(heights)), layout="constrained")
    grid = page.add_gridspec(len(rows), columns, height_ratios=heights)
    for place, figure in enumerate(figures):
        axes = page.add_subplot(grid[place // columns, place % columns])
        lies = _lies(figure, style)
        _draw(axes, figure, lies=lies)
        _name(axes, figure, style, lies=lies)
    return page


def _height(figure: Figure, style: PlotStyle) -> float:
    usual = SIZES[style][1]
    if not _lies(figure, style):
        return usual
    bars = len(figure.series) * len(figure.categories)
    return max(usual, PER_BAR * bars + AROUND_BARS)


def _lies(figure: Figure, style: PlotStyle) -> bool:
    """Return whether the bars are horizontal: their names are too long to be side by side."""
    longest = max((len(line) for lines in figure.categories for line in lines), default=0)
    room = MOST_LETTERS * SIZES[style][0] / SIZES["plain"][0]
    return figure.horizontal or len(figure.categories) * min(longest, FOLDED) > room


def _draw(axes: Axes, figure: Figure, *, lies: bool) -> None:
    bars = [series for series in figure.series if series.shape == "bars"]
    if figure.categories:
        _draw_bars(axes, bars, figure.categories, lies=lies)
        axes.grid(visible=False, axis="y" if lies else "x")
    for place, series in enumerate(s for s in figure.series if s.shape != "bars"):
        _draw_curve(axes, series, place)
    if figure.unit_square:
        _draw_square(axes, figure)
    if "x" in figure.logarithmic:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(_power)
    if "y" in figure.logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(_power)
    if figure.counts:
        (axes.xaxis if lies else axes.yaxis).set_major_locator(MaxNLocator(integer=True))


def _draw_square(axes: Axes, figure: Figure) -> None:
    shares = [share / 64 for share in range(65)]
    low, floor = 0.0, 0.0
    if figure.logarithmic:
        places = [x for series in figure.series for x, _ in series.points if x > 0]
        low, floor = min(places), _floor(figure)
        shares = sorted([*(low ** (1 - k) for k in shares), *(1 - floor**k for k in shares)])
    axes.plot(shares, [1 - x for x in shares], color="0.6", linewidth=0.8, linestyle=":", zorder=1)
    axes.set(xlim=(low, 1), ylim=(floor, 1.02 if not floor else 1.5))


def _floor(figure: Figure) -> float:
    """Return the start of a logarithmic axis of type II errors, below every curve."""
    read = (
        next((y for x, y in series.points if x >= float(READ_AT)), 0.0) for series in figure.series
    )
    return min((y for y in read if y > 0), default=LEAST) / BELOW


def _name(axes: Axes, figure: Figure, style: PlotStyle, *, lies: bool) -> None:
    across, up = (figure.up, figure.across) if lies else (figure.across, figure.up)
    formulas = figure.formulas[::-1] if lies else figure.formulas
    paper = style == "paper"
    axes_of_names: tuple[Axis, Axis] = (axes.xaxis, axes.yaxis)
    for name, formula, axis in zip((across, up), formulas, axes_of_names, strict=True):
        if paper and formula:
            axis.set_label_text(formula, parse_math=True)
        else:
            axis.set_label_text(visible(name))
    if not paper:
        axes.set_title(fill(visible(figure.title), 52), loc="left")
        _annotate(axes, figure, lies=lies)
    if len(figure.series) > 1:
        crowded = len(figure.series) > MOST_AMONG and not figure.unit_square
        if crowded and "y" not in figure.logarithmic and not lies:
            _raise_ceiling(axes, len(figure.series))
        axes.legend()


def _annotate(axes: Axes, figure: Figure, *, lies: bool) -> None:
    if not figure.note:
        return
    lines = 0
    if figure.categories and not lies:
        lines = max(label.get_text().count("\n") for label in axes.get_xticklabels())
    note = "\n".join(fill(visible(line), 72) for line in figure.note.splitlines())
    axes.annotate(
        note,
        (0, 0),
        (0, -34 - 9 * lines),  # points, for the labels of the axis
        xycoords="axes fraction",
        textcoords="offset points",
        va="top",
        fontsize=7,
    )


def _named(series: Series) -> str:
    return fill(visible(series.name), 44)


def _raise_ceiling(axes: Axes, names: int) -> None:
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.09 * min(names, 12) * (high - low))


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _power(value: float, place: float) -> str:
    power = round(math.log10(value))
    return f"{value:g}" if power in (-1, 0, 1) else f"10{str(power).translate(_RAISED)}"


def _draw_curve(axes: Axes, series: Series, place: int) -> None:
    across, up = zip(*series.points, strict=True)
    # Every curve has its marks at other places, so that two equal curves are visible as two.
    every = max(1, len(across) // 8)
    marks: dict[str, Any] = {
        "marker": MARKS[place % len(MARKS)],
        "markevery": (place % every if every > 1 else 0, every),
        "markerfacecolor": "white" if place % 2 else None,
    }
    lines = {
        "line": {"linestyle": LINES[place % len(LINES)]},
        "marks": {"linestyle": "none", "markevery": 1},
    }
    axes.plot(
        across,
        up,
        label=_named(series),
        color=GREYS[place % len(GREYS)],
        **(marks | lines[series.shape]),
    )


def _draw_bars(
    axes: Axes, bars: Sequence[Series], categories: Sequence[tuple[str, ...]], *, lies: bool
) -> None:
    width = 0.8 / max(len(bars), 1)
    for place, series in enumerate(bars):
        shift = (place - (len(bars) - 1) / 2) * width
        draw = axes.barh if lies else axes.bar
        container = draw(
            [at + shift for at, _ in series.points],
            [up for _, up in series.points],
            width * 0.92,
            label=_named(series),
            color=FILLS[place % len(FILLS)],
            edgecolor="black",
            linewidth=0.8,
            hatch=HATCHES[place % len(HATCHES)],
        )
        if series.labels:
            small = SMALL if len(bars) * len(categories) > 6 else 8
            axes.bar_label(container, labels=list(series.labels), fontsize=small, padding=2)
    places = range(len(categories))
    if lies:
        names = [fill(", ".join(map(visible, lines)), LONGEST) for lines in categories]
        axes.set_yticks(places, names, fontsize=SMALL + 0.5)
        axes.set_ylim(len(categories) - 0.4, -0.6)
        axes.margins(x=0.12)
        return
    names = ["\n".join(fill(visible(line), FOLDED) for line in lines) for lines in categories]
    axes.set_xticks(places, names, fontsize=SMALL)
    axes.set_xlim(-0.6, len(categories) - 0.4)
