"""Executors of the tasks of a batch: spawned processes of this machine, or a Dask cluster.

Both have one interface, that of ``concurrent.futures``.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from typing import Any, Protocol
from urllib.parse import urlsplit

from semiaudit.checking.confinement import prepare_worker
from semiaudit.checking.job import AuditTask, Result, Settings, run_tasks
from semiaudit.errors import SemiauditError
from semiaudit.process import ONE_THREAD

DASK = "dask://"
PATIENCE = 20
"""Seconds within which a cluster must answer, and have a worker."""

KNOCK = 5
"""Seconds within which the machine of a scheduler must accept a connection."""

LEAST_MEMORY = 4 << 30
"""Bytes of address space that a worker may use in any case, unless less is asked for."""

LAST_WORDS = 5.0
"""Seconds that a process without work gets to end by itself."""

Submitted = Future[list[Result]]


class Workers(Protocol):
    """Workers for tasks.

    Attributes:
        number: how many tasks they do at a time.
    """

    number: int

    def lost(self) -> str:
        """Return why no worker can be reached any more; empty if they can."""

    def submit(self, tasks: Sequence[AuditTask]) -> Submitted:
        """Have some tasks done, one after another, by one worker."""

    def alone(self) -> Workers:
        """Workers for one task at a time, so that what ends a worker is known; maybe these."""

    def renew(self) -> None:
        """End all unreported work; the workers then take new tasks."""

    def stop(self) -> None:
        """End all work at once."""

    def close(self) -> None:
        """Let the workers go, once all work is done."""


class WorkerDiedError(Exception):
    """The process that did a chunk of tasks ended before it had reported all results."""


class LocalWorkers:
    """Processes that are spawned for this batch, and end with it.

    Each has a pipe of its own and a thread of this process that feeds it. So whatever ends a
    process at whatever moment, in the middle of a result too, ends one pipe, and its chunk alone
    has no results; the thread spawns another process for the next chunk.
    """

    def __init__(self, number: int, settings: Settings, memory: int | None) -> None:
        """Begin with no process; they are spawned as tasks come.

        Args:
            memory: bytes of address space that each may use; None for no limit.
        """
        self.number = number
        self._settings = settings
        self._memory = memory
        self._own = threading.local()
        self._lock = threading.Lock()
        self._living: set[_Process] = set()
        self._stopped = False
        self._threads = ThreadPoolExecutor(number)

    def lost(self) -> str:
        """Return nothing: processes that end are replaced."""
        return ""

    def submit(self, tasks: Sequence[AuditTask]) -> Submitted:
        """Have some tasks done by one process; its death is a WorkerDiedError of the future."""
        return self._threads.submit(self._done, tasks)

    def alone(self) -> LocalWorkers:
        """A single process, separate from the workers."""
        return LocalWorkers(1, self._settings, self._memory)

    def renew(self) -> None:
        """End every process; the next chunks get others."""
        self._kill()

    def stop(self) -> None:
        """Kill every process and wait until none is left."""
        with self._lock:
            self._stopped = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._kill()
        self._threads.shutdown(wait=True)

    def close(self) -> None:
        """Let the processes end; those that do not listen are killed."""
        self._threads.shutdown(wait=True)
        for process in self._living:
            process.close()
        self._living.clear()

    def _done(self, tasks: Sequence[AuditTask]) -> list[Result]:
        process: _Process | None = getattr(self._own, "process", None)
        if process is None or not process.alive:
            process = self._own.process = self._spawned()
        try:
            results = process.done(tasks, self._settings)
        except (EOFError, OSError):
            self._retire(process)
            raise WorkerDiedError from None
        if results[-1].exhausted:
            self._retire(process)
        return results

    def _retire(self, process: _Process) -> None:
        process.kill()
        with self._lock:
            self._living.discard(process)

    def _spawned(self) -> _Process:
        with self._lock:  # which what a child inherits needs, too
            if self._stopped:
                raise WorkerDiedError
            with _environment(), _deaf_children():
                process = _Process(self._memory)
            self._living.add(process)
            return process

    def _kill(self) -> None:
        with self._lock:
            for process in self._living:
                process.kill()
            self._living.clear()


class _Process:
    def __init__(self, memory: int | None) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, memory), daemon=True)
        self._process.start()
        theirs.close()  # so that the death of the process is the end of the pipe

    @property
    def alive(self) -> bool:
        return self._process.is_alive()

    def done(self, tasks: Sequence[AuditTask], settings: Settings) -> list[Result]:
        """Raise EOFError or OSError if the process ended meanwhile."""
        self._pipe.send((tasks, settings))
        results: list[Result] = self._pipe.recv()
        return results

    def kill(self) -> None:
        """End the process at once, and notify the thread that waits for its results."""
        self._process.kill()
        self._process.join()

    def close(self) -> None:
        """Let it end, for it has nothing left to do; if it does not, kill it."""
        self._pipe.close()
        self._process.join(LAST_WORDS)
        if self._process.is_alive():
            self.kill()


def _serve(pipe: Connection, memory: int | None) -> None:
    prepare_worker(memory)
    try:
        while True:
            tasks, settings = pipe.recv()
            pipe.send(run_tasks(tasks, settings))
    except EOFError:  # there are no more
        return
    except (MemoryError, OSError):  # no room to tell the results, or nobody to tell them to
        os._exit(1)


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
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # the batch reports it
        where = "tcp://" + address.removeprefix(DASK)
        try:
            _require_listener(where)
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
        self._where = where
        self._seen = time.monotonic()
        self._executor: Executor = self._client.get_executor(pure=False)
        self.number = sum(self._client.nthreads().values())

    def lost(self) -> str:
        """Return that the scheduler is gone: it refuses connections, or had none for seconds."""
        if self._client.status == "running":
            self._seen = time.monotonic()
            return ""
        try:
            _require_listener(self._where)
            is_lost = time.monotonic() - self._seen > KNOCK
        except OSError:
            is_lost = True
        return f"the scheduler at {self._where} is gone" if is_lost else ""

    def submit(self, tasks: Sequence[AuditTask]) -> Submitted:
        """Have some tasks done by one worker."""
        return self._executor.submit(run_tasks, tasks, self._settings)

    def alone(self) -> Workers:
        """Return these workers: a cluster replaces its workers by itself."""
        return self

    def renew(self) -> None:
        """Nothing to do: the cluster replaces its workers."""

    def stop(self) -> None:
        """Cancel all tasks and leave the cluster."""
        leaving = threading.Thread(target=self._leave, daemon=True)
        leaving.start()
        leaving.join(LAST_WORDS)  # a scheduler that is gone does not answer

    def _leave(self) -> None:
        with suppress(Exception):
            self._executor.shutdown(wait=False)  # which cancels
            self._client.close(timeout=LAST_WORDS)

    def close(self) -> None:
        """Leave the cluster as it was found."""
        self._executor.shutdown(wait=False)
        self._client.close()


def _require_listener(where: str) -> None:
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

    None if the platform does not tell the memory, or cannot limit it.
    """
    if not sys.platform.startswith("linux"):
        return None
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(machine // jobs, LEAST_MEMORY)


@contextmanager
def _environment() -> Iterator[None]:
    """Children that are spawned meanwhile import nothing from the working directory, and start no
    threads for numpy.

    Spawning runs ``python -c``, which would look there first: for ``multiprocessing`` itself.
    """
    variables = {"PYTHONSAFEPATH": "1", **ONE_THREAD}
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _deaf_children() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # else the first spawn starts it, and unblocks the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
