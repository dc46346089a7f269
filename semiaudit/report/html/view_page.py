"""The page of an answer without its own page: its view, in the common design."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from semiaudit.report.html.addresses import shown_paths
from semiaudit.report.html.blocks import bare
from semiaudit.report.html.frame import page, part, verdict
from semiaudit.report.text.layout import Block, Grid, Head, Lines, View


def view_page(kind: str, view: View) -> str:
    """Return the page: the answer first, with the first block; then every other block.

    Args:
        kind: the kind of answer, above the title; it is the heading if the title is the answer.
    """
    view = _without_folders(view)
    first, *others = view.blocks
    above, heading, answer = kind, view.title, view.verdict
    if not answer:
        above, heading, answer = "semiaudit", kind, view.title
    card = verdict("plain", answer, bare(first))
    parts = [
        part(f"part-{place}", _title(block), bare(block)) for place, block in enumerate(others, 1)
    ]
    return page(above, heading, view.subtitle, card, parts)


def _title(block: Block) -> str:
    return "Answer" if isinstance(block, Head) else block.title


def _without_folders(view: View) -> View:
    names = {path: shown for path, shown in shown_paths(view.paths).items() if path != shown}

    def renamed(text: str) -> str:
        for path, shown in names.items():
            text = text.replace(path, shown)
        return text

    if not names:
        return view
    blocks = tuple(_mapped(block, renamed) for block in view.blocks)
    return replace(view, subtitle=renamed(view.subtitle), blocks=blocks)


def _mapped(block: Block, change: Callable[[str], str]) -> Block:
    match block:
        case Head():
            items = tuple(replace(said, text=change(said.text)) for said in block.items)
            return replace(block, items=items, path=change(block.path))
        case Lines():
            return replace(block, items=tuple((name, change(text)) for name, text in block.items))
        case Grid():
            rows = tuple(tuple(map(change, row)) for row in block.rows)
            return replace(block, rows=rows, notes=tuple(map(change, block.notes)))
        case _:
            assert_never(block)
