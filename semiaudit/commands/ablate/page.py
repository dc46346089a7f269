"""The page of an ablation: the effect of each invariant, as bars, curves and tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from semiaudit.commands.ablate.model import Ablated
from semiaudit.commands.ablate.view import a_t_text, changes_text, costs_text, view_of
from semiaudit.model.bound import Bound, exact, upper
from semiaudit.model.guarantee import Numbers
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.html.addresses import shown_paths
from semiaudit.report.html.bars import Bar, bars
from semiaudit.report.html.blocks import block_of
from semiaudit.report.html.curve_figures import curves_part
from semiaudit.report.html.frame import page, part, verdict
from semiaudit.report.html.markup import Element, element
from semiaudit.report.text.layout import Layout

_AT = "a(t) by the definition in use; the upper bound if it is an interval."
_OF = "Of the effective guarantee; upper bounds. A smaller number is not a reason to publish more."


def page_of(ablation: Ablated, layout: Layout) -> str:
    """Return the page: changes first, then bars and curves, then the tables of the text."""
    ablation = replace(ablation, path=shown_paths([ablation.path])[ablation.path])
    view = view_of(ablation)
    named = {str(place): v.name for place, v in enumerate(ablation.variants)}
    parts = [
        part("costs", "What each invariant costs", "Costs", *_bars(ablation)),
        curves_part(ablation.curves, named, leading=named.get("0", "")),
        part("tables", "All tables", "Tables", *map(block_of, view.blocks)),
    ]
    return page("What each invariant costs", view.title, view.subtitle, _answer(ablation), parts)


def _answer(ablation: Ablated) -> Element:
    first, *others = costs_text(ablation)
    changes = [f"{text}." for text in changes_text(ablation)]
    texts = [*others, *(changes or ["No invariant is known to change a(t)."])]
    return verdict("plain", first, [element("p", {}, text) for text in texts])


def _bars(ablation: Ablated) -> list[Element]:
    deltas = [p.delta for v in ablation.variants for p in v.numbers.approx_dp]
    measures: list[tuple[str, Callable[[Numbers], Bound | None]]] = [
        ("ρ", lambda n: n.zcdp),
        ("μ", lambda n: n.own_gdp),
        ("ε at δ = 0", lambda n: n.pure_dp),
    ]
    if deltas:
        most = max(deltas)
        at = rational_text(most)
        measures.append(
            (f"ε at δ = {at}", lambda n: {p.delta: p.epsilon for p in n.tightest}.get(most))
        )
    drawn = [
        bars("a(t) of each part of the invariants", "published", "a(t)", _distances(ablation), _AT)
    ]
    for name, number in measures:
        listed = [
            Bar(v.name, number(v.numbers),
                "refused" if v.refused else "-", leading=not place)
            for place, v in enumerate(ablation.variants)
        ]  # fmt: skip
        if any(bar.bound is not None for bar in listed):
            drawn.append(bars(f"{name} of each part", "published", name, listed, _OF))
    return drawn


def _distances(ablation: Ablated) -> list[Bar]:
    listed = []
    for place, variant in enumerate(ablation.variants):
        semi = variant.semi_adjacency
        most = None if semi is None else semi.chosen.upper
        end = None
        if most is not None and semi is not None:
            known = semi.chosen.lower == most
            end = exact(most, "", "") if known else upper(most, "", "")
        why = a_t_text(variant)
        listed.append(Bar(variant.name, end, why, leading=not place))
    return listed
