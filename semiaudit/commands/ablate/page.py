"""The page of an ablation: the effect of each invariant, as curves and tables."""

from __future__ import annotations

from dataclasses import replace

from semiaudit.commands.ablate.figures import figures_of
from semiaudit.commands.ablate.model import Ablated
from semiaudit.commands.ablate.view import costs_text, view_of
from semiaudit.report.html.addresses import shown_paths
from semiaudit.report.html.blocks import block_of
from semiaudit.report.html.curve_figures import figures_of_page
from semiaudit.report.html.frame import page, part, verdict
from semiaudit.report.html.markup import Element, element
from semiaudit.report.text.layout import Layout


def page_of(ablation: Ablated, layout: Layout) -> str:
    """Return the page: changes first, then curves, then the tables of the text."""
    ablation = replace(ablation, path=shown_paths([ablation.path])[ablation.path])
    view = view_of(ablation)
    parts = [
        part("curves", "Curves", *figures_of_page(figures_of(ablation))),
        part("tables", "Tables", *map(block_of, view.blocks)),
    ]
    return page("What each invariant costs", view.title, view.subtitle, _answer(ablation), parts)


def _answer(ablation: Ablated) -> Element:
    first, *others = costs_text(ablation)
    return verdict("plain", first, [element("p", {}, text) for text in others])
