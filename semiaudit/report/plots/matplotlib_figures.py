"""Figures drawn by matplotlib, in black and white: lines and marks tell curves apart, not colours.

No state of matplotlib's is used: figures have a canvas of their own, and every setting is given for
the time of a drawing, so that a user's style changes nothing and nothing of the user's is changed.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from textwrap import fill
from typing import TYPE_CHECKING, Any

import matplotlib
from matplotlib.figure import Figure as Drawn
from matplotlib.ticker import MaxNLocator

from semiaudit.model.figure import Figure, Series
from semiaudit.report import PlotForm
from semiaudit.report.text.shield import visible
from semiaudit.version import __version__

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 4.6, 3.9
"""Inches of one figure: a column of a paper, nearly."""

LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)))
MARKS = "osD^vP*X"
GREYS = ("0.0", "0.35", "0.0", "0.35", "0.55", "0.2")
FILLS = ("0.25", "1.0", "0.7", "0.9", "0.5")
HATCHES = ("", "///", "...", "xxx", "\\\\\\")
"""Several series repeat none of these together."""

FOLDED, MOST_LETTERS = 16, 96
"""Letters in a line of a name below a bar, and in a line of all of them side by side."""
SMALL = 6.5
"""Points of the letters below bars, and above many."""

MOST_LEVEL = 16
"""So many bars have room for their numbers side by side."""

MOST_AMONG = 3
"""So many names of curves find a place between them."""

STYLE: dict[Any, Any] = {
    # The first comes with matplotlib, so that every machine has it; no other one is wider.
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
    "text.parse_math": False,  # a dollar sign of a title is no formula
    "svg.hashsalt": "semiaudit",
    "pdf.fonttype": 42,
    "savefig.dpi": 200,
}
_MADE_BY = f"semiaudit {__version__}"
_METADATA: dict[PlotForm, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": _MADE_BY},
    "png": {"Software": _MADE_BY},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": _MADE_BY},
}


@contextmanager
def _styled() -> Iterator[None]:
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def drawn(figures: Sequence[Figure]) -> Drawn:
    """The figures side by side, at most two in a row."""
    with _styled():
        return _drawn(figures)


def plotted(figures: Sequence[Figure], form: PlotForm, *, shapes: bool = True) -> bytes:
    """The bytes of a file with the figures side by side.

    Args:
        shapes: letters of SVG are shapes.
    """
    held = io.BytesIO()
    with _styled():
        matplotlib.rcParams["svg.fonttype"] = "path" if shapes else "none"
        _drawn(figures).savefig(held, format=form, metadata=_METADATA[form])
    return held.getvalue()


def _drawn(figures: Sequence[Figure]) -> Drawn:
    columns = min(2, len(figures))
    rows = -(-len(figures) // columns)
    whole = Drawn(figsize=(WIDTH * columns, HEIGHT * rows), layout="constrained")
    for place, figure in enumerate(figures, 1):
        _draw(whole.add_subplot(rows, columns, place), figure)
    return whole


def _draw(axes: Axes, figure: Figure) -> None:
    bars = [series for series in figure.series if series.shape == "bars"]
    below = 34  # points, for the labels of the axis
    if figure.categories:
        _draw_bars(axes, bars, len(figure.categories))
        below += _name_categories(axes, figure.categories)
        axes.grid(visible=False, axis="x")
    for place, series in enumerate(s for s in figure.series if s.shape != "bars"):
        _draw_curve(axes, series, place)
    if "x" in figure.logarithmic:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(_power)
    if "y" in figure.logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(_power)
    if figure.counts:
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    if figure.unit_square:
        axes.plot((0, 1), (1, 0), color="0.6", linewidth=0.8, linestyle=":", zorder=1)
        axes.set(xlim=(0, 1), ylim=(0, 1.02))
    axes.set_title(fill(visible(figure.title), 52), loc="left")
    axes.set_xlabel(visible(figure.across))
    if figure.note:
        note = "\n".join(fill(visible(line), 72) for line in figure.note.splitlines())
        axes.annotate(
            note,
            (0, 0),
            (0, -below),
            xycoords="axes fraction",
            textcoords="offset points",
            va="top",
            fontsize=7,
        )
    axes.set_ylabel(visible(figure.up))
    if len(figure.series) > 1:
        if (
            len(figure.series) > MOST_AMONG
            and not figure.unit_square
            and "y" not in figure.logarithmic
        ):
            _raise_ceiling(axes, len(figure.series))
        axes.legend()


def _name_categories(axes: Axes, categories: Sequence[tuple[str, ...]]) -> int:
    """Write the names of categories below their bars, slanted where they are many.

    Returns:
        The points that they take beyond one line.
    """
    axes.set_xlim(-0.6, len(categories) - 0.4)
    longest = max(len(line) for lines in categories for line in lines)
    if len(categories) * min(longest, FOLDED) > MOST_LETTERS:
        names = [", ".join(map(visible, lines)) for lines in categories]
        axes.set_xticks(
            range(len(names)),
            names,
            fontsize=SMALL,
            rotation=50,
            rotation_mode="anchor",
            ha="right",
        )
        # A letter is about half of its size wide, and the sine of 50 degrees below 0.8.
        return int(0.5 * 0.8 * SMALL * max(map(len, names)))
    labels = ["\n".join(fill(visible(line), FOLDED) for line in c) for c in categories]
    axes.set_xticks(range(len(labels)), labels, fontsize=SMALL)
    return 9 * max(label.count("\n") for label in labels)


def _named(series: Series) -> str:
    """What the legend calls a series, in lines."""
    return fill(visible(series.name), 44)


def _raise_ceiling(axes: Axes, names: int) -> None:
    """Make room above curves for a legend of so many names."""
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.09 * min(names, 12) * (high - low))


def _power(value: float, place: float) -> str:
    """A place of a logarithmic axis, in plain text."""
    return f"{value:g}"


def _draw_curve(axes: Axes, series: Series, place: int) -> None:
    across, up = zip(*series.points, strict=True)
    # Every curve has its marks at other places, so that two that coincide are seen as two.
    every = max(1, len(across) // 8)
    marks: dict[str, Any] = {
        "marker": MARKS[place % len(MARKS)],
        "markevery": (place % every if every > 1 else 0, every),
        "markerfacecolor": "white" if place % 2 else None,
    }
    lines = {
        "line": {"linestyle": LINES[place % len(LINES)]},
        "held_after": {"linestyle": LINES[place % len(LINES)], "drawstyle": "steps-post"},
        "held_before": {"linestyle": LINES[place % len(LINES)], "drawstyle": "steps-pre"},
        "marks": {"linestyle": "none", "markevery": 1},
    }
    axes.plot(
        across,
        up,
        label=_named(series),
        color=GREYS[place % len(GREYS)],
        **(marks | lines[series.shape]),
    )


def _draw_bars(axes: Axes, bars: Sequence[Series], categories: int) -> None:
    width = 0.8 / max(len(bars), 1)
    for place, series in enumerate(bars):
        shift = (place - (len(bars) - 1) / 2) * width
        drawn = axes.bar(
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
            small = SMALL if len(bars) * categories > 6 else 8
            turned = 90 if len(bars) * categories > MOST_LEVEL else 0
            axes.bar_label(
                drawn, labels=list(series.labels), fontsize=small, padding=2, rotation=turned
            )
            axes.margins(y=0.2 if turned else 0.05)
