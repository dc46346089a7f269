"""An import inside a function has one of three reasons (docs/decisions/0027).

A start that everybody has must not load it; its package is optional, or exists on some systems
only; or it would close a circle of imports. All other imports are at the top of their modules.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

from semiaudit.cli import COMMANDS
from tests.cli.test_invocations import CENSUS
from tests.imports import imported_names, parsed, statements
from tests.own_process import run_python
from tests.places import ROOT
from tests.test_reached_modules import modules

STARTS = (
    ("--help",),
    ("--version",),
    ("analyze", CENSUS),
    ("convert", "zcdp: {rho: 1}"),
    *((command, "--help") for command in COMMANDS),
)
"""Starts that must not become slower: help, the main job, and the smallest question. A shell that
completes the options of a command loads as much as the command's help."""

IN_PYTHON = (
    "import semiaudit; dir(semiaudit)",
    "from semiaudit import *; Gaussian(2) * 10 + PureDP(1), GaussianTradeoff(1)(0.05)",
    "from semiaudit import *\n"
    "for noise in (Gaussian(2, shifts=[1, -1]) * 3, ZCDP(1), Shuffled(1, reports=9)):\n"
    "    spec = {'semiaudit': 1, 'dataspace': {'size': 9, 'attributes': {'a': 2, 'b': 2}},\n"
    "            'invariants': [{'margin': ['a']}], 'mechanism': noise}\n"
    "    audit(Spec.from_mapping(spec)).render('json')",
    "import semiaudit\n"
    "semiaudit.audit({'semiaudit': 1, 'dataspace': {'size': 9, 'attributes': {'a': 2, 'b': 2}},\n"
    "    'invariants': [{'margin': ['a']}], 'data': {'margins': {'a': [4, 5]}},\n"
    "    'mechanism': {'zcdp': {'rho': 1}}, 'budgets': [{'framework': 'semi_dp', 'rho': 4}]})",
)
"""Starts of the library: its names, a mechanism, and audits that need no numpy, of which the last
is what most workers of a batch do: published values and a budget."""

OPTIONAL = frozenset(
    ("dask", "distributed", "duckdb", "fcntl", "flint", "ibis", "matplotlib", "ortools", "resource")
)
"""Packages of extras, modules of some systems only, and flint, which only exact algebra needs."""

CIRCLES = {("semiaudit", "semiaudit")}
"""(module, what it imports inside a function) where an import at the top would be circular."""

Imports = Mapping[str, frozenset[str]]


def functions(tree: ast.AST) -> Iterator[ast.AST]:
    return (
        node
        for node in statements(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def within(tree: ast.AST) -> set[ast.AST]:
    """The imports inside the functions of a module."""
    return {
        node
        for function in functions(tree)
        for node in statements(function, typing=False)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }


def resolved(node: ast.AST, known: Mapping[str, object]) -> set[str]:
    """The modules that one import statement loads, with the packages that they are in."""
    names = imported_names([node])
    if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] == "semiaudit":
        names = [name for name in names if name in known]
    elif isinstance(node, ast.ImportFrom):
        names = [str(node.module)]
    return {
        ".".join(name.split(".")[:length])
        for name in names
        for length in range(1, name.count(".") + 2)
    }


def closure(start: set[str], at_top: Imports) -> set[str]:
    """Everything that is loaded if these modules are."""
    seen: set[str] = set()
    waiting = list(start)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += at_top.get(name, ())
    return seen


def unneeded(sources: Mapping[str, str], starts: list[set[str]]) -> list[str]:
    """Imports inside functions that could be at the top: ``module: what it imports``.

    Args:
        sources: of all modules, by their dotted names.
        starts: of each start, the modules that it loads.
    """
    trees = {name: parsed(source) for name, source in sources.items()}
    inside = {name: within(tree) for name, tree in trees.items()}
    at_top: dict[str, frozenset[str]] = {}
    for name, tree in trees.items():
        imports = [
            node
            for node in statements(tree, typing=False)
            if isinstance(node, ast.Import | ast.ImportFrom) and node not in inside[name]
        ]
        loaded = [resolved(node, sources) for node in imports]
        at_top[name] = frozenset().union(*loaded)
    found = []
    for name, nodes in inside.items():
        for node in nodes:
            wanted = resolved(node, sources)
            if {one.partition(".")[0] for one in wanted} & OPTIONAL:
                continue
            if any((name, one) in CIRCLES for one in wanted):
                continue
            all_of_it = closure(wanted, at_top)
            if not any(name in start and not all_of_it <= start for start in starts):
                found.append(f"{name}: {ast.unparse(node)}")
    return sorted(found)


@cache
def started() -> list[set[str]]:
    return [
        *modules_loaded_by_each(STARTS),
        *(modules_loaded_by_code(code) for code in IN_PYTHON),
    ]


FORKS = """\
import os, runpy, sys
import semiaudit.cli
for line in sys.argv[1:]:
    child = os.fork()
    if not child:
        sys.argv = ["semiaudit", *line.split("\\t")]
        try:
            runpy.run_module("semiaudit", run_name="__main__")
        except SystemExit as error:
            assert not error.code, error.code
        print(*sys.modules, file=sys.stderr)
        sys.exit()
    assert os.waitpid(child, 0)[1] == 0, line
"""
"""A process that has loaded what every start loads first, and its children, one for each start."""


def modules_loaded_by_each(starts: Sequence[Sequence[str]]) -> list[set[str]]:
    done = run_python(FORKS, *("\t".join(start) for start in starts))
    loaded = [set(line.split()) for line in done.stderr.splitlines()]
    assert len(loaded) == len(starts)
    return loaded


def modules_loaded_by_code(code: str) -> set[str]:
    return set(run_python(f"{code}\nimport sys\nprint(*sys.modules)").stdout.split())


def sources() -> dict[str, str]:
    return {name: path.read_text("utf-8") for name, path in modules(Path(ROOT)).items()}


def test_imports_are_at_the_top_unless_a_start_does_without_them() -> None:
    assert unneeded(sources(), started()) == []


@pytest.mark.parametrize(
    ("top", "inner", "loaded", "found"),
    [
        ("", "import json", {"a"}, []),
        ("", "import json", {"a", "json"}, ["a: import json"]),
        ("", "import json", set(), ["a: import json"]),
        ("", "from semiaudit.b import x", {"a", "semiaudit"}, []),
        ("", "import ortools", set(), []),
        ("import json", "import json", {"a", "json"}, ["a: import json"]),
    ],
    ids=["a start lacks it", "a start has it", "no start", "own module", "optional", "twice"],
)
def test_an_import_is_reported_if_every_start_of_its_module_has_it(
    top: str, inner: str, loaded: set[str], found: list[str]
) -> None:
    text = {
        "a": f"{top}\ndef f():\n    {inner}\n",
        "semiaudit": "",
        "semiaudit.b": "x = 1\n",
    }
    assert unneeded(text, [loaded]) == found
