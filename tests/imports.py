"""Source that is read and not run: its tree, its statements, and the names that it imports."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterable, Iterator
from functools import cache


@cache
def parsed(source: str) -> ast.Module:
    """The tree of some source, which many tests read, and none changes.

    Nothing of a tree is garbage, for which Python would look several times while it grows.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(source)
    finally:
        if enabled:
            gc.enable()


BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""The fields in which statements hold other statements. No expression holds any."""


def statements(tree: ast.AST, *, typing: bool = True) -> Iterator[ast.stmt]:
    """All statements in a tree, without the expressions, which are most of it.

    Args:
        typing: also those under ``if TYPE_CHECKING:``.
    """
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        for block in BLOCKS if typing or not for_type_checkers(node) else ("orelse",):
            for inner in getattr(node, block, ()):
                if isinstance(inner, ast.stmt):
                    yield inner
                waiting.append(inner)


def for_type_checkers(node: ast.AST) -> bool:
    """Whether a node is ``if TYPE_CHECKING:``."""
    test = node.test if isinstance(node, ast.If) else None
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def imported_names(nodes: Iterable[ast.AST]) -> list[str]:
    """Of ``from a import b`` both a and a.b, of which only one need be a module."""
    names: list[str] = []
    for node in nodes:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: a relative import"
            names += [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names
