"""The same work at an earlier commit: whole processes, in turns, in one run.

    git worktree add --detach EARLIER 3cfefce
    python -m tests.benchmarks.earlier EARLIER [--runs 3] [--write]

Both trees are compiled first. A ratio is the median over pairs of runs, one of each tree. CPU
seconds are those of the process and of the processes that it starts; a batch, which has two, also
has the seconds of the clock. Some works took more than a minute at 3cfefce.
``--write`` puts the table into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from compileall import compile_dir
from pathlib import Path

from tests.benchmarks.batch import write_specs
from tests.benchmarks.tables import write_table
from tests.places import ROOT

DOCUMENT = ROOT / "docs" / "benchmarks.md"
KINDS = ["zcdp", "pure_dp", "approx_dp"]
SPECS = 1_000

CURVES = {
    "200 δ of 1,000 steps of sampled Gaussian noise": (
        "SubsampledGaussian(1, '0.01', 1000)", "symmetric_difference"
    ),
    "200 δ of Gaussian(5) × 20 and Laplace(3) × 20": (
        "Gaussian(5) * 20 + Laplace(3) * 20", "hamming"
    ),
}  # fmt: skip
CURVE = """\
import numpy
from semiaudit import Gaussian, Laplace, SubsampledGaussian
guarantee = ({}).guarantee(metric="{}", time_limit=3600)
end = float(guarantee.epsilon("1e-5"))
guarantee.profile(numpy.linspace(end / 20, 1.5 * end, 200))
"""

Work = tuple[str, list[str], bool]
"""Its name, the arguments of Python, and whether the clock counts."""


def works(folder: Path) -> Iterator[Work]:
    """What is measured; the last one needs two processors."""
    configs = {
        "audit of the census": "census2020_pl94",
        "audit of P.L. persons with all semantics": "census2020_pl94_persons",
        "audit of persons and units": "census2020_persons_and_units",
    }
    for name, config in configs.items():
        yield name, ["-m", "semiaudit", "analyze", f"configs/{config}.yaml"], False
    for name, (mechanism, metric) in CURVES.items():
        yield name, ["-c", CURVE.format(mechanism, metric)], False
    write_specs(folder / "specs", SPECS, KINDS)
    batch = ["-m", "semiaudit", "batch", str(folder / "specs"), "--quiet", "--jobs", "2"]
    yield f"batch of {SPECS:,} specs with two jobs", batch, True


def seconds(tree: Path, arguments: list[str]) -> tuple[float, float]:
    """CPU seconds, and seconds of the clock."""
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    before, begun = os.times(), time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments],
        cwd=tree, env=environment, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    after = os.times()
    spent = after.children_user + after.children_system
    return spent - before.children_user - before.children_system, time.perf_counter() - begun


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("earlier", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--write", action="store_true", help=f"put the table into {DOCUMENT.name}")
    asked = parser.parse_args()
    trees = (asked.earlier.resolve(), ROOT)
    for tree in trees:
        compile_dir(tree / "semiaudit", quiet=1)
    lines = ["| work | earlier | now | ratio |", "| --- | ---: | ---: | ---: |"]
    print(*lines, sep="\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments, clock in works(Path(folder)):
            runs = [[seconds(tree, arguments) for tree in trees] for _ in range(asked.runs)]
            for at, unit in enumerate(["s of CPU", "s"][: 1 + clock]):
                first, last = ([run[tree][at] for run in runs] for tree in (0, 1))
                ratio = statistics.median(b / a for a, b in zip(first, last, strict=True))
                before, now = statistics.median(first), statistics.median(last)
                lines.append(f"| {name} | {before:.2f} {unit} | {now:.2f} {unit} | {ratio:.2f} |")
                print(lines[-1], flush=True)
    if asked.write:
        write_table(DOCUMENT, "earlier", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
