"""Mutants: what they change, which ones a seed stands for, and what becomes of them."""

from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants.campaign import (
    _limited,
    figures,
    mirrored_tests,
    outcome_anew,
    read,
)
from tests.mutants.children import forked
from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.operators import Mutation, mutations, statements
from tests.mutants.sample import Mutant, mutant_of, places, sample
from tests.places import ROOT

SOURCE = '''\
"""A module."""
LIMIT = 3


def least(values: list[int], limit: int = 5) -> int:
    """The least value, or the limit."""
    total = 0
    for value in values:
        if value < limit and value is not None:
            total += 1
            values.append(value)
    for first, second in zip(values, values, strict=True):
        return min(first, -second)
    raise ValueError("no value")
'''


def changed(place: int) -> list[str]:
    return [mutation.after for mutation in mutations(SOURCE, place)]


def test_statements_of_functions_are_mutated_one_change_at_a_time() -> None:
    assert [node.lineno for node in statements(ast.parse(SOURCE))] == [7, 9, 10, 11, 13]
    assert changed(0) == ["total = 1"]
    assert changed(1) == [
        "if not (value < limit and value is not None):",
        "if value < limit or value is not None:",
        "if value <= limit and value is not None:",
        "if value < limit and value is None:",
    ]
    assert changed(2) == ["total -= 1", "total += 2"]
    assert changed(3) == ["None"]
    assert changed(4) == ["return max(first, -second)", "return min(first, +second)"]


def test_a_mutant_is_the_module_with_one_changed_statement() -> None:
    (mutation, *_) = mutations(SOURCE, 1)
    assert (mutation.line, mutation.before) == (9, "if value < limit and value is not None:")
    assert mutation.source.count("not (value < limit") == 1
    assert "total += 1" in mutation.source


def test_a_seed_stands_for_the_same_mutants_whatever_their_number() -> None:
    assert sample(1, 3) == sample(1, 30)[:3]
    assert sample(1, 30) != sample(2, 30)
    assert {path.split("/")[1] for path, _ in places()} == {
        "gate", "universe", "privacy", "mechanisms", "frameworks", "numeric",
    }  # fmt: skip
    (at,) = sample(7, 1)
    assert mutant_of(7, *at) == mutant_of(7, *at)


def test_the_tests_of_a_module_begin_with_its_own() -> None:
    tests = mirrored_tests("semiaudit/privacy/shuffling.py")
    assert tests[0] == "tests/privacy/test_shuffling.py"
    assert set(tests) == {
        path.relative_to(ROOT).as_posix() for path in (ROOT / "tests/privacy").glob("test_*.py")
    }


