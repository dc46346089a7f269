"""Mutants of the code that numbers rest on, against the tests that mirror it.

    python -m tests.mutants.campaign --seed 1 --mutants 1000 [--new 20] [--survivors]
    python -m tests.mutants.campaign --seed 1 --mutants 1000 --again

A mutant is killed if a test fails. It is stopped after 60 s of the processor, or after 5 s and five
times what its tests take without the change, and is then neither killed nor alive: seconds of the
clock would depend on what else the machine does. The tests of a module come in this order: its own,
those of its folder that import it, all of its folder, and those of the folders above. Tests that
never reach the changed statement cannot fail, and are not run; session.py knows them. A mutant that
does the same as the program is named in equivalent.py, with the reason.

A run goes on where the journal of its seed ends (by default, in .artifacts/). It holds every
outcome of a mutant: the first, and those with ``--again``, which runs the survivors once more with
the tests that there are now. If the statement is gone, or its definition has changed, the outcomes
are dropped. What each test reaches is kept in a file that may be removed.
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
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
from scipy.stats import binomtest

from tests.bytecode import bytecode_in
from tests.imports import imported_names, parsed, statements
from tests.mutants.children import MOST_SECONDS, MOST_SECONDS_OF_THE_CLOCK
from tests.mutants.equivalent import is_equivalent
from tests.mutants.operators import Mutation
from tests.mutants.sample import PACKAGES, Mutant, mutant_of, places, ranks, sample
from tests.places import ROOT, commit_of_the_tree

JOURNALS = ROOT / ".artifacts"
COPIED = ("semiaudit", "tests", "configs", "docs", "pyproject.toml", "README.md", "CHANGELOG.md")


def mirrored_tests(path: str) -> list[str]:
    """The tests that mirror a module, the most specific ones first."""
    module = Path(path).with_suffix("")
    folder = ROOT / "tests" / module.parent.relative_to("semiaudit")
    own = folder / f"test_{module.name}.py"
    dotted = ".".join(module.parts)
    here = sorted(folder.glob("test_*.py")) if folder.is_dir() else []
    importing = [test for test in here if dotted in imported_by(test)]
    above = [
        test
        for parent in folder.parents
        if parent.is_relative_to(ROOT / "tests") and parent != ROOT / "tests"
        for test in sorted(parent.glob("test_*.py"))
    ]
    ordered = [*([own] if own.is_file() else []), *importing, *here, *above]
    return [test.relative_to(ROOT).as_posix() for test in dict.fromkeys(ordered)]


@cache
def imported_by(test: Path) -> frozenset[str]:
    """The modules and names that a file of tests imports."""
    return frozenset(imported_names(statements(parsed(test.read_text("utf-8")))))


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
        command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider"]
        compile_all([*command, "--collect-only", *folders], tree)
        environment = _environment(tree)
        told = {
            "MUTANTS_REACH": str(reach.resolve()),
            "MUTANTS_BYTECODE": environment.pop("PYTHONPYCACHEPREFIX"),
        }
        temporary = ["--basetemp", str(tree.parent / "temporary")]
        self.process = subprocess.Popen(
            [*command, "-p", "tests.mutants.session", *temporary, *folders],
            cwd=tree, env=environment | told, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def ask(self, mutant: Mutant, mutation: Mutation) -> dict[str, object]:
        """What became of a mutant, or ``anew`` if all must be imported with its change."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        asked = {
            "path": mutant.place.path,
            "place": mutant.place.number,
            "source": mutation.source,
            "tests": mirrored_tests(mutant.place.path),
        }
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the session of the tests ended")
        answer: dict[str, object] = json.loads(line)
        return answer

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def compile_all(collection: Sequence[str], tree: Path) -> None:
    """Collect all tests once, which leaves the bytecode of the program and of the tests.

    No process writes bytecode afterwards. That of a mutated file has another time, and is not used.
    """
    environment = _environment(tree)
    environment.pop("PYTHONDONTWRITEBYTECODE")
    bytecode_in(tree.parent)
    subprocess.run(collection, cwd=tree, env=environment, stdout=subprocess.DEVNULL, check=False)


def _environment(tree: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(tree),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPYCACHEPREFIX": str(tree.parent / "bytecode"),
        "OPENBLAS_NUM_THREADS": "1",
    }


def outcome(mutant: Mutant, server: Server) -> dict[str, object]:
    """What became of a mutant."""
    mutation = mutant.mutation()
    answer = server.ask(mutant, mutation)
    if answer["outcome"] == "anew":
        answer = outcome_anew(mutant, mutation, server.tree)
    return answer


