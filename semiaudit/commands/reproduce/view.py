"""Published numbers beside ours, arranged for reading: a table for each entry."""

from __future__ import annotations

from dataclasses import replace

from semiaudit.commands.reproduce.model import Reproduced, Reproduction, ReproductionEntry
from semiaudit.commands.reproduce.words import (
    BASES,
    LATE,
    NOT_PROVEN,
    ours_text,
    side_text,
    summary_text,
    verdict_text,
)
from semiaudit.report.text.layout import Grid, Layout, Lines, View
from semiaudit.report.text.terminal import for_terminal
from semiaudit.version import __version__

COLUMNS = ("what", "published", "ours", "ours is", "verdict")


HEADING = View("Published numbers, and ours", f"semiaudit {__version__}", ())


def view_of(reproduction: Reproduction) -> View:
    """Arrange a reproduction: every entry, then how many results agree."""
    grids = (_grid(entry) for entry in reproduction.entries)
    return replace(HEADING, blocks=(*grids, _summary(reproduction)))


def heading_text(layout: Layout) -> str:
    """The first lines of the text."""
    return for_terminal(HEADING, layout)


def entry_text(entry: ReproductionEntry, layout: Layout) -> str:
    """The part of the text on one entry, which can be printed before the others are known."""
    return _part(_grid(entry), layout)


def closing_text(reproduction: Reproduction, layout: Layout) -> str:
    """The last lines of the text."""
    return _part(_summary(reproduction), layout)


def _part(block: Grid | Lines, layout: Layout) -> str:
    text = for_terminal(replace(HEADING, blocks=(block,)), layout)
    return text.removeprefix(heading_text(layout))


def _summary(reproduction: Reproduction) -> Lines:
    left = () if reproduction.complete else (("", LATE),)
    return Lines(
        "How many agree", (*left, ("", f"{summary_text(reproduction)}."), ("", NOT_PROVEN))
    )


def _grid(entry: ReproductionEntry) -> Grid:
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
