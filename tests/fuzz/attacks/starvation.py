"""A machine that has no room, no descriptors, or no patience left."""

from __future__ import annotations

import os
import resource
import signal
import time

from tests.fuzz.attacks.grounds import (
    FAILING,
    PASSING,
    ends_of,
    forked,
    half_written,
    left_over,
    ran,
    read,
    unsound,
    write,
)
from tests.fuzz.chance import Chance
from tests.fuzz.played import contents
from tests.fuzz.workers import one_process

ENDED = {
    "analyze": (0, 130), "check": (0, 2), "batch": (0, 2), "compare": (0, 130), "init": (0, 130),
}  # fmt: skip
"""Exit codes of commands that a signal may end at any moment."""

LINES = {
    "analyze": ("analyze", "d/x.yaml", "-o", "json=out"),
    "check": ("check", "d", "-o", "json=out"),
    "batch": ("batch", "d", "-q", "-o", "json=out", "--resume", "journal"),
    "compare": ("compare", "d/x.yaml", "d/y.yaml", "-o", "json=out"),
    "init": ("init", "--example", "starter", "out.yaml"),
}


def full_disk(chance: Chance, folder: str) -> list[str]:
    """Files that may not grow beyond some bytes, as on a full disk."""
    write("d/x.yaml", PASSING)
    write("t.csv", "a,b,count\n0,0,3\n0,1,1\n1,0,2\n1,1,4\n")
    there = chance.often()
    form = chance.choice(["json", "html", "csv", "markdown", "svg", "png", "sarif", "parquet", "j"])
    if there:
        write("out", "before")
    line: tuple[str, ...] = ("analyze", "d/x.yaml", "-o", f"{form}=out")
    if form in ("sarif",):
        line = ("check", "d/x.yaml", "-o", f"{form}=out")
    elif form == "parquet":
        line = ("batch", "d", "-q", "-o", "parquet=out")
    elif form == "j":
        line = ("batch", "d", "-q", "--resume", "journal", "-o", "json=out")
    before = contents(".")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    known = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (chance.choice([0, 1, 100, 3000, 20_000]), known[1]))
    try:
        with one_process():
            ended = ran(*line)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, known)
    wrong = unsound(ended, (0, 2))
    whole = "json" if form == "j" else form
    wrong += half_written("out", whole, b"before" if there else None)
    if ended.code == 0 and (not os.path.exists("out") or read("out") == b"before"):
        wrong.append("exit code 0, and nothing was written")
    wrong += left_over(before, ("out", "journal", "journal.key"))
    return [f"{line}: {what}" for what in wrong]


def few_descriptors(chance: Chance, folder: str) -> list[str]:
    """A process that may open a few more files only."""
    for k in range(3):
        write(f"d/{'abc'[: k + 1]}/x.yaml", FAILING)
    write("t.csv", "a,b,count\n0,0,3\n0,1,1\n1,0,2\n1,1,4\n")
    tabled = FAILING.replace("{size: 9, attributes: {a: 2}}", "{attributes: {a: 2, b: 2}}")
    tabled = tabled.replace(
        "mechanism", "invariants: [margin: [a]]\ndata: {table: t.csv}\nmechanism"
    )
    write("x.yaml", tabled)
    lines: list[tuple[str, ...]] = [
        ("check", "d", "-o", "json=out"), ("analyze", "x.yaml"), ("check", "d"),
        ("batch", "d", "-q", "--resume", "journal"), ("analyze", "x.yaml", "-o", "html=out"),
    ]  # fmt: skip
    line = chance.choice(lines)
    before = contents(".")
    room = chance.randint(0, 9)

    def job() -> int:
        most = max(map(int, os.listdir("/proc/self/fd"))) + 1
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most + room, limits[1]))
        with one_process():
            ended = ran(*line)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        write("../wrong", "\n".join(unsound(ended, (1, 2))))
        return 0

    (code,) = ends_of([forked(job)])
    if code == -signal.SIGABRT:  # DuckDB ends a process that has no descriptor for it.
        wrong = []
    else:
        wrong = [f"ended with {code}"] if code else read("../wrong").decode().splitlines()
    wrong += half_written("out", "html" if "html=out" in line else "json")
    return wrong + left_over(before, ("out", "journal", "journal.key"))


def signals(chance: Chance, folder: str) -> list[str]:
    """A signal at some moment of a command that writes a file."""
    write("d/x.yaml", PASSING)
    write("d/y.yaml", PASSING.replace("size: 9", "size: 10"))
    name = chance.choice(list(LINES))
    number = chance.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    before = contents(".")

    def job() -> int:
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(one, signal.default_int_handler if one == signal.SIGINT else
                          signal.SIG_DFL)  # fmt: skip
        os.write(writing, b"x")
        with one_process():
            ended = ran(*LINES[name])
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(one, signal.SIG_IGN)
        wrong = unsound(ended, ENDED[name])
        if wrong:
            write("../wrong", "\n".join(wrong))
        return ended.code

    reading, writing = os.pipe()
    child = forked(job)
    os.read(reading, 1)
    for descriptor in (reading, writing):
        os.close(descriptor)
    time.sleep(chance.random() * 0.12)
    os.kill(child, number)
    (code,) = ends_of([child])
    early = -number  # before the command had said what a signal does
    allowed = {*ENDED[name], early, 70}
    wrong = [] if code in allowed else [f"{name}: ended with {code}"]
    if os.path.exists("../wrong"):
        wrong.append(read("../wrong").decode())
    wrong += half_written("out.yaml" if name == "init" else "out", "yaml" if name == "init" else
                          "json")  # fmt: skip
    left = os.listdir("../tmp") if os.path.isdir("../tmp") else []
    wrong += [f"{name}: {left} were left"] if left else []
    return wrong + left_over(before, ("out", "out.yaml", "journal", "journal.key"))
