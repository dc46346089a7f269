"""The page of a comparison: the order of the releases, curves, and tables."""

from __future__ import annotations

from dataclasses import replace

from semiaudit.commands.compare.figures import figures_of
from semiaudit.commands.compare.model import ON_COMMON_AXES, SideBySide
from semiaudit.commands.compare.view import standing_text, view_of
from semiaudit.model.frameworks import LEADING
from semiaudit.model.labels import label
from semiaudit.report.html.addresses import shown_paths
from semiaudit.report.html.blocks import block_of
from semiaudit.report.html.curve_figures import figures_part
from semiaudit.report.html.frame import page, part, verdict
from semiaudit.report.html.markup import Element, element
from semiaudit.report.text.layout import Layout

_MOST_PAIRS = 6


def page_of(comparison: SideBySide, layout: Layout) -> str:
    """Return the page: the order of the releases, their curves, and the tables of the text."""
    names = shown_paths(release.path for release in comparison.releases)
    releases = tuple(replace(one, path=names[one.path]) for one in comparison.releases)
    comparison = replace(comparison, releases=releases)
    view = view_of(comparison)
    parts = [
        figures_part(figures_of(comparison), "curves", "What an attacker can learn", "Curves"),
        part("tables", "All tables", "Tables", *map(block_of, view.blocks)),
    ]
    return page("Comparison", view.title, view.subtitle, _answer(comparison), parts)


def _answer(comparison: SideBySide) -> Element:
    leading = [standing for standing in comparison.standings if standing.framework == LEADING]
    ordered = [standing for standing in leading if standing.order != "none"]
    words = "No order of the effective guarantees is proven"
    if not any(ON_COMMON_AXES & {*standing.obstacles} for standing in leading):
        words = "The effective guarantees are not comparable"
    if ordered and len(leading) == 1:
        words = "One effective guarantee is stronger"
        if ordered[0].order == "equal":
            words = "The effective guarantees are equal"
    elif ordered:
        words = f"{len(ordered)} of {len(leading)} pairs of effective guarantees are ordered"
    names = [element("dt", {}, release.name) for release in comparison.releases]
    titles = [element("dd", {}, f"{r.title} ({r.path})") for r in comparison.releases]
    paragraphs = [
        element("p", {}, f"{s.first}, {s.second}: {label(LEADING)}: {standing_text(s)}.")
        for s in leading[:_MOST_PAIRS]
    ]
    more = len(leading) - _MOST_PAIRS
    paragraphs += [element("p", {}, f"{more} more pairs are in the tables.")] if more > 0 else []
    pairs = [entry for pair in zip(names, titles, strict=True) for entry in pair]
    return verdict("plain", words, paragraphs, element("dl", {"class": "lines"}, pairs))
