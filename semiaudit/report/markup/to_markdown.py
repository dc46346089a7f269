"""The view as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import assert_never

from semiaudit.report.text.layout import Grid, Head, Lines, View
from semiaudit.report.text.shield import shielded


def to_markdown(view: View) -> str:
    """Render a view with tables in GitHub's form; special characters are escaped."""
    lines = [f"# {escaped(view.title)}", "", escaped(view.subtitle), ""]
    for block in view.blocks:
        match block:
            case Head():
                lines += _head(block)
            case Lines():
                lines += [f"## {escaped(block.title)}", "", *_lines(block.items)]
            case Grid():
                lines += [f"## {escaped(block.title)}", "", *_grid(block)]
            case _:
                assert_never(block)
        lines.append("")
    return shielded("\n".join(lines).rstrip("\n") + "\n")


def _head(block: Head) -> list[str]:
    first, *others = block.items
    return [escaped(first.text), "", *_lines([(said.label, said.text) for said in others])]


def _lines(items: Sequence[tuple[str, str]]) -> list[str]:
    return [
        f"- **{escaped(label)}**: {escaped(text)}" if label else escaped(text)
        for label, text in items
    ]


def _grid(block: Grid) -> list[str]:
    marks = ["---:" if numeric else "---" for numeric in block.numeric]
    rows = [block.columns, *block.rows]
    table = [f"| {' | '.join(map(escaped, row))} |" for row in rows]
    notes = [line for note in block.notes for line in ("", escaped(note))]
    return [table[0], f"| {' | '.join(marks)} |", *table[1:], *notes]


def escaped(text: str) -> str:
    """Escape a text so that Markdown and GitHub find no mark, no link and no name in it.

    A backslash keeps an address from becoming a link. GitHub searches the rendered text for names
    and issue numbers, so these get a zero-width space, as an entity.
    """
    line = text.replace("\n", " ")
    marked = re.sub(r"([\\`*_{}\[\]<>|#&~]|:(?=[:/])|(?<=www)\.)", r"\\\1", line)
    return re.sub(r"(@|#(?=[0-9]))", r"\1&#8203;", marked)
