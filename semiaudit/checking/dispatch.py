"""Tasks to workers and results back, whatever happens to the workers. No task is lost."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait

from semiaudit.checking.confinement import GRACE
from semiaudit.checking.executors import Submitted, WorkerDiedError, Workers
from semiaudit.checking.job import AuditTask, Result, failed

LARGEST_CHUNK = 32
CHUNK_SECONDS = 0.25
"""Seconds of work that are sent to a worker at a time: enough for its way not to matter."""

WAKE = 0.1
"""Seconds after which a request to stop is seen."""

SLACK = 30.0
"""Seconds beyond all limits after which workers that say nothing are given up."""


class Dispatcher:
    """Sends tasks in chunks that grow while audits are quick, and collects the results.

    When a worker dies, the tasks of its chunk are done again one at a time, at the end, so that
    the one which kills its worker becomes an error of its own and the others get their verdicts.

    Attributes:
        lost: why the workers could not be reached any more, which ended the work; empty if not.
    """

    def __init__(self, workers: Workers, kill_after: float, stopped: Callable[[], bool]) -> None:
        """Prepare.

        Args:
            kill_after: seconds after which a worker gives a spec up by itself.
            stopped: becomes true when everything is to end at once.
        """
        self._workers = workers
        self._kill_after = kill_after
        self._asked = stopped
        self.lost = ""
        self._flying: dict[Submitted, Sequence[AuditTask]] = {}
        self._suspects: list[AuditTask] = []
        self._mean: float | None = None

    def _stopped(self) -> bool:
        self.lost = self.lost or self._workers.lost()
        return bool(self.lost) or self._asked()

    def results(self, tasks: Iterator[AuditTask]) -> Generator[Result]:
        """Every task's result, as they come; fewer if it is stopped, which ends the workers."""
        try:
            yield from self._together(tasks)
            if not self._stopped():
                yield from self._one_by_one()
        except BaseException:
            self._workers.stop()
            raise
        if self._stopped():
            self._workers.stop()
        else:
            self._workers.close()

    def _together(self, tasks: Iterator[AuditTask]) -> Iterator[Result]:
        last = time.monotonic()
        exhausted = False
        while not self._stopped():
            while not exhausted and len(self._flying) < 2 * self._workers.number:
                chunk = self._chunk(tasks)
                exhausted = not chunk
                if chunk:
                    self._send(chunk)
            if not self._flying and exhausted:
                return
            done, _ = wait(self._flying, WAKE, FIRST_COMPLETED)
            if done:
                last = time.monotonic()
            elif time.monotonic() - last > self._patience():
                self._give_up()
                last = time.monotonic()
            for future in done:
                yield from self._landed(future)

    def _chunk(self, tasks: Iterator[AuditTask]) -> list[AuditTask]:
        size = 1
        if self._mean is not None:
            size = max(1, min(LARGEST_CHUNK, int(CHUNK_SECONDS / max(self._mean, 1e-4))))
        return [task for _, task in zip(range(size), tasks, strict=False)]

    def _send(self, chunk: Sequence[AuditTask]) -> None:
        self._flying[self._workers.submit(chunk)] = chunk

    def _landed(self, future: Submitted) -> Iterator[Result]:
        chunk = self._flying.pop(future, None)
        if chunk is None:
            return
        if _error_of(future) is not None:
            self._suspects += chunk
            return
        results = future.result()
        self._suspects += chunk[len(results) :]  # behind one that exhausted its process
        for result in results:
            mean = result.seconds if self._mean is None else self._mean
            self._mean = 0.8 * mean + 0.2 * result.seconds
            yield result

    def _give_up(self) -> None:
        """Workers that say nothing for too long are ended; their tasks are suspect."""
        for future, chunk in self._flying.items():
            future.cancel()
            self._suspects += chunk
        self._flying.clear()
        self._workers.renew()

    def _patience(self) -> float:
        longest = max((len(chunk) for chunk in self._flying.values()), default=1)
        return 2 * longest * (self._kill_after + GRACE) + SLACK

    def _one_by_one(self) -> Iterator[Result]:
        if not self._suspects:
            return
        alone = self._workers.alone()
        waiting = deque(self._suspects)
        try:
            while waiting and not self._stopped():
                result = self._done_alone(alone, waiting.popleft())
                if result is not None:
                    yield result
        finally:
            if alone is not self._workers:
                (alone.stop if self._stopped() else alone.close)()

    def _done_alone(self, alone: Workers, task: AuditTask) -> Result | None:
        """One task by itself; None if everything was stopped meanwhile."""
        started = time.monotonic()
        future = alone.submit([task])
        while not future.done():
            if self._stopped():
                return None
            wait([future], WAKE)
            if time.monotonic() - started > self._kill_after + GRACE + SLACK:
                break
        seconds = time.monotonic() - started
        error = TimeoutError() if not future.done() else _error_of(future)
        if error is None:
            return future.result()[0]
        if self._stopped():
            return None
        future.cancel()
        alone.renew()
        ended = isinstance(error, WorkerDiedError | TimeoutError)
        if ended and seconds >= self._kill_after + GRACE:
            message = f"took longer than {self._kill_after:g} s; its process was ended"
            remedy = "find the slow part with `semiaudit analyze`, or raise --kill-after"
            return failed(task, message, remedy, seconds=seconds)
        message = f"the process that audited it died, perhaps out of memory{_named(error)}"
        remedy = "audit it alone with `semiaudit analyze`"
        return failed(task, message, remedy, seconds=seconds)


def _error_of(future: Submitted) -> BaseException | None:
    if future.cancelled():
        return TimeoutError("cancelled")
    return future.exception()


def _named(error: BaseException) -> str:
    if isinstance(error, WorkerDiedError):
        return ""
    return f" ({type(error).__name__}: {' '.join(str(error).split())[:200]})"
