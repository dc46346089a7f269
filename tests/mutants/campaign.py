"""Mutants of the code that numbers rest on, against the tests that mirror it.

    python -m tests.mutants.campaign --seed 1 --mutants 1000 --journal FILE [--jobs 2]
    python -m tests.mutants.campaign --seed 1 --show 17

A mutant is killed if a test fails. It is stopped after 60 s of the processor, and is then neither
killed nor alive: seconds of the clock would depend on what else the machine does. The tests of a
module come in this order: its own, those of its folder that import it, all of its folder, and those
of the folders above. A mutant that does the same as the program is named in equivalent.py, with the
reason. A run goes on where its journal ends.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.mutants.equivalent import is_equivalent
from tests.mutants.sample import Mutant, mutant_of, sample
from tests.places import ROOT
from tests.test_where_tests_lie import imported

MOST_SECONDS, MOST_SECONDS_OF_THE_CLOCK = 60, 1_200
COPIED = ("semiaudit", "tests", "configs", "docs", "pyproject.toml", "README.md", "CHANGELOG.md")


def mirrored_tests(path: str) -> list[str]:
    """The tests that mirror a module, the most specific ones first."""
    module = Path(path).with_suffix("")
    folder = ROOT / "tests" / module.parent.relative_to("semiaudit")
    own = folder / f"test_{module.name}.py"
    dotted = ".".join(module.parts)
    here = sorted(folder.glob("test_*.py")) if folder.is_dir() else []
    importing = [test for test in here if dotted in imported(test)]
    above = [
        test
        for parent in folder.parents
        if parent.is_relative_to(ROOT / "tests") and parent != ROOT / "tests"
        for test in sorted(parent.glob("test_*.py"))
    ]
    ordered = [*([own] if own.is_file() else []), *importing, *here, *above]
    return [test.relative_to(ROOT).as_posix() for test in dict.fromkeys(ordered)]


def tree_copy(folder: Path) -> Path:
    """A copy of what the tests read."""
    unwanted = shutil.ignore_patterns("__pycache__", ".*")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=unwanted)
        else:
            shutil.copy2(ROOT / name, folder / name)
    return folder


def outcome(mutant: Mutant, tree: Path) -> dict[str, object]:
    """Whether the tests kill a mutant, in a copy of the tree."""
    file = tree / mutant.path
    whole = file.read_bytes()
    file.write_text(mutant.mutation.source, "utf-8")
    started = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [*command, *mirrored_tests(mutant.path)], cwd=tree, env=environment, text=True,
            capture_output=True, check=False, timeout=MOST_SECONDS_OF_THE_CLOCK,
            preexec_fn=_limited,
        )  # fmt: skip
        end = "stopped" if done.returncode < 0 else "killed" if done.returncode else "survived"
        if end == "survived" and is_equivalent(mutant):
            end = "equivalent"
        failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    except subprocess.TimeoutExpired:
        end, failed = "stopped", []
    finally:
        file.write_bytes(whole)
    return {
        "number": mutant.number,
        "path": mutant.path,
        "line": mutant.mutation.line,
        "before": mutant.mutation.before,
        "after": mutant.mutation.after,
        "outcome": end,
        "by": failed[0].partition(" - ")[0] if failed else "",
        "seconds": round(time.monotonic() - started, 1),
    }


def _limited() -> None:
    """The tests of a mutant get so many seconds of the processor, and are ended after them."""
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))


def run(seed: int, number: int, journal: Path, jobs: int) -> list[dict[str, object]]:
    """Every mutant that is not in the journal yet, and those that are."""
    lines = journal.read_text("utf-8").splitlines() if journal.exists() else []
    results = [json.loads(line) for line in lines]
    known = {result["number"] for result in results}
    waiting = [place for place in sample(seed, number) if place[0] not in known]
    with tempfile.TemporaryDirectory() as folder, journal.open("a", encoding="utf-8") as file:
        trees: SimpleQueue[Path] = SimpleQueue()
        for job in range(jobs):
            copy = Path(folder) / str(job)
            copy.mkdir()
            trees.put(tree_copy(copy))

        def tried(place: tuple[int, str, int]) -> dict[str, object]:
            tree = trees.get()
            try:
                return outcome(mutant_of(seed, *place), tree)
            finally:
                trees.put(tree)

        with ThreadPoolExecutor(jobs) as pool:
            for result in pool.map(tried, waiting):
                file.write(json.dumps(result) + "\n")
                file.flush()
                results.append(result)
    return results


def figures(results: Iterable[Mapping[str, object]]) -> list[str]:
    """How many mutants were killed, package by package."""
    counts: dict[str, Counter[str]] = {}
    for result in results:
        package = str(result["path"]).split("/")[1]
        for name in (package, "all"):
            counts.setdefault(name, Counter())[str(result["outcome"])] += 1
    shown = []
    for name in sorted(counts, key=lambda name: (name != "all", name)):
        ended = counts[name]
        tried = ended["killed"] + ended["survived"]
        share = f"{ended['killed'] / tried:.1%}" if tried else "-"
        shown.append(
            f"{name}: {ended['killed']} of {tried} killed ({share}), {ended['stopped']} stopped, "
            f"{ended['equivalent']} equivalent"
        )
    return shown


def main() -> int:
    """Run the campaign, or show one mutant."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutants", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--journal", type=Path, metavar="FILE")
    parser.add_argument("--show", type=int, metavar="NUMBER")
    asked = parser.parse_args()
    if asked.show is not None:
        mutant = mutant_of(asked.seed, *sample(asked.seed, asked.show + 1)[-1])
        sys.stdout.write(
            f"{mutant.path}:{mutant.mutation.line}\n- {mutant.mutation.before}\n"
            f"+ {mutant.mutation.after}\n{' '.join(mirrored_tests(mutant.path))}\n"
        )
        return 0
    if asked.journal is None:
        parser.error("name a journal with --journal FILE")
    results = run(asked.seed, asked.mutants, asked.journal, asked.jobs)
    sys.stdout.write("\n".join(figures(results)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
