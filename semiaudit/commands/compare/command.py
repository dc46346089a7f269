"""`semiaudit compare`: releases side by side."""

from __future__ import annotations

from typing import Any

import click

from semiaudit.cli.answers import put, rendered
from semiaudit.cli.figures import OUTPUT, drawn, figure_option, seconds_left, texts_and_plots
from semiaudit.cli.hard_limits import hard_limits
from semiaudit.cli.options import (
    access_of,
    access_options,
    format_option,
    hard_limit_options,
    output_option,
    time_limit_option,
    tolerance_option,
)
from semiaudit.cli.output import parse_outputs
from semiaudit.cli.standard_input import STANDARD_INPUT, spec_of_standard_input
from semiaudit.cli.watching import watching
from semiaudit.commands.compare import RENDERERS
from semiaudit.report import ANSWER_FIGURES, PLOT_FORMS

FORMATS = tuple(RENDERERS)


@click.command(short_help="Releases side by side, and which states more.")
@click.argument("releases", type=click.Path(), nargs=-1, required=True)
@format_option(FORMATS)
@output_option(OUTPUT)
@figure_option(ANSWER_FIGURES)
@time_limit_option("What all audits may take together, in equal shares of what is left.")
@hard_limit_options(
    "End with exit code 2 after so long, whatever is under way; default: never.",
    "Address space of the process; default: no limit of its own.",
)
@tolerance_option()
@access_options()
def compare(
    releases: tuple[str, ...],
    form: str,
    outputs: tuple[str, ...],
    figures: tuple[str, ...],
    time_limit: float,
    kill_after: float | None,
    memory_limit: int | None,
    tolerance: float,
    **given: Any,
) -> int:
    """Set RELEASES side by side: their building blocks, a(t), the numbers of every notion, and the
    order of what they state, or why there is none.

    Each is a spec, which is audited, or a JSON report of `analyze`, of which only the numbers that
    it holds are used. Budgets are not judged. One of them may be -, standard input.

    Exits with 2 if one of them cannot be audited, or has no semi_dp guarantee.
    """
    if releases.count(STANDARD_INPUT) > 1:
        raise click.UsageError("standard input can be one of the releases only")
    files = parse_outputs(outputs, *releases, formats=(*FORMATS, *PLOT_FORMS))
    files, plots = texts_and_plots(files, figures)
    access = access_of(given)
    with watching("starting"), hard_limits(kill_after, memory_limit):
        from semiaudit.commands.compare.comparison import compare_or_examples

        seconds = seconds_left(time_limit, plots)
        told = spec_of_standard_input() if STANDARD_INPUT in releases else None
        found = compare_or_examples(releases, seconds, tolerance, access, told)
        text, texts = rendered(found, form, files)
        pictures = drawn(found, plots, figures)
    put(text, texts, found.refusals, pictures)
    return found.exit_code
