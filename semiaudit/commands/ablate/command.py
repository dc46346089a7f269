"""`semiaudit ablate`: what each invariant of a release costs."""

from __future__ import annotations

import click

from semiaudit.cli.answers import SharedOptions, prints_answer
from semiaudit.cli.options import audit_options
from semiaudit.commands.ablate import PRESENTATION
from semiaudit.commands.ablate.ablation import Ablation, Groups, ablate_path, places_of
from semiaudit.report import ANSWER_FIGURES


def read_groups(
    ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]
) -> Groups | None:
    """Return the groups that options name; None without any."""
    if not all("=" in text for text in texts):
        raise click.BadParameter("write NAME=I1,I2,...", ctx, param)
    named = (text.partition("=") for text in texts)
    return {name: places_of(members.split(",")) for name, _, members in named} or None


@click.command()
@click.argument("spec", type=click.Path())
@click.option(
    "--group",
    "groups",
    metavar="NAME=I1,I2,...",
    multiple=True,
    callback=read_groups,
    help="Also leave out these invariants together; repeatable. Default: invariants of the same "
    "form over the same attributes.",
)
@prints_answer(PRESENTATION.renderers, "spec", figures=ANSWER_FIGURES)
@audit_options(
    "Total time limit for all audits: half for the release itself, then half of the rest for the "
    "release without invariants and without each group; the others share it equally."
)
def ablate(
    spec: str, groups: Groups | None, time_limit: float, tolerance: float, shared: SharedOptions
) -> Ablation:
    """Show how each invariant of SPEC affects its guarantee.

    Audits the spec with all of its invariants, without each one, with each one alone, and with
    none, and compares a(t), the effective guarantee, and the disclosures.

    Budgets are not checked. Use - to read the spec from standard input.

    Exit code 2: one of these audits is not possible. The others are shown.
    """
    text = shared.standard_input
    return ablate_path(spec, time_limit, tolerance, shared.access, text, groups)
