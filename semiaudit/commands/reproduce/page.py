"""The page of a reproduction: published numbers compared with ours, entry by entry."""

from __future__ import annotations

from semiaudit.commands.reproduce.model import Reproduction, ReproductionEntry
from semiaudit.commands.reproduce.view import LATE, NOT_CERTIFIED, NOT_PROVEN, grid_of, summary_text
from semiaudit.model.verdict import FAILED, PASSED
from semiaudit.report.html.blocks import bare, notes
from semiaudit.report.html.curve_figures import figures_of_page
from semiaudit.report.html.frame import PageSection, page, part, verdict
from semiaudit.report.html.markup import element
from semiaudit.report.text.layout import Layout
from semiaudit.version import __version__

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
    below = [
        *late,
        element("p", {}, f"{summary_text(reproduction)}."),
        *notes([NOT_CERTIFIED, NOT_PROVEN]),
    ]
    return page(
        "Reproduction",
        TITLE,
        f"semiaudit {__version__}",
        verdict("bad" if differ else "good", words, below, status=FAILED if differ else PASSED),
        [_entry(entry) for entry in reproduction.entries],
        wide=True,
    )


def _entry(entry: ReproductionEntry) -> PageSection | None:
    table = bare(grid_of(entry))
    return part(entry.name, entry.title, figures_of_page(entry.figures), table)
