"""The part of docs/performance.md on growth, from the records."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby, pairwise

from tests.benchmarks.growth import beyond
from tests.benchmarks.growth.beyond import Way
from tests.benchmarks.growth.measuring import Used
from tests.benchmarks.growth.records import figures_of, points_of
from tests.benchmarks.growth.series import SERIES, Point, Series
from tests.benchmarks.tables import write_table
from tests.places import ROOT

PAGE = ROOT / "docs" / "performance.md"
TABLE = "growth"
DECADES = 2
"""How many exponents a column has: one for each of the last decades."""

HEAD = """\
## Growth by factors of ten

    python -m tests.benchmarks.growth --peer-python PATH

measures all tables, and with the option at its title only that one. `s` are CPU seconds: of the
work alone for a(t), compositions, and curves, and of the whole command with its child processes for
designs, batches, and data. `MB` is the peak memory of the largest process. Up to 5 s, figures are
the median time and the largest memory of three runs. Exponents are the slopes (log over log) of the
last two decades; 1 is proportional.

The peer, dp_accounting 0.6.0 (PATH is a Python that has it), gives upper bounds on its default grid
of 1e-4. `ratio` is its time over ours. No other program computes a(t). The tables
give it by the covering definition / by Definition 13.\
"""


def lines() -> list[str]:
    found = [HEAD]
    for section, several in groupby(SERIES, lambda series: series.section):
        found += ["", f"### {section}"]
        for series in several:
            found += ["", *_series(series)]
    found += ["", *_beyond()]
    return [*found, "", "### Machine", "", *_measured()]


def write() -> None:
    write_table(PAGE, TABLE, lines())


def slopes(points: list[tuple[int, float]]) -> list[float]:
    """The slopes of log amount over log size between the last sizes, the last one last."""
    last = points[-1 - DECADES :]
    return [
        math.log(more / less) / math.log(size / before)
        for (before, less), (size, more) in pairwise(last)
        if less > 0 and more > 0
    ]


def _series(series: Series) -> Iterator[str]:
    record = points_of(series.name)
    yield f"{series.what} (`--series {series.name}`):"
    yield ""
    if record is None:
        yield "Not measured yet."
        return
    points = record[1]
    answer = [series.answer] if series.answer else []
    heads = [series.grows, "s", "MB", *answer]
    if series.peer:
        heads += [f"{series.peer}: s", "MB", *answer, "ratio"]
    yield _row(heads)
    yield _row(["---:"] * len(heads))
    for point in points:
        cells = [*_side(point.ours, series), *_peer(point, series)]
        yield _row([f"{point.size:,}", *cells])
    yield _row(["exponents", *_exponents(series, points)])
    if series.note:
        yield from ("", series.note)


def _side(used: Used, series: Series) -> list[str]:
    """What one side took, and its answer if it is shown."""
    answer = [used.answer.replace("..", " to ")] if series.answer else []
    return [_digits(used.seconds), f"{used.megabytes:,.0f}", *answer]


def _peer(point: Point, series: Series) -> list[str]:
    if not series.peer:
        return []
    if point.peer is not None:
        ratio = f"{point.peer.seconds / point.ours.seconds:.2g}"
        return [*_side(point.peer, series), ratio]
    over = f"over {point.patience}" if point.patience else ""
    return [over, *[""] * (3 if series.answer else 2)]


def _exponents(series: Series, points: list[Point]) -> list[str]:
    """The cells of the last row."""
    nothing = [""] if series.answer else []
    sides = [[(point.size, point.ours) for point in points]]
    if series.peer:
        sides.append([(point.size, point.peer) for point in points if point.peer])
    cells = []
    for side in sides:
        cells.append(_slopes([(size, used.seconds) for size, used in side]))
        cells.append(_slopes([(size, used.megabytes) for size, used in side]))
        cells += nothing
    return [*cells, ""] if series.peer else cells


def _slopes(points: list[tuple[int, float]]) -> str:
    return ", ".join(f"{slope + 0.0:.1f}" for slope in slopes(points)).replace("-0.0", "0.0")


def _beyond() -> Iterator[str]:
    yield "## Work beyond one machine"
    yield ""
    record = figures_of(beyond.NAME)
    if record is None:
        yield "Not measured yet."
        return
    ways = [Way(**figure) for figure in record[1]]
    yield (
        f"{ways[0].specs:,} specs with [`--jobs 2`](batch.md), on a [Dask "
        "cluster](batch.md#on-a-dask-cluster) of two worker processes on this machine, and on such "
        f"a cluster that loses a worker for good after a third of the verdicts "
        f"(`--series {beyond.NAME}`):"
    )
    yield ""
    yield _row(["", "s of the clock", "s: command", "scheduler", "workers"])
    yield _row(["---", *["---:"] * 4])
    for way in ways:
        spent = [_digits(one) for one in (way.wall, way.client, way.scheduler, way.workers)]
        yield _row([f"`{way.name}`" if way.name == beyond.WAYS[0] else way.name, *spent])
    yield ""
    yield _lost(ways)
    yield ""
    yield from extrapolated(ways)


def _lost(ways: list[Way]) -> str:
    """What the loss of a worker changed."""
    lost = ways[-1]
    same = "equal, byte by byte" if all(way.same for way in ways) else "not equal"
    return (
        f"The worker was killed after {lost.lost_after:,} verdicts. The command received "
        f"{lost.verdicts:,}, exactly one for each of {lost.once:,} specs. The results of the three "
        f"runs are {same}. Other programs used the machine, in each run more or less: compare CPU "
        "seconds."
    )


def _measured() -> Iterator[str]:
    names = [*(series.name for series in SERIES), beyond.NAME]
    runs = [record[0] for name in names if (record := figures_of(name)) is not None]
    for machine in sorted({run.machine for run in runs}):
        here = [run for run in runs if run.machine == machine]
        days = ", ".join(sorted({run.day for run in here}))
        commits = ", ".join(sorted({run.commit for run in here}))
        yield (f"- {machine}; {days}; commits {commits} (`tests/benchmarks/growth/records`).")


def _row(cells: list[str]) -> str:
    return f"|{'|'.join(cells)}|"


def _digits(number: float) -> str:
    return f"{number:.3f}" if number < 0.1 else f"{number:.2f}" if number < 10 else f"{number:,.0f}"


SPECS, ROWS = 10**6, 10**9


def through_the_last_two(points: list[tuple[int, float]], size: int) -> float:
    """The amount at a size, on the line through the last two points."""
    (first, less), (last, more) = points[-2:]
    return more + (more - less) / (last - first) * (size - last)


def extrapolated(ways: list[Way]) -> Iterator[str]:
    yield "### Extrapolations"
    yield ""
    yield (
        "These figures are extrapolated, not measured: they are on the line through the last two "
        "sizes above. Specs, groups, and values are assumed to be as there, processors as fast, "
        "and all files as fast as a local disk."
    )
    yield ""
    yield from _specs(ways)
    yield from _rows()


def _specs(ways: list[Way]) -> Iterator[str]:
    record = points_of("batch")
    if record is None:
        return
    points = record[1]
    spent = through_the_last_two([(one.size, one.ours.seconds) for one in points], SPECS)
    parent = through_the_last_two([(one.size, float(one.ours.answer)) for one in points], SPECS)
    cluster = ways[1]
    shared = max(cluster.client, cluster.scheduler) / cluster.specs
    own = cluster.workers / cluster.specs
    yield (
        f"- **10⁶ specs**: {spent / 3600:.1f} hours of CPU time with `--jobs 2`, half as long on "
        f"two free cores, and {parent:,.0f} MB in the command. On a cluster, a worker takes "
        f"{1000 * own:.1f} ms for a spec, and the busier of command and scheduler "
        f"{1000 * shared:.1f} ms, whatever the workers: {own / shared:.0f} workers keep it busy, "
        f"and 10⁶ specs take {SPECS * shared / 60:.0f} minutes or more."
    )


def _rows() -> Iterator[str]:
    for name, what in (("engine", "in a DuckDB database"), ("parquet", "in a Parquet file")):
        record = points_of(name)
        if record is None:
            continue
        points = record[1]
        spent = through_the_last_two([(one.size, one.ours.seconds) for one in points], ROWS)
        size = through_the_last_two([(one.size, float(one.ours.answer)) for one in points], ROWS)
        memory = through_the_last_two([(one.size, one.ours.megabytes) for one in points], ROWS)
        yield (
            f"- **10⁹ rows {what}**: {spent:.0f} s of CPU time, {memory:,.0f} MB of memory, and "
            f"{size / 1e9:.1f} GB on disk."
        )