@pytest.mark.parametrize(
    ("test", "end"),
    [
        ("assert 2 > 1", "survived"),
        ("assert 0", "killed"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGXCPU)", "stopped"),
    ],
)
def test_a_mutant_that_is_imported_anew_is_killed_if_a_test_fails(
    test: str, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tmp_path / "semiaudit" / "gate.py"
    module.parent.mkdir()
    module.write_text("x = 1\n")
    (tmp_path / "test_it.py").write_text(f"def test_it() -> None:\n    {test}\n")
    monkeypatch.setattr("tests.mutants.campaign.mirrored_tests", lambda path: ["test_it.py"])
    mutant = Mutant(4, "semiaudit/gate.py", 0, Mutation(1, "x = 1", "x = 2", "x = 2\n"))
    assert outcome_anew(mutant, tmp_path)["outcome"] == end
    assert module.read_text() == "x = 1\n"


def test_the_tests_of_a_mutant_get_a_minute_of_the_processor() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import resource; print(resource.getrlimit(resource.RLIMIT_CPU))"],
        preexec_fn=_limited, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "(60, 60)\n"


def test_a_child_is_stopped_after_its_seconds_of_the_processor() -> None:
    def endless() -> dict[str, object]:
        while True:
            pass

    end, answer, seconds = forked(endless, 1)
    assert (end, answer) == (signal.SIGKILL, {})
    assert 0.9 < seconds < 3
    assert forked(lambda: {"by": "a test"}, 1)[:2] == (0, {"by": "a test"})


MODULE = '''\
"""A module of a small tree."""

import sys


def doubled(x: int) -> int:
    """Twice x."""
    return x * 2


def first(x: int) -> int:
    """The limit, which is known when the module is imported."""
    return x + 1


LIMIT = first(1)


def unreached(x: int) -> int:
    """No test comes here."""
    return x + 3


def endless(x: int) -> int:
    """x, after steps."""
    while x > 5:
        x -= 1
    return x


def of_a_process() -> int:
    """Another process comes here, and no test itself."""
    return 2 + 2


if __name__ == "__main__":
    sys.exit(of_a_process())
'''

TESTS = """\
import subprocess
import sys

import pytest

from semiaudit.gate.small import LIMIT, doubled, endless


@pytest.fixture(scope="module")
def four():
    return doubled(2)


def test_another_comes_first(four):
    assert four is not None


def test_a_value_that_another_test_made_first(four):
    assert four == 4


def test_the_limit():
    assert LIMIT == 2


def test_it_ends():
    assert endless(8) == 5


def test_that_always_fails():
    assert doubled(3) == 7


def test_a_process():
    command = [sys.executable, "-m", "semiaudit.gate.small"]
    assert subprocess.run(command, check=False).returncode == 4
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The campaign on all mutants of a small tree, twice."""
    folder = tmp_path_factory.mktemp("small").resolve()
    for name in ("semiaudit/gate/small.py", "tests/gate/test_small.py"):
        (folder / name).parent.mkdir(parents=True)
    for name in ("semiaudit", "semiaudit/gate", "tests", "tests/gate"):
        (folder / name / "__init__.py").touch()
    (folder / "semiaudit/gate/small.py").write_text(MODULE)
    (folder / "tests/gate/test_small.py").write_text(TESTS)
    (folder / "tests/gate/test_without_reach.py").write_text("def test_it():\n    assert 2 > 1\n")
    for name in ("places.py", "imports.py", "test_where_tests_lie.py"):
        shutil.copy(ROOT / "tests" / name, folder / "tests" / name)
    shutil.copytree(ROOT / "tests" / "mutants", folder / "tests" / "mutants")
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    for name in ("configs", "docs"):
        (folder / name).mkdir()
    for name in ("README.md", "CHANGELOG.md"):
        (folder / name).touch()
    command = [sys.executable, "-m", "tests.mutants.campaign", "--seed", "5", "--mutants"]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    for number in (2, 6):
        subprocess.run(
            [*command, str(number), "--journal", "journal"], cwd=folder, env=environment,
            check=True,
        )  # fmt: skip
    return folder


def test_a_session_kills_the_mutants_that_a_test_notices(small: Path) -> None:
    results = read(small / "journal")
    ends = {
        str(result["before"]): (result["outcome"], str(result["by"]).rpartition("::")[2])
        for result in results
    }
    assert ends == {
        "return x * 2": ("killed", "test_a_value_that_another_test_made_first"),
        "return x + 1": ("killed", "test_the_limit"),
        "return x + 3": ("survived", ""),
        "while x > 5:": ("killed", "test_it_ends"),
        "x -= 1": ("stopped", ""),
        "return 2 + 2": ("killed", "test_a_process"),
    }
    assert [result["number"] for result in results] == list(range(6))
    assert [result["before"] for result in results if "anew" in result] == ["return x + 1"]
    assert (small / "semiaudit/gate/small.py").read_text() == MODULE


def test_a_session_runs_only_tests_that_pass_and_reach_the_statement(small: Path) -> None:
    run = {str(result["before"]): result.get("run") for result in read(small / "journal")}
    assert run["return x + 3"] == 1  # that which starts a process, and may reach everything
    assert run["return x * 2"] == 3  # two that share a value, and the process
    lines = (small / "journal.reach").read_text().splitlines()
    files = [json.loads(line)["file"] for line in lines]
    assert files == ["tests/gate/test_small.py", "tests/gate/test_without_reach.py"]


@pytest.mark.parametrize("place", EQUIVALENT)
def test_an_equivalent_mutant_is_one_of_the_program(place: tuple[str, str, str]) -> None:
    path, before, after = place
    source = (ROOT / path).read_text("utf-8")
    nodes = enumerate(statements(ast.parse(source)))
    places = [at for at, node in nodes if ast.unparse(node).splitlines()[0] == before]
    found = [mutation.after for at in places for mutation in mutations(source, at)]
    assert after in found


def test_stopped_and_equivalent_mutants_are_counted_apart() -> None:
    results = [
        {"path": "semiaudit/gate/a.py", "outcome": end}
        for end in ("killed", "killed", "survived", "stopped")
    ]
    for result in results:
        result |= {"before": "x = 1", "after": "x = 2"}
    (path, before, after), _ = next(iter(EQUIVALENT.items()))
    same = {"path": path, "before": before, "after": after}
    results += [{**same, "outcome": "survived"}, {**same, "outcome": "stopped"}]
    assert figures(results) == [
        "all: 2 of 3 (66.7%) killed, 2 stopped, 1 equivalent",
        "gate: 2 of 3 (66.7%) killed, 1 stopped, 0 equivalent",
        "mechanisms: 0 of 0 (-) killed, 1 stopped, 1 equivalent",
    ]
    later = [{**result, "outcome": "killed"} for result in results[:4]] + results[4:]
    assert figures(later, results) == [
        "all: 2 of 3 (66.7%) killed, then 4 of 4 (100.0%), 1 stopped, 1 equivalent",
        "gate: 2 of 3 (66.7%) killed, then 4 of 4 (100.0%), 0 stopped, 0 equivalent",
        "mechanisms: 0 of 0 (-) killed, then 0 of 0 (-), 1 stopped, 1 equivalent",
    ]
