"""Fit a report to a width: no table is wider than it, and no text is cut."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import assert_never

from semiaudit.report.text.layout import Block, Grid, Head, Lines, View
from semiaudit.report.text.shield import shielded
from semiaudit.report.text.wrapping import split

LEAST_WIDTH = 80
"""The least width for lines of a spec."""

_COMMAND = re.compile(r"(^|\s):(?=:)")


def fitted(view: View, width: int) -> View:
    """Return the view with tables that fit into the width, without hidden characters."""
    blocks: list[Block] = []
    for block in map(_seen_block, view.blocks):
        if isinstance(block, Lines) and width < LEAST_WIDTH:
            blocks.append(replace(block, quotes=()))
        else:
            blocks += split(block, width) if isinstance(block, Grid) else [block]
    return View(_seen(view.title), _seen(view.subtitle), tuple(blocks))


def _seen(text: str) -> str:
    return _COMMAND.sub(r"\1: ", shielded(text))


def _all_seen(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_seen, texts))


def _seen_block(block: Block) -> Block:
    match block:
        case Head():
            items = (replace(s, text=_seen(s.text)) for s in block.items)
            return replace(block, items=tuple(items), path=_seen(block.path))
        case Lines():
            items_seen = tuple((_seen(label), _seen(text)) for label, text in block.items)
            quotes = ((at, (_seen(line), caret)) for at, (line, caret) in block.quotes)
            return Lines(_seen(block.title), items_seen, tuple(quotes))
        case Grid():
            return replace(
                block,
                title=_seen(block.title),
                columns=_all_seen(block.columns),
                rows=tuple(map(_all_seen, block.rows)),
                notes=_all_seen(block.notes),
            )
        case _:
            assert_never(block)
