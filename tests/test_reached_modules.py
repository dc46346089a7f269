"""Every module and definition is reached from the command line or from the public API.

The imports are read, not run: those inside functions count, those for type checkers alone do not.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
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

KEPT = {
    "concentrated_constant": "row 96",
}
"""Definitions that nothing in the program refers to, and the published results that need them."""

HOOKS = re.compile(r"__\w+__|_repr_\w+_|list_commands|get_command|format_(commands|options|epilog)")
"""Methods that Python, notebooks, and click call by their names."""


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


def commands_named_by(nodes: list[ast.AST]) -> list[str]:
    """The modules of the commands of a group, which are loaded when they are asked for."""
    constants = (str(node.value) for node in nodes if isinstance(node, ast.Constant))
    modules = [f"semiaudit.commands.{name.replace('-', '_')}" for name in constants]
    return [*modules, *(f"{module}.command" for module in modules)]


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
        if "CommandLocation(" in source:
            names += commands_named_by(nodes)
    if path == known.get("semiaudit.mechanisms"):
        names += [f"semiaudit.mechanisms.{part.home}" for part in get_args(Part)]  # of each kind
    if path == known.get("semiaudit.frameworks"):
        names += [f"semiaudit.frameworks.{name}" for name in NAMES]  # imported by their names
    if path == known.get("semiaudit.commands.reproduce.results"):
        names += [name for name in known if ".reproduce.procedures." in name]  # named by rows
    if path == known.get("semiaudit"):
        names += semiaudit._homes().values()  # loaded when they are used
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


def unused_definitions(root: Path) -> set[str]:
    """The functions, classes, constants, and methods that no code of the package refers to.

    A module's own name is used if its module loads it elsewhere, if another one imports it, or, if
    it is not private, as a word in a string or in a table of names, or as an attribute of anything
    but a plain variable: those are modules, or tables of modules. A method is used if any
    attribute, keyword, or string is that word, if a decorator registers it, and if users import
    its class.
    """
    trees = {name: parsed(path.read_text("utf-8")) for name, path in modules(root).items()}
    imported_somewhere: set[tuple[str, str]] = set()
    tables = [path for form in ("yaml", "csv") for path in (root / "semiaudit").rglob(f"*.{form}")]
    texts = Counter(word for path in tables for word in re.findall(r"\w+", path.read_text("utf-8")))
    words = Counter(texts)
    for tree in trees.values():
        docstrings = {
            id(inner.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            for inner in node.body
            if isinstance(inner, ast.Expr)
        }
        imports = {
            one.asname or one.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for one in node.names
        }
        for node in ast.walk(tree):
            match node:
                case ast.ImportFrom():
                    imported_somewhere |= {(str(node.module), one.name) for one in node.names}
                case ast.Attribute():
                    words[node.attr] += 1
                    if not isinstance(node.value, ast.Name) or node.value.id in imports:
                        texts[node.attr] += 1
                case ast.keyword(arg=str()):
                    words[str(node.arg)] += 1
                case ast.Constant(value=str() as text) if id(node) not in docstrings:
                    named = set(re.findall(r"\w+", text))
                    words.update(named)
                    texts.update(named)
    found = set()
    for module, tree in trees.items():
        loads = Counter(_loaded(tree))
        for node in tree.body:
            own = Counter(_loaded(node))
            for name in _names_of(node):
                in_texts = texts[name] > 0 and not name.startswith("_")
                used = loads[name] > own[name] or in_texts or (module, name) in imported_somewhere
                if not used and not HOOKS.fullmatch(name):
                    found.add(f"{module}.{name}")
            if isinstance(node, ast.ClassDef) and "library" not in module.split("."):
                for inner in node.body:
                    if isinstance(inner, ast.FunctionDef) and not inner.decorator_list:
                        name = inner.name
                        if not words[name] and not HOOKS.fullmatch(name):
                            found.add(f"{module}.{node.name}.{name}")
    return found


def _loaded(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            yield inner.id


def _names_of(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef() | ast.ClassDef():
            return [node.name]
        case ast.Assign():
            return [target.id for target in node.targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name() as target):
            return [target.id]
    return []


def test_every_module_is_reached() -> None:
    left = set(modules(ROOT)) - reached(ROOT)
    assert not left, f"no command and no public function imports {sorted(left)}"


def test_every_definition_is_used_by_the_program_or_is_public() -> None:
    left = unused_definitions(ROOT)
    public = {f"{home}.{name}" for name, home in semiaudit._homes().items()}
    methods = {name for name in left if name.rpartition(".")[0] in public}
    unused = {name.rpartition(".")[2] for name in left - public - methods}
    assert unused == set(KEPT), sorted(left)


def test_a_definition_that_only_itself_and_docstrings_name_is_not_used(tmp_path: Path) -> None:
    package = tmp_path / "semiaudit"
    package.mkdir()
    (package / "__init__.py").write_text("from semiaudit.one import used\nTABLE = {'named': 1}\n")
    (package / "one.py").write_text(
        '"""dead and DEAD are named here."""\n'
        "DEAD: int = 1\nLIVE = 2\n\n"
        "def used():\n    return LIVE + Kind().live()\n\n"
        "def named():\n    pass\n\n"
        "def dead():\n    return dead()\n\n"
        "class Kind:\n    def live(self): ...\n    def unseen(self): ...\n\n"
        "def masked(kind):\n    return kind.masked + getattr(kind, '_private')\n\n"
        "def _private():\n    pass\n"
    )
    assert unused_definitions(tmp_path) == {
        "semiaudit.TABLE",
        "semiaudit.one.DEAD",
        "semiaudit.one.dead",
        "semiaudit.one.Kind.unseen",
        "semiaudit.one.masked",
        "semiaudit.one._private",
    }


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
