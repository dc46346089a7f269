"""Processes that run cases: one that has everything loaded, and its children, which run them.

A child that hangs is ended by the system after so many seconds of the processor, whatever else the
machine does meanwhile; what it was at is then known, and another child goes on behind it.
"""

from __future__ import annotations

import gc
import importlib
import json
import math
import os
import pkgutil
import resource
import select
import signal
import sys
import time
from collections.abc import Iterator
from typing import Any

from tests.fuzz.cases import FOLDER, Case
from tests.fuzz.chance import Chance
from tests.fuzz.corners import CORNERS
from tests.fuzz.played import GRACE, allowed, run
from tests.fuzz.specs import csv_bytes
from tests.fuzz.tables import Content, database, parquet
from tests.fuzz.uses import KINDS

Task = tuple[str, int]
"""A kind, and the number of a case: together they say all of it."""

Answer = dict[str, Any]
"""What came of a case, as it stands in a journal."""

CASES_OF_A_CHILD = 60
"""Cases of one child: an engine keeps pages that it mapped, and memory is that of few uses."""

SLACK = 2
"""Seconds of the processor beyond all that is allowed, after which the system ends a child."""

PATIENCE = 300
"""Seconds by the clock for one case, of which a child that waits for something takes none."""

SETTLED = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "2",
    "MPLBACKEND": "Agg",
}
"""The environment of processes that fork: no threads, and little address space."""


def made(kind: str, number: int) -> Case:
    """A case by its kind, or the name of its corner, and its number."""
    return (KINDS | CORNERS)[kind](Chance(f"{kind} {number}"))


def answer(kind: str, number: int, *, timed: bool = True) -> Answer:
    """Run a case in this process."""
    case = made(kind, number)
    outcome = run(case, timed=timed)
    return {
        "kind": kind,
        "number": number,
        "codes": [one.code for one in outcome.ended],
        "accepted": outcome.accepted,
        "seconds": round(outcome.seconds, 3),
        "beyond": round(max((one.seconds - case.limit for one in outcome.ended), default=0), 2),
        "input": outcome.input[:16],
        "wrong": list(outcome.wrong),
    }


WARM = (
    "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}}\ninvariants: [margin: [a], margin: [b]]\n"
    "data: {%s}\nmechanism: {%s}\n"
)
GAUSSIAN, PURE = "gaussian: {sigma: 2, query: table}", "pure_dp: {epsilon: 1}"


def first_uses() -> Iterator[Case]:
    """Uses, none of them random, that load what is loaded at the first need."""
    rows: list[list[Any]] = [
        ["a", "b", "count"],
        ["0", "0", 3],
        ["0", "1", 1],
        ["1", "0", 2],
        ["1", "1", 4],
    ]
    beside: dict[str, Content] = {"data.csv": csv_bytes(rows), "data.parquet": parquet(rows)}
    sources = {name: f"table: {name}" for name in beside}
    for engine in ("sqlite", "duckdb"):
        beside[f"data.{engine}"] = database(engine, rows)
        sources[f"data.{engine}"] = f'table: cells, engine: "{engine}://data.{engine}"'
    options = ("--allow-engine", "sqlite", "--allow-engine", "duckdb")
    for name, source in sources.items():
        lines: tuple[tuple[str, ...], ...] = (("analyze", "x.yaml", *options),)
        mechanism = GAUSSIAN
        if name == "data.csv":  # whatever the source, a report is then written by the same code
            mechanism = PURE  # whose curves take no time
            lines = (
                ("analyze", "x.yaml", "-o", "svg=x.svg", "-o", "json=x.json"),
                ("analyze", "x.yaml", "--format", "html"),
                ("check", "."),
                ("compare", "x.json", "x.yaml"),
                ("ablate", "x.yaml"),
            )
        spec = (WARM % (source, mechanism)).encode()
        yield Case("warm", {f"{FOLDER}/x.yaml": spec, f"{FOLDER}/{name}": beside[name]}, lines, 60)


def load() -> None:
    """Import everything that a case may need, so that a case takes what it computes."""
    import pyarrow.parquet  # noqa: F401

    import semiaudit
    from semiaudit import deadline

    running = deadline.running

    def of_the_processor(seconds: float, clock: object = None, **more: Any) -> Any:
        """Limit seconds of the processor: a busy machine then cuts nothing short."""
        del clock
        return running(seconds, time.process_time, **more)

    vars(deadline)["running"] = of_the_processor
    for module in pkgutil.walk_packages(semiaudit.__path__, "semiaudit."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for case in first_uses():
        run(case, timed=False)
    gc.collect()
    gc.freeze()


def serve(megabytes: int) -> None:
    load()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin:
        tasks: list[Task] = [(kind, number) for kind, number in json.loads(line)]
        for found in answers(tasks, megabytes):
            print(json.dumps(found), flush=True)


def answers(tasks: list[Task], megabytes: int) -> Iterator[Answer]:
    """Run tasks in children of this process, as many as it takes."""
    waiting = list(tasks)
    while waiting:
        some = waiting[:CASES_OF_A_CHILD]
        done = 0
        for found in _of_child(some, megabytes):
            done += 1
            yield found
        waiting = waiting[done:]


def _of_child(tasks: list[Task], megabytes: int) -> Iterator[Answer]:
    """The answers of one child; the last one says so if it did not end by itself."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _child(tasks, writing, megabytes)
    os.close(writing)
    done = 0
    late = False
    with open(reading, "rb", buffering=0) as stream:
        while done < len(tasks):
            if not select.select([stream], [], [], PATIENCE)[0]:
                late = True
                os.kill(child, signal.SIGKILL)
            line = stream.readline()
            if not line.endswith(b"\n"):
                break
            done += 1
            yield json.loads(line)
    _, status = os.waitpid(child, 0)
    if done < len(tasks) and os.waitstatus_to_exitcode(status) != 0:
        yield _died(tasks[done], os.waitstatus_to_exitcode(status), late)


def _died(task: Task, status: int, late: bool) -> Answer:
    kind, number = task
    limit = made(kind, number).limit
    what = f"ended with status {status}"
    if status == -signal.SIGXCPU:
        what = f"did not end within its limit of {limit:g} s, {GRACE:g} s and {SLACK} s"
    elif late:
        what = f"waited for {PATIENCE} s, without computing"
    return {
        "kind": kind, "number": number, "codes": [status], "accepted": False, "seconds": 0.0,
        "beyond": 0.0, "input": f"{kind} {number}", "wrong": [what],
    }  # fmt: skip


def _child(tasks: list[Task], writing: int, megabytes: int) -> None:
    """Run tasks, with bounds that the system keeps, and never return."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    code = 1
    try:
        with open(writing, "w", encoding="utf-8") as stream:
            for kind, number in tasks:
                bound(kind, number, megabytes)
                found = answer(kind, number)
                stream.write(json.dumps(found) + "\n")
                stream.flush()
        code = 0
    finally:
        os._exit(code)


def bound(kind: str, number: int, megabytes: int) -> None:
    """Bound the seconds and the memory of the next case."""
    case = made(kind, number)
    most = sum(allowed(case, line) for line in case.lines)
    spent = os.times()
    seconds = math.ceil(spent.user + spent.system + most) + SLACK
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, resource.RLIM_INFINITY))
