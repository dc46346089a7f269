"""Published and recomputed numbers, arranged for reading: a table for each entry."""

from __future__ import annotations

from dataclasses import replace

from semiaudit.commands.reproduce.model import (
    Estimate,
    Reproduced,
    Reproduction,
    ReproductionEntry,
)
from semiaudit.commands.reproduce.words import (
    BASES,
    LATE,
    NOT_PROVEN,
    VERDICTS,
    ours_text,
)
from semiaudit.model.bound import Bound
from semiaudit.report.renderers import for_terminal
from semiaudit.report.text.layout import Grid, Layout, Lines, View
from semiaudit.version import __version__

COLUMNS = ("what", "published", "ours", "verdict")


NOT_CERTIFIED = "≤ is an upper bound, ≥ a lower bound, and ≈ a number that is not certified."

HEADING = View("Published numbers and recomputed numbers", f"semiaudit {__version__}", ())


def view_of(reproduction: Reproduction) -> View:
    """Arrange a reproduction: every entry, then how many results are equal."""
    grids = (_grid(entry) for entry in reproduction.entries)
    return replace(HEADING, blocks=(*grids, _answer(reproduction)))


def heading_text(layout: Layout) -> str:
    """Return the first lines of the text."""
    return for_terminal(HEADING, layout)


def entry_text(entry: ReproductionEntry, layout: Layout) -> str:
    """Return the text of one entry, which can be printed before the others are known."""
    return _part(_grid(entry), layout)


def closing_text(reproduction: Reproduction, layout: Layout) -> str:
    """Return the last lines of the text."""
    return _part(_answer(reproduction), layout)


def _part(block: Grid | Lines, layout: Layout) -> str:
    text = for_terminal(replace(HEADING, blocks=(block,)), layout)
    return text.removeprefix(heading_text(layout))


def _answer(reproduction: Reproduction) -> Lines:
    late = () if reproduction.complete else (("", LATE),)
    results = reproduction.results
    equal = [result for result in results if result.verdict == "equal"]
    items = [("equal", f"{len(equal)} of {len(results)} published results")]
    for verdict, (name, meaning) in VERDICTS.items():
        others = [result for result in results if result.verdict == verdict]
        if others:
            errata = ", ".join(sorted({r.published.erratum for r in others} - {""}, key=_order))
            items.append((name, f"{len(others)}: {meaning}{f' ({errata})' if errata else ''}"))
    return Lines("Answer", (*late, *items, ("", NOT_CERTIFIED), ("", NOT_PROVEN)))


def _order(erratum: str) -> tuple[int, str]:
    return len(erratum), erratum


def _grid(entry: ReproductionEntry) -> Grid:
    rows = tuple(map(_row, entry.results))
    numeric = (False, True, True, False)
    notes = (f"{entry.source}.", *entry.notes)
    return Grid(f"{entry.name}: {entry.title}", COLUMNS, rows, numeric, notes, breaks=True)


def _row(result: Reproduced) -> tuple[str, ...]:
    published = result.published
    basis = "" if published.basis == "printed" else f", {BASES[published.basis]}"
    return (
        f"{published.what} ({published.place}{basis})",
        published.text,
        f"{_sign(result)}{ours_text(result)}",
        _verdict(result),
    )


def _sign(result: Reproduced) -> str:
    """Return the sign before our number: empty if it is exact or a word."""
    match result.ours:
        case Bound(side="upper"):
            return "≤ "
        case Bound(side="lower"):
            return "≥ "
        case Estimate():
            return "≈ "
        case _:
            return ""


def _verdict(result: Reproduced) -> str:
    erratum = result.published.erratum
    if result.verdict == "equal":
        return f"equal, as fitted: {erratum}" if result.published.basis == "fitted" else "equal"
    return f"{VERDICTS[result.verdict][0]}{f': {erratum}' if erratum else ''}"
