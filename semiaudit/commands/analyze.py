"""`semiaudit analyze`: one audit, in full."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from semiaudit.cli.answers import SharedOptions, prints_answer
from semiaudit.cli.options import audit_options
from semiaudit.cli.output import FORMATS
from semiaudit.report import FIGURES

if TYPE_CHECKING:
    from semiaudit.library.report import Report


@click.command()
@click.argument("spec", type=click.Path())
@prints_answer(FORMATS, "spec", figures=FIGURES)
@click.option(
    "--verbose",
    is_flag=True,
    help="Add the explanations that are the same in every report, and references to theory.",
)
@audit_options("Total time limit. Computations that are cut short give looser bounds or no result.")
def analyze(spec: str, time_limit: float, tolerance: float, shared: SharedOptions) -> Report:
    """Audit SPEC: the advertised guarantee, the guarantee given the invariants (Semi-DP), and the
    semi-adjacent parameter a(t) that links them.

    Use - to read the spec from standard input; it can name files in the working directory.

    Exit code 1: a budget of the spec failed. Exit code 2: no guarantee is proven.
    """
    from semiaudit.library.report import audit_path

    return audit_path(spec, time_limit, tolerance, shared.access, shared.standard_input)
