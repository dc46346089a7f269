"""The view as Markdown."""

from __future__ import annotations

import re
from typing import assert_never

from semiaudit.report.layout import Grid, Lines, View


def to_markdown(view: View) -> str:
    """Render a view with tables in GitHub's form; special characters are escaped."""
    lines = [f"# {_escaped(view.title)}", "", _escaped(view.subtitle), ""]
    for block in view.blocks:
        lines += [f"## {_escaped(block.title)}", ""]
        match block:
            case Lines():
                lines += _lines(block)
            case Grid():
                lines += _grid(block)
            case _:
                assert_never(block)
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _lines(block: Lines) -> list[str]:
    return [
        f"- **{_escaped(label)}**: {_escaped(text)}" if label else _escaped(text)
        for label, text in block.items
    ]


def _grid(block: Grid) -> list[str]:
    marks = ["---:" if numeric else "---" for numeric in block.numeric]
    rows = [block.columns, *block.rows]
    table = [f"| {' | '.join(map(_escaped, row))} |" for row in rows]
    notes = [line for note in block.notes for line in ("", _escaped(note))]
    return [table[0], f"| {' | '.join(marks)} |", *table[1:], *notes]


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>|#&~])", r"\\\1", text.replace("\n", " "))
