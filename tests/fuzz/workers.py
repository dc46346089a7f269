"""Batches without processes of their own, which take as long to start as a case to run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager

from semiaudit.checking.job import AuditTask, Result, Settings, run_tasks
from semiaudit.commands import batch as batch_run


class _AtOnce:
    """The workers of a batch in this process."""

    def __init__(self, number: int, settings: Settings, memory: int | None) -> None:
        self.number = number
        self._settings = settings

    def submit(self, tasks: Sequence[AuditTask]) -> Future[list[Result]]:
        future: Future[list[Result]] = Future()
        future.set_result(run_tasks(tasks, self._settings))
        return future

    def lost(self) -> str:
        return ""

    def alone(self) -> _AtOnce:
        return self

    def renew(self) -> None:
        pass

    def stop(self) -> None:
        pass

    def close(self) -> None:
        pass


@contextmanager
def one_process() -> Iterator[None]:
    """Batches do their work in this process meanwhile, which saves them the start of another."""
    known = vars(batch_run)["LocalWorkers"]
    vars(batch_run)["LocalWorkers"] = _AtOnce
    try:
        yield
    finally:
        vars(batch_run)["LocalWorkers"] = known
