"""The view of an ablation: a row for each part of the invariants."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from semiaudit.commands.ablate.costs import NOTHING, costs_text
from semiaudit.commands.ablate.model import Ablated, Variant
from semiaudit.commands.ablate.words import (
    SMALLER,
    a_t_text,
    changes_text,
    disclosed_text,
    name_of,
    variant_name,
)
from semiaudit.model.bound import Bound
from semiaudit.model.frameworks import LEADING
from semiaudit.model.guarantee import NO_NUMBERS, Numbers
from semiaudit.model.labels import label
from semiaudit.model.number_text import bound_text
from semiaudit.report.blocks.conclusion import draft_sentence
from semiaudit.report.blocks.epsilon_tables import named_epsilon_grids
from semiaudit.report.text.layout import Block, Grid, Lines, View, heading
from semiaudit.version import __version__

PUBLISHED = "published"
NONE = "none"

RISES = (
    "More invariants can raise a(t): if one record changes, more other records must change too. "
    "The numbers of a declared guarantee grow with a(t). For noise on a query, the privacy loss "
    "can still be smaller, because the query changes less inside the smaller Dₜ."
)
FALLS = (
    "More invariants can also lower a(t): a joint table combines attributes that separate margins "
    "do not. Dₜ is then smaller, and more is disclosed."
)


def view_of(ablation: Ablated) -> View:
    """Arrange an ablation: the invariants, a(t) and the effective guarantee, the disclosures."""
    blocks: list[Block | None] = [
        Lines("Answer", tuple(("", text) for text in _answer(ablation))),
        _changes(ablation),
        _costs(ablation),
        _invariants(ablation),
        *named_epsilon_grids(PUBLISHED, _named(ablation), label(LEADING)),
        _disclosed(ablation),
        _refused(ablation),
        _budgets(ablation),
    ]
    late = heading(ablation.incomplete_because)
    subtitle = f"{ablation.path} · what each invariant costs · semiaudit {__version__}{late}"
    return View(ablation.title, subtitle, tuple(block for block in blocks if block is not None))


def _answer(ablation: Ablated) -> list[str]:
    draft = draft_sentence(ablation.placeholder)
    return [draft, *costs_text(ablation)] if draft else costs_text(ablation)


def _invariants(ablation: Ablated) -> Lines:
    items = tuple((name_of(place), text) for place, text in enumerate(ablation.invariants))
    return Lines("Invariants (published exactly)", items or (("", NOTHING),))


def _named(ablation: Ablated) -> list[tuple[str, Numbers]]:
    return [
        (variant_name(variant), variant.row.numbers)
        for variant in ablation.variants
        if variant.row is not None and not variant.row.guarantee.refused
    ]


def _costs(ablation: Ablated) -> Grid:
    measures: list[tuple[str, Callable[[Numbers], Bound | None]]] = [
        ("ρ", lambda n: n.zcdp),
        ("μ", lambda n: n.gdp),
        ("ε at δ = 0", lambda n: n.pure_dp),
        ("advantage", lambda n: n.advantage),
    ]
    numbers = [_numbers(variant) for variant in ablation.variants]
    shown = [m for m in measures if any(m[1](n) is not None for n in numbers)]
    distances = [_distance(variant) for variant in ablation.variants]
    own = [a_t_text(variant) for variant in ablation.variants]
    apart = any(d not in ("-", a) for d, a in zip(distances, own, strict=True))
    rows = tuple(
        (
            variant_name(variant),
            a_t,
            *([distance] if apart else []),
            *(_value(measure(known)) for _, measure in shown),
        )
        for variant, a_t, distance, known in zip(
            ablation.variants, own, distances, numbers, strict=True
        )
    )
    columns = (PUBLISHED, "a(t)", *(["distance"] if apart else []), *(name for name, _ in shown))
    numeric = (False, *(True for _ in columns[1:]))
    notes = [_subtitle(ablation), *_not_joint(ablation)]
    cut = [variant_name(variant) for variant in ablation.variants if not variant.complete]
    if cut:
        notes.append(f"Incomplete, so the numbers are looser: {', '.join(cut)}.")
    title = "Effective guarantee with and without each invariant"
    return Grid(title, columns, rows, numeric, tuple(notes))


def _subtitle(ablation: Ablated) -> str:
    semi = next(v.semi_adjacency for v in ablation.variants if v.semi_adjacency is not None)
    return (
        f"{label(LEADING)}, between datasets that agree on the invariants, up to a(t) "
        f"({label(semi.metric)}, {label(semi.reading)}). Upper bounds, rounded up."
    )


def _not_joint(ablation: Ablated) -> Iterator[str]:
    of = [v.semi_adjacency.own for v in ablation.variants if v.semi_adjacency is not None]
    reasons = {own.covered: own.not_joint for own in of if own is not None}
    for covered, why in reasons.items():
        yield f"If a(t) is not known, the distance is that of {covered}; {why}."


def _numbers(variant: Variant) -> Numbers:
    return NO_NUMBERS if variant.row is None else variant.row.numbers


def _distance(variant: Variant) -> str:
    distance = None if variant.row is None else variant.row.guarantee.distance
    return "-" if distance is None else str(distance)


def _changes(ablation: Ablated) -> Lines | None:
    if len(ablation.variants) < 2:
        return None
    items = [("", f"{text}.") for text in changes_text(ablation)]
    directions = {change.rises for change in ablation.changes}
    items += [("", text) for rises, text in ((True, RISES), (False, FALLS)) if rises in directions]
    if not items:
        items = [("", "No invariant is known to change a(t), with the others or by itself.")]
    if SMALLER not in costs_text(ablation):
        items.append(("", SMALLER))
    return Lines("How each invariant changes a(t)", tuple(items))


def _disclosed(ablation: Ablated) -> Grid | None:
    rows = tuple(_disclosures(ablation))
    if not any(row[0] != NONE for row in rows):
        return None
    columns: tuple[str, ...] = (PUBLISHED, "cells fixed", "of", "whole table public", "in addition")
    if not any(row[-1] for row in rows):
        columns, rows = columns[:-1], tuple(row[:-1] for row in rows)
    notes = ("What the invariants disclose by themselves, whatever the noise.",)
    numeric = (False, True, True, False, False)[: len(columns)]
    return Grid("What is disclosed", columns, rows, numeric, notes, breaks=True)


def _disclosures(ablation: Ablated) -> Iterator[tuple[str, ...]]:
    for variant in ablation.variants:
        disclosed = variant.disclosed
        if disclosed is None or (disclosed.forced_cells, disclosed.table_is_public) == (None, None):
            continue
        public = {True: "yes", False: "no", None: "-"}[disclosed.table_is_public]
        fixed, cells = disclosed.forced_cells, disclosed.cells
        yield (
            variant_name(variant),
            "-" if fixed is None else str(fixed),
            "-" if cells is None else str(cells),
            public,
            disclosed_text(disclosed),
        )


def _refused(ablation: Ablated) -> Lines | None:
    reasons = [
        (variant_name(v), v.refused or (v.row.guarantee.refused if v.row else ""))
        for v in ablation.variants
    ]
    items = tuple((name, reason) for name, reason in reasons if reason)
    return Lines("Without an effective guarantee", items) if items else None


def _budgets(ablation: Ablated) -> Lines | None:
    if not ablation.budgets:
        return None
    number = f"{ablation.budgets} budget{'s' * (ablation.budgets != 1)}"
    note = f"The spec has {number}, which this command ignores; use `semiaudit check`."
    return Lines("Budgets", (("", note),))


def _value(bound: Bound | None) -> str:
    return "-" if bound is None else bound_text(bound)
