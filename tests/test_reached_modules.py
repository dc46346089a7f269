"""Every module is reached from the command line or from the public API, or waits with a reason.

The imports are read, not run: those inside functions count, those for type checkers alone do not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import get_args

import semiaudit
from semiaudit.model.frameworks import NAMES
from semiaudit.model.mechanism import Part
from tests.imports import for_type_checkers, imported_names, parsed, statements
from tests.places import ROOT

ENTRIES = ("semiaudit", "semiaudit.__main__")

FORMATS = ("view", "document", "page")
"""The modules of a command's folder that ``report.answers.renderers`` loads by their names."""

WAITING: dict[str, str] = {}
"""Modules that no command and no public function imports yet, and what each is kept for."""


def modules(root: Path) -> dict[str, Path]:
    """Dotted names of all modules and packages, with their files."""
    found = {}
    for path in sorted((root / "semiaudit").rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def nodes_of(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those under ``if TYPE_CHECKING:``."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        names = ("orelse",) if for_type_checkers(node) else node._fields
        for value in [getattr(node, name, None) for name in names]:
            for inner in value if isinstance(value, list) else [value]:
                if isinstance(inner, ast.AST):
                    yield inner
                    waiting.append(inner)


def named_in_tables(nodes: list[ast.AST], known: Mapping[str, Path]) -> list[str]:
    """The modules that a table names by strings, and loads later: commands and schemas."""
    return [
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in known
    ]


def modules_named_by(nodes: list[ast.AST]) -> list[str]:
    """The modules of functions that a record names, and a ``Deferred`` loads later."""
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    return [name for name in constants if isinstance(name, str) and name.startswith("semiaudit.")]


def sections_named_by(nodes: list[ast.AST]) -> list[str]:
    """The modules of sections of a spec that ``OnDemand`` loads when a spec has them."""
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    return [f"semiaudit.spec.{name}" for name in constants if isinstance(name, str)]


def imported(path: Path, known: Mapping[str, Path]) -> set[str]:
    """The modules of the package that a file imports, with the packages above them."""
    source = path.read_text(encoding="utf-8")
    tree = parsed(source)
    names = imported_names(statements(tree, typing=False))
    if '"semiaudit' in source or "OnDemand[" in source:  # no other file names modules by strings
        nodes = list(nodes_of(tree))
        names += named_in_tables(nodes, known)
        if "Deferred" in source:
            names += modules_named_by(nodes)
        if "OnDemand[" in source:
            names += sections_named_by(nodes)
    if path == known.get("semiaudit.mechanisms"):
        names += [f"semiaudit.mechanisms.{part.home}" for part in get_args(Part)]  # of each kind
    if path == known.get("semiaudit.frameworks"):
        names += [f"semiaudit.frameworks.{name}" for name in NAMES]  # imported by their names
    if "RENDERERS" in source and path.name == "__init__.py":
        names += [f"semiaudit.commands.{path.parent.name}.{module}" for module in FORMATS]
    if path == known.get("semiaudit"):
        names += [
            f"semiaudit.{home}" for home in (*semiaudit.HOMES, semiaudit.MECHANISMS)
        ]  # loaded when they are used
    found = set()
    for name in names:
        parts = name.split(".")
        found |= {".".join(parts[:end]) for end in range(1, len(parts) + 1)}
    return found & set(known)


@cache
def reached(root: Path) -> frozenset[str]:
    """The modules that the entries import, directly or not."""
    known = modules(root)
    found: set[str] = set()
    waiting = list(ENTRIES)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += imported(known[name], known)
    return frozenset(found)


def test_every_module_is_reached_or_waits_with_a_reason() -> None:
    left = set(modules(ROOT)) - reached(ROOT) - set(WAITING)
    assert not left, f"no command and no public function imports {sorted(left)}"


def test_what_is_reached_waits_no_longer() -> None:
    assert not set(WAITING) & reached(ROOT)
    assert set(WAITING) <= set(modules(ROOT))


def test_the_walk_follows_imports_inside_functions_and_not_those_for_type_checkers(
    tmp_path: Path,
) -> None:
    package = tmp_path / "semiaudit"
    (package / "inner").mkdir(parents=True)
    typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import semiaudit.typed\n"
    for name, text in {
        "__init__": "def f():\n    from semiaudit.inner import used\n",
        "__main__": typed,
        "typed": "",
        "inner/__init__": "",
        "inner/used": "",
        "inner/unused": "import semiaudit",
    }.items():
        (package / f"{name}.py").write_text(text)
    assert set(modules(tmp_path)) - reached(tmp_path) == {
        "semiaudit.typed",
        "semiaudit.inner.unused",
    }
