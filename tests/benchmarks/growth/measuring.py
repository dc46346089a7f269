"""What one process takes: seconds of the processor, of the clock, and memory at its peak."""

from __future__ import annotations

import os
import resource
import signal
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from tests.places import ROOT

RUNS = 3
SHORT = 5.0
"""Seconds of the processor up to which a measurement is repeated, to `RUNS` in all."""


@dataclass(frozen=True, slots=True)
class Used:
    """What a process and its children took.

    Attributes:
        seconds: of the processor, user and system.
        wall: seconds of the clock.
        megabytes: resident memory of the largest of the processes, at its peak.
        answer: what it found, in words.
    """

    seconds: float
    wall: float
    megabytes: float
    answer: str = ""


def environment() -> dict[str, str]:
    """That of every process: one thread of linear algebra."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}


def used_by(command: Sequence[str], patience: int = 0) -> tuple[Used, str] | None:
    """What a command took, and its output; None if it needs more CPU seconds than the patience.

    Raises:
        RuntimeError: it failed.
    """
    limit = partial(resource.setrlimit, resource.RLIMIT_CPU, (patience, patience + 5))
    start = time.perf_counter()
    process = subprocess.Popen(
        command,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=limit if patience else None,
    )
    if process.stdout is None:
        raise RuntimeError("the process has no output")
    with process.stdout as stream:
        output = stream.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    if process.returncode == -signal.SIGXCPU:
        return None
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)}: ended with {process.returncode}")
    return Used(seconds, wall, usage.ru_maxrss / 1024), output


def typical(measure: Callable[[], Used | None]) -> Used | None:
    """The median time and the largest memory of several runs; of one run if it is long."""
    first = measure()
    if first is None or first.seconds > SHORT:
        return first
    runs = [first, *(run for _ in range(RUNS - 1) if (run := measure()) is not None)]
    return Used(
        statistics.median(run.seconds for run in runs),
        statistics.median(run.wall for run in runs),
        max(run.megabytes for run in runs),
        first.answer,
    )
