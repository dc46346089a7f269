"""Every series of docs/performance.md: what grows, to which sizes, and what is run."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tests.benchmarks.batch import batch_of, write_specs
from tests.benchmarks.growth.measuring import Used, typical, used_by
from tests.municipalities import flat

JOBS = 2
PATIENCE = 150
GUARANTEES = ["zcdp", "pure_dp", "approx_dp"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the caller asks for.

    Attributes:
        peer_python: an interpreter that has dp_accounting; empty for no peer.
        patience: CPU seconds that the peer gets for one size.
    """

    peer_python: str = ""
    patience: int = PATIENCE


@dataclass(frozen=True, slots=True)
class Point:
    """A size, what the program took, and what the peer took.

    Attributes:
        peer: None if there is none, or if it needed more than `patience`.
        patience: CPU seconds that the peer did not end in; 0 if it ended, or did not run.
    """

    size: int
    ours: Used
    peer: Used | None = None
    patience: int = 0


Measure = Callable[[str, int, Asked], Point]


@dataclass(frozen=True, slots=True)
class Series:
    """Work that grows by factors of ten.

    Attributes:
        name: of its record, and for `--series`.
        section: the heading under which it is shown.
        what: the work, as the title of its table.
        grows: what there is more of, as the head of a column.
        sizes: how much of it.
        measure: measures one size.
        answer: the head of the column of answers; empty if they are not shown.
        peer: the name of the peer; empty if there is none.
        note: what a reader of the figures should know.
    """

    name: str
    section: str
    what: str
    grows: str
    sizes: tuple[int, ...]
    measure: Measure
    answer: str = ""
    peer: str = ""
    note: str = ""


def _inside(command: list[str], patience: int = 0) -> Used | None:
    """What a process took, with the seconds and the answer that it prints itself."""
    done = used_by(command, patience)
    if done is None:
        return None
    used, output = done
    seconds, answer = json.loads(output)
    return replace(used, seconds=seconds, answer=answer)


def _whole(command: list[str]) -> Used:
    """What a process took from its start to its end."""
    done = used_by(command)
    if done is None:
        raise RuntimeError("a process without a limit cannot reach it")
    return done[0]


def _needed(used: Used | None) -> Used:
    if used is None:
        raise RuntimeError("the program has no limit")
    return used


def work(name: str, size: int, asked: Asked) -> Point:
    module = "tests.benchmarks.growth"
    arguments = [name, str(size)]
    ours = _needed(typical(lambda: _inside([sys.executable, "-m", f"{module}.work", *arguments])))
    if not asked.peer_python:
        return Point(size, ours)
    command = [asked.peer_python, "-m", f"{module}.peer", *arguments]
    peer = typical(lambda: _inside(command, asked.patience))
    return Point(size, ours, peer, 0 if peer else asked.patience)


def alone(name: str, size: int, asked: Asked) -> Point:
    """Work for which no peer exists."""
    return work(name, size, replace(asked, peer_python=""))


def batch(name: str, size: int, asked: Asked) -> Point:
    """A whole batch, each spec with a guarantee of its own."""

    def once() -> Used:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / name
            write_specs(folder, size, GUARANTEES)
            wall, seconds, own, child = batch_of(folder, JOBS)
            return Used(seconds, wall, max(own, child) / 1024, f"{own / 1024:.0f}")

    return Point(size, _needed(typical(once)))


def data(form: str, name: str, size: int, asked: Asked) -> Point:
    """A whole audit that counts records, and DuckDB with the bare query of the same counts."""
    with tempfile.TemporaryDirectory() as place:
        module = "tests.benchmarks.growth.people"
        written = used_by([sys.executable, "-m", module, form, str(size), place])
        if written is None:
            raise RuntimeError("a process without a limit cannot reach it")
        spec = str(Path(place) / "people.semiaudit.yaml")
        command = [sys.executable, "-m", "semiaudit", "analyze", "--allow-engine", "duckdb", spec]
        ours = replace(_needed(typical(lambda: _whole(command))), answer=written[1].strip())
        if form != "parquet":
            return Point(size, ours)
        bare = [sys.executable, "-m", module, "bare", place]
        return Point(size, ours, typical(lambda: _whole(bare)))


