"""`semiaudit analyze`: one audit, in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from semiaudit.cli.output import (
    FORMATS,
    is_interactive,
    parse_outputs,
    terminal,
    write_stderr,
    write_stdout,
)
from semiaudit.cli.output_files import write_bytes, write_text
from semiaudit.cli.status_line import watching
from semiaudit.report import FIGURES, PLOT_FORMS, PlotStyle

if TYPE_CHECKING:
    from semiaudit.library.report import Report


@click.command()
@click.argument("spec", type=click.Path())
@format_option(FORMATS)
@output_option(OUTPUT)
@figure_options(FIGURES)
@click.option("--explain", is_flag=True, help="Show the example pair for a(t) record by record.")
@click.option(
    "--verbose",
    is_flag=True,
    help="Add the explanations that are the same in every report, and references to theory.",
)
@time_limit_option(
    "Total time limit. Computations that are cut short give looser bounds or no result."
)
@hard_limit_options(
    "Stop after this time with exit code 2, in every case. Default: no limit.",
    "Maximum address space of the process. Default: no limit.",
)
@tolerance_option()
@access_options()
def analyze(
    spec: str,
    form: str,
    outputs: tuple[str, ...],
    figures: tuple[str, ...],
    style: PlotStyle,
    explain: bool,
    verbose: bool,
    time_limit: float,
    kill_after: float | None,
    memory_limit: int | None,
    tolerance: float,
    **given: Any,
) -> int:
    """Audit SPEC: the advertised guarantee, the guarantee given the invariants (Semi-DP), and the
    semi-adjacent parameter a(t) that links them.

    Use - to read the spec from standard input; it can name files in the working directory.

    Exit code 1: a budget of the spec failed. Exit code 2: no guarantee is proven.
    """
    files = parse_outputs(outputs, spec, formats=(*FORMATS, *PLOT_FORMS))
    files, plots = texts_and_plots(files, figures)
    access = access_of(given)
    with watching("starting"), hard_limits(kill_after, memory_limit):
        from semiaudit.library.report import audit_path

        seconds = seconds_left(time_limit, plots)
        standard_input = (
            spec_of_standard_input([*files, *plots]) if spec == STANDARD_INPUT else None
        )
        report = audit_path(spec, seconds, tolerance, access, standard_input)
        width, color = terminal()
        shown = {"explain": explain, "verbose": verbose}
        # All formats are rendered before the first file is written: a run that a limit stops leaves
        # no files.
        rendered = [(path, report.render(name, **shown)) for name, path in files]
        text = report.render(form, width=width, color=color, **shown)
        pictures = drawn(report, plots, figures, style)
        if form == "text" and is_interactive():
            text += _sketch(report, width)
    for path, content in rendered:
        write_text(path, content)
    for path, picture in pictures:
        write_bytes(path, picture)
    write_stdout(text)
    if report.refusal:
        write_stderr(f"{spec}: {report.refusal}; see the findings of the report")
    return report.exit_code


def _sketch(report: Report, width: int) -> str:
    from semiaudit.report.blocks.sketch import LEAST_WIDTH

    sketch = report.sketch() if width >= LEAST_WIDTH else ""
    return f"\n{sketch}" if sketch else ""
