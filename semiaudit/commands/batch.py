"""`semiaudit batch`: many audits, one summary."""

from __future__ import annotations

import hashlib
import os
import posixpath
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any

import click

from semiaudit.checking.discovery import Discovered, Skipped, specs_under
from semiaudit.checking.dispatch import Dispatcher
from semiaudit.checking.executors import (
    DASK,
    DaskWorkers,
    LocalWorkers,
    Workers,
    share_of_memory,
    usable_processors,
)
from semiaudit.checking.gate import gate_options
from semiaudit.checking.job import AuditTask, Result, Settings
from semiaudit.checking.journal import Journal, JournalEntry, Known, Verdicts, files_of_journal
from semiaudit.checking.record import text_of_record
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
from semiaudit.errors import OutputError, Problem
from semiaudit.frozen import dataclass
from semiaudit.model.data_source import CONFINED, Access
from semiaudit.model.policy import NO_GATE, GateOptions
from semiaudit.model.verdict import Outcome, Verdict, exit_code_of_run
from semiaudit.paths import opened
from semiaudit.report import ENDINGS, VERDICT_RENDERERS, Layout
from semiaudit.report.blocks.summary import column_named, columns_shown, csv_lines, sorted_places
from semiaudit.report.blocks.summary_table import batch_view
from semiaudit.report.html.verdicts_page import verdicts_page
from semiaudit.report.renderers import for_terminal

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
    with ExitStack() as stack:
        stopped = stack.enter_context(stopping())
        options, ignored = _options(directory, given), ignored_rules(given["ignore"])
        discovery = specs_under([directory], given["pattern"], options.access.root)
        spare([*files, *written_by(discovery, options)], [*discovery.specs, *inputs])
        with progress(
            len(discovery.specs) + len(discovery.problems), quiet=given["quiet"]
        ) as report:
            done = stack.enter_context(
                running_batch(
                    discovery, options, write=write_text, progress=report, stopped=stopped
                )
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
        view = batch_view(done.verdicts, reached, done.outcomes, done.reused, layout)
        return [for_terminal(view, layout)]
    return [VERDICT_RENDERERS[form](done.verdicts, layout)]


INDEX = "index.html"
"""The index page of the pages of the specs."""

Write = Callable[[str, str], None]
"""A function that writes a text to a named file, atomically."""


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """The options of a batch.

    Attributes:
        root: the base folder of the names of reports.
        time_limit: seconds for all computations of one spec.
        kill_after: seconds of wall-clock time after which the audit of a spec is killed.
        jobs: the number of parallel processes.
        memory: bytes of address space for each of them; None for no limit.
        executor: the address of a Dask scheduler; empty for processes of this machine.
        resume: the journal to read and write; None for none.
        reports: the directory for each spec's own reports; None for none.
        gate: the checks in addition to the specs' own budgets.
        access: permissions for data access and for quotes in messages.
    """

    root: str
    time_limit: float
    kill_after: float
    jobs: int
    memory: int | None = None
    executor: str = ""
    resume: str | None = None
    reports: str | None = None
    gate: GateOptions = NO_GATE
    access: Access = CONFINED


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch that finished, or was stopped.

    Attributes:
        verdicts: one per spec, in the order of the paths; specs that were not reached are marked.
        outcomes: the number of specs with each outcome; "" counts specs that were not reached.
        reused: the number of unchanged results from an earlier run.
        unwritten: why the batch could not be finished, or reports of single specs not written.
    """

    verdicts: Verdicts
    outcomes: dict[Outcome | str, int]
    reused: int
    unwritten: tuple[str, ...] = ()

    @property
    def interrupted(self) -> int:
        """Return how many specs were not reached."""
        return self.outcomes.get("", 0)


def _paths(discovery: Discovered) -> list[str]:
    paths = {*discovery.specs, *(problem.file for problem in discovery.problems)}
    return sorted(paths, key=lambda path: (path.split("/"), path))


def written_by(discovery: Discovered, options: BatchOptions) -> Iterator[tuple[str, str]]:
    """Yield the files that a batch writes, each with its option."""
    if options.resume is not None:
        for name in files_of_journal(options.resume):
            yield "--resume", name
    if options.reports is not None:
        reports = _Reports(options.reports, options.root, lambda name, text: None)
        for path in _paths(discovery):
            for ending in ENDINGS.values():
                yield "--reports", reports.place(path, ending)
        yield "--reports", os.path.join(options.reports, INDEX)


@contextmanager
def running_batch(
    discovery: Discovered,
    options: BatchOptions,
    *,
    write: Write,
    progress: Callable[[Outcome, str], None],
    stopped: Callable[[], bool],
) -> Iterator[Batch]:
    """Audit specs; the verdicts can be read while the context is open.

    Args:
        discovery: the specs, and the places that could not be searched.
        write: writes the specs' own reports.
        progress: is called with every outcome and path on arrival, in any order.
        stopped: becomes true when the batch must end immediately, with the results so far.

    Raises:
        SemiauditError: the journal, the executor or a report's file cannot be used.
    """
    faults = {problem.file: problem for problem in discovery.problems}
    paths = _paths(discovery)
    journal = Journal(paths, options.resume)
    try:
        run = _BatchRun(journal, faults, options, write)
        counts: Counter[Outcome | str] = Counter()
        with closing(run.outcomes(stopped)) as outcomes:
            for outcome, path in outcomes:
                counts[outcome] += 1
                progress(outcome, path)
        counts[""] = len(paths) - counts.total()
        verdicts = journal.verdicts()
        run.write_index(verdicts, incomplete=counts[""] > 0, skipped=discovery.skipped)
        yield Batch(
            verdicts,
            dict(counts),
            run.reused,
            (*run.faults, *run.unwritten),
        )
    finally:
        journal.close()


class _BatchRun:
    def __init__(
        self,
        journal: Journal,
        faults: dict[str, Problem],
        options: BatchOptions,
        write: Write,
    ) -> None:
        self.reused = 0
        self.unwritten: list[str] = []
        self.faults: list[str] = []
        self._journal = journal
        self._faults = faults
        self._options = options
        folder = options.reports
        self._reports = None if folder is None else _Reports(folder, options.root, write)
        self._settings = Settings(
            options.time_limit,
            options.kill_after,
            options.gate,
            reports=options.reports is not None,
            key=journal.key,
            own_process=not options.executor,
            folder=os.getcwd() if options.executor else "",
            access=options.access,
        )

    def outcomes(self, stopped: Callable[[], bool]) -> Generator[tuple[Outcome, str]]:
        """Yield outcomes and paths as they arrive; the verdicts are in the journal."""
        for index, path in enumerate(self._journal.paths):
            if path in self._faults:
                verdict = Verdict(path, "unaudited", problems=(self._faults[path],))
                self._journal.append(index, text_of_record(JournalEntry(path, "", (), verdict)))
                yield verdict.outcome, path
        if len(self._faults) == len(self._journal.paths):
            return
        dispatcher = Dispatcher(self._workers(), self._options.kill_after, stopped)
        with closing(dispatcher.results(self._tasks())) as results:
            for result in results:
                yield self._received(result), self._journal.paths[result.index]
        if dispatcher.lost:
            self.faults.append(f"{dispatcher.lost}; start it, and run the batch again")

    def write_index(
        self,
        verdicts: Sequence[Verdict],
        *,
        incomplete: bool,
        skipped: Skipped,
    ) -> None:
        """Write the index page of the specs' pages, if there are any."""
        if self._reports:
            try:
                self._reports.write_index(verdicts, incomplete, skipped)
            except OutputError as error:
                self.unwritten.append(str(error))

    def _workers(self) -> Workers:
        if self._options.executor.startswith(DASK):
            return DaskWorkers(self._options.executor, self._settings)
        number = max(1, min(self._options.jobs, len(self._journal.paths)))
        return LocalWorkers(number, self._settings, self._options.memory)

    def _tasks(self) -> Iterator[AuditTask]:
        for index, path in enumerate(self._journal.paths):
            if path not in self._faults:
                known = self._known(path)
                yield AuditTask(index, path, known.fingerprint if known else "")

    def _known(self, path: str) -> Known | None:
        known = self._journal.known(path)
        if known and self._reports and not self._reports.stand(path, known.reports):
            return None
        return known

    def _received(self, result: Result) -> Outcome:
        path = self._journal.paths[result.index]
        if result.outcome is None:
            known = self._journal.known(path)
            if known is None:
                raise LookupError(f"{path} is marked as unchanged, but is not in the journal")
            self._journal.keep(result.index, known)
            self.reused += 1
            return known.outcome
        self._journal.append(result.index, result.line)
        if self._reports:
            try:
                self._reports.write(path, result.reports, lambda: self._verdict(result.index))
            except OutputError as error:
                self.unwritten.append(str(error))
        return result.outcome

    def _verdict(self, index: int) -> Verdict:
        return self._journal.verdicts()[index]


class _Reports:
    """The specs' own reports: a directory that mirrors the directory of the specs."""

    def __init__(self, folder: str, root: str, write: Write) -> None:
        self._folder = folder
        self._root = root if os.path.isdir(root) else os.path.dirname(root)
        self._write = write

    def stand(self, path: str, digests: Sequence[tuple[str, str]]) -> bool:
        """Return whether the reports on disk are those of an earlier run."""
        return len(digests) == len(ENDINGS) and all(
            _digest_of(self.place(path, ending)) == digest for ending, digest in digests
        )

    def write(self, path: str, reports: dict[str, str], verdict: Callable[[], Verdict]) -> None:
        """Write a spec's reports; without an audit, write its verdict instead."""
        for form, ending in ENDINGS.items():
            place = self.place(path, ending)
            try:
                os.makedirs(os.path.dirname(place) or ".", exist_ok=True)
            except OSError as error:
                raise OutputError(f"{place}: cannot be written ({error.strerror})") from None
            text = reports.get(ending)
            self._write(
                place, VERDICT_RENDERERS[form]([verdict()], Layout()) if text is None else text
            )

    def write_index(
        self,
        verdicts: Sequence[Verdict],
        incomplete: bool,
        skipped: Skipped,
    ) -> None:
        """Write ``index.html``, with a row per spec that links to its page.

        Raises:
            OutputError: it cannot be written.
        """
        root = os.getcwd().replace(os.sep, "/")
        layout = Layout(
            root=root,
            folder=posixpath.join(root, self._folder),
            incomplete=incomplete,
            skipped=skipped,
            survey=True,
        )
        page = verdicts_page(verdicts, layout, lambda path: self.place(path, ".html"))
        self._write(os.path.join(self._folder, INDEX), page)

    def place(self, path: str, ending: str) -> str:
        """Return the name of a spec's report."""
        return os.path.join(self._folder, os.path.relpath(path, self._root or ".")) + ending


def _digest_of(name: str) -> str:
    try:
        with opened(name) as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""
