"""Published numbers beside ours, arranged for reading: a table for each entry."""

from __future__ import annotations

from semiaudit.model.reproduction import Entry, Reproduced, Reproduction
from semiaudit.report.layout import Grid, Lines, View
from semiaudit.report.reproduction_words import (
    BASES,
    NOT_PROVEN,
    ours_text,
    side_text,
    summary_text,
    verdict_text,
)
from semiaudit.version import __version__

COLUMNS = ("what", "published", "ours", "ours is", "verdict")


def reproduction_view(found: Reproduction) -> View:
    """Arrange a reproduction: how many agree, then every entry."""
    head = Lines("How many agree", (("", f"{summary_text(found)}."), ("", NOT_PROVEN)))
    grids = (_grid(entry) for entry in found.entries)
    title = "Published numbers, and ours"
    return View(title, f"semiaudit {__version__}", (head, *grids))


def _grid(entry: Entry) -> Grid:
    rows = tuple(map(_row, entry.results))
    numeric = (False, True, True, False, False)
    notes = (f"{entry.source}.", *entry.notes)
    return Grid(f"{entry.name}: {entry.title}", COLUMNS, rows, numeric, notes)


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
