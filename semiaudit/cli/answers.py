"""Commands that print an answer: the options that they share, and what becomes of the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from semiaudit.cli.interrupts import hard_limits
from semiaudit.cli.options import (
    ACCESS,
    OUTPUT,
    STANDARD_INPUT,
    Decorator,
    access_of,
    format_option,
    output_option,
    spec_of_standard_input,
)
from semiaudit.cli.output import parse_outputs, terminal, write_stderr, write_stdout
from semiaudit.cli.output_files import write_bytes, write_text
from semiaudit.cli.status_line import watching
from semiaudit.frozen import dataclass
from semiaudit.model.data_source import CONFINED, Access
from semiaudit.report import PLOT_FORMS, PLOT_STYLES, Layout, PlotForm, PlotStyle
from semiaudit.report.figures import require_converter

if TYPE_CHECKING:
    from semiaudit.library.answer import Answer

Files = list[tuple[str, str]]
"""(format, path) pairs."""

OUTPUT_OR_FIGURES = (
    "Also write a report in one of these formats, or figures as svg, png, or pdf; repeatable."
)


@dataclass(frozen=True, slots=True)
class SharedOptions:
    """The options that commands share, for one run.

    Attributes:
        files: the files of ``-o``.
        access: the caller's permissions for data access and for quotes in messages.
        standard_input: the content of standard input, if an input is ``-``; None otherwise.
    """

    files: Files
    access: Access
    standard_input: bytes | None


def prints_answer(
    formats: Iterable[str],
    *inputs: str,
    output: str = "",
    also_written: Sequence[str] = (),
    figures: Sequence[str] = (),
) -> Decorator:
    """Make a command of a function that returns an answer; add ``--format`` and ``-o``.

    The function gets its own options, ``time_limit`` and ``tolerance``, if it has them, and
    ``shared``, the ``SharedOptions``. It runs below a status line and within the hard limits. All
    formats are rendered before the first file is written: a run that a limit stops leaves no files.

    Args:
        formats: the formats of the answer.
        inputs: the parameters with the files that the command reads.
        output: the help of ``-o``, if it differs from that of other commands.
        also_written: formats that only ``-o`` has.
        figures: the names of the answer's figures; without any, ``-o`` writes no figures.
    """
    printed = tuple(formats)
    written = (*printed, *also_written, *(PLOT_FORMS if figures else ()))

    def decorated(command: Callable[..., Answer[Any]]) -> Callable[..., Any]:
        @wraps(command)
        def run(
            form: str,
            outputs: tuple[str, ...],
            figures: tuple[str, ...] = (),
            style: PlotStyle = "plain",
            kill_after: float | None = None,
            memory_limit: int | None = None,
            verbose: bool = False,
            **options: Any,
        ) -> int:
            read = list(_paths(options[name] for name in inputs))
            files = parse_outputs(outputs, *read, formats=written)
            texts, plots = _texts_and_plots(files, figures)
            permissions = {name: options.pop(name) for name in ACCESS if name in options}
            access = access_of(permissions) if permissions else CONFINED
            layout = Layout(verbose=verbose)
            with watching("starting"), hard_limits(kill_after, memory_limit):
                content = spec_of_standard_input(files) if STANDARD_INPUT in read else None
                answer = command(**options, shared=SharedOptions(files, access, content))
                reports = [
                    report for name, path in texts for report in answer._files(name, path, layout)
                ]
                width, color = terminal()
                text = answer._rendered(form, replace(layout, width=width, color=color))
                pictures = _plotted(answer, plots, figures, style)
            for path, report in reports:
                write_text(path, report)
            for path, picture in pictures:
                write_bytes(path, picture)
            write_stdout(text)
            for remark in answer._remarks:
                write_stderr(remark)
            return answer.exit_code

        own = _figure_options(figures)(run) if figures else run
        help_ = output or (OUTPUT_OR_FIGURES if figures else OUTPUT)
        return format_option(printed)(output_option(help_)(own))

    return decorated


def _paths(values: Iterable[Any]) -> Iterable[str]:
    for value in values:
        if isinstance(value, tuple):
            yield from value
        elif value is not None:
            yield value


def _figure_options(known: Sequence[str]) -> Decorator:
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
        "wide, gray, without titles and notes.",
    )
    return lambda command: figure(style(command))


def _texts_and_plots(
    files: Files, figures: Sequence[str]
) -> tuple[Files, list[tuple[PlotForm, str]]]:
    """The files that are texts, and those that are figures, before any work is done.

    Raises:
        click.UsageError: figures are named, and no file is to hold them.
        OutputError: what makes PNG and PDF is not installed.
    """
    plots = [(form, path) for kind, path in files for form in PLOT_FORMS if kind == form]
    require_converter([form for form, _ in plots])
    if figures and not plots:
        raise click.UsageError(
            "--figure: no file is named; add -o svg=FILE, -o png=FILE, or -o pdf=FILE"
        )
    return [(kind, path) for kind, path in files if kind not in PLOT_FORMS], plots


def _plotted(
    answer: Any,
    plots: Sequence[tuple[PlotForm, str]],
    figures: Sequence[str],
    style: PlotStyle,
) -> list[tuple[str, bytes]]:
    """Return the contents of every file of figures, before any is written.

    Args:
        answer: a ``FiguredAnswer`` if there are ``plots``.

    Raises:
        click.UsageError: there is nothing to draw in a figure that is named.
    """
    try:
        return [(path, answer.plotted(form, *figures, style=style)) for form, path in plots]
    except ValueError as error:
        raise click.UsageError(f"--figure: {error}") from None
