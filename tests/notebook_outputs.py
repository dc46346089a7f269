"""The outputs that docs/notebooks stores with its cells: ``python -m tests.notebook_outputs``.

The site and the forge show a notebook with these outputs, and execute nothing. A notebook lists the
packages that it requires in its metadata; without them, it keeps its outputs. The outputs of cells
with the tag ``times`` vary, and are not compared.
"""

from __future__ import annotations

import ast
import io
import json
from contextlib import chdir, redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.places import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def executed(path: Path) -> dict[str, Any]:
    """Return a notebook with the outputs that its cells have when they run in order."""
    notebook: dict[str, Any] = json.loads(path.read_text("utf-8"))
    names: dict[str, Any] = {}
    with chdir(path.parent):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"] = _outputs("".join(cell["source"]), path.name, names)
    return notebook


def missing(notebook: dict[str, Any]) -> list[str]:
    """Return the packages that a notebook requires and that are not installed."""
    return [name for name in notebook["metadata"].get("requires", ()) if not find_spec(name)]


def without_times(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook without the outputs that differ from run to run."""
    cells = [
        {**cell, "outputs": []} if "times" in cell["metadata"].get("tags", ()) else cell
        for cell in notebook["cells"]
    ]
    return {**notebook, "cells": cells}


def _outputs(source: str, file: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with redirect_stdout(printed):
        exec(compile(tree, file, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), file, "eval"), names)
    found: list[dict[str, Any]] = []
    if text := printed.getvalue():
        found.append({"output_type": "stream", "name": "stdout", "text": _lines(text)})
    if value is not None:
        data = {"text/html": _lines(value._repr_html_()), "text/plain": _lines(repr(value))}
        found.append({"output_type": "display_data", "data": data, "metadata": {}})
    return found


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def text_of(notebook: dict[str, Any]) -> str:
    """Return a notebook as its file holds it."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for place in NOTEBOOKS:
        if names := missing(json.loads(place.read_text("utf-8"))):
            print(f"{place.name}: kept, because {', '.join(names)} are not installed")
            continue
        place.write_text(text_of(executed(place)), "utf-8")
