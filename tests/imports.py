"""The names that source imports, read and not run."""

from __future__ import annotations

import ast
from collections.abc import Iterable


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
