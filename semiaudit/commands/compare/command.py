"""`semiaudit compare`: releases side by side."""

from __future__ import annotations

from typing import Any

import click

from semiaudit.cli.figure_files import OUTPUT, drawn, figure_options, seconds_left, texts_and_plots
from semiaudit.cli.interrupts import hard_limits
from semiaudit.cli.options import (
    STANDARD_INPUT,
    access_of,
    access_options,
    format_option,
    hard_limit_options,
    output_option,
    spec_of_standard_input,
    time_limit_option,
    tolerance_option,
)
from semiaudit.cli.output import parse_outputs, put, rendered
from semiaudit.cli.status_line import watching
from semiaudit.commands.compare import RENDERERS
from semiaudit.report import ANSWER_FIGURES, PLOT_FORMS, PlotStyle

FORMATS = tuple(RENDERERS)


@click.command()
@click.argument("releases", type=click.Path(), nargs=-1, required=True)
@format_option(FORMATS)
@output_option(OUTPUT)
@figure_options(ANSWER_FIGURES)
@time_limit_option("Total time limit for all audits, which share it equally.")
@hard_limit_options(
    "Stop after this time with exit code 2, in every case. Default: no limit.",
    "Maximum address space of the process. Default: no limit.",
)
@tolerance_option()
@access_options()
def compare(
    releases: tuple[str, ...],
    form: str,
    outputs: tuple[str, ...],
    figures: tuple[str, ...],
    style: PlotStyle,
    time_limit: float,
    kill_after: float | None,
    memory_limit: int | None,
    tolerance: float,
    **given: Any,
) -> int:
    """Compare RELEASES: which guarantee implies which, or why they are not comparable, with a(t)
    and the numbers of every privacy definition.

    Each release is a spec, which is audited, or a JSON report of `analyze`, whose numbers are used
    as they are. Budgets are not checked. Use - to read one spec from standard input.

    Exit code 2: a release cannot be audited, or has no Semi-DP guarantee.
    """
    if releases.count(STANDARD_INPUT) > 1:
        raise click.UsageError(
            "only one release can come from standard input; name files for the others"
        )
    files = parse_outputs(outputs, *releases, formats=(*FORMATS, *PLOT_FORMS))
    files, plots = texts_and_plots(files, figures)
    access = access_of(given)
    with watching("starting"), hard_limits(kill_after, memory_limit):
        from semiaudit.commands.compare.comparison import compare_paths

        seconds = seconds_left(time_limit, plots)
        standard_input = (
            spec_of_standard_input([*files, *plots]) if STANDARD_INPUT in releases else None
        )
        comparison = compare_paths(releases, seconds, tolerance, access, standard_input)
        text, texts = rendered(comparison, form, files)
        pictures = drawn(comparison, plots, figures, style)
    put(text, texts, comparison.refusals, pictures)
    return comparison.exit_code
