"""The view as text for a terminal or a pipe. Nothing is ever cut; a narrow place folds words."""

from __future__ import annotations

from io import StringIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from semiaudit.report.view import Grid, Lines, View

LABEL_WIDTH = 14


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
            if isinstance(block, Lines):
                _lines(console, block)
            else:
                _grid(console, block)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def _lines(console: Console, block: Lines) -> None:
    alarming = block.title == "Read this first"
    console.print(Text(block.title, style="bold red" if alarming else "bold cyan"))
    if not any(label for label, _ in block.items):
        for _, text in block.items:
            console.print(Padding(Text(text), (0, 0, 0, 1)))
        return
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=False, overflow="fold", min_width=LABEL_WIDTH)
    table.add_column(overflow="fold", ratio=1)
    for label, text in block.items:
        table.add_row(Text(label, style="dim"), Text(text))
    console.print(Padding(table, (0, 0, 0, 1)))


def _grid(console: Console, block: Grid) -> None:
    console.print(Text(block.title, style="bold cyan"))
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    needed = 1
    for place, (name, numeric) in enumerate(zip(block.columns, block.numeric, strict=True)):
        widest = max((len(row[place]) for row in block.rows), default=0)
        words = max(map(len, name.split()))
        least = max(widest, words) if numeric or place == 0 else min(widest, 8)
        table.add_column(
            Text(name),
            justify="right" if numeric else "left",
            overflow="fold",
            min_width=least,
        )
        needed += least + 3
    for row in block.rows:
        table.add_row(*(Text(cell, style=_style(row, cell)) for cell in row))
    width = max(console.width, needed)
    console.print(Padding(table, (0, 0, 0, 1)), width=width, crop=False, soft_wrap=False)
    for note in block.notes:
        console.print(Padding(Text(note, style="dim"), (0, 0, 0, 1)))


def _style(row: tuple[str, ...], cell: str) -> str:
    if cell == "holds":
        return "green"
    if cell.startswith("does not hold"):
        return "red"
    return "bold" if row[0] == "semi_dp" else ""