def outcome_anew(mutant: Mutant, mutation: Mutation, tree: Path) -> dict[str, object]:
    """Whether the tests kill a mutant, in a process that imports the mutated tree."""
    file = tree / mutant.place.path
    whole = file.read_bytes()
    file.write_text(mutation.source, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            [*command, *mirrored_tests(mutant.place.path)],
            cwd=tree, env=_environment(tree), text=True, capture_output=True, check=False,
            timeout=MOST_SECONDS_OF_THE_CLOCK, preexec_fn=_limited,
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


@dataclass(frozen=True, slots=True)
class Record:
    """An outcome of a mutant: one line of a journal.

    Attributes:
        mutant: its name.
        code: its digest when it was run.
        outcome: ``killed``, ``survived``, or ``stopped``.
        by: the test that killed it.
        seconds: of the processor.
        day: on which it was run, in ISO 8601.
        commit: of the tree that it was run in.
    """

    mutant: str
    code: str
    outcome: str
    by: str
    seconds: float
    day: str
    commit: str


def read(journal: Path) -> list[Record]:
    lines = journal.read_text("utf-8").splitlines() if journal.exists() else []
    return [Record(**json.loads(line)) for line in lines]


def run(mutants: Sequence[Mutant], journal: Path, reach: Path) -> None:
    if not mutants:
        return
    commit = commit_of_the_tree()
    journal.parent.mkdir(exist_ok=True)
    reach.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, journal.open("a", encoding="utf-8") as file:
        (tree := Path(folder).resolve() / "tree").mkdir()
        server = Server(tree_copy(tree), reach)
        try:
            for mutant in mutants:
                end = outcome(mutant, server)
                record = Record(
                    mutant.name,
                    mutant.code,
                    str(end["outcome"]),
                    str(end["by"]).partition("[")[0],
                    round(float(str(end["seconds"])), 1),
                    datetime.now(UTC).date().isoformat(),
                    commit,
                )
                file.write(json.dumps(asdict(record)) + "\n")
                file.flush()
        finally:
            server.close()


def keep_those_of_the_program(journal: Path, seed: int) -> None:
    """Drop the outcomes of statements that are gone, and of definitions that have changed."""
    records = read(journal)
    if records:
        names = {record.mutant for record in records}
        codes = {
            rank[:16]: mutant_of(rank, place).code
            for rank, place in ranks(seed, places())
            if rank[:16] in names
        }
        kept = [record for record in records if codes.get(record.mutant) == record.code]
        journal.write_text("".join(json.dumps(asdict(one)) + "\n" for one in kept), "utf-8")


def outcomes(mutants: Sequence[Mutant], journal: Path) -> dict[str, list[str]]:
    """The outcomes of each mutant that was tried, the first one first."""
    codes = {mutant.name: mutant.code for mutant in mutants}
    found: dict[str, list[str]] = {}
    for record in read(journal):
        if codes.get(record.mutant) == record.code:
            found.setdefault(record.mutant, []).append(record.outcome)
    return found


def figures(mutants: Sequence[Mutant], ended: Mapping[str, Sequence[str]]) -> list[str]:
    """A table: how many mutants of each package were killed when first tried, and are now."""
    first, last = _counts(mutants, ended, 0), _counts(mutants, ended, -1)
    rows = ["| package | tried | killed when first tried | killed now | stopped | equivalent |"]
    for name in sorted(last, key=lambda name: (name != "all", name)):
        now = last[name]
        counts = f"{_killed(first[name])} | {_killed(now)} | {now['stopped']} | {now['equivalent']}"
        rows.append(f"| {name} | {now.total()} | {counts} |")
    return rows


def _counts(
    mutants: Sequence[Mutant], ended: Mapping[str, Sequence[str]], at: int
) -> dict[str, Counter[str]]:
    """How the mutants of each package ended, and those of all, at the first or the last run."""
    counts: dict[str, Counter[str]] = {}
    for mutant in mutants:
        if mutant.name in ended:
            end = ended[mutant.name][at]
            same = end == "survived" and is_equivalent(mutant)
            for name in (mutant.place.path.split("/")[1], "all"):
                counts.setdefault(name, Counter())["equivalent" if same else end] += 1
    return counts


def _killed(ended: Counter[str]) -> str:
    """The share that is killed of those that could be, with its exact 95 % binomial interval."""
    tried = ended["killed"] + ended["survived"]
    if not tried:
        return "0 of 0"
    low, high = binomtest(ended["killed"], tried).proportion_ci()
    share = f"{ended['killed'] / tried:.1%}, between {low:.1%} and {high:.1%}"
    return f"{ended['killed']} of {tried} ({share})"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutants", type=int, default=1000)
    parser.add_argument("--new", type=int, help="how many may be run; all if it is not given")
    parser.add_argument("--again", action="store_true", help="run the survivors once more")
    parser.add_argument("--survivors", action="store_true", help="show them")
    parser.add_argument("--journal", type=Path)
    parser.add_argument("--reach", type=Path, default=ROOT / ".artifacts" / "reach.jsonl")
    asked = parser.parse_args()
    journal = asked.journal or JOURNALS / f"mutants_{asked.seed}.jsonl"
    mutants = sample(asked.seed, asked.mutants)
    keep_those_of_the_program(journal, asked.seed)
    ended = outcomes(mutants, journal)
    waiting = survivors(mutants, ended) if asked.again else [
        mutant for mutant in mutants if mutant.name not in ended
    ]  # fmt: skip
    run(waiting[: asked.new], journal, asked.reach)
    ended = outcomes(mutants, journal)
    killed = [_killed(_counts(mutants, ended, at).get("all", Counter())) for at in (0, -1)]
    tried = [record for record in read(journal) if record.mutant in ended]
    days = sorted(record.day for record in tried) or [""]
    lines = [
        f"{len(ended)} of the first {len(mutants)} mutants of seed {asked.seed} tried, in "
        f"{len(places())} statements; killed when first tried: {killed[0]}, now: {killed[1]}",
        f"outcomes at {len({record.commit for record in tried})} commits from {days[0]} to "
        f"{days[-1]}, each in the journal",
        *figures(mutants, ended),
    ]
    if asked.survivors:
        lines += [
            f"{mutant.name} {mutant.place.path} {mutant.place.definition}\n"
            f"- {mutant.place.text}\n+ {mutant.after}"
            for mutant in survivors(mutants, ended)
        ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def survivors(mutants: Sequence[Mutant], ended: Mapping[str, Sequence[str]]) -> list[Mutant]:
    """Those that no test has killed so far, and that are not equivalent."""
    return [
        mutant
        for mutant in mutants
        if ended.get(mutant.name, [""])[-1] == "survived" and not is_equivalent(mutant)
    ]


if __name__ == "__main__":
    sys.exit(main())
