"""A Dask cluster of processes of this machine, on loopback."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

IDLE = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "10s",
}
"""A cluster that does not watch itself, which takes more than the audits do."""


@dataclass(frozen=True)
class Cluster:
    """A cluster that runs.

    Attributes:
        address: for `--executor`.
        scheduler: its process.
        workers: theirs, or those of the nannies that start a worker again when it dies.
    """

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


def dask(part: str) -> list[str]:
    return [sys.executable, "-m", f"distributed.cli.dask_{part}"]


@contextmanager
def running_cluster(
    folder: Path, environment: Mapping[str, str], *options: str
) -> Iterator[Cluster]:
    """A scheduler with two workers of one thread, which start in a folder.

    Args:
        options: of the workers.
    """
    log = folder / "scheduler.log"
    there, nothing = {**environment, **IDLE}, subprocess.DEVNULL

    def start(arguments: list[str], errors: IO[str] | int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(arguments, cwd=folder, env=there, stdout=nothing, stderr=errors)

    with log.open("w") as errors:
        address = ["--host", "127.0.0.1", "--port", "0"]
        scheduler = start([*dask("scheduler"), *address, "--no-dashboard"], errors)
    workers: list[subprocess.Popen[bytes]] = []
    try:
        found = None
        while found is None:
            assert scheduler.poll() is None, log.read_text()
            found = re.search(r"Scheduler at:\s+tcp://(\S+)", log.read_text())
            time.sleep(0.1)
        worker = [*dask("worker"), f"tcp://{found[1]}", "--nthreads", "1", "--no-dashboard"]
        worker += ["--death-timeout", "600", *options]
        workers += [start(worker, nothing) for _ in range(2)]
        yield Cluster(f"dask://{found[1]}", scheduler, workers)
    finally:
        for process in (*workers, scheduler):  # a worker that leaves must find the scheduler
            process.terminate()
            process.wait(timeout=600)
