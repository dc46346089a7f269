"""Figures as files: ``-o svg=FILE``, ``png=`` and ``pdf=``, and ``--figure``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import click

from semiaudit.cli.options import Decorator
from semiaudit.deadline import Deadline
from semiaudit.report import PLOT_FORMS, PLOT_STYLES, PlotForm, PlotStyle
from semiaudit.report.plots import load, require_matplotlib

Files = list[tuple[str, str]]
"""(format, path) pairs."""

OUTPUT = "Also write a report in one of these formats, or figures as svg, png, or pdf; repeatable."


class Plottable(Protocol):
    """A result that has figures."""

    def plotted(self, form: PlotForm = "svg", *figures: str, style: PlotStyle = "plain") -> bytes:
        """The bytes of a file with some figures, or all."""
        ...


def figure_options(known: Sequence[str]) -> Decorator:
    """``--figure NAME``, as ``figures``: which of them the files hold; and ``--style``."""
    figure = click.option(
        "--figure",
        "figures",
        type=click.Choice(known),
        multiple=True,
        help="Write only this figure to the svg, png, and pdf files; repeatable.",
    )
    style = click.option(
        "--style",
        type=click.Choice(PLOT_STYLES),
        default="plain",
        show_default=True,
        help="Style of the svg, png, and pdf files; paper: for a column of a paper, 3.3 inches "
        "wide, serif, with formulas.",
    )
    return lambda command: figure(style(command))


def texts_and_plots(
    files: Files, figures: Sequence[str]
) -> tuple[Files, list[tuple[PlotForm, str]]]:
    """The files that are texts, and those that are figures, before any work is done.

    Raises:
        click.UsageError: figures are named, and no file is to hold them.
        OutputError: matplotlib is not installed.
    """
    plots = [(form, path) for kind, path in files for form in PLOT_FORMS if kind == form]
    if plots:
        require_matplotlib()
    elif figures:
        raise click.UsageError(
            "--figure: no file is named; add -o svg=FILE, -o png=FILE, or -o pdf=FILE"
        )
    return [(kind, path) for kind, path in files if kind not in PLOT_FORMS], plots


def seconds_left(time_limit: float, plots: Sequence[tuple[PlotForm, str]]) -> float:
    """Return the seconds for an audit after the library that draws its figures is loaded.

    Args:
        plots: the files of figures; nothing is loaded without any.
    """
    limit = Deadline(time_limit)
    if plots:
        load(form for form, _ in plots)
    return limit.left


def drawn(
    drawable: Plottable,
    plots: Sequence[tuple[PlotForm, str]],
    figures: Sequence[str],
    style: PlotStyle,
) -> list[tuple[str, bytes]]:
    """Return the contents of every file of figures, before any is written.

    Raises:
        click.UsageError: there is nothing to draw in a figure that is named.
    """
    try:
        return [(path, drawable.plotted(form, *figures, style=style)) for form, path in plots]
    except ValueError as error:
        raise click.UsageError(f"--figure: {error}") from None
