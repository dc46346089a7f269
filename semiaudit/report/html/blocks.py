"""The blocks of a view as HTML elements, with the content of text and Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import assert_never

from semiaudit.report.html.markup import Child, Element, element
from semiaudit.report.text.layout import Block, Grid, Head, Lines, Tone, tone_of

MARKS: dict[Tone, str] = {"good": "✓", "bad": "✕", "warning": "!", "plain": "–", "number": "–"}
"""The mark before a verdict, so that color is not the only signal."""

_EXPONENT = re.compile(r"\de-\d")
_SHORT, _LONG = 32, 64
"""The most characters of a cell on one line, if it has a number with an exponent; and of a cell of
sentences."""


def block_of(block: Block) -> Element:
    """Return a block with its title as a heading of the third level."""
    if isinstance(block, Head):
        return head(block)
    return element("div", {"class": "block"}, element("h3", {}, block.title), _held(block))


def bare(block: Block) -> Element:
    """Return a block without its title, which is above it already."""
    return element("div", {"class": "block"}, _held(block))


def _held(block: Block) -> Element:
    match block:
        case Head():
            return head(block)
        case Lines():
            return lines(block)
        case Grid():
            return grid(block)
        case _:
            assert_never(block)


def head(block: Head) -> Element:
    """Return the answer of a report: every label once, with its entries."""
    entries: list[Element] = []
    for label, said in block.labelled():
        if label:
            entries.append(element("dt", {}, label))
        entries.append(element("dd", {"class": f"tone-{said.tone}"}, said.text))
    return element("dl", {"class": "answer"}, entries)


def lines(block: Lines) -> Element:
    """Return a list of sentences; with labels, a description list."""
    if not any(label for label, _ in block.items):
        return element("div", {}, [element("p", {}, text) for _, text in block.items])
    entries: list[Element] = []
    before = ""
    for label, text in block.items:
        if (label and label != before) or not entries:
            entries.append(element("dt", {}, label or "also"))
        before = label or before
        entries.append(element("dd", {}, text))
    return element("dl", {"class": "lines"}, entries)


def grid(block: Grid) -> Element:
    """Return a table in a frame that scrolls if it is too wide, and its notes."""
    first = (0, *(place for place in block.decisive if place))
    order = [*first, *(place for place in range(len(block.columns)) if place not in first)]
    names = [_header(block.columns[place], block.numeric[place]) for place in order]
    rows = [
        element("tr", {}, [_cell(row[p], right=block.numeric[p], head=not p) for p in order])
        for row in block.rows
    ]
    table = element(
        "table",
        {},
        element("thead", {}, element("tr", {}, names)),
        element("tbody", {}, rows),
    )
    return element("div", {}, scrolling(block.title, table), notes(block.notes))


def scrolling(title: str, *children: Child) -> Element:
    """Return a frame that scrolls sideways, also by keyboard."""
    return element(
        "div",
        {"class": "scroll", "role": "group", "tabindex": 0, "aria-label": title},
        *children,
    )


def notes(texts: Sequence[str]) -> list[Element]:
    """Return sentences below a table or a figure."""
    return [element("p", {"class": "note"}, text) for text in texts]


def _header(name: str, right: bool) -> Element:
    kind = "number" if right else None
    if not name:
        return element("td", {"class": kind})
    return element("th", {"scope": "col", "class": kind}, name)


def _cell(text: str, *, right: bool, head: bool) -> Element:
    kind = "number" if right else " ".join([*_tone(text), *_width(text)]) or None
    if head:
        return element("th", {"scope": "row", "class": kind}, text)
    return element("td", {"class": kind}, text)


def _tone(text: str) -> list[str]:
    tone = tone_of(text)
    return [] if tone is None else [f"tone-{tone}"]


def _width(text: str) -> list[str]:
    """Return the class of a cell whose words need room: browsers break 1e-6 after its minus."""
    if len(text) < _SHORT:
        return ["whole"] if _EXPONENT.search(text) else []
    return ["long"] if len(text) > _LONG else []
