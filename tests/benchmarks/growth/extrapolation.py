"""What a million specs and a billion rows would take: lines through the last two sizes."""

from __future__ import annotations

from collections.abc import Iterator

from tests.benchmarks.growth.beyond import Way
from tests.benchmarks.growth.records import points_of

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
