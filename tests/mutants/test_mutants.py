"""Mutants: what they change, which ones a seed stands for, and what becomes of them."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants.campaign import _limited, figures, mirrored_tests, outcome
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
def test_a_mutant_is_killed_if_a_test_fails_and_the_tree_is_as_before(
    test: str, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tmp_path / "semiaudit" / "gate.py"
    module.parent.mkdir()
    module.write_text("x = 1\n")
    (tmp_path / "test_it.py").write_text(f"def test_it() -> None:\n    {test}\n")
    monkeypatch.setattr("tests.mutants.campaign.mirrored_tests", lambda path: ["test_it.py"])
    mutant = Mutant(4, "semiaudit/gate.py", Mutation(1, "x = 1", "x = 2", "x = 2\n"))
    result = outcome(mutant, tmp_path)
    assert (result["outcome"], result["number"]) == (end, 4)
    assert module.read_text() == "x = 1\n"


def test_the_tests_of_a_mutant_get_a_minute_of_the_processor() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import resource; print(resource.getrlimit(resource.RLIMIT_CPU))"],
        preexec_fn=_limited, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "(60, 60)\n"


def test_a_survivor_that_does_the_same_is_equivalent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path, before, after), _ = next(iter(EQUIVALENT.items()))
    module = tmp_path / path
    module.parent.mkdir(parents=True)
    module.write_text(before)
    (tmp_path / "test_it.py").write_text("def test_it() -> None:\n    assert 2 > 1\n")
    monkeypatch.setattr("tests.mutants.campaign.mirrored_tests", lambda path: ["test_it.py"])
    mutant = Mutant(4, path, Mutation(1, before, after, after))
    assert outcome(mutant, tmp_path)["outcome"] == "equivalent"


@pytest.mark.parametrize("place", EQUIVALENT)
def test_an_equivalent_mutant_is_one_of_the_program(place: tuple[str, str, str]) -> None:
    path, before, after = place
    source = (ROOT / path).read_text("utf-8")
    found = [
        (mutation.before, mutation.after)
        for at in range(len(statements(ast.parse(source))))
        for mutation in mutations(source, at)
    ]
    assert (before, after) in found


def test_stopped_mutants_are_counted_apart() -> None:
    results = [
        {"path": "semiaudit/gate/a.py", "outcome": end}
        for end in ("killed", "killed", "survived", "stopped", "equivalent")
    ]
    assert figures(results) == [
        "all: 2 of 3 killed (66.7%), 1 stopped, 1 equivalent",
        "gate: 2 of 3 killed (66.7%), 1 stopped, 1 equivalent",
    ]
