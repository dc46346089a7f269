"""Mutants: what they change, which ones a seed stands for, and what becomes of them."""

from __future__ import annotations

import ast
import heapq
import json
import math
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from scipy.stats import chi2

from tests.bytecode import bytecode_in
from tests.mutants.campaign import (
    Record,
    _limited,
    figures,
    mirrored_tests,
    outcome_anew,
    read,
    survivors,
)
from tests.mutants.children import forked
from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.operators import Mutation, first_line, mutations, statements
from tests.mutants.sample import PACKAGES, places, places_of, ranks, sample
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


SMALL = ("gate", "frameworks", "numeric")
"""The packages with the fewest statements."""


def test_every_sampled_package_is_one_of_the_program() -> None:
    assert set(SMALL) < set(PACKAGES)
    assert all((ROOT / "semiaudit" / name / "__init__.py").is_file() for name in PACKAGES)


def test_a_seed_stands_for_the_same_mutants_whatever_their_number() -> None:
    among = places(SMALL)
    assert sample(1, 3, among) == sample(1, 30, among)[:3]
    assert sample(1, 30, among) != sample(2, 30, among)
    for mutant in sample(7, 3, among):
        mutation = mutant.mutation()
        assert (mutation.before, mutation.after) == (mutant.place.text, mutant.after)


def test_samples_are_uniform_over_statements_and_their_changes() -> None:
    """Pearson's statistic of as many independent statements and choices is as small as this."""
    among = places(SMALL)
    every = Counter(place.path.split("/")[1] for place in among)
    assert set(every) == set(SMALL)
    seeds, size = 40, 500
    found: Counter[str] = Counter()
    for seed in range(seeds):
        drawn = heapq.nsmallest(size, ((rank, place.path) for rank, place in ranks(seed, among)))
        found.update(path.split("/")[1] for _, path in drawn)
    expected = {name: seeds * size * count / len(among) for name, count in every.items()}
    assert statistic(found, expected) < chi2.ppf(0.999, len(every) - 1)
    place = places_of("semiaudit/gate/small.py", SOURCE)[1]
    chosen = Counter(sample(seed, 1, [place])[0].after for seed in range(2000))
    assert statistic(chosen, dict.fromkeys(changed(1), 500.0)) < chi2.ppf(0.999, 3)


def statistic(found: Mapping[str, int], expected: Mapping[str, float]) -> float:
    """Pearson's chi-squared statistic."""
    assert set(found) <= set(expected)
    return sum((found[name] - count) ** 2 / count for name, count in expected.items())


def test_a_sample_and_its_codes_stay_if_other_code_changes() -> None:
    other = SOURCE.replace("LIMIT = 3", "def another(x: int) -> int:\n    return x + 1\n")
    other = other.replace("The least value, or the limit.", "The least.  # Of all").replace(
        "total = 0", "total = 0  # to begin with"
    )
    before, after = (places_of("semiaudit/gate/small.py", code) for code in (SOURCE, other))
    assert len(after) == len(before) + 1
    for seed in range(5):
        first, second = sample(seed, 99, before), sample(seed, 99, after)
        kept = [one for one in second if one.place.definition == "least"]
        assert [(one.name, one.code) for one in kept] == [(one.name, one.code) for one in first]


def test_a_mutant_of_a_definition_that_changes_has_another_code_and_the_same_name() -> None:
    other = SOURCE.replace("total = 0", "total = 0.0")
    before, after = (
        sample(1, 99, places_of("semiaudit/gate/small.py", code)) for code in (SOURCE, other)
    )
    pairs = list(zip(before, after, strict=False))
    assert [one.place.text == two.place.text for one, two in pairs].count(False) <= 2
    for one, two in pairs:
        assert one.code != two.code
        assert (one.name == two.name) == (one.place.text == two.place.text)


EQUAL = """\
class A:
    def f(self, x):
        x += 1
        def g(y):
            y += 1
        x += 1

    def f(self, x):
        x += 1
"""


