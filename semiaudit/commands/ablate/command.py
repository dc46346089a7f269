"""`semiaudit ablate`: what each invariant of a release costs."""

from __future__ import annotations

import click

from semiaudit.cli.answers import SharedOptions, prints_answer
from semiaudit.cli.options import audit_options
from semiaudit.commands.ablate import PRESENTATION
from semiaudit.commands.ablate.ablation import Ablation, ablate_path
from semiaudit.report import ANSWER_FIGURES


@click.command()
@click.argument("spec", type=click.Path())
@prints_answer(PRESENTATION.renderers, "spec", figures=ANSWER_FIGURES)
@audit_options("Total time limit for all audits, which share it equally.")
def ablate(spec: str, time_limit: float, tolerance: float, shared: SharedOptions) -> Ablation:
    """Show how each invariant of SPEC affects its guarantee.

    Audits the spec with all of its invariants, without each one, with each one alone, and with
    none, and compares a(t), the effective guarantee, and the disclosures.

    Budgets are not checked. Use - to read the spec from standard input.

    Exit code 2: one of these audits is not possible. The others are shown.
    """
    return ablate_path(spec, time_limit, tolerance, shared.access, shared.standard_input)
