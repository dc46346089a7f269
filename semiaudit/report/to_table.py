"""The view as text for a terminal or a pipe. Nothing is ever cut; a narrow place folds words."""

from __future__ import annotations

from io import StringIO
from textwrap import wrap
from typing import assert_never

from rich.box import SIMPLE_HEAD
from rich.console import Console, JustifyMethod
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from semiaudit.model.frameworks import LEADING
from semiaudit.report.layout import LABEL_WIDTH, Grid, Lines, View


def to_table(view: View, *, width: int, color: bool) -> str:
    """Render a view.

    Args:
        width: columns at hand. A table that needs more folds its words, but numbers
            and names are never folded: a table that cannot be narrower grows past the width.
        color: use terminal styles.
    """
    console = Console(
        file=StringIO(),
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )
    with console.capture() as capture:
        console.print(Text(view.title, style="bold"))
        console.print(Text(view.subtitle, style="dim"))
        for block in view.blocks:
            console.print()
            match block:
                case Lines():
                    _lines(console, block)
                case Grid():
                    _grid(console, block)
                case _:
                    assert_never(block)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def _lines(console: Console, block: Lines) -> None:
    alarming = block.title == "Read this first"
    console.print(Text(block.title, style="bold red" if alarming else "bold cyan"))
    if not any(label for label, _ in block.items):
        for _, text in block.items:
            console.print(Padding(Text(text), (0, 0, 0, 1)))
        return
    indent = max(LABEL_WIDTH, *(len(label) for label, _ in block.items)) + 3
    told = Text()
    for label, text in block.items:
        lines = wrap(text, max(console.width - indent, 20)) or [""]
        told.append(f" {label}".ljust(indent), style="dim").append(lines[0] + "\n")
        told.append("".join(f"{' ' * indent}{line}\n" for line in lines[1:]))
    console.print(told, end="", soft_wrap=True)


def _grid(console: Console, block: Grid) -> None:
    """A table; where it is too wide, headers and words fold, and numbers and names stay whole."""
    console.print(Text(block.title, style="bold cyan"))
    columns = [[name, *(row[i] for row in block.rows)] for i, name in enumerate(block.columns)]
    natural = [max(map(len, column)) for column in columns]
    rigid = [numeric or i == 0 for i, numeric in enumerate(block.numeric)]
    least = [_least(column, whole=whole) for column, whole in zip(columns, rigid, strict=True)]
    at_hand = console.width
    fits = sum(natural) + 3 * len(columns) <= at_hand
    console.width = max(at_hand, sum(least) + 3 * len(columns))
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    for name, numeric, whole, width in zip(block.columns, block.numeric, rigid, least, strict=True):
        header = name if fits or not whole else "\n".join(wrap(name, width))
        justify: JustifyMethod = "right" if numeric else "left"
        table.add_column(
            Text(header), justify=justify, overflow="fold", no_wrap=whole, min_width=width
        )
    for row in block.rows:
        table.add_row(*(Text(cell, style=_style(row, cell)) for cell in row))
    console.print(Padding(table, (0, 0, 0, 1)))
    console.width = at_hand
    for note in block.notes:
        console.print(Padding(Text(note, style="dim"), (0, 0, 0, 1)))


def _least(column: list[str], *, whole: bool) -> int:
    """The narrowest that a column may get: its longest word, or its longest cell if rigid."""
    header, *cells = column
    words = [word for text in column for word in text.split()]
    return max(map(len, [*header.split(), *(cells if whole else words)]))


def _style(row: tuple[str, ...], cell: str) -> str:
    if cell == "holds":
        return "green"
    if cell.startswith("does not hold"):
        return "red"
    return "bold" if row[0] == LEADING else ""