def test_equal_statements_of_a_definition_have_different_names() -> None:
    found = [(place.definition, place.text, place.occurrence) for place in places_of("a", EQUAL)]
    assert found == [
        ("A.f", "x += 1", 0),
        ("A.f", "y += 1", 0),
        ("A.f", "x += 1", 1),
        ("A.f", "x += 1", 2),
    ]
    assert len({mutant.name for mutant in sample(1, 99, places_of("a", EQUAL))}) == 4


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
    bytecode_in(tmp_path)
    for name, value in NO_PLUGINS.items():
        monkeypatch.setenv(name, value)
    tree = tmp_path / "tree"
    module = tree / "semiaudit" / "gate.py"
    module.parent.mkdir(parents=True)
    module.write_text("x = 1\n")
    (tree / "test_it.py").write_text(f"def test_it() -> None:\n    {test}\n")
    monkeypatch.setattr("tests.mutants.campaign.mirrored_tests", lambda path: ["test_it.py"])
    (mutant,) = sample(1, 1, places_of("semiaudit/gate.py", "def f():\n    x = 1\n"))
    mutation = Mutation(1, "x = 1", "x = 2", "x = 2\n")
    assert outcome_anew(mutant, mutation, tree)["outcome"] == end
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
    """The campaign on all mutants of a small tree, in two parts."""
    folder = tmp_path_factory.mktemp("small").resolve()
    for name in ("semiaudit/gate/small.py", "tests/gate/test_small.py"):
        (folder / name).parent.mkdir(parents=True)
    for name in ("semiaudit", "semiaudit/gate", "tests", "tests/gate"):
        (folder / name / "__init__.py").touch()
    (folder / "semiaudit/gate/small.py").write_text(MODULE)
    (folder / "tests/gate/test_small.py").write_text(TESTS)
    (folder / "tests/gate/test_without_reach.py").write_text("def test_it():\n    assert 2 > 1\n")
    shared = str(bytecode_in(folder))
    (folder / "tests/bytecode.py").write_text(BYTECODE.replace("SHARED", repr(shared)))
    for name in ("imports.py", "places.py"):
        shutil.copy(ROOT / "tests" / name, folder / "tests" / name)
    shutil.copytree(ROOT / "tests/mutants", folder / "tests/mutants")
    session = folder / "tests/mutants/session.py"
    whole = session.read_text("utf-8")
    session.write_text(whole.replace("5 + 5 * usual", "2 + 5 * usual"), "utf-8")
    assert session.read_text("utf-8") != whole  # a mutant that does not end gets 2 s, not 5 s
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    for name in ("configs", "docs"):
        (folder / name).mkdir()
    for name in ("README.md", "CHANGELOG.md"):
        (folder / name).touch()
    campaign(folder, "--new", "2")
    campaign(folder)
    return folder


BYTECODE = """\
def bytecode_in(folder):
    (folder / "bytecode").symlink_to(SHARED)
"""
"""All campaigns of the small tree share bytecode, so that only the first of them compiles."""

