"""A docstring stands alone, and the arguments and attributes that it describes exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.imports import parsed
from tests.places import ROOT
from tests.wording import docstrings_of

SOURCES = sorted((ROOT / "semiaudit").rglob("*.py"))
NEEDS_ANOTHER = re.compile(
    r"(So|Its|They|Their|These|Those|That|Also|As|The same|Likewise|Of|\.\.\.)\b(?! a\()"
)
"""First words that need the docstring before: "Its place", "The same in doubles"."""

ITEM = re.compile(r"^\*{0,2}(\w+(?:, \*{0,2}\w+)*):(?= |$)")


def described(docstring: str, section: str) -> Iterator[str]:
    """The names that a section of a docstring describes."""
    _, _, below = docstring.partition(f"{section}:\n")
    lines = below.splitlines()
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    for line in lines:
        if line.strip() and len(line) - len(line.lstrip()) < indents[0]:
            return
        if line.strip() and len(line) - len(line.lstrip()) == indents[0]:
            found = ITEM.match(line.strip())
            yield from re.findall(r"\w+", found[1]) if found else ()


def names_in(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """What a docstring of a definition may describe."""
    found = {
        arg.arg for one in ast.walk(node) if isinstance(one, ast.arguments) for arg in _of(one)
    }
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            found.add(one.id)
        elif isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store):
            found.add(one.attr)
        elif isinstance(one, ast.FunctionDef):
            found.add(one.name)
    return found


def _of(arguments: ast.arguments) -> list[ast.arg]:
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return plain + [arg for arg in (arguments.vararg, arguments.kwarg) if arg is not None]


def strangers(source: str, inherited: frozenset[str] = frozenset({"strerror"})) -> list[str]:
    """The names that docstrings of a module describe and that their definitions do not have."""
    found = []
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node) or ""
            items = [*described(text, "Args"), *described(text, "Attributes")]
            found += [f"{node.name}: {n}" for n in items if n not in names_in(node) | inherited]
    return found


def test_no_docstring_needs_the_one_before_it() -> None:
    wrong = [
        f"{path.relative_to(ROOT).as_posix()}:{line}: {text.splitlines()[0]}"
        for path in SOURCES
        for line, text in docstrings_of(path)
        if NEEDS_ANOTHER.match(text.strip())
    ]
    assert wrong == []


def test_what_a_docstring_describes_exists() -> None:
    wrong = [
        f"{path.relative_to(ROOT).as_posix()}: {name}"
        for path in SOURCES
        for name in strangers(path.read_text("utf-8"))
    ]
    assert wrong == []


@pytest.mark.parametrize("section", ["Args", "Attributes"])
def test_a_name_that_is_not_there_is_found(section: str) -> None:
    text = f'class A:\n    """B.\n\n    {section}:\n        x: one.\n        y, z: two.\n    """\n'
    assert strangers(f"{text}\n    x: int\n    z: int\n") == ["A: y"]
    assert strangers(f"{text}\n    x: int\n    y: int\n    z: int\n") == []
