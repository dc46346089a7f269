"""The specs of a gate, audited by processes of this machine instead of one after another."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing

from semiaudit.checking.dispatch import Dispatcher
from semiaudit.checking.executors import LocalWorkers
from semiaudit.checking.job import AuditTask, Settings
from semiaudit.checking.journal import JournalEntry
from semiaudit.checking.record import record_of_text
from semiaudit.model.data_source import Access
from semiaudit.model.policy import GateOptions
from semiaudit.model.verdict import Verdict

NEVER = 1e7
"""Seconds after which a spec would be given up; the gate has a limit for the whole run instead."""


def in_processes(
    paths: Sequence[str],
    gate: GateOptions,
    *,
    jobs: int,
    time_limit: float,
    memory: int | None,
    access: Access,
    stopped: Callable[[], bool],
) -> Generator[tuple[int, Verdict]]:
    """Audit specs in some processes at a time.

    Args:
        jobs: processes at a time.
        time_limit: seconds that all computations for one spec may take.
        memory: bytes of address space for each process; None for no limit.
        access: what the caller allows specs to reach and messages to quote.
        stopped: becomes true when the run is to end at once.

    Returns:
        The verdicts with their places in ``paths``, as they come; fewer if it is stopped.
    """
    settings = Settings(time_limit, NEVER, gate, access=access, journal=False)
    workers = LocalWorkers(min(jobs, len(paths)), settings, memory)
    tasks = (AuditTask(index, path) for index, path in enumerate(paths))
    with closing(Dispatcher(workers, NEVER, stopped).results(tasks)) as results:
        for result in results:
            yield result.index, record_of_text(JournalEntry, result.line).verdict
