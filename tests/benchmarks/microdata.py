"""Microdata to margins beside the bare DuckDB query: whole processes, in pairs, in one run.

    python tests/benchmarks/microdata.py [--rows N] [--runs N]

Writes a Parquet file of 10 million persons, and counts the same margins with `tallies` and with
the query that a user of DuckDB would write, under the same settings. Each process measures the
counting itself; the imports of both are outside. Prints medians, the median of the pairwise
ratios (at most 1.3 is required) and the peak memory of the counting process (under 500 MB); in
``six`` the margins are over all six attributes.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
MARGINS: dict[str, list[tuple[str, ...]]] = {
    "states": [(), ("state",)],
    "margins": [(), ("state",), ("state", "age"), ("age", "hispanic", "race"), ("quarters",)],
    "cells": [(), ("state",), ("state", "age", "hispanic", "race", "quarters")],
    "counties": [(), ("county",), ("county", "race")],
    "six": [
        ("state", "age"),
        ("race", "hispanic"),
        ("county", "age"),
        ("state", "quarters"),
        ("age", "hispanic", "race"),
        ("quarters", "race"),
    ],
}
MOST_RATIO, MOST_MEGABYTES = 1.3, 500
"""What is required of every set of margins: beside the bare query, and at the peak."""
PEOPLE = """
    COPY (
        SELECT
            CAST(hash(i) % 51 AS INTEGER) AS state,
            CASE WHEN hash(i + 1) % 4 = 0 THEN 'under 18' ELSE '18 and over' END AS age,
            hash(i * 7) % 2 = 0 AS hispanic,
            'r' || (hash(i * 3) % 63) AS race,
            format('{{:05d}}', hash(i * 11) % 3143) AS county,
            CAST(hash(i * 13) % 8 AS VARCHAR) AS quarters,
            i AS id
        FROM range({rows}) AS t(i)
    ) TO '{path}' (FORMAT parquet)
"""


def bare(path: str, margins: list[tuple[str, ...]]) -> int:
    import duckdb

    from semiaudit.data.files import settings

    names = sorted({name for margin in margins for name in margin})
    sets = ", ".join(f"({', '.join(margin)})" for margin in margins)
    query = f"""SELECT GROUPING({", ".join(names)}), {", ".join(names)}, count(*)
        FROM read_parquet('{path}') GROUP BY GROUPING SETS ({sets})"""
    with TemporaryDirectory() as spill:
        start = time.perf_counter()
        with duckdb.connect(":memory:", config=settings(spill)) as connection:
            groups = len(connection.execute(query).fetchall())
        print(time.perf_counter() - start, groups)
    return groups


def ours(path: str, margins: list[tuple[str, ...]]) -> None:
    from semiaudit.data.tallies import tallies
    from semiaudit.model.data_source import DataSource
    from semiaudit.model.dataspace import Attribute

    attributes = [
        Attribute("state", 51),
        Attribute("age", ("under 18", "18 and over")),
        Attribute("hispanic", ("true", "false")),
        Attribute("race", tuple(f"r{i}" for i in range(63))),
        Attribute("county", tuple(f"{i:05d}" for i in range(3143))),
        Attribute("quarters", 8),
    ]
    for module in ("duckdb", "semiaudit.data.files"):
        import_module(module)
    start = time.perf_counter()
    found = tallies(DataSource("records", path), Path("/"), attributes, margins)
    taken = time.perf_counter() - start
    print(taken, sum(len(cells) for cells in found.counts.values()))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def child(role: str, path: Path, margins: str) -> list[float]:
    command = [sys.executable, __file__, "--child", role, str(path), margins]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        role, path, margins = options.child
        (bare if role == "bare" else ours)(path, MARGINS[margins])
        return
    import duckdb

    worst_ratio, worst_peak = 0.0, 0.0
    with TemporaryDirectory() as folder:
        people = Path(folder) / "people.parquet"
        duckdb.connect().execute(PEOPLE.format(rows=options.rows, path=people))
        print(f"{options.rows} rows, {people.stat().st_size / 1e6:.0f} MB of Parquet")
        for margins in MARGINS:
            pairs: list[tuple[float, float]] = []
            peaks: list[float] = []
            for run in range(options.runs + 1):
                theirs, mine = child("bare", people, margins), child("ours", people, margins)
                assert theirs[1] == mine[1], "the two count different groups"
                if run:
                    pairs.append((mine[0], theirs[0]))
                    peaks.append(mine[2])
            ratio = statistics.median(a / b for a, b in pairs)
            middle = [statistics.median(pair[i] for pair in pairs) for i in range(2)]
            print(
                f"{margins:9} {int(mine[1]):7} groups: tallies {middle[0]:.3f} s, "
                f"bare {middle[1]:.3f} s, ratio {ratio:.2f}, peak {max(peaks):.0f} MB"
            )
            worst_ratio, worst_peak = max(worst_ratio, ratio), max(worst_peak, *peaks)
    sys.exit(0 if worst_ratio <= MOST_RATIO and worst_peak < MOST_MEGABYTES else 1)


if __name__ == "__main__":
    main()
