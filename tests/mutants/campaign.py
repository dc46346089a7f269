"""Mutants of the code that numbers rest on, against the tests that mirror it.

    python -m tests.mutants.campaign --seed 1 --mutants 1000 --journal FILE
    python -m tests.mutants.campaign --seed 1 --show 17

A mutant is killed if a test fails. It is stopped after 60 s of the processor, or after 5 s and five
times what its tests take without the change, and is then neither killed nor alive: seconds of the
clock would depend on what else the machine does. The tests of a module come in this order: its own,
those of its folder that import it, all of its folder, and those of the folders above. Tests that
never reach the changed statement cannot fail, and are not run; session.py knows them. A mutant that
does the same as the program is named in equivalent.py, with the reason. A run goes on where its
journal ends, and the file FILE.reach keeps what each test reaches.

With ``--again FILE``, the survivors are run once more, with the tests that there are now, and the
figures of both runs are shown. That run has a journal of its own.
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
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import pytest

from tests.mutants.children import MOST_SECONDS, MOST_SECONDS_OF_THE_CLOCK
from tests.mutants.equivalent import is_equivalent
from tests.mutants.sample import PACKAGES, Mutant, mutant_of, places, sample
from tests.places import ROOT
from tests.test_where_tests_lie import imported

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


class Server:
    """A session of pytest in a copy of the tree, which answers for one mutant after the other."""

    def __init__(self, tree: Path, reach: Path) -> None:
        self.tree = tree
        folders = [
            f"tests/{package}" for package in PACKAGES if (tree / "tests" / package).is_dir()
        ]
        plugins = ["-p", "no:cacheprovider", "-p", "tests.mutants.session"]
        command = [sys.executable, "-m", "pytest", "-q", "-s", *plugins, *folders]
        self.process = subprocess.Popen(
            [*command, "--basetemp", str(tree.parent / "temporary")],
            cwd=tree, env={**_environment(tree), "MUTANTS_REACH": str(reach.resolve())}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def ask(self, mutant: Mutant) -> dict[str, object]:
        """What became of a mutant, or ``anew`` if all must be imported with its change."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        asked = {
            "path": mutant.path,
            "place": mutant.place,
            "source": mutant.mutation.source,
            "tests": mirrored_tests(mutant.path),
        }
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the session of the tests ended")
        answer: dict[str, object] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the session."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def _environment(tree: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(tree),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


def outcome(mutant: Mutant, server: Server) -> dict[str, object]:
    """What became of a mutant."""
    started = time.monotonic()
    answer = server.ask(mutant)
    if answer["outcome"] == "anew":
        answer = {**outcome_anew(mutant, server.tree), "anew": True}
    return {
        "number": mutant.number,
        "path": mutant.path,
        "line": mutant.mutation.line,
        "before": mutant.mutation.before,
        "after": mutant.mutation.after,
        **answer,
        "clock": round(time.monotonic() - started, 1),
    }


def outcome_anew(mutant: Mutant, tree: Path) -> dict[str, object]:
    """Whether the tests kill a mutant, in a process that imports the mutated tree."""
    file = tree / mutant.path
    whole = file.read_bytes()
    file.write_text(mutant.mutation.source, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            [*command, *mirrored_tests(mutant.path)], cwd=tree, env=_environment(tree), text=True,
            capture_output=True, check=False, timeout=MOST_SECONDS_OF_THE_CLOCK,
            preexec_fn=_limited,
        )  # fmt: skip
        end = "stopped" if done.returncode < 0 else _ENDS[pytest.ExitCode(done.returncode)]
        failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    except subprocess.TimeoutExpired:
        end, failed = "stopped", []
    finally:
        file.write_bytes(whole)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "outcome": end,
        "by": failed[0].partition(" - ")[0] if failed else "",
        "seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
    }


_ENDS = {
    pytest.ExitCode.OK: "survived",
    pytest.ExitCode.NO_TESTS_COLLECTED: "survived",
    pytest.ExitCode.TESTS_FAILED: "killed",
    pytest.ExitCode.INTERRUPTED: "killed",  # the tests cannot be imported
}
"""No other code of pytest says anything about a mutant."""


def _limited() -> None:
    """The tests of a mutant get so many seconds of the processor, and are ended after them."""
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))


def run(seed: int, numbers: Collection[int], journal: Path) -> list[dict[str, object]]:
    """Every mutant of these numbers that is not in the journal yet, and those that are."""
    results = [result for result in read(journal) if result["number"] in numbers]
    missing = set(numbers) - {result["number"] for result in results}
    waiting = [place for place in sample(seed, max(missing, default=0) + 1) if place[0] in missing]
    if not waiting:
        return results
    with tempfile.TemporaryDirectory() as folder, journal.open("a", encoding="utf-8") as file:
        (tree := Path(folder).resolve() / "tree").mkdir()
        mutants = [mutant_of(seed, *place) for place in waiting]
        server = Server(tree_copy(tree), journal.with_name(f"{journal.name}.reach"))
        try:
            for mutant in mutants:
                results.append(outcome(mutant, server))
                file.write(json.dumps(results[-1]) + "\n")
                file.flush()
        finally:
            server.close()
    return results


def read(journal: Path) -> list[dict[str, object]]:
    """The results of a journal."""
    lines = journal.read_text("utf-8").splitlines() if journal.exists() else []
    return [json.loads(line) for line in lines]


def figures(
    results: Iterable[Mapping[str, object]], before: Iterable[Mapping[str, object]] = ()
) -> list[str]:
    """How many mutants were killed, package by package.

    Args:
        before: the results before there were tests for the survivors, if they are to be shown too.
    """
    counts, first = _counts(results), _counts(before)
    shown = []
    for name in sorted(counts, key=lambda name: (name != "all", name)):
        ended = counts[name]
        killed = f"{_killed(first[name])} killed, then {_killed(ended)}" if first else ""
        shown.append(
            f"{name}: {killed or f'{_killed(ended)} killed'}, {ended['stopped']} stopped, "
            f"{ended['equivalent']} equivalent"
        )
    return shown


def _counts(results: Iterable[Mapping[str, object]]) -> dict[str, Counter[str]]:
    """How the mutants of each package ended, and those of all."""
    counts: dict[str, Counter[str]] = {}
    for result in results:
        end = "equivalent" if is_equivalent(result) else str(result["outcome"])
        for name in (str(result["path"]).split("/")[1], "all"):
            counts.setdefault(name, Counter())[end] += 1
    return counts


def _killed(ended: Counter[str]) -> str:
    tried = ended["killed"] + ended["survived"]
    share = f"{ended['killed'] / tried:.1%}" if tried else "-"
    return f"{ended['killed']} of {tried} ({share})"


def main() -> int:
    """Run the campaign, or show one mutant."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutants", type=int, default=1000)
    parser.add_argument("--journal", type=Path, metavar="FILE")
    parser.add_argument("--again", type=Path, metavar="FILE")
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
    results = run(asked.seed, range(asked.mutants), asked.journal)
    tried = f"{len(results)} mutants of seed {asked.seed} tried, in {len(places())} statements"
    shown = figures(results)
    if asked.again is not None:
        survivors = [one for one in results if one["outcome"] == "survived"]
        numbers = {int(str(one["number"])) for one in survivors if not is_equivalent(one)}
        later = {one["number"]: one for one in run(asked.seed, numbers, asked.again)}
        tried += "; then the survivors again, with tests that were written for them"
        shown = figures([later.get(one["number"], one) for one in results], results)
    sys.stdout.write("\n".join([tried, *shown]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
