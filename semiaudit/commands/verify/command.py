"""`semiaudit verify`: whether code does what its spec says."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import click

from semiaudit.cli.answers import SharedOptions, prints_answer
from semiaudit.cli.options import NumberRange, audit_options, number
from semiaudit.cli.output import write_stderr
from semiaudit.commands.verify import PRESENTATION
from semiaudit.commands.verify.run import Verification, verify_path
from semiaudit.commands.verify.subject import VerifyOptions

MOST_CONFIDENCE = Fraction(999_999, 1_000_000)


@click.command()
@click.argument("spec", type=click.Path())
@click.option(
    "--command",
    metavar="COMMAND",
    help="Run this command, without a shell, such as 'Rscript release.R {input} {output}'.",
)
@click.option(
    "--function",
    metavar="MODULE:NAME",
    help="Call this function with the path of a dataset; it returns the numbers of the output.",
)
@click.option(
    "--samples",
    nargs=2,
    type=click.Path(),
    metavar="X Y",
    help="Read outputs for X and Y: a row of numbers for each run.",
)
@click.option(
    "--import-path",
    type=click.Path(exists=True, file_okay=False),
    metavar="DIR",
    help="Directory of the modules of --function and --score.",
)
@click.option(
    "--pair",
    nargs=2,
    type=click.Path(),
    metavar="X Y",
    help="Use these datasets. Default: the pair of the audited number.",
)
@click.option(
    "--data-form",
    type=click.Choice(("records", "table")),
    default="records",
    show_default=True,
    help="Write datasets as microdata, or as a table with a column of counts.",
)
@click.option(
    "--runs",
    type=click.IntRange(min=40, max=1_000_000),
    default=1000,
    show_default=True,
    help="Number of runs; the first quarter chooses the events.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1, max=1024),
    default=1,
    show_default=True,
    help="Number of runs at the same time.",
)
@click.option(
    "--run-limit",
    type=NumberRange(min=0, min_open=True, max=1e6),
    default=60,
    show_default=True,
    metavar="SECONDS",
    help="Time limit of one run; a run that reaches it is an outcome.",
)
@click.option(
    "--stop-after",
    type=NumberRange(min=0, min_open=True, max=1e7),
    metavar="SECONDS",
    help="Start no run after this time, and judge those before it. Default: no limit.",
)
@click.option(
    "--journal",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Record labels and outcomes here; a run that was interrupted continues from it.",
)
@click.option(
    "--confidence",
    callback=number(
        "a number above 0, at most 0.999999", lambda share: 0 < share <= MOST_CONFIDENCE
    ),
    default="0.95",
    show_default=True,
    metavar="NUMBER",
    help="Confidence of all tests together.",
)
@click.option(
    "--score",
    metavar="MODULE:NAME",
    help="Function of the numbers of an output that is large for X. Default: the likelihood ratio, "
    "or a score that is learned on the first part.",
)
@click.option(
    "--one-run",
    is_flag=True,
    help="Run the code once, on a dataset with many independent changes; tests (ε, δ) only.",
)
@click.option(
    "--guesses",
    type=click.IntRange(min=8),
    help="Coins to guess with --one-run; the least clear ones are left out. Default: all.",
)
@click.option(
    "--code",
    type=click.Path(exists=True, dir_okay=False),
    multiple=True,
    metavar="FILE",
    help="File of the code, for its hash, in addition to those that the command names; repeatable.",
)
@prints_answer(PRESENTATION.renderers, "spec")
@audit_options("Time limit of the analysis of the spec, without the runs.")
def verify(
    spec: str,
    confidence: Fraction,
    import_path: str | None,
    time_limit: float,
    tolerance: float,
    shared: SharedOptions,
    **given: Any,
) -> Verification:
    """Test whether code does what SPEC says, on a pair of datasets that the audit names.

    Runs the code often, on datasets X and Y with the same invariants, and tests the claim for their
    distance. Use - to read the spec from standard input.

    Exit code 0: the claim is consistent with all runs, which is not a proof. 1: it is violated. 2:
    undecided, or not run.
    """
    kinds = [name for name in ("command", "function", "samples") if given[name]]
    if len(kinds) != 1:
        raise click.UsageError("give one of --command, --function, and --samples")
    if (given["function"] or given["score"]) and import_path is None:
        raise click.UsageError("--function and --score need --import-path DIR")
    if given["guesses"] and not given["one_run"]:
        raise click.UsageError("--guesses is for --one-run; add it")
    if given["one_run"] and (given["samples"] or given["score"]):
        raise click.UsageError("--one-run needs --command or --function, and has its own score")
    options = VerifyOptions(confidence=confidence, import_path=import_path or "", **given)
    text = shared.standard_input
    return verify_path(spec, options, time_limit, shared.access, text, announce=write_stderr)
