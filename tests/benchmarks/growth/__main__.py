"""How time and memory grow with the work: measures series, and writes docs/performance.md.

    python -m tests.benchmarks.growth [--series NAME ...] [--peer-python PATH] [--patience SECONDS]
    python -m tests.benchmarks.growth --page

Without `--series`, every series. `--peer-python` is an interpreter that has dp_accounting; without
it, the figures of a series have no peer. `--page` only writes the page from the records.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict

from tests.benchmarks.growth import beyond, page
from tests.benchmarks.growth.records import keep, keep_points, run_of
from tests.benchmarks.growth.series import PATIENCE, PLD, SERIES, Asked, Series

SPECS = 10_000
COMMAND = "python -m tests.benchmarks.growth --series "


def measured(series: Series, asked: Asked) -> None:
    peer = " --peer-python PATH" if asked.peer_python and series.peer == PLD else ""
    if peer and asked.patience != PATIENCE:
        peer += f" --patience {asked.patience}"
    run = run_of(COMMAND + series.name + peer)
    points = []
    for size in series.sizes:
        points.append(series.measure(series.name, size, asked))
        print(f"{series.name} {points[-1]}", flush=True)
        keep_points(series.name, run, points)


def main() -> int:
    known = {series.name: series for series in SERIES}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--series", nargs="+", choices=[*known, beyond.NAME], metavar="NAME")
    parser.add_argument("--peer-python", default="", help="an interpreter that has dp_accounting")
    parser.add_argument("--patience", type=int, default=PATIENCE, help="CPU seconds for the peer")
    parser.add_argument("--page", action="store_true", help="write the page from the records")
    options = parser.parse_args()
    for name in [] if options.page else options.series or [*known, beyond.NAME]:
        if name in known:
            measured(known[name], Asked(options.peer_python, options.patience))
        else:
            run = run_of(COMMAND + name)
            figures = []
            for way in beyond.ways(SPECS):
                figures.append(asdict(way))
                print(way, flush=True)
                keep(name, run, figures)
    page.write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
