"""Small tables for notebooks, as HTML and as Markdown; every text in them is inert."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from semiaudit.report.text.shield import shielded

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
"""Every character that Markdown lets a backslash make a letter of."""


def html_table(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], note: str = ""
) -> str:
    """A table with a caption, and a sentence below it."""
    head = "".join(f"<th>{_html(cell)}</th>" for cell in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{_html(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    table = (
        f"<table><caption>{_html(title)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )
    return f"{table}<p>{_html(note)}</p>" if note else table


def markdown_table(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], note: str = ""
) -> str:
    """A table below its title in bold, and a sentence below it."""
    lines = [header, ["---"] * len(header), *rows]
    table = [
        "| " + " | ".join(cell if row is lines[1] else markdown_text(cell) for cell in row) + " |"
        for row in lines
    ]
    text = "\n".join([f"**{markdown_text(title)}**", "", *table])
    return f"{text}\n\n{markdown_text(note)}\n" if note else f"{text}\n"


def _html(text: str) -> str:
    return escape(_one_line(text), quote=True)


def markdown_text(text: str) -> str:
    """A text in which Markdown finds no mark."""
    return _PUNCTUATION.sub(r"\\\1", _one_line(text))


def _one_line(text: str) -> str:
    """Blanks joined, and characters that cannot be seen written out."""
    return shielded(" ".join(text.split()))
