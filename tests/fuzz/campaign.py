"""Many random uses, and what came of them.

    python -m tests.fuzz.campaign --cases 100000 [--jobs 2] [--memory-limit 2048] [--write]

Cases run in processes of their own, bounded in memory, in chunks with a seed each, so that a run
can be repeated. The figures of a whole run stand in docs/security.md (`--write`). Exits with 1 if
anything happened that may not, or if less than half of the inputs of some kind were accepted.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed

from hypothesis import HealthCheck, Phase, given, seed, settings

from semiaudit import audit
from semiaudit.workflow.batch.confinement import ONE_THREAD
from tests.fuzz.cases import KINDS, Case
from tests.fuzz.verdicts import run, violations
from tests.places import ROOT

DOCUMENT = ROOT / "docs" / "security.md"
BEGIN, END = "<!-- fuzz: begin -->\n", "<!-- fuzz: end -->"
CHUNK = 200
SHARES = {"spec": 50, "csv": 12, "parquet": 8, "duckdb": 5, "sqlite": 5, "check": 18, "batch": 2}
"""Of a hundred cases; a batch starts processes, which takes a while."""

Found = tuple[str, int, int, float, list[str]]
"""A kind, how many cases, how many were accepted, the most seconds, what may not be."""


def chunk(task: tuple[str, int, int]) -> Found:
    """Run some cases of one kind."""
    kind, number, start = task
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    longest = [0.0]

    @seed(start)
    @settings(max_examples=number, database=None, deadline=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(KINDS[kind])
    def one(case: Case) -> None:
        outcome = run(case)
        counts["cases"] += 1
        counts["accepted"] += outcome.accepted
        longest[0] = max(longest[0], outcome.seconds)
        for what in violations(case, outcome, timed=True):
            text = next(iter(case.files.values()))
            wrong.append(f"{kind}, seed {start}: {what}: {case.arguments} {text!r}")

    one()
    return kind, counts["cases"], counts["accepted"], longest[0], wrong


def bounded(megabytes: int) -> None:
    """Bound the address space of a process, and import what audits need.

    What a case takes is then what it computes: tests/benchmarks/time_limit.py times starts too.
    """
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    for name in ("census2020_pl94_production", "example5_table", "starter"):
        audit(ROOT / "configs" / f"{name}.yaml").render("text")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=2_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--memory-limit", type=int, default=2_048, metavar="MB")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="the figures into docs/security.md")
    given_ = parser.parse_args()
    tasks: list[tuple[str, int, int]] = []
    for kind, share in SHARES.items():
        left = given_.cases * share // 100
        while left > 0:
            tasks.append((kind, min(left, CHUNK), given_.seed * 1_000_003 + len(tasks)))
            left -= CHUNK
    totals = {kind: [0, 0, 0.0] for kind in KINDS}
    wrong: list[str] = []
    os.environ.update(ONE_THREAD)
    context = multiprocessing.get_context("spawn")
    limit = (given_.memory_limit,)
    with ProcessPoolExecutor(given_.jobs, context, bounded, limit, max_tasks_per_child=5) as pool:
        for done in as_completed([pool.submit(chunk, task) for task in tasks]):
            kind, cases, accepted, longest, told = done.result()
            total = totals[kind]
            total[0], total[1] = total[0] + cases, total[1] + accepted
            total[2] = max(total[2], longest)
            wrong += told
            for text in told:
                print(text, flush=True)
    rows = [
        f"| {kind} | {cases:,} | {accepted / max(cases, 1):.0%} | {longest:.1f} |"
        for kind, (cases, accepted, longest) in totals.items()
    ]
    number = sum(int(total[0]) for total in totals.values())
    figures = [
        f"{number:,} cases, {given_.memory_limit} MB a process, a time limit of 2 s; "
        f"{len(wrong)} of them ended in what may not be.",
        "",
        "| input | cases | audited | most seconds of the processor |",
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
