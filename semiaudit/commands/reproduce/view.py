"""Published numbers beside ours, arranged for reading: a table for each entry."""

from __future__ import annotations

from dataclasses import replace

from semiaudit.commands.reproduce.model import Entry, Reproduced, Reproduction
from semiaudit.commands.reproduce.words import (
    BASES,
    LATE,
    NOT_PROVEN,
    ours_text,
    side_text,
    summary_text,
    verdict_text,
)
from semiaudit.report.layout import Grid, Layout, Lines, View
from semiaudit.report.terminal import for_terminal
from semiaudit.version import __version__

COLUMNS = ("what", "published", "ours", "ours is", "verdict")


HEADING = View("Published numbers, and ours", f"semiaudit {__version__}", ())


def view_of(found: Reproduction) -> View:
    """Arrange a reproduction: every entry, then how many results agree."""
    grids = (_grid(entry) for entry in found.entries)
    return replace(HEADING, blocks=(*grids, _summary(found)))


def heading_text(layout: Layout) -> str:
    """The first lines of the text."""
    return for_terminal(HEADING, layout)


def entry_text(entry: Entry, layout: Layout) -> str:
    """The part of the text on one entry, which can be printed before the others are known."""
    return _part(_grid(entry), layout)


def closing_text(found: Reproduction, layout: Layout) -> str:
    """The last lines of the text."""
    return _part(_summary(found), layout)


def _part(block: Grid | Lines, layout: Layout) -> str:
    text = for_terminal(replace(HEADING, blocks=(block,)), layout)
    return text.removeprefix(heading_text(layout))


def _summary(found: Reproduction) -> Lines:
    left = () if found.complete else (("", LATE),)
    return Lines("How many agree", (*left, ("", f"{summary_text(found)}."), ("", NOT_PROVEN)))


def _grid(entry: Entry) -> Grid:
    rows = tuple(map(_row, entry.results))
    numeric = (False, True, True, False, False)
    notes = (f"{entry.source}.", *entry.notes)
    return Grid(f"{entry.name}: {entry.title}", COLUMNS, rows, numeric, notes, breaks=True)


def _row(result: Reproduced) -> tuple[str, ...]:
    published = result.published
    basis = "" if published.basis == "printed" else f", {BASES[published.basis]}"
    return (
        f"{published.what} ({published.place}{basis})",
        published.text,
        ours_text(result),
        side_text(result.ours),
        verdict_text(result),
    )
