"""Where a test is found: tests mirror the source, as docs/decisions/0028 says."""

from __future__ import annotations

import ast
from pathlib import Path, PurePath

import pytest

from tests.imports import imported_names
from tests.places import ROOT

TESTS = ROOT / "tests"
PACKAGE = ROOT / "semiaudit"
NOT_KINDS = {
    "benchmarks": "what measures speed",
    "browser": "the pages in a real browser",
    "extending": "the worked examples of docs/extending.md",
    "golden": "the published numbers",
    "oracles": "brute force that shares no code with the program, and its own tests",
    "schemas": "schemas of formats that others define",
    "trust": "the evidence of docs/trust.md",
    "mutants": "the program with one statement changed, and whether the tests notice",
    "fuzz": "random uses of the whole program, and what may never come of them",
    "security": "what docs/security.md promises, against the whole program",
    "specs": "specs whose folder names the outcome",
    "checking/faults": "what a worker of a batch meets",
}
"""Folders that mirror no package, and what each holds."""

ELSEWHERE = {
    "commands/analyze": "cli/test_invocations.py",
    "commands/schema": "test_schemas.py",
    "report/pipelines": "report/test_verdict_formats.py",
    "privacy/loss/sources": "privacy/loss/laws/test_convolution.py",
    "privacy/mu": "privacy/loss/test_mu_of_deltas.py",
    "model/results": "commands/sample/test_topdown_release.py",
    "spec/drafts": "commands/init/test_command.py",
    "spec/policy": "gate/test_policy.py",
    "universe/explicit": "universe/test_semi_adjacency.py",
}
"""Packages without a folder of their own here, and the tests that go through them."""

DOORS = {
    "semiaudit": ("semiaudit.auditing",),
    "semiaudit.cli": ("semiaudit.auditing",),
    "semiaudit.cli.groups": ("semiaudit.commands.sample",),
    "semiaudit.library.report": ("semiaudit.auditing",),
    "tests.audits": ("semiaudit.auditing",),
    "tests.checking.batches": ("semiaudit.checking",),
}
"""What goes through a package without naming it: public functions and commands."""

SOURCES = [*PACKAGE.rglob("*.py")]
HOMES: dict[str, list[PurePath]] = {}
"""The packages that hold a module or a package, by its name."""
for _file in (path.parent if path.stem == "__init__" else path for path in SOURCES):
    if _file != PACKAGE:
        HOMES.setdefault(_file.stem, []).append(_file.parent.relative_to(PACKAGE))

MODULES = sorted(TESTS.rglob("test_*.py"))
MIRRORING = [
    path for path in MODULES if path.relative_to(TESTS).parts[0] not in {*NOT_KINDS, path.name}
]


def relative(path: Path) -> str:
    return path.relative_to(TESTS).as_posix()


def imported(path: Path) -> set[str]:
    return set(imported_names(ast.walk(ast.parse(path.read_text("utf-8")))))


def of_package(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def named(path: Path) -> list[PurePath]:
    """The packages that hold a module or a package of the name that a test bears."""
    return HOMES.get(path.stem.removeprefix("test_"), [])


def test_every_folder_mirrors_a_package_or_says_what_it_holds() -> None:
    for folder in {path.parent for path in TESTS.rglob("*.py")} - {TESTS}:
        place = relative(folder)
        if not any(PurePath(place).is_relative_to(beside) for beside in NOT_KINDS):
            assert (PACKAGE / place / "__init__.py").is_file(), place
    assert all((TESTS / beside).is_dir() for beside in NOT_KINDS)


def test_every_package_has_its_folder_or_names_the_tests_that_go_through_it() -> None:
    packages = {path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")}
    files = {path.relative_to(TESTS) for path in MODULES}
    tested = {above for path in files for above in path.parents}
    tested |= {path.with_name(path.stem.removeprefix("test_")) for path in files}
    without = {name for name in packages if PurePath(name) not in tested}
    assert without == set(ELSEWHERE)
    assert all((TESTS / place).is_file() for place in ELSEWHERE.values())


@pytest.mark.parametrize("path", [p for p in MODULES if p not in MIRRORING], ids=relative)
def test_what_lies_at_the_top_bears_the_name_of_no_module_below(path: Path) -> None:
    if path.parent == TESTS:
        assert set(named(path)) <= {PurePath(".")}


@pytest.mark.parametrize("path", MIRRORING, ids=relative)
def test_a_test_that_bears_a_modules_name_lies_where_the_module_does(path: Path) -> None:
    if found := named(path):
        assert PurePath(relative(path.parent)) in found


@pytest.mark.parametrize("path", [p for p in MIRRORING if not named(p)], ids=relative)
def test_a_test_of_a_behaviour_reaches_the_package_that_its_folder_mirrors(path: Path) -> None:
    """By its own imports, by those of a helper beside it, or by the package's command."""
    place = relative(path.parent).replace("/", ".")
    names = imported(path)
    for helper in path.parent.glob("*.py"):
        if f"tests.{place}.{helper.stem}" in names:
            names |= imported(helper)
    doors = {door for helper in names & set(DOORS) for door in DOORS[helper]}
    assert any(of_package(name, f"semiaudit.{place}") for name in names | doors)


def test_no_helper_has_a_twin() -> None:
    """Oracles may say twice what they are independent in."""
    homes: dict[str, list[str]] = {}
    for path in TESTS.rglob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("test_"):
                lines = node.body[bool(ast.get_docstring(node)) :]
                body = "\n".join(ast.unparse(line) for line in lines)
                homes.setdefault(body, []).append(f"{relative(path)}: {node.name}")
    assert [where for where in homes.values() if len(where) > 1] == []
