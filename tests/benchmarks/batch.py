"""One batch beside the same audits in one process, and beside as many calls of the command.

    python tests/benchmarks/batch.py [--jobs 2] [--calls 20] [--sizes 100,300,1000,3000,10000]

Every spec declares a guarantee with a number of its own: zcdp, pure_dp and approx_dp in turn, or
the --kinds that are named. gdp is left out by default: its exact profile takes some hundredths of a
second.
Prints three things, all measured in one run:

- 1,000 specs in one batch: its time less that of a batch of one spec (start-up), divided by the
  time of the same audits in one process over the workers. At most 1.5 is required.
- the time of 1,000 calls of the command, from --calls of them, divided by the batch's. At least 50
  is required.
- the curve up to 10,000 specs: seconds, and the peak memory of the parent and of its largest child.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
SPEC = """\
semiaudit: 1
title: Table {number}
dataspace:
  unit: person
  size: {size}
  attributes: {{region: 12, sex: [female, male], age: 9}}
invariants:
  - margin: [region]
mechanism: {{{mechanism}}}
report: {{deltas: [1e-10]}}
budgets:
  - {{framework: semi_dp, epsilon: 60, delta: 1e-10}}
"""


FORMS = {
    "zcdp": "zcdp: {{rho: {:.4f}}}",
    "pure_dp": "pure_dp: {{epsilon: {:.4f}}}",
    "approx_dp": "approx_dp: {{epsilon: {:.4f}, delta: 1e-12}}",
    "gdp": "gdp: {{mu: {:.4f}}}",
}


def mechanism(number: int, kinds: list[str]) -> str:
    """A guarantee that no other spec declares."""
    return FORMS[kinds[number % len(kinds)]].format(1 + number / 10_000)


def write_specs(folder: Path, number: int, kinds: list[str]) -> list[str]:
    folder.mkdir()
    for i in range(number):
        text = SPEC.format(number=i, size=1000 + i, mechanism=mechanism(i, kinds))
        (folder / f"{i:05}.semiaudit.yaml").write_text(text)
    return sorted(str(path) for path in folder.iterdir())


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def batch_of(folder: Path, jobs: int, *options: str) -> tuple[float, float, int, int]:
    """Seconds, seconds of processor time, peak resident kilobytes of parent and largest child."""
    code = (
        "import sys, resource\n"
        "from semiaudit.cli import main\n"
        "main(sys.argv[1:])\n"
        "own, children = (resource.getrusage(who) for who in "
        "(resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))\n"
        "spent = sum(use.ru_utime + use.ru_stime for use in (own, children))\n"
        "print(spent, own.ru_maxrss, children.ru_maxrss, file=sys.stderr)"
    )
    outputs = ["--quiet", "-o", f"csv={folder}.csv"]
    command = [sys.executable, "-c", code, "batch", str(folder), "--jobs", str(jobs), *outputs]
    command += options
    start = time.perf_counter()
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - start
    spent, own, children = done.stderr.split()[-3:]
    rows = Path(f"{folder}.csv").read_text().count("\n") - 1
    assert rows == len(list(folder.iterdir())), done.stderr
    return seconds, float(spent), int(own), int(children)


def audits_in_one_process(folder: Path) -> tuple[float, float]:
    code = (
        "import os, sys, time\n"
        "from semiaudit.checking.verdict import verdict_of\n"
        "paths = sorted(os.path.join(sys.argv[1], name) for name in os.listdir(sys.argv[1]))\n"
        "verdict_of(paths[0], time_limit=60)\n"
        "start, spent = time.perf_counter(), time.process_time()\n"
        "for path in paths:\n    verdict_of(path, time_limit=60)\n"
        "print(time.perf_counter() - start, time.process_time() - spent)"
    )
    command = [sys.executable, "-c", code, str(folder)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    seconds, spent = map(float, done.stdout.split())
    return seconds, spent


def seconds_of_a_call(paths: list[str], calls: int) -> float:
    start = time.perf_counter()
    for path in paths[:: max(1, len(paths) // calls)][:calls]:
        command = [sys.executable, "-m", "semiaudit", "check", path]
        subprocess.run(command, env=environment(), capture_output=True, check=False)
    return (time.perf_counter() - start) / min(calls, len(paths))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--calls", type=int, default=20)
    parser.add_argument("--sizes", default="100,300,1000,3000,10000")
    parser.add_argument("--kinds", default="zcdp,pure_dp,approx_dp")
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    jobs = options.jobs
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        write_specs(work / "one", 1, kinds)
        paths = write_specs(work / "thousand", 1000, kinds)
        start_up, start_spent = (
            min(x) for x in zip(*(batch_of(work / "one", jobs)[:2] for _ in range(3)), strict=True)
        )
        batch, single = [], []
        for _ in range(2):
            single.append(audits_in_one_process(work / "thousand"))
            batch.append(batch_of(work / "thousand", jobs)[:2])
        (audits, audits_spent), (took, spent) = min(single), min(batch)
        ratio = (took - start_up) / (audits / jobs)
        processor = (spent - start_spent) / audits_spent
        call = seconds_of_a_call(paths, options.calls)
        print(f"start-up, a batch of one spec: {start_up:.2f} s")
        print(f"1,000 specs, one process:      {audits:.2f} s")
        print(f"1,000 specs, {jobs} jobs:           {took:.2f} s")
        print(f"batch over ideal:              {ratio:.2f} (at most 1.5)")
        print(
            f"processor time over ideal:     {processor:.2f} (tells on a machine with other work)"
        )
        print(f"a call of the command:         {call:.3f} s (mean of {options.calls})")
        print(f"1,000 calls over the batch:    {1000 * call / took:.0f} (at least 50)", flush=True)
        print("specs   seconds   ms a spec   parent MB   worker MB", flush=True)
        for size in map(int, options.sizes.split(",")):
            folder = work / f"curve{size}"
            write_specs(folder, size, kinds)
            seconds, _, own, child = batch_of(folder, jobs)
            each = 1000 * (seconds - start_up) / size
            megabytes = f"{own / 1024:9.1f} {child / 1024:11.1f}"
            print(f"{size:5} {seconds:9.2f} {each:11.2f}   {megabytes}", flush=True)
    sys.exit(0 if ratio <= 1.5 and 1000 * call / took >= 50 else 1)


if __name__ == "__main__":
    main()
