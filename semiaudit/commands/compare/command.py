"""`semiaudit compare`: releases side by side."""

from __future__ import annotations

import click

from semiaudit.cli.answers import SharedOptions, prints_answer
from semiaudit.cli.error_options import error_options
from semiaudit.cli.options import STANDARD_INPUT, audit_options
from semiaudit.commands.compare import PRESENTATION
from semiaudit.commands.compare.comparison import Comparison, compare_paths
from semiaudit.model.results.errors import ErrorQuestion
from semiaudit.report import ANSWER_FIGURES


def _one_from_standard_input(
    ctx: click.Context, param: click.Parameter, releases: tuple[str, ...]
) -> tuple[str, ...]:
    if releases.count(STANDARD_INPUT) > 1:
        raise click.UsageError(
            "only one release can come from standard input; name files for the others", ctx
        )
    return releases


@click.command()
@click.argument(
    "releases", type=click.Path(), nargs=-1, required=True, callback=_one_from_standard_input
)
@prints_answer(PRESENTATION.renderers, "releases", figures=ANSWER_FIGURES)
@error_options()
@audit_options("Total time limit for all audits, which share it equally.")
def compare(
    releases: tuple[str, ...],
    by: tuple[tuple[str, ...], ...],
    runs: int | None,
    time_limit: float,
    tolerance: float,
    shared: SharedOptions,
) -> Comparison:
    """Compare RELEASES: which guarantee implies which, or why they are not comparable, with a(t)
    and the numbers of every privacy definition.

    Each release is a spec, which is audited, or a JSON report of `analyze`, whose numbers are used
    as they are. Budgets are not checked. Use - to read one spec from standard input.

    Exit code 2: a release cannot be audited, or has no Semi-DP guarantee.
    """
    asked = ErrorQuestion(by, runs)
    return compare_paths(
        releases, time_limit, tolerance, shared.access, shared.standard_input, asked
    )
