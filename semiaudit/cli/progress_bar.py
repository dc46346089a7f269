"""Progress of a batch: a bar on a terminal, a line every tenth elsewhere, nothing if disabled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from semiaudit.cli.status_line import on_a_terminal
from semiaudit.errors import one_line
from semiaudit.model.verdict import ERROR, FAILED, WORDS, Outcome

STEPS = 10
"""Lines that a batch prints at most where there is no terminal."""


Report = Callable[[Outcome, str], None]
"""Takes the outcome and the path of a spec that is done."""


@contextmanager
def progress(total: int, *, quiet: bool) -> Iterator[Report]:
    """Return a function that shows progress on standard error, to call with every outcome."""
    if quiet or not total:
        yield lambda outcome, path: None
    elif on_a_terminal():
        with _bar(total) as report:
            yield report
    else:
        yield _lines(total)


@contextmanager
def _bar(total: int) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("specs"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("left · {task.fields[bad]}{task.fields[path]}", markup=False),
    )
    bad: Counter[str] = Counter()
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("", total=total, bad="", path="")

        def report(outcome: Outcome, path: str) -> None:
            bad[WORDS[outcome]] += 1
            rest = _bad(bad)
            shown.update(task, advance=1, bad=f"{rest} · " if rest else "", path=one_line(path))

        yield report


def _lines(total: int) -> Report:
    done = printed = 0
    bad: Counter[str] = Counter()

    def report(outcome: Outcome, path: str) -> None:
        nonlocal done, printed
        done += 1
        bad[WORDS[outcome]] += 1
        if total >= STEPS and done * STEPS // total > printed:
            printed = done * STEPS // total
            rest = _bad(bad)
            click.echo(f"{done} of {total} specs audited{f', {rest}' if rest else ''}", err=True)

    return report


def _bad(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[word]} {word}" for word in (FAILED, ERROR) if counts[word])