NO_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""The environment of sessions that need none of the plugins that are installed."""


def campaign(folder: Path, *options: str) -> str:
    """What the campaign on a small tree prints."""
    command = [sys.executable, "-m", "tests.mutants.campaign", "--seed", "36", "--mutants", "6"]
    return subprocess.run(
        [*command, "--journal", "journal", "--reach", "reach", *options],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(folder), **NO_PLUGINS},
        check=True, stdout=subprocess.PIPE, text=True,
    ).stdout  # fmt: skip


def records(folder: Path) -> dict[str, Record]:
    """The last record of each statement of a small tree."""
    mutants = sample(36, 6, places_of("semiaudit/gate/small.py", MODULE))
    texts = {mutant.name: mutant.place.text for mutant in mutants}
    return {texts[record.mutant]: record for record in read(folder / "journal")}


@pytest.mark.lengthy
def test_a_session_kills_the_mutants_that_a_test_notices(small: Path) -> None:
    ends = {
        text: (record.outcome, record.by.rpartition("::")[2])
        for text, record in records(small).items()
    }
    assert ends == {
        "return x * 2": ("killed", "test_a_value_that_another_test_made_first"),
        "return x + 1": ("killed", "test_the_limit"),
        "return x + 3": ("survived", ""),
        "while x > 5:": ("killed", "test_it_ends"),
        "x -= 1": ("stopped", ""),
        "return 2 + 2": ("killed", "test_a_process"),
    }
    names = [mutant.name for mutant in sample(36, 6, places_of("semiaudit/gate/small.py", MODULE))]
    assert [record.mutant for record in read(small / "journal")] == names
    assert (small / "semiaudit/gate/small.py").read_text() == MODULE


@pytest.mark.lengthy
def test_a_session_runs_each_test_once_to_know_what_it_reaches(small: Path) -> None:
    lines = (small / "reach").read_text().splitlines()
    files = [json.loads(line)["file"] for line in lines]
    assert files == ["tests/gate/test_small.py", "tests/gate/test_without_reach.py"]


@pytest.mark.lengthy
def test_survivors_are_run_again_and_changed_definitions_are_dropped(small: Path) -> None:
    shown = campaign(small, "--new", "0", "--survivors").splitlines()
    tried = "6 of the first 6 mutants of seed 36 tried, in 6 statements; "
    assert shown[0].startswith(f"{tried}killed when first tried: 4 of 5 (80.0%, ")
    assert shown[1].startswith("outcomes at 1 commits from 20")
    assert shown[-3].endswith(" semiaudit/gate/small.py unreached")
    assert shown[-2] == "- return x + 3"
    (small / "tests/gate/test_more.py").write_text(
        "from semiaudit.gate.small import unreached\n\n"
        "def test_three():\n    assert unreached(1) == 4\n"
    )
    figure = campaign(small, "--again").splitlines()[3]
    assert figure.startswith("| all | 6 | 4 of 5 (80.0%, between ")
    assert figure.endswith(" | 5 of 5 (100.0%, between 47.8% and 100.0%) | 1 | 0 |")
    assert [record.outcome for record in read(small / "journal")].count("survived") == 1
    assert records(small)["return x + 3"].by == "tests/gate/test_more.py::test_three"
    module = small / "semiaudit/gate/small.py"
    module.write_text(MODULE.replace("return x + 3", "return 3 + x"))
    assert campaign(small, "--new", "0").startswith("5 of the first 6 mutants")
    assert len(read(small / "journal")) == 5
    module.write_text(MODULE)


@pytest.mark.parametrize("place", EQUIVALENT)
def test_an_equivalent_mutant_is_one_of_the_program(place: tuple[str, str, str]) -> None:
    path, before, after = place
    source = (ROOT / path).read_text("utf-8")
    nodes = enumerate(statements(ast.parse(source)))
    places = [at for at, node in nodes if first_line(node) == before]
    found = [mutation.after for at in places for mutation in mutations(source, at)]
    assert after in found


def test_stopped_and_equivalent_mutants_are_counted_apart() -> None:
    """The lower bound p of Clopper and Pearson has 1 - (1 - p)^2 = 0.025 for one of two."""
    path, before, after = next(iter(EQUIVALENT))
    here = places_of("semiaudit/gate/small.py", SOURCE)
    mutants = sample(1, 5, here)
    same = replace(mutants[0], place=replace(mutants[0].place, path=path, text=before), after=after)
    ended = {
        mutants[1].name: ["killed"],
        mutants[2].name: ["survived", "killed"],
        mutants[3].name: ["stopped"],
        mutants[0].name: ["survived"],
    }
    low = 1 - math.sqrt(0.975)
    then = f"1 of 2 (50.0%, between {low:.1%} and {1 - low:.1%})"
    now = f"2 of 2 (100.0%, between {math.sqrt(0.025):.1%} and 100.0%)"
    assert figures([same, *mutants[1:]], ended) == [
        "| package | tried | killed when first tried | killed now | stopped | equivalent |",
        f"| all | 4 | {then} | {now} | 1 | 1 |",
        f"| gate | 3 | {then} | {now} | 1 | 0 |",
        "| mechanisms | 1 | 0 of 0 | 0 of 0 | 0 | 1 |",
    ]
    assert survivors([same, *mutants[1:]], ended) == []
