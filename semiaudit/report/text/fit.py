"""Fit a report to a screen: the answer on the first screen, and no table wider than it.

Texts that are shortened on the first screen appear in full further down, or at the end.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import assert_never

from semiaudit.report.text.layout import HEAD_LABELS, Block, Grid, Head, Lines, Said, View
from semiaudit.report.text.shield import shielded
from semiaudit.report.text.wrapping import clipped_path, places, shortened, split, wrapped

SCREEN = 15
"""Lines of the first screen: title, subtitle, a blank line and the head."""

MOST_LINES = 3
"""The most lines of one entry of a head, except for numbers."""

_COMMAND = re.compile(r"(^|\s):(?=:)")


def fitted(view: View, width: int) -> View:
    """Return the view with its head on one screen, and with tables that fit into the width."""
    view = _visible(view)
    title, subtitle = view.title, view.subtitle
    entries: list[tuple[str, str]] = []
    blocks: list[Block] = []
    for block in view.blocks:
        match block:
            case Head():
                items = _on_one_screen(block.items, width)
                spare = SCREEN - 3 - _lines(items, width)
                title = shortened(title, width, 1 + (spare > 0))
                spare -= len(wrapped(title, width)) - 1
                path = _path(block.path, subtitle, width, 1 + (spare > 0))
                subtitle = path + subtitle.removeprefix(block.path)
                entries += [("title", view.title)] * (title != view.title)
                entries += [("path", block.path)] * (path != block.path)
                blocks.append(replace(block, items=items))
            case Grid():
                blocks += split(block, width)
            case Lines():
                blocks.append(block)
            case _:
                assert_never(block)
    blocks += [Lines("In full", tuple(entries))] if entries else []
    return View(title, subtitle, tuple(blocks))


def _on_one_screen(items: tuple[Said, ...], width: int) -> tuple[Said, ...]:
    """Return the entries, shortened so that all of them fit; earlier ones keep more lines."""
    room = width - HEAD_LABELS
    wants = [_wanted(said, room) for said in items]
    limits = [want if said.tone == "number" else 1 for said, want in zip(items, wants, strict=True)]
    spare = SCREEN - 3 - sum(limits)
    for lines in range(2, MOST_LINES + 1):
        for i, want in enumerate(wants):
            if limits[i] == lines - 1 < want and spare > 0:
                limits[i], spare = lines, spare - 1
    return tuple(
        replace(said, text=_text(said, room, lines))
        for said, lines in zip(items, limits, strict=True)
    )


def _path(path: str, subtitle: str, width: int, lines: int) -> str:
    if len(wrapped(subtitle, width)) <= lines:
        return path
    return clipped_path(path, max(width - places(subtitle.removeprefix(path)), 1))


def _lines(items: tuple[Said, ...], width: int) -> int:
    return sum(len(wrapped(said.text, width - HEAD_LABELS)) for said in items)


def _wanted(said: Said, room: int) -> int:
    number = len(wrapped(said.text, room))
    if said.tone == "number" or number <= 2:
        return number
    return min(len(wrapped(said.brief or said.text, room)), MOST_LINES)


def _text(said: Said, room: int, lines: int) -> str:
    if said.tone == "number" or len(wrapped(said.text, room)) <= lines:
        return said.text
    return shortened(said.brief or said.text, room, lines)


def _visible(view: View) -> View:
    return View(_seen(view.title), _seen(view.subtitle), tuple(map(_seen_block, view.blocks)))


def _seen(text: str) -> str:
    return _COMMAND.sub(r"\1: ", shielded(text))


def _all_seen(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_seen, texts))


def _seen_block(block: Block) -> Block:
    match block:
        case Head():
            items = (replace(s, text=_seen(s.text), brief=_seen(s.brief)) for s in block.items)
            return replace(block, items=tuple(items), path=_seen(block.path))
        case Lines():
            items_seen = tuple((_seen(label), _seen(text)) for label, text in block.items)
            return Lines(_seen(block.title), items_seen)
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
