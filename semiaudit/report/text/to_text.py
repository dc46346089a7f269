"""The view as text for a terminal or a pipe. Nothing is ever cut; narrow columns fold words."""

from __future__ import annotations

from typing import assert_never

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
from semiaudit.report.text.wrapping import BETWEEN, fitting, header, places, rigid, wrapped

_BOLD, _DIM, _TITLE = "1", "2", "1;36"
_TONES: dict[Tone, str] = {
    "number": _BOLD,
    "plain": "",
    "bad": "31",
    "warning": "33",
    "good": "32",
}


def to_text(view: View, *, width: int, color: bool) -> str:
    """Render a view.

    Args:
        width: the available columns. A table that needs more folds its words, but numbers and names
            are never folded: a table that cannot be narrower exceeds the width.
        color: use terminal styles.
    """
    lines = [_styled(line, _BOLD, color) for line in wrapped(view.title, width)]
    subtitle = "1;33" if INCOMPLETE in view.subtitle else _DIM
    lines += [_styled(line, subtitle, color) for line in wrapped(view.subtitle, width)]
    for block in view.blocks:
        lines.append("")
        if not isinstance(block, Head):
            lines += [_styled(line, _TITLE, color) for line in wrapped(block.title, width)]
        match block:
            case Head():
                for name, said in block.labelled():
                    texts = wrapped(said.text, width - HEAD_LABELS)
                    lines += _labelled(name, texts, HEAD_LABELS, _TONES[said.tone], color=color)
            case Lines():
                lines += _lines(block, width, color=color)
            case Grid():
                lines += _grid(block, width, color=color)
            case _:
                assert_never(block)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _styled(text: str, style: str, color: bool) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if color and style and text.strip() else text


def _labelled(name: str, texts: list[str], indent: int, style: str, *, color: bool) -> list[str]:
    head = _styled(_padded(f" {name}", indent), _DIM, color)
    starts = [head, *[" " * indent] * (len(texts) - 1)]
    return [f"{a}{_styled(text, style, color)}" for a, text in zip(starts, texts, strict=True)]


def _lines(block: Lines, width: int, *, color: bool) -> list[str]:
    longest = max((places(name) for name, _ in block.items), default=0)
    indent = max(LABEL_WIDTH, longest) + 3 if longest else 1
    quotes: dict[int, tuple[str, ...]] = dict(block.quotes)
    lines = []
    for at, (name, text) in enumerate(block.items):
        texts = [*wrapped(text, width - indent), *quotes.get(at, ())]
        lines += _labelled(name, texts, indent, "", color=color)
    return lines


def _grid(block: Grid, width: int, *, color: bool) -> list[str]:
    widths, whole = fitting(block, width), rigid(block, width)
    heads = [
        header(name, size).split("\n") for name, size in zip(block.columns, widths, strict=True)
    ]
    height = max(map(len, heads))
    heads = [[""] * (height - len(head)) + head for head in heads]
    lines = _row(heads, widths, block.numeric, [""] * len(widths), color=color)
    lines.append(f" {'─' * (sum(widths) + BETWEEN * (len(widths) - 1))}")
    for row in block.rows:
        cells = [
            [cell] if stays else wrapped(cell, size, least=1)
            for cell, size, stays in zip(row, widths, whole, strict=True)
        ]
        leading = _BOLD if label(LEADING) in row[0] else ""
        tones = [tone_of(cell) for cell in row]
        styles = [leading if tone is None else _TONES[tone] for tone in tones]
        lines += _row(cells, widths, block.numeric, styles, color=color)
    notes = (line for note in block.notes for line in wrapped(note, width - 1))
    return [*lines, *(f" {_styled(line, _DIM, color)}" for line in notes)]


def _row(
    cells: list[list[str]],
    widths: list[int],
    numeric: tuple[bool, ...],
    styles: list[str],
    *,
    color: bool,
) -> list[str]:
    lines = []
    for at in range(max(map(len, cells))):
        parts = [
            _styled(_padded(cell[at] if at < len(cell) else "", size, right=right), style, color)
            for cell, size, right, style in zip(cells, widths, numeric, styles, strict=True)
        ]
        lines.append(f" {(' ' * BETWEEN).join(parts)}")
    return lines


def _padded(text: str, size: int, *, right: bool = False) -> str:
    gap = " " * (size - places(text))
    return gap + text.rstrip() if right else text + gap
