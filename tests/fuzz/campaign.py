"""Many random uses, and what came of them.

    python -m tests.fuzz.campaign --cases 100000 --journal FILE [--seconds S] [--jobs 2] [--write]

Case after case is run by processes that have everything loaded, bounded in memory and in seconds
of the processor. Which cases there are depends on their number alone, so that a run goes on where
its journal ends, with more cases too. The figures go into docs/campaigns.md (`--write`). Exits with
1 if anything happened that may not, or if less than half of the inputs of some kind were accepted.

    python -m tests.fuzz.campaign --corners 20          every corner so many times, by name
    python -m tests.fuzz.campaign --replay analyze:17   one case, with its files
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue

from tests.fuzz.chance import Chance
from tests.fuzz.corners import CORNERS
from tests.fuzz.played import run
from tests.fuzz.serving import SETTLED, Answer, Task, made
from tests.fuzz.uses import KINDS, SHARES
from tests.places import ROOT, commit_of_the_tree

DOCUMENT = ROOT / "docs" / "campaigns.md"
BEGIN, END = "<!-- fuzz: begin -->\n", "<!-- fuzz: end -->"
AT_ONCE = 60
"""Cases that a process is given at a time."""

MAY_BE_FEW = frozenset(
    {"review", "asked", "tree", "corner", "hook", "calibrate", "sample", "compare"}
    | {"mechanism-describe"}
)
"""Kinds of which less than half may be accepted: most of their inputs are wrong on purpose, or are
several specs, each of which may be refused."""


def tasks(cases: int) -> Iterator[Task]:
    """The first cases of the campaign: any number of them has its share of every kind."""
    shares = SHARES | {kind: 10 for kind in KINDS if kind not in SHARES}
    order = [kind for kind, share in shares.items() for _ in range(share)]
    Chance("order").shuffle(order)
    numbers: Counter[str] = Counter()
    for place in range(cases):
        kind = order[place % len(order)]
        yield kind, numbers[kind]
        numbers[kind] += 1


class Server:
    """A process that runs cases, and what it is given to do."""

    def __init__(self, megabytes: int) -> None:
        self._megabytes = megabytes
        self._process = self._started()

    def _started(self) -> subprocess.Popen[str]:
        # Not as a module: processes of a batch would import it, too.
        code = f"from tests.fuzz.serving import serve; serve({self._megabytes})"
        return subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, cwd=ROOT, env={**os.environ, **SETTLED, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip

    def answers(self, some: list[Task]) -> Iterator[Answer]:
        """What comes of some cases."""
        process = self._process
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("a server without pipes")
        process.stdin.write(json.dumps(some) + "\n")
        process.stdin.flush()
        for kind, number in some:
            line = process.stdout.readline()
            if not line.endswith("\n"):
                process.communicate()
                what = f"the process ended with {process.returncode}"
                yield {"kind": kind, "number": number, "codes": [], "accepted": False,
                       "seconds": 0.0, "beyond": 0.0, "input": "", "wrong": [what]}  # fmt: skip
                self._process = self._started()
                return
            yield json.loads(line)

    def close(self) -> None:
        self._process.communicate()


class Journal:
    """The answers so far, in a file if there is one, so that an interrupted run goes on."""

    def __init__(self, path: Path | None) -> None:
        self.found: dict[Task, Answer] = {}
        self._path = path
        self._lock = threading.Lock()
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                answer = json.loads(line)
                self.found[answer["kind"], answer["number"]] = answer

    def add(self, answer: Answer) -> None:
        with self._lock:
            self.found[answer["kind"], answer["number"]] = answer
            if self._path is not None:
                with self._path.open("a", encoding="utf-8") as file:
                    print(json.dumps(answer), file=file, flush=True)


def played(journal: Journal, wanted: Iterable[Task], seconds: float, jobs: int, mb: int) -> None:
    """Run the cases that the journal does not have yet, for so many seconds at most."""
    missing = [task for task in wanted if task not in journal.found]
    waiting: SimpleQueue[list[Task]] = SimpleQueue()
    for at in range(0, len(missing), AT_ONCE):
        waiting.put(missing[at : at + AT_ONCE])
    end = time.monotonic() + seconds
    commit = commit_of_the_tree()

    def work() -> None:
        server = Server(mb)
        try:
            while time.monotonic() < end:
                some = waiting.get_nowait()
                for answer in server.answers(some):
                    journal.add({**answer, "commit": commit})
                    for what in answer["wrong"]:
                        print(f"{answer['kind']}:{answer['number']}: {what}", flush=True)
                print(f"{len(journal.found):,} cases", file=sys.stderr, flush=True)
        except Empty:
            pass
        finally:
            server.close()

    workers = [threading.Thread(target=work) for _ in range(min(jobs, max(waiting.qsize(), 1)))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def figures(found: list[Answer], megabytes: int) -> list[str]:
    """What came of a campaign, as a table."""
    number, seconds = len(found), sum(answer["seconds"] for answer in found)
    wrong = sum(bool(answer["wrong"]) for answer in found)
    commits = Counter(answer["commit"] for answer in found)
    rows = []
    for kind in KINDS:
        some = [answer for answer in found if answer["kind"] == kind]
        accepted = sum(answer["accepted"] for answer in some) / max(len(some), 1)
        beyond = max((answer["beyond"] for answer in some), default=0.0)
        rows.append(f"| {kind} | {len(some):,} | {accepted:.0%} | {max(beyond, 0):.1f} |")
    return [
        f"{number:,} random inputs, {len({answer['input'] for answer in found}):,} of them "
        f"different, each in a process with at most {megabytes:,} MB, in {seconds:,.0f} s of "
        f"processor time; {wrong} of them broke a rule.",
        *(f"{count:,} of them ran at commit {name}." for name, count in sorted(commits.items())),
        "",
        "| input | cases | accepted | most seconds of the processor beyond the limit |",
        "| --- | --- | --- | --- |",
        *rows,
    ]


def scarce(found: list[Answer]) -> list[str]:
    """Kinds of which too few inputs were accepted to show anything."""
    wrong = []
    for kind in KINDS.keys() - MAY_BE_FEW:
        some = [answer["accepted"] for answer in found if answer["kind"] == kind]
        if len(some) >= 20 and sum(some) * 2 < len(some):
            wrong.append(f"{kind}: {sum(some)} of {len(some)} were accepted")
    return wrong


def write_figures(lines: list[str]) -> None:
    before, rest = DOCUMENT.read_text(encoding="utf-8").split(BEGIN)
    text = before + BEGIN + "\n".join(lines) + "\n" + END + rest.split(END)[1]
    DOCUMENT.write_text(text, encoding="utf-8")


def replay(told: str) -> int:
    kind, _, number = told.partition(":")
    case = made(kind, int(number))
    for name, content in case.files.items():
        print(f"--- {name}\n{content.decode('utf-8', 'replace')}" if isinstance(content, bytes)
              else f"--- {name} (made)")  # fmt: skip
    print(case.links, case.hard, case.lines)
    outcome = run(case)
    for one in outcome.ended:
        print(f"--- exit {one.code}, {one.seconds:.2f} s\n{one.out[-3000:]}\n{one.err[-3000:]}")
    print(outcome.wrong)
    return int(bool(outcome.wrong))


def corners(times: int, jobs: int, megabytes: int) -> int:
    """Run every corner so many times, and print how often each ended in what may not be."""
    journal = Journal(None)
    played(journal, [(name, k) for name in CORNERS for k in range(times)], 1e9, jobs, megabytes)
    counts: Counter[str] = Counter()
    for (name, _), answer in journal.found.items():
        counts[name] += bool(answer["wrong"])
    for name in CORNERS:
        print(f"{name}: {counts[name]} of {times}")
    return int(counts.total() > 0)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin nothing after so long")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--memory-limit", type=int, default=3_072, metavar="MB")
    parser.add_argument("--journal", type=Path, metavar="FILE", help="go on from it, add to it")
    parser.add_argument("--write", action="store_true", help="the figures into docs/campaigns.md")
    parser.add_argument("--corners", type=int, metavar="TIMES")
    parser.add_argument("--replay", metavar="KIND:NUMBER")
    asked = parser.parse_args()
    if asked.replay:
        return replay(asked.replay)
    if asked.corners:
        return corners(asked.corners, asked.jobs, asked.memory_limit)
    journal = Journal(asked.journal)
    wanted = list(tasks(asked.cases))
    played(journal, wanted, asked.seconds, asked.jobs, asked.memory_limit)
    found = [journal.found[task] for task in wanted if task in journal.found]
    lines = figures(found, asked.memory_limit)
    print("\n".join(lines))
    few = scarce(found)
    print("\n".join(few))
    if len(found) < len(wanted):
        print(f"{len(wanted) - len(found):,} cases are left; run the same command again")
    elif asked.write:
        write_figures(lines)
    wrong = any(answer["wrong"] for answer in found)
    return 1 if wrong or few else 0


if __name__ == "__main__":
    sys.exit(main())
