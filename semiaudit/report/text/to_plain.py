"""The view as plain text if nothing must be fitted: the result of ``to_table`` without styles.

Half of the printing time of a small audit is rich: its import, and its computation of column
widths. If no cell must fold and every character is one place wide, there is nothing to compute.
tests/report/text/test_to_plain.py proves that both ways give the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import assert_never

from semiaudit.report.text.layout import HEAD_LABELS, LABEL_WIDTH, Grid, Head, Lines, View
from semiaudit.report.text.wrapping import NARROW, header, least, natural, rigid, taken, wrapped

_WORD = re.compile(r" *[^ ]+ *")


def to_plain(view: View, *, width: int) -> str | None:
    """Render a view without styles; None if ``to_table`` is needed to fit it into the width."""
    if not all(map(NARROW.fullmatch, _texts(view))):
        return None
    lines = _paragraph(view.title, width)
    lines += _paragraph(view.subtitle, width)
    for block in view.blocks:
        lines.append("")
        match block:
            case Head():
                lines += _head(block, width)
            case Lines():
                lines += _lines(block, width)
            case Grid():
                table = _grid(block, width) if block.rows else None
                if table is None:
                    return None
                lines += table
            case _:
                assert_never(block)
    return "\n".join(lines) + "\n" if all(len(line) <= width for line in lines) else None


def _texts(view: View) -> Iterator[str]:
    yield from (view.title, view.subtitle)
    for block in view.blocks:
        match block:
            case Head():
                yield from chain.from_iterable((said.label, said.text) for said in block.items)
            case Lines():
                yield block.title
                yield from chain.from_iterable(block.items)
                yield from chain.from_iterable(quote for _, quote in block.quotes)
            case Grid():
                yield block.title
                yield from chain(block.columns, *block.rows, block.notes)
            case _:
                assert_never(block)


def _paragraph(text: str, width: int, indent: str = "") -> list[str]:
    lines, room = [""], width - len(indent)
    for word in _WORD.findall(text):
        if lines[-1] and len(lines[-1]) + len(word.rstrip()) > room:
            lines.append("")
        lines[-1] += word
    return [(indent + line).rstrip() for line in lines]


def _head(block: Head, width: int) -> list[str]:
    lines = []
    for label, said in block.labelled():
        first, *others = wrapped(said.text, width - HEAD_LABELS)
        lines.append((f" {label}".ljust(HEAD_LABELS) + first).rstrip())
        lines += [" " * HEAD_LABELS + line for line in others]
    return lines


def _lines(block: Lines, width: int) -> list[str]:
    lines = _paragraph(block.title, width)
    if not any(label for label, _ in block.items):
        return lines + [line for _, text in block.items for line in _paragraph(text, width, " ")]
    indent = max(LABEL_WIDTH, *(len(label) for label, _ in block.items)) + 3
    quotes: dict[int, tuple[str, ...]] = dict(block.quotes)
    for place, (label, text) in enumerate(block.items):
        first, *others = [*wrapped(text, width - indent), *quotes.get(place, ())]
        lines.append((f" {label}".ljust(indent) + first).rstrip())
        lines += [" " * indent + line for line in others]
    return lines


def _grid(block: Grid, width: int) -> list[str] | None:
    """Return a table whose columns have their natural widths, or in which only headers fold."""
    widths = natural(block)
    if taken(widths) > width:
        widths = least(block, width)
        if not all(rigid(block, width)) or taken(widths) > width:
            return None
    heads = [
        header(name, places).split("\n") for name, places in zip(block.columns, widths, strict=True)
    ]
    height = max(map(len, heads))
    top = zip(*([""] * (height - len(head)) + head for head in heads), strict=True)
    rows = [
        "   ".join(
            cell.rstrip().rjust(places) if numeric else cell.ljust(places)
            for cell, places, numeric in zip(row, widths, block.numeric, strict=True)
        )
        for row in (*top, *block.rows)
    ]
    rule = "─" * len(rows[0])
    lines = _paragraph(block.title, width)
    lines += [f" {line}".rstrip() for line in (*rows[:height], rule, *rows[height:])]
    return lines + [line for note in block.notes for line in _paragraph(note, width, " ")]
