"""`semiaudit mechanism sample`: perform what a spec states."""

from __future__ import annotations

from typing import Any

import click

from semiaudit.cli.files import write_lines, write_parquet
from semiaudit.cli.options import (
    access_of,
    access_options,
    format_option,
    output_option,
    time_limit_option,
)
from semiaudit.cli.output import parse_outputs, terminal, write_stdout
from semiaudit.cli.standard_input import STANDARD_INPUT, spec_of_standard_input
from semiaudit.cli.watching import watching
from semiaudit.errors import RefusedError

FILES = ("csv", "parquet")


@click.command(short_help="Draw the noise that a spec states, or noisy answers.")
@click.argument("spec", type=click.Path())
@click.option(
    "--data",
    type=click.Path(),
    metavar="FILE",
    help="Answer from this CSV or Parquet file: a table with a column of counts, or microdata. "
    "Default: the spec's own data; without any, the noise alone.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Draw the same numbers again. Default: randomness from the operating system.",
)
@click.option(
    "--draws",
    type=click.IntRange(min=1, max=1_000_000),
    default=1,
    show_default=True,
    help="How often the whole mechanism is performed.",
)
@click.option(
    "--nonnegative-integers",
    "fit",
    type=click.Choice(("l1", "l2")),
    help="Replace noisy tables by the nearest ones of whole numbers from 0 on that keep the "
    "invariants, by this norm.",
)
@time_limit_option("What all computations may take; beyond it nothing is written.")
@format_option(("text", "json"))
@output_option("Write the numbers to a file: csv=FILE or parquet=FILE; may be given several times.")
@access_options()
def sample(
    spec: str,
    data: str | None,
    seed: int | None,
    draws: int,
    fit: Any,
    time_limit: float,
    form: str,
    outputs: tuple[str, ...],
    **given: Any,
) -> int:
    """Perform the mechanism of SPEC: draw its noise, or noisy answers from data.

    The numbers go to the files of -o; standard output says what was drawn, how exactly, and where
    the randomness came from. Noise with a support keeps the invariants exactly.

    Exits with 2, and writes nothing, if the spec states what is no noise on a query, or the data
    disagree with it.
    """
    inputs = [name for name in (spec, data) if name is not None]
    files = parse_outputs(outputs, *inputs, formats=FILES)
    if not files:
        raise click.UsageError("where to? write -o csv=FILE or -o parquet=FILE")
    access = access_of(given)
    if any(kind == "parquet" for kind, _ in files):
        from semiaudit.data.parquet import require_duckdb

        require_duckdb()
    with watching("starting"):
        from semiaudit import deadline
        from semiaudit.deadline import OutOfTimeError
        from semiaudit.report import SAMPLE_RENDERERS
        from semiaudit.report.layout import Layout
        from semiaudit.workflow.sampling.perform import perform

        told = spec_of_standard_input() if spec == STANDARD_INPUT else None
        try:
            with deadline.running(time_limit):
                performance = perform(spec, data, seed, draws, fit, access, told)
                lines = list(performance.lines())
        except OutOfTimeError:
            what = f"{spec}: the time limit struck before everything was drawn"
            raise click.ClickException(f"{what}; raise --time-limit") from None
        except RefusedError as error:
            raise error.in_file(spec) from None
        width, color = terminal()
        text = SAMPLE_RENDERERS[form](performance.told(), Layout(width, color))
    for kind, name in files:
        if kind == "csv":
            write_lines(name, lines)
        else:
            write_parquet(name, lines, performance.columns)
    write_stdout(text)
    return 0
