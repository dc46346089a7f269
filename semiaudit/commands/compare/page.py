"""The page of a comparison: the order of the releases, curves, and tables."""

from __future__ import annotations

from dataclasses import replace

from semiaudit.commands.compare.figures import figures_of
from semiaudit.commands.compare.model import SideBySide
from semiaudit.commands.compare.view import view_of
from semiaudit.report.html.addresses import shown_paths
from semiaudit.report.html.blocks import bare, block_of
from semiaudit.report.html.curve_figures import figures_of_page
from semiaudit.report.html.frame import page, part, verdict
from semiaudit.report.text.layout import Layout


def page_of(comparison: SideBySide, layout: Layout) -> str:
    """Return the page: the order of the releases, their curves, and the tables of the text."""
    names = shown_paths(release.path for release in comparison.releases)
    releases = tuple(replace(one, path=names[one.path]) for one in comparison.releases)
    comparison = replace(comparison, releases=releases)
    view = view_of(comparison)
    named, *others = view.blocks
    parts = [
        part("curves", "Curves", *figures_of_page(figures_of(comparison))),
        part("tables", "Tables", *map(block_of, others)),
    ]
    answer = verdict("plain", view.title, bare(named))
    return page("semiaudit", "Comparison of releases", view.subtitle, answer, parts)
