"""The view as text for a terminal or a pipe. Nothing is ever cut; narrow columns fold words."""

from __future__ import annotations

from io import StringIO
from typing import assert_never

from rich.box import SIMPLE_HEAD
from rich.console import Console, JustifyMethod
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from semiaudit.model.frameworks import LEADING
from semiaudit.model.labels import label
from semiaudit.report.text.layout import (
    HEAD_LABELS,
    INCOMPLETE,
    LABEL_WIDTH,
    Grid,
    Head,
    Lines,
    Tone,
    View,
    tone_of,
)
from semiaudit.report.text.wrapping import INDENT, header, least, natural, rigid, taken, wrapped

_TONES: dict[Tone, str] = {
    "number": "bold",
    "plain": "",
    "bad": "red",
    "warning": "yellow",
    "good": "green",
}


def to_table(view: View, *, width: int, color: bool) -> str:
    """Render a view.

    Args:
        width: the available columns. A table that needs more folds its words, but numbers and names
            are never folded: a table that cannot be narrower exceeds the width.
        color: use terminal styles.
    """
    console = _console(width, color=color)
    with console.capture() as capture:
        console.print(Text(view.title, style="bold"))
        subtitle = Text(view.subtitle, style="dim")
        subtitle.highlight_words([INCOMPLETE], "bold yellow")
        console.print(subtitle)
        for block in view.blocks:
            console.print()
            match block:
                case Head():
                    _head(console, block)
                case Lines():
                    _lines(console, block)
                case Grid():
                    _grid(console, block)
                case _:
                    assert_never(block)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def markdown_on_screen(text: str, *, width: int, color: bool) -> str:
    """Render Markdown for a terminal."""
    console = _console(width, color=color)
    with console.capture() as capture:
        console.print(Markdown(text, code_theme="ansi_dark", hyperlinks=False))
    return capture.get()


def _console(width: int, *, color: bool) -> Console:
    return Console(
        file=StringIO(),
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )


def _head(console: Console, block: Head) -> None:
    text = Text()
    for name, said in block.labelled():
        lines = wrapped(said.text, console.width - HEAD_LABELS)
        text.append(f" {name}".ljust(HEAD_LABELS), style="dim")
        text.append(f"\n{' ' * HEAD_LABELS}".join(lines) + "\n", style=_TONES[said.tone])
    console.print(text, end="", soft_wrap=True)


def _lines(console: Console, block: Lines) -> None:
    console.print(Text(block.title, style="bold cyan"))
    if not any(name for name, _ in block.items):
        for _, text in block.items:
            console.print(Padding(Text(text), (0, 0, 0, 1)))
        return
    indent = max(LABEL_WIDTH, *(len(name) for name, _ in block.items)) + 3
    line_text = Text()
    quotes: dict[int, tuple[str, ...]] = dict(block.quotes)
    for place, (name, text) in enumerate(block.items):
        lines = [*wrapped(text, console.width - indent), *quotes.get(place, ())]
        line_text.append(f" {name}".ljust(indent), style="dim").append(lines[0] + "\n")
        line_text.append("".join(f"{' ' * indent}{line}\n" for line in lines[1:]))
    console.print(line_text, end="", soft_wrap=True)


def _grid(console: Console, block: Grid) -> None:
    console.print(Text(block.title, style="bold cyan"))
    at_hand = console.width
    whole, narrowest = rigid(block, at_hand), least(block, at_hand)
    fits = taken(natural(block)) <= at_hand
    console.width = max(at_hand, taken(_folded(block, whole, narrowest)))
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    columns = zip(block.columns, block.numeric, whole, narrowest, strict=True)
    for name, numeric, stays, width in columns:
        title = name if fits or not stays else header(name, width)
        justify: JustifyMethod = "right" if numeric else "left"
        table.add_column(
            Text(title), justify=justify, overflow="fold", no_wrap=stays, min_width=width
        )
    for row in block.rows:
        table.add_row(*(Text(cell, style=_style(row, cell)) for cell in row))
    console.print(Padding(table, (0, 0, 0, INDENT)))
    console.width = at_hand
    for note in block.notes:
        console.print(Padding(Text(note, style="dim"), (0, 0, 0, 1)))


def _folded(block: Grid, whole: list[bool], narrowest: list[int]) -> list[int]:
    """Return the widths after the column with the longest word has folded as far as possible.

    rich shrinks the widest columns, down to one width for all of them, even if a word needs more;
    it cuts everything beyond the console's width.
    """
    level = max((n for n, stays in zip(narrowest, whole, strict=True) if not stays), default=0)
    columns = zip(natural(block), narrowest, whole, strict=True)
    return [low if stays else min(widest, level) for widest, low, stays in columns]


def _style(row: tuple[str, ...], cell: str) -> str:
    tone = tone_of(cell)
    if tone is not None:
        return _TONES[tone]
    return "bold" if label(LEADING) in row[0] else ""
