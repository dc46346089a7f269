"""Small tables, curves and cards for notebooks; every text in them is inert."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from html import escape
from itertools import pairwise
from typing import assert_never

from semiaudit.numeric.rationals import rational_text
from semiaudit.report.text.layout import Grid, Head, Lines, Said, Tone, View
from semiaudit.report.text.shield import shielded

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
"""Characters that a backslash makes literal in Markdown."""


def html_table(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], note: str = ""
) -> str:
    """Return a table with a caption, and a sentence below it."""
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
    """Return a table below its title in bold, and a sentence below it."""
    lines = [header, ["---"] * len(header), *rows]
    table = [
        "| " + " | ".join(cell if row is lines[1] else markdown_text(cell) for cell in row) + " |"
        for row in lines
    ]
    text = "\n".join([f"**{markdown_text(title)}**", "", *table])
    return f"{text}\n\n{markdown_text(note)}\n" if note else f"{text}\n"


def html_view(view: View) -> str:
    """Return the blocks of a view as small tables, below the sentence of its verdict."""
    tables = []
    for block in view.blocks:
        match block:
            case Grid():
                note = " ".join(block.notes)
                tables.append(html_table(block.title, block.columns, block.rows, note))
            case Lines():
                tables.append(html_table(block.title, ("", ""), block.items))
            case Head():
                items = [(said.label, said.text) for said in block.items]
                tables.append(html_table(view.title, ("", ""), items))
            case _:
                assert_never(block)
    sentence = f"<p><b>{_html(view.verdict)}</b></p>" if view.verdict else ""
    return sentence + "".join(tables)


_COLORS: dict[Tone, str] = {
    "good": "#2e8b57",
    "bad": "#c0392b",
    "warning": "#b8860b",
    "plain": "#777777",
    "number": "#777777",
}


def html_card(title: str, status: str, said: Said) -> str:
    """Return the status and the verdict of a report, in the verdict's color.

    Args:
        said: the verdict.
    """
    color = _COLORS[said.tone]
    return (
        f"<div style='border-left:6px solid {color};padding:.4em 1em;margin:.4em 0'>"
        f"<div>{_html(title)} · <b>{_html(status)}</b></div>"
        f"<div style='font-size:1.15em'><b>{_html(said.text)}</b></div></div>"
    )


def html_curve(
    title: str, names: tuple[str, str], points: Sequence[tuple[float, float]], *, up: bool
) -> str:
    """Return a curve of certified points as steps, above five of its points.

    Args:
        names: the names of the horizontal and the vertical axis.
        points: (horizontal, vertical) positions: ascending, descending.
        up: whether the numbers are upper bounds, which hold up to the next point, and both numbers
            of a point are rounded up; otherwise they are lower bounds, which hold back to the
            previous point.
    """
    finite = [(x, y) for x, y in points if math.isfinite(y)]
    chosen = [finite[place * (len(finite) - 1) // 4] for place in range(5)] if finite else []
    rows = [
        tuple(rational_text(Fraction(value), up=up) for value in point)
        for point in dict.fromkeys(chosen)
    ]
    return _steps(title, names, finite, up=up) + html_table(title, names, rows)


def _steps(
    title: str, names: tuple[str, str], points: Sequence[tuple[float, float]], *, up: bool
) -> str:
    from semiaudit.model.figure import Figure, Series  # text reports draw nothing
    from semiaudit.report.figures.files import plotted

    if len(points) < 2 or points[-1][0] <= 0 or points[0][1] <= 0:
        return ""
    corners = [
        (right, high) if up else (left, low) for (left, high), (right, low) in pairwise(points)
    ]
    line = (points[0], *(place for two in zip(corners, points[1:], strict=True) for place in two))
    return plotted([Figure("curve", title, *names, (Series("", line),))], "svg").decode("utf-8")


def _html(text: str) -> str:
    return escape(_one_line(text), quote=True)


def markdown_text(text: str) -> str:
    """Escape a text so that Markdown finds no mark in it."""
    return _PUNCTUATION.sub(r"\\\1", _one_line(text))


def _one_line(text: str) -> str:
    return shielded(" ".join(text.split()))
