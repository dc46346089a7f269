"""How fast records are swapped, beside reading and writing them.

    python -m tests.benchmarks.swapping [--records N]

A million households in 10,000 strata: the command, and what of it is reading and writing; and the
kernel alone, for strata of all sizes. Seconds are those of the processor, in all threads.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack, chdir, redirect_stdout
from fractions import Fraction
from functools import wraps
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import ParamSpec, TypeVar
from unittest.mock import patch

import numpy as np

import semiaudit.commands.sample.command as command
from semiaudit.cli import main
from semiaudit.commands.sample import run as perform
from semiaudit.commands.sample import swap
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.swapping.swapped_table import exchange

P = ParamSpec("P")
R = TypeVar("R")

SPEC = """semiaudit: 1
title: Households in 10,000 strata
dataspace: {unit: household, attributes: {block: 1000, size: 10, county: COUNTY, rest: REST}}
mechanism: {swapping: {rate: RATE, stratify_by: [block, size], swap: [county]}}
"""

SHARED, ALONE = (14, 2), (50, 40)
"""Levels of county and rest: some records in every cell, or a cell for each record."""

READING = (("given_of", swap), ("counts_of", swap), ("_left_out", swap))
WRITING = (("write_lines", command), ("write_parquet", command))
CHECKING = (("_audited_rate", swap),)
KEEPING = (("_check_kept", swap),)


def _timed(spent: dict[str, float], name: str, work: Callable[P, R]) -> Callable[P, R]:
    @wraps(work)
    def timed(*args: P.args, **kwargs: P.kwargs) -> R:
        start = time.process_time()
        try:
            return work(*args, **kwargs)
        finally:
            spent[name] += time.process_time() - start

    return timed


def _data(number: int, levels: tuple[int, int]) -> None:
    """Records drawn evenly; those of ALONE without replacement."""
    import duckdb

    source = np.random.default_rng(1)
    sizes = (1000, 10, *levels)
    cells = source.choice(int(np.prod(sizes)), number, replace=levels == SHARED)
    columns = np.unravel_index(cells, sizes)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    lines = (f"{a},{b},{c},{d}\n" for a, b, c, d in rows)
    Path("data.csv").write_text("block,size,county,rest\n" + "".join(lines))
    duckdb.sql("COPY (SELECT * FROM read_csv('data.csv')) TO 'data.parquet'")


def _copied(form: str) -> float:
    """What DuckDB alone takes to read a file and write it again."""
    import duckdb

    start = time.process_time()
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT * FROM 'data.{form}') TO 'copy.{form}'")
    return time.process_time() - start


def the_command(number: int, levels: tuple[int, int], rate: str, form: str) -> None:
    """One swap by the command, taken apart."""
    spec = SPEC
    for name, value in zip(("COUNTY", "REST", "RATE"), (*levels, rate), strict=True):
        spec = spec.replace(name, str(value))
    Path("spec.yaml").write_text(spec)
    spent: defaultdict[str, float] = defaultdict(float)
    parts: dict[str, tuple[tuple[str, ModuleType], ...]] = {
        "reading": READING,
        "writing": WRITING,
        "checking": CHECKING,
        "margins": KEEPING,
        "swap": (("swap", perform),),
    }
    with ExitStack() as stack:
        for name, places in parts.items():
            for function, module in places:
                work = _timed(spent, name, getattr(module, function))
                stack.enter_context(patch.object(module, function, work))
        stack.enter_context(redirect_stdout(StringIO()))
        start = time.process_time()
        given = ["--data", f"data.{form}", "-o", f"{form}=out.{form}"]
        if main(["mechanism", "sample", "spec.yaml", *given]):
            raise SystemExit("the command failed")
        whole = time.process_time() - start
    moving = spent["reading"] + spent["writing"]
    beyond = spent["swap"] - spent["reading"]
    print(
        f"{form}, rate {rate}: {number} records in {whole:.2f} s; reading {spent['reading']:.2f}, "
        f"writing {spent['writing']:.2f}, beyond both {beyond:.2f} "
        f"(what is audited {spent['checking']:.2f}, the swap "
        f"{beyond - spent['checking'] - spent['margins']:.2f}, margins again "
        f"{spent['margins']:.2f}): {(moving + beyond) / moving:.2f} times reading and writing"
    )
    print(f"  DuckDB alone copies the file in {_copied(form):.2f} s")


def the_kernel(number: int) -> None:
    """Strata of all sizes, derangements and permutations."""
    for size in (2, 10, 100, 10_000, number):
        sizes = np.full(number // size, size)
        told = []
        for deranged in (True, False):
            start = time.process_time()
            exchange(
                sizes, Fraction(1, 2), deranged=deranged, reselection=True, source=Randomness()
            )
            told.append(time.process_time() - start)
        print(
            f"{sizes.size} strata of {size}, half selected: derangements {told[0]:.3f} s, "
            f"permutations {told[1]:.3f} s"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=1_000_000)
    records = parser.parse_args().records
    print(f"{os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for shape in (SHARED, ALONE):
            _data(records, shape)
            print(f"{shape[0]} by {shape[1]} values within a stratum")
            if shape == SHARED:  # loads what is loaded once
                the_command(records, shape, "0.1", "csv")
            for one in ("csv", "parquet"):
                for share in ("0.1", "0.5"):
                    the_command(records, shape, share, one)
        the_kernel(records)