def designs(name: str, size: int, asked: Asked) -> Point:
    """The whole command, for a table with the totals of three states."""
    with tempfile.TemporaryDirectory() as place:
        spec = Path(place) / "table.yaml"
        spec.write_text(flat(more="design: {query: table}\n", **LEVELS[size]), "utf-8")
        command = [sys.executable, "-m", "semiaudit", "mechanism", "calibrate", str(spec)]
        options = ["--target", "mu=1", "--by", "municipality"]
        return Point(size, _needed(typical(lambda: _whole([*command, *options]))))


LEVELS = {
    12: {"municipalities": 6, "sex": 2},
    300: {"municipalities": 30, "age": 10},
    3_000: {"municipalities": 30, "age": 10, "sex": 2, "ethnicity": 5},
    10_000: {"municipalities": 100, "age": 10, "sex": 2, "ethnicity": 5},
}
"""The attributes of tables, by their cells."""


def tens(first: int, last: int) -> tuple[int, ...]:
    """Powers of ten, by their exponents."""
    return tuple(10**exponent for exponent in range(first, last + 1))


A_OF_T = "a(t)"
COMPOSITION = "Composition"
CURVE = "Points of a curve"
BATCH = "Batches"
DATA = "Data"
DESIGNS = "Designs"
PLD = "dp_accounting"

SERIES = (
    Series(
        "cells", A_OF_T, "Two one-way margins, 10,000 records",
        "cells", tens(2, 6), alone, "a(t)",
    ),
    Series(
        "chain_cells", A_OF_T, "Margins ab and bc (acyclic), 10,000 records",
        "cells", tens(2, 6), alone, "a(t)",
    ),
    Series(
        "records", A_OF_T, "Margins ab and bc, 1,000 cells",
        "records", tens(2, 6), alone, "a(t)",
    ),
    Series(
        "cyclic_records", A_OF_T, "All two-way margins, 27 cells",
        "records", tens(1, 5), alone, "a(t)",
    ),
    Series(
        "cyclic_cells", A_OF_T, "All two-way margins, four records for each cell",
        "cells", (30, 100, 1000), alone, "a(t)",
        note=(
            "With cycles, the search reaches its limits (60 CPU seconds in all) at 100 cells, and "
            "a(t) is an interval."
        ),
    ),
    Series(
        "gaussian", COMPOSITION, "Different Gaussian scales",
        "steps", tens(1, 4), work, "ε", PLD,
    ),
    Series(
        "laplace", COMPOSITION, "Different Laplace scales",
        "steps", tens(1, 4), work, "ε", PLD,
    ),
    Series(
        "sampled_steps", COMPOSITION, "Equal sampled Gaussian steps",
        "steps", tens(1, 4), work, "ε", PLD,
    ),
    Series(
        "sampled", COMPOSITION, "Different sampled Gaussian steps",
        "steps", tens(1, 3), work, "ε", PLD,
        note=(
            "1,000 different sampled steps are more than the program composes within its limits. "
            "It falls back on the ε of the same noise without sampling, which is an upper bound, "
            "and far from tight."
        ),
    ),
    Series(
        "curve_one_noise", CURVE, "1,000 sampled Gaussian steps",
        "points", tens(0, 4), work, "", PLD,
    ),
    Series(
        "curve_two_noises", CURVE, "Gaussian(5) × 20 and Laplace(3) × 20",
        "points", tens(0, 4), work, "", PLD,
    ),
    Series(
        "designs", DESIGNS, "`semiaudit mechanism calibrate --by municipality`, three counts",
        "cells", tuple(LEVELS), designs,
        note=(
            "Up to 128 cells, designs that need a matrix are computed too. Other programs used the "
            "machine."
        ),
    ),
    Series(
        "batch", BATCH, f"`semiaudit batch --jobs {JOBS}`",
        "specs", tens(1, 4), batch, "MB of the command",
    ),
    Series(
        "csv", DATA, "CSV", "rows", tens(3, 7), partial(data, "csv"),
    ),
    Series(
        "parquet", DATA, "Parquet", "rows", tens(3, 8), partial(data, "parquet"),
        peer="DuckDB",
        note=(
            "The peer is the bare query of the same counts, without an audit. The start of the "
            "command takes more than a second, so the exponents are below 1."
        ),
    ),
    Series(
        "engine", DATA, "A DuckDB database as an engine",
        "rows", tens(3, 8), partial(data, "engine"),
        note=(
            "Here DuckDB keeps blocks of the database in memory. For files, the program limits its "
            "memory to 512 MB."
        ),
    ),
)  # fmt: skip
