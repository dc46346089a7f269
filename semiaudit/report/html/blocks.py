"""The blocks of a view as HTML elements, with the content of text and Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard, assert_never

from semiaudit.report.html.markup import Attributes, Element, element
from semiaudit.report.text.layout import Block, Grid, Head, Lines, Tone, tone_of

MARKS: dict[Tone, str] = {"good": "✓", "bad": "✕", "warning": "!", "plain": "–", "number": "–"}
"""The mark before a verdict, so that color is not the only signal."""

_EXPONENT = re.compile(r"\de-\d")
_SHORT, _LONG = 32, 64
"""The most characters of a cell on one line, if it has a number with an exponent; and of a cell of
sentences."""


def block_of(block: Block, *, titled: bool = True) -> Element:
    """Return a block with its title: the caption of a table, or a heading of the third level."""
    match block:
        case Head():
            return head(block)
        case Lines():
            title = element("h3", {}, block.title) if titled else ()
            return element("div", {"class": "block"}, title, lines(block))
        case Grid():
            return element("div", {"class": "block"}, grid(block, titled=titled))
        case _:
            assert_never(block)


def bare(block: Block) -> Element:
    """Return a block whose title is above it already."""
    return block_of(block, titled=False)


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


def grid(block: Grid, *, titled: bool = True) -> Element:
    """Return a table and its notes."""
    first = (0, *(place for place in block.decisive if place))
    order = [*first, *(place for place in range(len(block.columns)) if place not in first)]
    names = [_header(block.columns[place], block.numeric[place]) for place in order]
    rows = [
        element("tr", {}, [_cell(row[p], right=block.numeric[p], head=not p) for p in order])
        for row in block.rows
    ]
    return element("div", {}, table(block.title, names, rows, titled=titled), notes(block.notes))


def table(
    caption: str,
    heads: Sequence[Element],
    rows: Sequence[Element],
    *,
    kind: str | None = None,
    titled: bool = True,
) -> Element:
    """Return a table in a frame that scrolls sideways, also by keyboard.

    On a narrow screen, its rows are cards: each cell has the name of its column, and elements name
    their roles, because some browsers do not treat cards as a table.

    Args:
        heads: the cells of its head. rows: each with as many cells.
        kind: its class.
        titled: whether its caption is visible.
    """
    labels = [" ".join(filter(_is_text, cell.children)) for cell in heads]
    body = [
        replace(row, attributes=(*row.attributes, ("role", "row")), children=tuple(
            _with(cell, {"th": "rowheader"}.get(cell.tag, "cell"), name)
            for cell, name in zip(filter(_is_element, row.children), labels, strict=True)
        ))
        for row in rows
    ]  # fmt: skip
    shown = element(
        "table",
        {"class": kind, "role": "table"},
        element("caption", {"class": None if titled else "unseen"}, caption),
        element(
            "thead",
            {"role": "rowgroup"},
            element(
                "tr",
                {"role": "row"},
                [_with(h, "columnheader" if h.tag == "th" else "cell") for h in heads],
            ),
        ),
        element("tbody", {"role": "rowgroup"}, body),
    )
    frame: Attributes = {"class": "scroll", "role": "group", "tabindex": 0, "aria-label": caption}
    return element("div", frame, shown)


def _is_text(child: Element | str) -> TypeGuard[str]:
    return isinstance(child, str)


def _is_element(child: Element | str) -> TypeGuard[Element]:
    return isinstance(child, Element)


def _with(cell: Element, role: str, name: str = "") -> Element:
    more = [("role", role), *([("data-label", name)] if name else [])]
    return replace(cell, attributes=(*cell.attributes, *more))


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
