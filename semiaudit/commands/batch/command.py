"""`semiaudit batch`: many audits, one summary."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import click

from semiaudit.cli.interrupts import stopping
from semiaudit.cli.options import (
    MEGABYTE,
    access_of,
    access_options,
    format_option,
    hard_limit_options,
    ignored_rules,
    output_option,
    pattern_option,
    policy_option,
    shown_options,
    time_limit_option,
)
from semiaudit.cli.output import (
    VERDICT_FORMATS,
    parse_outputs,
    repository,
    skipped_text,
    spare,
    terminal,
    write_stderr,
    write_stdout,
)
from semiaudit.cli.output_files import write_all, write_lines, write_parquet, write_text
from semiaudit.cli.progress_bar import progress
from semiaudit.data.parquet import require_duckdb
from semiaudit.errors import OutputError
from semiaudit.model.verdict import exit_code_of_run
from semiaudit.report import VERDICT_RENDERERS, Layout
from semiaudit.report.blocks.summary import column_named, columns_shown, csv_lines, sorted_places
from semiaudit.report.blocks.summary_table import (
    closing_lines,
    finding_lines,
    opening_lines,
    summary_lines,
)
from semiaudit.report.text.shield import shielded

if TYPE_CHECKING:
    from semiaudit.commands.batch.run import Batch, BatchOptions

TABLE = "parquet"
"""The format of the summary that is no text."""
WRITTEN = ("csv", TABLE, *(name for name in VERDICT_FORMATS if name != "csv"))
FAILURES_FIRST = "failures"
"""The order of the table that is no column's: what fails, then the paths."""
LINES_AT_ONCE = 200
MOST_UNWRITTEN = 5
"""The most reports that could not be written of which each is listed."""


@click.command()
@click.argument("directory", type=click.Path(exists=True))
@output_option(f"Also write the summary to a file ({', '.join(WRITTEN)}); repeatable.")
@click.option(
    "--reports",
    metavar="DIR",
    help="Write a JSON, Markdown, and HTML report of each spec, and an index, to DIR.",
)
@click.option(
    "--sort",
    metavar="COLUMN",
    default=FAILURES_FIRST,
    show_default=True,
    help="Sort the text by a CSV column, or by a, rho, mu, or epsilon. -COLUMN: largest first.",
)
@policy_option()
@click.option("--require-budgets", is_flag=True, help="Exit with 3 if a spec has no budget.")
@pattern_option("Also audit files with these names.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 1024),
    metavar="N",
    help="Number of processes. Default: one per available processor.",
)
@click.option(
    "--executor",
    metavar="dask://HOST:PORT",
    default="",
    help="Run on a Dask cluster that can read the same files (extra `dask`).",
)
@time_limit_option("Time limit for each spec.")
@hard_limit_options(
    "Abandon a spec after this time. Default: twice the time limit plus 10 s.",
    "Maximum address space of each process. Default: its share of the memory, at least 4096.",
)
@click.option(
    "--resume",
    metavar="FILE",
    help="Keep a journal in FILE (or in a directory), and skip specs that have not changed.",
)
@shown_options()
@access_options()
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
@format_option(VERDICT_FORMATS)
def batch(directory: str, outputs: tuple[str, ...], sort: str, form: str, **given: Any) -> int:
    """Audit every spec under DIRECTORY, in parallel, and print one summary.

    Specs are the YAML files with the key `semiaudit`. A spec that cannot be audited has a row in
    the summary, too. Ctrl-C keeps the results so far. The exit code is the most severe one of all
    specs, in the order 4, 2, 1, 3, 0.
    """
    inputs = [given["policy"]] if given["policy"] else []
    files = parse_outputs(outputs, *inputs, formats=WRITTEN)
    _check(sort, files, given)
    from semiaudit.checking.discovery import specs_under
    from semiaudit.commands.batch.run import batch as run
    from semiaudit.commands.batch.run import written_by

    with ExitStack() as stack:
        stopped = stack.enter_context(stopping())
        options, ignored = _options(directory, given), ignored_rules(given["ignore"])
        discovery = specs_under([directory], given["pattern"], options.access.root)
        spare([*files, *written_by(discovery, options)], [*discovery.specs, *inputs])
        with progress(
            len(discovery.specs) + len(discovery.problems), quiet=given["quiet"]
        ) as report:
            done = stack.enter_context(
                run(discovery, options, write=write_text, progress=report, stopped=stopped)
            )
        layout = Layout(
            root=os.getcwd().replace(os.sep, "/"),
            repository=repository(),
            incomplete=done.interrupted > 0,
            skipped=discovery.skipped,
            verbose=given["verbose"],
            ignored=ignored,
            only_failures=given["only_failures"],
            times=given["times"],
            survey=True,
        )
        wrong = write_all(partial(_write, name, kind, done, layout, sort) for kind, name in files)
        _print(done, form, sort, layout)
        wrong += done.unwritten[:MOST_UNWRITTEN]
        if not done.verdicts:
            write_stderr(f"{directory}: nothing to audit{skipped_text(discovery)}")
        if done.interrupted and not options.resume:
            click.echo("add --resume FILE to continue from here in the next run", err=True)
        if wrong:
            raise OutputError("\n".join(wrong))
        return exit_code_of_run(done.verdicts)


