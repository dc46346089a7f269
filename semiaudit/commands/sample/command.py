"""`semiaudit mechanism sample`: perform what a spec states."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import click

from semiaudit.cli.files import write_lines, write_parquet, write_text
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
from semiaudit.commands.sample import RENDERERS
from semiaudit.errors import RefusedError
from semiaudit.numeric.rationals import rational_from_text
from semiaudit.report import Layout

FILES = ("csv", "parquet", "utility")
"""What -o writes: the numbers or the records, or a curve of utility as CSV."""

RATES = ("0.01", "0.05", "0.1", "0.2", "0.5")
RUNS = 20
"""As many as the box plots of Bailie, Gong and Meng have at each rate."""


class RateParameter(click.ParamType[Fraction]):
    """A swap rate, read exactly."""

    name = "RATE"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Fraction:
        """The rate."""
        try:
            found = value if isinstance(value, Fraction) else rational_from_text(str(value))
        except ValueError as error:
            self.fail(f"{value!r}: {error}; write a number such as 0.05", param, ctx)
        if not 0 < found < 1:
            self.fail(f"{value!r}: is out of range; give above 0, below 1", param, ctx)
        return found


@click.command(short_help="Draw the noise that a spec states, or swap records.")
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
@click.option(
    "--utility",
    nargs=2,
    metavar="A B",
    help="For swapping: the mean absolute percentage error of the table of two attributes, at "
    "several rates. Without csv=FILE and parquet=FILE this is all that is done.",
)
@click.option(
    "--rate",
    "rates",
    type=RateParameter(),
    multiple=True,
    help=f"A swap rate of --utility; repeatable. Default: {', '.join(RATES)}.",
)
@click.option(
    "--runs",
    type=click.IntRange(min=1, max=1_000),
    help=f"How often --utility swaps at each rate. Default: {RUNS}.",
)
@time_limit_option("What all computations may take; beyond it nothing is written.")
@format_option(tuple(RENDERERS))
@output_option(
    "Write the numbers, or the swapped records, to csv=FILE or parquet=FILE; with utility=FILE the "
    "errors of --utility as CSV; may be given several times."
)
@access_options()
def sample(
    spec: str,
    data: str | None,
    seed: int | None,
    draws: int,
    fit: Any,
    utility: tuple[str, str] | None,
    rates: tuple[Fraction, ...],
    runs: int | None,
    time_limit: float,
    form: str,
    outputs: tuple[str, ...],
    **given: Any,
) -> int:
    """Perform the mechanism of SPEC: draw its noise, or noisy answers, or swap records.

    What is drawn goes to the files of -o; standard output says how, how exactly, and where the
    randomness came from. Noise with a support keeps the invariants exactly, and swapping its own.

    Exits with 2, and writes nothing, if the spec states what is neither noise on a query nor
    swapping, or the data disagree with it.
    """
    inputs = [name for name in (spec, data) if name is not None]
    files = parse_outputs(outputs, *inputs, formats=FILES)
    curves = [name for kind, name in files if kind == "utility"]
    files = [(kind, name) for kind, name in files if kind != "utility"]
    if curves and utility is None:
        raise click.UsageError("-o utility=FILE: name two attributes with --utility")
    if utility is None and (rates or runs is not None):
        raise click.UsageError("--rate and --runs are for --utility, which names two attributes")
    if not files and utility is None:
        raise click.UsageError("where to? write -o csv=FILE or -o parquet=FILE")
    access = access_of(given)
    if any(kind == "parquet" for kind, _ in files):
        from semiaudit.data.parquet import require_duckdb

        require_duckdb()
    with watching("starting"):
        from semiaudit import deadline
        from semiaudit.commands.sample.document import utility_csv
        from semiaudit.commands.sample.run import perform
        from semiaudit.commands.sample.utility import CurveQuestion
        from semiaudit.deadline import OutOfTimeError

        curve = None
        if utility is not None:
            asked = dict.fromkeys(rates or map(Fraction, RATES))
            curve = CurveQuestion(utility, tuple(asked), runs or RUNS)
        told = spec_of_standard_input() if spec == STANDARD_INPUT else None
        try:
            with deadline.running(time_limit):
                performance = perform(
                    spec, data, seed, draws, fit, access, told, curve=curve, records=bool(files)
                )
                lines = performance.drawn()
        except OutOfTimeError:
            what = f"{spec}: the time limit struck before everything was drawn"
            raise click.ClickException(f"{what}; raise --time-limit") from None
        except RefusedError as error:
            raise error.in_file(spec) from None
        done = performance.told()
        text = RENDERERS[form](done, Layout(*terminal()))
        errors = "" if done.utility is None else utility_csv(done.utility)
    for kind, name in files:
        if kind == "csv":
            write_lines(name, lines)
        else:
            write_parquet(name, lines, performance.columns)
    for name in curves:
        write_text(name, errors)
    write_stdout(text)
    return 0
