"""The same work at an earlier commit: whole processes, in turns, in one run.

    git worktree add --detach EARLIER 5d779e1e
    python -m tests.benchmarks.earlier EARLIER [--runs 3] [--write]

Both trees are compiled first. A ratio is the median over pairs of runs, one of each tree. CPU
seconds are those of the process and of the processes that it starts; figures, and a batch, which
has two processes, also have the seconds of the clock. Memory is the peak of the largest process.
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
from itertools import combinations
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

ONE = """\
semiaudit: 1
dataspace: {{size: {size}, attributes: {attributes}}}
invariants: {invariants}
mechanism: {mechanism}
"""
"""A spec in the words of both versions."""

DISCRETE = "discrete_gaussian: {sigma_squared: 4"

Work = tuple[str, list[str], bool]
"""Its name, the arguments of Python, and whether the clock counts."""


def one(folder: Path, name: str, *more: str, **keys: object) -> list[str]:
    """The arguments that audit a spec of its own."""
    path = folder / f"{name}.yaml"
    path.write_text(ONE.format(**keys), "utf-8")
    return ["-m", "semiaudit", "analyze", str(path), *more]


def works(folder: Path) -> Iterator[Work]:
    """What is measured; the last one needs two processors."""
    configs = {
        "audit of the census": "census2020_pl94",
        "audit of P.L. persons with all semantics": "census2020_pl94_persons",
        "audit of persons and units": "census2020_persons_and_units",
    }
    for name, config in configs.items():
        yield name, ["-m", "semiaudit", "analyze", f"configs/{config}.yaml"], False
    plain = {"size": 100, "attributes": "{a: 2, b: 3}", "invariants": "[margin: [a]]"}
    for name, noise in (("Gaussian", "gaussian: {sigma: 2"), ("discrete Gaussian", DISCRETE)):
        keys = {**plain, "mechanism": f"{{{noise}, query: table}}}}"}
        yield f"audit of {name} noise", one(folder, noise.split(":")[0], **keys), False
    limit = ("--time-limit", "1")
    lines = "".join(f"\n  - laplace: {{scale: {k}, shifts: [1]}}" for k in range(2, 10_002))
    parts = {**plain, "mechanism": f"\n  compose:{lines}"}
    yield (
        "10,000 different lines of `compose`, limit 1 s",
        one(folder, "parts", *limit, **parts),
        False,
    )
    names = [f"a{k}" for k in range(200)]
    pairs = list(combinations(names, 2))[:: 19_900 // 5_000][:5_000]
    margins = ", ".join(f"margin: [{first}, {second}]" for first, second in pairs)
    wide = {
        "size": 1_000,
        "attributes": f"{{{', '.join(f'{name}: 2' for name in names)}}}",
        "invariants": f"[{margins}]",
        "mechanism": "{zcdp: {rho: 1}}",
    }
    yield f"{len(pairs):,} two-way margins, limit 1 s", one(folder, "wide", *limit, **wide), False
    figures = ["-m", "semiaudit", "analyze", "configs/example5_table.yaml", *limit]
    yield "figures as SVG, limit 1 s", [*figures, "-o", f"svg={folder}/a.svg"], True
    sample = one(
        folder, "cells", size=50_000, attributes="{a: 100, b: 100}", invariants="[margin: [a]]",
        mechanism="{gaussian: {sigma: 2, query: table}}",
    )  # fmt: skip
    sample[2:3] = ["mechanism", "sample"]
    yield "sample of 10,000 cells", [*sample, "--seed", "1", "-o", f"csv={folder}/a.csv"], False
    for name, (mechanism, metric) in CURVES.items():
        yield name, ["-c", CURVE.format(mechanism, metric)], False
    write_specs(folder / "specs", SPECS, KINDS)
    batch = ["-m", "semiaudit", "batch", str(folder / "specs"), "--quiet", "--jobs", "2"]
    yield f"batch of {SPECS:,} specs with two jobs", batch, True


def used(tree: Path, arguments: list[str]) -> tuple[float, float, float]:
    """CPU seconds, megabytes, and seconds of the clock."""
    begun = time.perf_counter()
    started = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=tree, env={**os.environ, "PYTHONPATH": str(tree)}, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    _, status, usage = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    cut_short = 2 if "--time-limit" in arguments else 0
    if started.returncode not in (0, 3, cut_short):
        raise SystemExit(f"exit code {started.returncode}: {arguments}")
    took = time.perf_counter() - begun
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, took


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("earlier", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--write", action="store_true", help=f"put the table into {DOCUMENT.name}")
    asked = parser.parse_args()
    trees = (asked.earlier.resolve(), ROOT)
    for tree in trees:
        compile_dir(tree / "semiaudit", quiet=1)
    lines = [
        "| work | earlier | now | ratio | memory earlier | memory now |",
        "| --- |" + " ---: |" * 5,
    ]
    print(*lines, sep="\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments, clock in works(Path(folder)):
            runs = [[used(tree, arguments) for tree in trees] for _ in range(asked.runs)]
            memory = [max(run[tree][1] for run in runs) for tree in (0, 1)]
            for at, unit in ((0, "s of CPU"), (2, "s"))[: 1 + clock]:
                first, last = ([run[tree][at] for run in runs] for tree in (0, 1))
                ratio = statistics.median(b / a for a, b in zip(first, last, strict=True))
                before, now = statistics.median(first), statistics.median(last)
                times = f"{before:.2f} {unit} | {now:.2f} {unit} | {ratio:.2f}"
                lines.append(f"| {name} | {times} | {memory[0]:,.0f} MB | {memory[1]:,.0f} MB |")
                print(lines[-1], flush=True)
    if asked.write:
        write_table(DOCUMENT, "earlier", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
