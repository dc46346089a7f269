"""`reproduce`: our numbers compared with the published ones, entry by entry."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from contextlib import suppress

from semiaudit import deadline, progress
from semiaudit.commands.reproduce.entries import ReproductionTask, names_of, tasks
from semiaudit.commands.reproduce.model import Published, Reproduction, ReproductionEntry
from semiaudit.commands.reproduce.published_results import published_results, reproduced
from semiaudit.commands.reproduce.results import ours_of, result_of


def reproduction(
    asked: Iterable[str],
    time_limit: float = math.inf,
    each: Callable[[ReproductionEntry], None] | None = None,
) -> Reproduction:
    """Compute the requested entries, and compare.

    Args:
        asked: names or beginnings of names; empty for all.
        time_limit: seconds for everything; entries that are not computed by then are omitted.
        each: is called with every entry as soon as it is done.

    Raises:
        RefusedError: there is no such entry.
    """
    rows: dict[str, list[Published]] = {}
    for row in published_results():
        rows.setdefault(row.entry, []).append(row)
    names = names_of(asked)
    entries: list[ReproductionEntry] = []
    with suppress(deadline.OutOfTimeError), deadline.running(time_limit):
        for name in names:
            entries.append(_entry(name, tasks()[name], rows[name]))
            if each is not None:
                each(entries[-1])
    return Reproduction(tuple(entries), complete=len(entries) == len(names))


def _entry(name: str, task: ReproductionTask, rows: list[Published]) -> ReproductionEntry:
    progress.doing(name)
    deadline.check()
    results = tuple(reproduced(row, ours_of(row)) for row in rows)
    figures = result_of(task.figures) if task.figures else ()
    return ReproductionEntry(name, task.title, task.source, results, figures, task.notes)
