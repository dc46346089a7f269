"""Where the tasks of a batch run: spawned processes of this machine, or an existing Dask cluster.

Both stand behind one interface, that of ``concurrent.futures``.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing.context import BaseContext, SpawnProcess
from multiprocessing.process import BaseProcess
from typing import Any, Protocol
from urllib.parse import urlsplit

from semiaudit.errors import SemiauditError
from semiaudit.workflow.batch.confinement import prepare_worker
from semiaudit.workflow.batch.job import Result, Settings, Task, run_tasks

DASK = "dask://"
PATIENCE = 20
"""Seconds within which a cluster must answer, and have a worker."""

KNOCK = 5
"""Seconds within which the machine of a scheduler must accept a connection."""

LEAST_MEMORY = 4 << 30
"""Bytes of address space that a worker may use in any case, unless less is asked for."""

Submitted = Future[list[Result]]


class Workers(Protocol):
    """Workers for tasks.

    Attributes:
        number: how many tasks they do at a time.
    """

    number: int

    def submit(self, tasks: Sequence[Task]) -> Submitted:
        """Have some tasks done, one after another, by one worker."""

    def alone(self) -> Workers:
        """Workers for one task at a time, so that what ends a worker is known; maybe these."""

    def renew(self) -> None:
        """Make the workers usable again after one of them died."""

    def stop(self) -> None:
        """End all work at once."""

    def close(self) -> None:
        """Let the workers go, once all work is done."""


class LocalWorkers:
    """Processes that are spawned for this batch, and end with it.

    A worker that dies breaks the pool, as ``concurrent.futures`` has it; ``renew`` makes a new one.
    """

    def __init__(self, number: int, settings: Settings, memory: int | None) -> None:
        """Begin with no process; they are spawned as tasks come.

        Args:
            memory: bytes of address space that each may use; None for no limit.
        """
        self.number = number
        self._settings = settings
        self._memory = memory
        self._processes: list[BaseProcess] = []
        self._pool = self._new_pool()

    def submit(self, tasks: Sequence[Task]) -> Submitted:
        """Have some tasks done by one process."""
        with _deaf_children(), _isolated_children():
            return self._pool.submit(run_tasks, tasks, self._settings)

    def alone(self) -> LocalWorkers:
        """A single process of its own, beside these."""
        return LocalWorkers(1, self._settings, self._memory)

    def renew(self) -> None:
        """A new pool; what is left of the old one is ended."""
        self.stop()
        self._pool = self._new_pool()

    def stop(self) -> None:
        """Kill every process and wait until none is left."""
        for process in self._processes:
            with suppress(ValueError):
                process.kill()
        self.close()

    def close(self) -> None:
        """Let the processes end; those that do not listen are killed."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        for process in self._processes:
            with suppress(ValueError):
                process.join(timeout=5)
        self._processes.clear()

    def _new_pool(self) -> ProcessPoolExecutor:
        context = _RecordingContext(self._processes)
        with _isolated_children():  # the queues of a pool start a process that tracks them
            return ProcessPoolExecutor(self.number, context, prepare_worker, (self._memory,))


class _RecordingContext(BaseContext):
    """Spawns processes as the spawn context does, and notes every one that it makes."""

    def __init__(self, made: list[BaseProcess]) -> None:
        super().__init__()
        self._made = made

    def get_start_method(self, allow_none: bool = False) -> str:
        """The method of the standard context that this one stands for."""
        return "spawn"

    def Process(self, *arguments: Any, **named: Any) -> BaseProcess:  # noqa: N802 - as it is called
        """A process that is noted."""
        self._made.append(SpawnProcess(*arguments, **named))
        return self._made[-1]


class DaskWorkers:
    """The workers of a Dask cluster that runs already, and sees the same files."""

    def __init__(self, address: str, settings: Settings) -> None:
        """Connect.

        Raises:
            SemiauditError: Dask is not installed, or no scheduler answers.
        """
        try:
            import distributed
        except ModuleNotFoundError:
            raise SemiauditError(
                "--executor dask:// needs Dask; pip install 'semiaudit[dask]'"
            ) from None
        where = "tcp://" + address.removeprefix(DASK)
        try:
            _knock(where)
            connect: Any = distributed.Client
            self._client = connect(where, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise SemiauditError(f"no Dask scheduler answers at {where} ({error})") from None
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            self._client.close()
            raise SemiauditError(f"the Dask cluster at {where} has no workers") from None
        self._settings = settings
        self._executor: Executor = self._client.get_executor(pure=False)
        self.number = sum(self._client.nthreads().values())

    def submit(self, tasks: Sequence[Task]) -> Submitted:
        """Have some tasks done by one worker."""
        return self._executor.submit(run_tasks, tasks, self._settings)

    def alone(self) -> Workers:
        """These: a cluster replaces its workers by itself."""
        return self

    def renew(self) -> None:
        """Nothing to do: the cluster replaces its workers."""

    def stop(self) -> None:
        """Cancel all tasks and leave the cluster."""
        self._executor.shutdown(wait=False)  # which cancels
        self._client.close(timeout=5)

    def close(self) -> None:
        """Leave the cluster as it was found."""
        self._executor.shutdown(wait=False)
        self._client.close()


def _knock(where: str) -> None:
    """Find out whether anything listens at an address, for Dask retries for all its patience.

    Raises:
        OSError: nothing does.
        ValueError: it is no address with a host and a port.
    """
    parts = urlsplit(where)
    if not parts.hostname or not parts.port:
        raise ValueError("no host and port")
    socket.create_connection((parts.hostname, parts.port), timeout=KNOCK).close()


def usable_processors() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share_of_memory(jobs: int) -> int | None:
    """Bytes of address space for each of some workers: a share of the machine's memory.

    None where the platform does not tell the memory, or cannot limit it.
    """
    if not sys.platform.startswith("linux"):
        return None
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(machine // jobs, LEAST_MEMORY)


@contextmanager
def _isolated_children() -> Iterator[None]:
    """Children that are spawned meanwhile import nothing from the working directory.

    Spawning runs ``python -c``, which would look there first: for ``multiprocessing`` itself.
    """
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Children that are spawned meanwhile do not hear Ctrl-C, which is their parent's to handle."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
