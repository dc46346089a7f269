"""The page of a reproduction: published numbers compared with ours, entry by entry."""

from __future__ import annotations

from semiaudit.commands.reproduce.model import Reproduced, Reproduction, ReproductionEntry
from semiaudit.commands.reproduce.view import (
    BASES,
    LATE,
    NOT_PROVEN,
    method_text,
    ours_text,
    side_text,
    summary_text,
    verdict_text,
)
from semiaudit.model.verdict import FAILED, PASSED
from semiaudit.report.html.blocks import notes, table
from semiaudit.report.html.curve_figures import figures_of_page
from semiaudit.report.html.frame import PageSection, page, part, verdict
from semiaudit.report.html.markup import Element, element
from semiaudit.report.text.layout import Layout
from semiaudit.version import __version__

COLUMNS = ("what", "verdict", "published", "ours", "ours is")
TITLE = "Published and recomputed numbers"


def page_of(reproduction: Reproduction, layout: Layout) -> str:
    """Return the page: whether every result agrees, then figures and a table for each entry."""
    differ = len(reproduction.unexplained)
    words = (
        "Every published number is equal to the recomputed one, or an erratum explains the "
        "difference."
    )
    if differ:
        words = f"{differ} published numbers differ from the recomputed ones, without an erratum."
    late = [] if reproduction.complete else [element("p", {}, LATE)]
    below = [*late, element("p", {}, f"{summary_text(reproduction)}."), *notes([NOT_PROVEN])]
    return page(
        "Reproduction",
        TITLE,
        f"semiaudit {__version__}",
        verdict("bad" if differ else "good", words, below, status=FAILED if differ else PASSED),
        [_entry(entry) for entry in reproduction.entries],
        wide=True,
    )


def _entry(entry: ReproductionEntry) -> PageSection | None:
    drawn = figures_of_page(entry.figures)
    heads = [
        element("th", {"scope": "col", "class": "number" if name in _NUMBERS else None}, name)
        for name in COLUMNS
    ]
    rows = [_row(result) for result in entry.results]
    below = notes([f"{entry.source}.", *entry.notes])
    return part(
        entry.name,
        entry.title,
        entry.title,
        drawn,
        table(entry.title, heads, rows, titled=False),
        below,
    )


_NUMBERS = ("published", "ours")


def _row(result: Reproduced) -> Element:
    published = result.published
    tone = {"differs": "tone-bad", "equal": "tone-good"}.get(result.verdict)
    return element(
        "tr",
        {},
        _cell("th", published.what, f"{published.place}; {BASES[published.basis]}"),
        element("td", {"class": tone}, verdict_text(result)),
        element("td", {"class": "number"}, published.text),
        element("td", {"class": "number"}, ours_text(result)),
        _cell("td", side_text(result.ours), method_text(result.ours)),
    )


def _cell(tag: str, text: str, below: str) -> Element:
    scope = {"scope": "row"} if tag == "th" else {}
    small = element("div", {"class": "minor"}, below) if below else ()
    return element(tag, scope, text, small)
