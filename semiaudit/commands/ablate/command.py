"""`semiaudit ablate`: what each invariant of a release costs."""

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
from semiaudit.commands.ablate import RENDERERS
from semiaudit.report import ANSWER_FIGURES, PLOT_FORMS, PlotStyle

FORMATS = tuple(RENDERERS)


@click.command()
@click.argument("spec", type=click.Path())
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
def ablate(
    spec: str,
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
    """Show how each invariant of SPEC affects its guarantee.

    Audits the spec with all of its invariants, without each one, with each one alone, and with
    none, and compares a(t), the effective guarantee, and the disclosures.

    Budgets are not checked. Use - to read the spec from standard input.

    Exit code 2: one of these audits is not possible. The others are shown.
    """
    files = parse_outputs(outputs, spec, formats=(*FORMATS, *PLOT_FORMS))
    files, plots = texts_and_plots(files, figures)
    access = access_of(given)
    with watching("starting"), hard_limits(kill_after, memory_limit):
        from semiaudit.commands.ablate.ablation import ablate_path

        seconds = seconds_left(time_limit, plots)
        standard_input = (
            spec_of_standard_input([*files, *plots]) if spec == STANDARD_INPUT else None
        )
        ablation = ablate_path(spec, seconds, tolerance, access, standard_input)
        text, texts = rendered(ablation, form, files)
        pictures = drawn(ablation, plots, figures, style)
    put(text, texts, [f"{spec}: {refusal}" for refusal in ablation.refusals], pictures)
    return ablation.exit_code
