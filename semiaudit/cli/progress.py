"""How far a batch is: a bar on a terminal, a line every tenth elsewhere, nothing if told so."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from semiaudit.model.verdict import Outcome

STEPS = 10
"""Lines that a batch prints at most where there is no terminal."""


@contextmanager
def progress(total: int, *, quiet: bool) -> Iterator[Callable[[Outcome], None]]:
    """A function to be told of every verdict; what it shows goes to standard error."""
    if quiet or not total:
        yield lambda outcome: None
    elif sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        with _bar(total) as told:
            yield told
    else:
        yield _lines(total)


@contextmanager
def _bar(total: int) -> Iterator[Callable[[Outcome], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("auditing"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[bad]}"),
    )
    bad = 0
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("", total=total, bad="")

        def told(outcome: Outcome) -> None:
            nonlocal bad
            bad += outcome not in ("holds", "audited")
            shown.update(task, advance=1, bad=f"{bad} not inside" if bad else "")

        yield told


def _lines(total: int) -> Callable[[Outcome], None]:
    done = bad = printed = 0

    def told(outcome: Outcome) -> None:
        nonlocal done, bad, printed
        done += 1
        bad += outcome not in ("holds", "audited")
        if total >= STEPS and done * STEPS // total > printed:
            printed = done * STEPS // total
            rest = f", {bad} not inside" if bad else ""
            click.echo(f"audited {done} of {total} specs{rest}", err=True)

    return told