def _check(sort: str, files: Sequence[tuple[str, str]], given: dict[str, Any]) -> None:
    try:
        column_named(sort.replace(FAILURES_FIRST, "path"))
    except ValueError as error:
        raise click.UsageError(f"--sort {sort}: {error}") from None
    if given["executor"] and not given["executor"].startswith("dask://"):
        raise click.UsageError(f"--executor {given['executor']}: write dask://HOST:PORT")
    if given["executor"] and (given["jobs"] or given["memory_limit"]):
        raise click.UsageError(
            "--jobs and --memory-limit do not apply with --executor; remove them"
        )
    folder = given["reports"]
    if folder and os.path.lexists(folder) and not os.path.isdir(folder):
        raise click.UsageError(f"--reports {folder}: this is not a directory; name a directory")
    if any(kind == TABLE for kind, _ in files):
        require_duckdb()


def _options(directory: str, given: dict[str, Any]) -> BatchOptions:
    from semiaudit.checking.executors import share_of_memory, usable_processors
    from semiaudit.checking.gate import gate_options
    from semiaudit.commands.batch.run import BatchOptions

    jobs = given["jobs"] or usable_processors()
    memory, limit = given["memory_limit"], given["time_limit"]
    return BatchOptions(
        root=directory,
        time_limit=limit,
        kill_after=given["kill_after"] or 2 * limit + 10,
        jobs=jobs,
        memory=memory * MEGABYTE if memory else share_of_memory(jobs),
        executor=given["executor"],
        resume=given["resume"],
        reports=given["reports"],
        gate=gate_options(
            policy=given["policy"],
            today=datetime.now(UTC).date(),
            budgets=given["require_budgets"],
            survey=True,
        ),
        access=access_of(given),
    )


def _write(name: str, kind: str, done: Batch, layout: Layout, sort: str) -> None:
    if kind == TABLE:
        columns = {column.name: column.kind for column in columns_shown(times=layout.times)}
        lines = csv_lines(done.verdicts, as_it_is=True, times=layout.times)
        write_parquet(name, lines, columns)
    else:
        write_lines(name, _lines(done, kind, _places(done, kind, sort), layout))


def _places(done: Batch, form: str, sort: str) -> Sequence[int]:
    return sorted_places(done.verdicts, sort) if form == "text" else range(len(done.verdicts))


def _print(done: Batch, form: str, sort: str, layout: Layout) -> None:
    width, color = terminal()
    layout = replace(layout, width=width, color=color)
    lines = iter(_lines(done, form, _places(done, form, sort), layout))
    while text := "".join(islice(lines, LINES_AT_ONCE)):
        write_stdout(text)


def _lines(done: Batch, form: str, places: Sequence[int], layout: Layout) -> Iterable[str]:
    if form == "csv":
        return csv_lines(done.verdicts, times=layout.times)
    if form == "text":
        reached = [place for place in places if done.verdicts.reached(place)]
        table = summary_lines(done.verdicts, reached, layout)
        findings = finding_lines(done.verdicts, reached, layout)
        opening = [f"{line}\n" for line in (*opening_lines(done.outcomes), "")]
        closing = [f"{line}\n" for line in closing_lines(done.outcomes, done.reused, layout)]
        return map(shielded, chain(opening, table, findings, closing))

    return [VERDICT_RENDERERS[form](done.verdicts, layout)]
