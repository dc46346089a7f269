"""`semiaudit mechanism sample`: run the mechanism of a spec."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import click

from semiaudit import deadline
from semiaudit.cli.error_options import error_options, fit_options, fitting_of
from semiaudit.cli.options import (
    STANDARD_INPUT,
    access_of,
    access_options,
    format_option,
    numbers,
    output_option,
    spec_of_standard_input,
    time_limit_option,
)
from semiaudit.cli.output import parse_outputs, terminal, write_stdout
from semiaudit.cli.output_files import write_lines, write_parquet, write_text
from semiaudit.cli.status_line import watching
from semiaudit.commands.sample import PRESENTATION
from semiaudit.commands.sample.document import utility_csv
from semiaudit.commands.sample.run import run_mechanism
from semiaudit.data.parquet import require_duckdb
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import RefusedError
from semiaudit.model.results.errors import ErrorQuestion, FitNorm, FitWay
from semiaudit.model.results.sample import CurveQuestion
from semiaudit.report import Layout

FILES = ("csv", "parquet", "utility")
"""What -o writes: the numbers or the records, or a curve of utility as CSV."""

RATES = ("0.01", "0.05", "0.1", "0.2", "0.5")
RUNS = 20
"""The number of runs at each rate, that of the box plots of Bailie, Gong, and Meng."""


@click.command()
@click.argument("spec", type=click.Path())
@click.option(
    "--data",
    type=click.Path(),
    metavar="FILE",
    help="Compute the noisy answers from this CSV or Parquet file: a table with a column of "
    "counts, or microdata. Default: the data of the spec; without data, only the noise.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Make the sample repeatable. Default: randomness from the operating system.",
)
@click.option(
    "--draws",
    type=click.IntRange(min=1, max=1_000_000),
    default=1,
    show_default=True,
    help="Number of independent runs of the mechanism.",
)
@fit_options("Replace each noisy table by the nearest table")
@error_options()
@click.option(
    "--utility",
    nargs=2,
    metavar="A B",
    help="For swapping: show the mean absolute percentage error of the table of two attributes, at "
    "several swap rates. Writes records only if you give csv=FILE or parquet=FILE.",
)
@click.option(
    "--rate",
    "rates",
    multiple=True,
    metavar="RATE",
    callback=numbers("a number above 0 and below 1", lambda rate: 0 < rate < 1, as_given=True),
    help=f"Swap rate for --utility; repeatable. Default: {', '.join(RATES)}.",
)
@time_limit_option("Total time limit. If it is reached, nothing is written.")
@format_option(tuple(PRESENTATION.renderers))
@output_option(
    "Write the sample, or the swapped records, to csv=FILE or parquet=FILE; write the errors of "
    "--utility as CSV to utility=FILE; repeatable."
)
@access_options()
def sample(
    spec: str,
    data: str | None,
    seed: int | None,
    draws: int,
    norm: FitNorm | None,
    way: FitWay,
    by: tuple[tuple[str, ...], ...],
    utility: tuple[str, str] | None,
    rates: tuple[Fraction, ...],
    runs: int | None,
    time_limit: float,
    form: str,
    outputs: tuple[str, ...],
    **given: Any,
) -> int:
    """Run the mechanism of SPEC: sample its noise, sample noisy answers, or swap records.

    The sample goes to the files of -o. Standard output describes the sampler, its exactness, and
    the source of its randomness. Noise with a support keeps the invariants exactly; swapping keeps
    the counts that it does not change.

    Exit code 2: the mechanism is neither noise on a query nor swapping, or the data contradict the
    spec. Then nothing is written.
    """
    inputs = [name for name in (spec, data) if name is not None]
    written = parse_outputs(outputs, *inputs, formats=FILES)
    curves = [name for kind, name in written if kind == "utility"]
    files = [(kind, name) for kind, name in written if kind != "utility"]
    if curves and utility is None:
        raise click.UsageError(
            "-o utility=FILE needs --utility; add --utility A B with two attributes"
        )
    if utility is None and rates:
        raise click.UsageError("--rate needs --utility; add --utility A B with two attributes")
    if not files and utility is None and not by:
        raise click.UsageError("the sample has no file; add -o csv=FILE or -o parquet=FILE")
    access = access_of(given)
    question = ErrorQuestion(by, runs, fitting_of(norm, way))
    if any(kind == "parquet" for kind, _ in files):
        require_duckdb()
    with watching("starting"):
        curve = None
        if utility is not None:
            asked = dict.fromkeys(rates or map(Fraction, RATES))
            curve = CurveQuestion(utility, tuple(asked), runs or RUNS)
        standard_input = spec_of_standard_input(written) if spec == STANDARD_INPUT else None
        try:
            with deadline.running(time_limit):
                # Everything is sampled before a file is opened: part of a sample must not look like
                # a release.
                performance = run_mechanism(
                    spec,
                    data,
                    seed,
                    draws,
                    access,
                    standard_input,
                    curve=curve,
                    records=bool(files) or utility is None,
                    question=question,
                )
                lines = performance.drawn() if files else []
                done = performance.summary()
        except OutOfTimeError:
            what = f"{spec}: the time limit was reached before the sample was complete"
            raise click.ClickException(f"{what}; raise --time-limit") from None
        except RefusedError as error:
            raise error.in_file(spec) from None
        if not files:
            done = replace(done, rows=0)
        done = replace(done, files=tuple(name for _, name in files))
        text = PRESENTATION.renderers[form](done, Layout(*terminal()))
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
