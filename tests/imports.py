"""Source that is read and not run: its tree, and the names that it imports."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterable
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
