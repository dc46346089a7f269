"""One batch by `--jobs`, on a Dask cluster of this machine, and with a worker lost on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from resource import struct_rusage
from typing import IO

from tests.benchmarks.batch import write_specs
from tests.benchmarks.growth.measuring import environment
from tests.benchmarks.growth.series import GUARANTEES, JOBS
from tests.checking.cluster import Cluster, running_cluster

NAME = "cluster"
WAYS = ("--jobs", "cluster", "cluster, one worker lost")
LOST_AFTER = 1 / 3
"""The share of the verdicts after which a worker is killed."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to run the batch.

    Attributes:
        name: of the way, of `WAYS`.
        specs: how many there are.
        wall: seconds of the clock.
        client: CPU seconds of the command; with `--jobs`, of its processes too.
        scheduler: CPU seconds of the scheduler.
        workers: CPU seconds of the workers of the cluster.
        megabytes: peak memory of the command.
        lost_after: verdicts that were known when the worker was killed; 0 if none was.
        verdicts: how many were received, all in all.
        once: specs with exactly one verdict.
        same: whether the table of results has the same bytes as that of `--jobs`.
    """

    name: str
    specs: int
    wall: float
    client: float
    scheduler: float
    workers: float
    megabytes: float
    lost_after: int
    verdicts: int
    once: int
    same: bool


def ways(specs: int) -> Iterator[Way]:
    """The same batch in every way, one after another."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_specs(folder / "specs", specs, GUARANTEES)
        for name in WAYS:
            yield _way(name, folder, specs)


def _way(name: str, folder: Path, specs: int) -> Way:
    if name == WAYS[0]:
        return _Batch(name, folder, specs, None).way(["--jobs", str(JOBS)])
    with running_cluster(folder, environment(), "--no-nanny") as cluster:
        batch = _Batch(name, folder, specs, cluster)
        return batch.way(["--executor", cluster.address])


class _Batch:
    """One run of the command, and what is seen of it meanwhile."""

    def __init__(self, name: str, folder: Path, specs: int, cluster: Cluster | None) -> None:
        self._name = name
        self._folder = folder
        self._specs = specs
        self._cluster = cluster
        self._place = WAYS.index(name)
        self._lines: list[bytes] = []
        self._half = b""
        self._lost_after = 0
        self._of_the_lost = 0.0

    def way(self, where: list[str]) -> Way:
        """Run it to its end."""
        journal = self._folder / f"journal{self._place}"
        table = self._folder / f"table{self._place}.csv"
        command = [sys.executable, "-m", "semiaudit", "batch", "specs", "--quiet", *where]
        command += ["--resume", str(journal), "-o", f"csv={table}"]
        before = self._of_cluster()
        wall, usage = self._watched(command, journal)
        after = self._of_cluster()
        paths = [json.loads(line.partition(b"\t")[0])[0] for line in self._lines[1:]]
        return Way(
            name=self._name,
            specs=self._specs,
            wall=wall,
            client=usage.ru_utime + usage.ru_stime,
            scheduler=after[0] - before[0],
            workers=after[1] - before[1] + self._of_the_lost,
            megabytes=usage.ru_maxrss / 1024,
            lost_after=self._lost_after,
            verdicts=len(paths),
            once=sum(number == 1 for number in Counter(paths).values()),
            same=table.read_bytes() == (self._folder / "table0.csv").read_bytes(),
        )

    def _watched(self, command: list[str], journal: Path) -> tuple[float, struct_rusage]:
        """Seconds of the clock and the use of a run, whose journal is read as it grows.

        The command replaces its journal at the end by one with a line for each spec. The file that
        was opened before has all verdicts that were received.
        """
        nothing = subprocess.DEVNULL
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=self._folder, env=environment(), stdout=nothing)
        ended, stream = 0, None
        while not ended:
            time.sleep(0.05)
            stream = stream or (journal.open("rb") if journal.exists() else None)
            self._read(stream)
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if stream is None or process.returncode not in (0, 1):
            raise RuntimeError(f"{self._name}: ended with {process.returncode}")
        with stream:
            self._read(stream)
        return wall, usage

    def _read(self, stream: IO[bytes] | None) -> None:
        """Take up new lines of the journal, and kill a worker if it is time to."""
        if stream is None:
            return
        *lines, self._half = (self._half + stream.read()).split(b"\n")
        self._lines += lines
        late = len(self._lines) > 1 + LOST_AFTER * self._specs
        if self._cluster and self._name == WAYS[2] and late and not self._lost_after:
            self._lost_after = len(self._lines) - 1
            lost = self._cluster.workers.pop()
            self._of_the_lost = _seconds_of(lost.pid)
            lost.send_signal(signal.SIGKILL)
            lost.wait()

    def _of_cluster(self) -> tuple[float, float]:
        """CPU seconds of the scheduler, and of the workers that live."""
        if self._cluster is None:
            return 0.0, 0.0
        workers = sum(_seconds_of(worker.pid) for worker in self._cluster.workers)
        return _seconds_of(self._cluster.scheduler.pid), workers


def _seconds_of(pid: int) -> float:
    """CPU seconds of a process that lives."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
