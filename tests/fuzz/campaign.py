"""Many random uses, and what came of them.

    python -m tests.fuzz.campaign --cases 100000 [--jobs 2] [--memory-limit 2048]
        [--journal FILE] [--write]

Cases run in processes of their own, bounded in memory, in chunks with a seed each, so that a run
can be repeated, and one that was interrupted goes on where its journal ends. The figures of a whole
run stand in docs/security.md (`--write`). Exits with 1 if anything happened that may not, or if
less than half of the inputs of some kind were accepted.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from semiaudit import audit
from semiaudit.workflow.batch.confinement import ONE_THREAD
from tests.fuzz.cases import KINDS, Case
from tests.fuzz.verdicts import run, violations
from tests.places import ROOT

DOCUMENT = ROOT / "docs" / "security.md"
BEGIN, END = "<!-- fuzz: begin -->\n", "<!-- fuzz: end -->"
CHUNK = 200
GROUPS = {"spec": 10, "csv": 10}
"""Chunks of one process, 1 where nothing is said: an engine and an embedded database keep pages
that they mapped, and what is measured is the memory of one use, not of a thousand in a row."""

SHARES = {"parquet": 3, "duckdb": 2, "sqlite": 3, "check": 25, "batch": 1, "csv": 5, "spec": 61}
"""Of a hundred cases; a batch starts processes, and DuckDB a database, which takes a while."""

LITTLE_SPACE = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2"}
"""Pyarrow, which only writes the inputs, would reserve half of the address space for itself."""

Task = tuple[str, int, int]
"""A kind, how many cases, a seed."""

Found = tuple[str, int, int, float, list[str], list[str]]
"""A kind, how many cases, how many were accepted, the most seconds beyond a limit, digests of the
inputs, what may not be."""


def chunk(task: Task) -> Found:
    """Run some cases of one kind."""
    kind, number, start = task
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    seen: list[str] = []
    longest = [0.0]

    @seed(start)
    @settings(max_examples=number, database=None, deadline=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(KINDS[kind])
    def one(case: Case) -> None:
        outcome = run(case)
        counts["cases"] += 1
        counts["accepted"] += outcome.accepted
        longest[0] = max(longest[0], outcome.seconds - case.limit)
        seen.append(outcome.input)
        for what in violations(case, outcome, timed=True):
            text = next(iter(case.files.values()))
            wrong.append(f"{kind}, seed {start}: {what}: {case.arguments} {text!r}")

    one()
    return kind, counts["cases"], counts["accepted"], longest[0], seen, wrong


def work(tasks: Sequence[Task], megabytes: int) -> None:
    """Run chunks in this process, bounded in memory, and print what came of each as JSON.

    What audits need is imported before: what a case takes is then what it computes, and
    tests/benchmarks/time_limit.py times starts too.
    """
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    for name in ("example5_table", "starter", "all_male_block"):
        audit(ROOT / "configs" / f"{name}.yaml").render("text")
    gc.freeze()
    for task in tasks:
        print(json.dumps(chunk(task)), flush=True)
    print(json.dumps(sum(os.times()[:4])), flush=True)


def worked(tasks: Sequence[Task], megabytes: int) -> tuple[list[Found], float]:
    """The same in a process of its own, and the seconds of the processor that it took; one that
    dies is something that may not be."""
    # Not as a module: processes of a batch would import it, too.
    code = f"from tests.fuzz.campaign import work; work({tasks!r}, {megabytes})"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode or len(lines) <= len(tasks):
        what = f"{tasks}: its process ended with {done.returncode}: {done.stderr[-2000:]}"
        return [*map(tuple, lines[: len(tasks)]), (tasks[0][0], 0, 0, 0.0, [], [what])], 0.0
    return [tuple(line) for line in lines[:-1]], lines[-1]


class Journal:
    """The groups that are done, kept in a file, so that an interrupted run goes on."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._done: dict[str, tuple[list[Found], float]] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                key, found, seconds = json.loads(line)
                self._done[key] = [tuple(one) for one in found], seconds

    def run(self, tasks: Sequence[Task], megabytes: int) -> tuple[list[Found], float]:
        """What came of these tasks, then or now."""
        key = json.dumps([tasks, megabytes])
        if key not in self._done:
            self._done[key] = worked(tasks, megabytes)
            if self._path is not None:
                with self._path.open("a", encoding="utf-8") as file:
                    print(json.dumps([key, *self._done[key]]), file=file, flush=True)
        return self._done[key]


def sized(cases: int) -> list[int]:
    """Sizes of the chunks of so many cases."""
    return [min(CHUNK, cases - at) for at in range(0, cases, CHUNK)]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=2_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--memory-limit", type=int, default=2_048, metavar="MB")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--journal", type=Path, metavar="FILE", help="go on from it, add to it")
    parser.add_argument("--write", action="store_true", help="the figures into docs/security.md")
    given_ = parser.parse_args()
    groups: list[list[Task]] = []
    first = given_.seed * 1_000_003
    for kind, share in SHARES.items():
        sizes = sized(given_.cases * share // 100)
        tasks = [(kind, size, first + number) for number, size in enumerate(sizes)]
        first += len(sizes)
        at_once = GROUPS.get(kind, 1)
        groups += [tasks[at : at + at_once] for at in range(0, len(tasks), at_once)]
    totals = {kind: [0, 0, 0.0] for kind in KINDS}
    wrong: list[str] = []
    inputs: set[str] = set()
    seconds = 0.0
    os.environ.update(ONE_THREAD, **LITTLE_SPACE)
    journal = Journal(given_.journal)
    with ThreadPoolExecutor(given_.jobs) as pool:
        started = [pool.submit(journal.run, group, given_.memory_limit) for group in groups]
        for number, done in enumerate(as_completed(started), start=1):
            found, took = done.result()
            seconds += took
            for kind, cases, accepted, longest, seen, told in found:
                total = totals[kind]
                total[0], total[1] = total[0] + cases, total[1] + accepted
                total[2] = max(total[2], longest)
                inputs.update(seen)
                wrong += told
                for text in told:
                    print(text, flush=True)
            sofar = f"{sum(int(t[0]) for t in totals.values()):,} cases, {len(wrong)} wrong"
            print(f"{number} of {len(groups)} processes: {sofar}", file=sys.stderr, flush=True)
    rows = [
        f"| {kind} | {cases:,} | {accepted / max(cases, 1):.0%} | {longest:.1f} |"
        for kind, (cases, accepted, longest) in totals.items()
    ]
    number = sum(int(total[0]) for total in totals.values())
    figures = [
        f"{number:,} cases, {len(inputs):,} of them different, {given_.memory_limit} MB a process, "
        "a time limit of 0.05 to 1 s; "
        f"{seconds:,.0f} seconds of the processor. "
        f"{len(wrong)} of them ended in what may not be.",
        "",
        "| input | cases | audited | most seconds of the processor beyond the limit |",
        "| --- | --- | --- | --- |",
        *rows,
    ]
    print("\n".join(figures))
    if given_.write:
        before, rest = DOCUMENT.read_text(encoding="utf-8").split(BEGIN)
        after = rest.split(END)[1]
        text = before + BEGIN + "\n".join(figures) + "\n" + END + after
        DOCUMENT.write_text(text, encoding="utf-8")
    few = any(accepted * 2 < cases for cases, accepted, _ in totals.values())
    return 1 if wrong or few else 0


if __name__ == "__main__":
    sys.exit(main())
