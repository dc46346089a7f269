"""The folders of the package: what each contains, and its modules and lines.

``python -m tests.folders`` prints the table that the site shows in docs/architecture.md.
"""

from __future__ import annotations

import ast

from tests.places import ROOT

MARK = "<!-- the table of `python -m tests.folders` -->\n"
"""The place of the table in docs/architecture.md."""


def table() -> str:
    """Return a table in Markdown with a row for each folder; files in its subfolders not counted.

    What a folder contains is the first sentence of its ``__init__.py``.
    """
    rows = ["| folder | what it contains | modules | lines |", "| --- | --- | ---: | ---: |"]
    modules = lines = 0
    for init in sorted((ROOT / "semiaudit").rglob("__init__.py")):
        paths = list(init.parent.glob("*.py"))
        sizes = [len(path.read_text("utf-8").splitlines()) for path in paths]
        heading = (ast.get_docstring(ast.parse(init.read_text("utf-8"))) or "").splitlines()[0]
        folder = init.parent.relative_to(ROOT).as_posix()
        rows.append(f"| `{folder}/` | {heading} | {len(paths)} | {sum(sizes):,} |")
        modules, lines = modules + len(paths), lines + sum(sizes)
    return "\n".join([*rows, f"| all | | {modules} | {lines:,} |"]) + "\n"


if __name__ == "__main__":
    print(table(), end="")
