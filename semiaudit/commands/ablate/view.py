"""The view of an ablation: a row for each part of the invariants."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from semiaudit.commands.ablate.model import Ablated, ParameterChange, Variant, by_reason, name_of
from semiaudit.model.bound import Bound
from semiaudit.model.frameworks import LEADING
from semiaudit.model.guarantee import NO_NUMBERS, Numbers
from semiaudit.model.labels import label
from semiaudit.model.number_text import bound_text
from semiaudit.model.semi_adjacency import Disclosed
from semiaudit.report.blocks.conclusion import draft_sentence
from semiaudit.report.blocks.epsilon_tables import named_epsilon_grids
from semiaudit.report.blocks.growth import Compared, compared, factor_text, is_finite
from semiaudit.report.blocks.universe_view import interval_text
from semiaudit.report.text.layout import Block, Grid, Lines, View, heading
from semiaudit.version import __version__

SMALLER = (
    "A smaller a(t), or a smaller number, is not a reason to publish more: fewer datasets agree on "
    "the invariants, and nothing protects what the invariants disclose by themselves."
)

NOTHING = "Nothing is published exactly, so there is no invariant to leave out."

_NAMED = 3
"""The most invariants with the same effect that a sentence names; more are counted."""

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
    return [(v.name, v.numbers) for v in ablation.variants if v.numbers is not NO_NUMBERS]


def _was_cut(variant: Variant) -> bool:
    return "time" in variant.incomplete_because and variant.numbers is NO_NUMBERS


def _costs(ablation: Ablated) -> Grid:
    measures: list[tuple[str, Callable[[Numbers], Bound | None]]] = [
        ("ρ", lambda n: n.zcdp),
        ("μ", lambda n: n.gdp),
        ("ε at δ = 0", lambda n: n.pure_dp),
        ("advantage", lambda n: n.advantage),
    ]
    # What the time did not suffice for is in one line, with the reason.
    variants = [v for v in ablation.variants if v.kind == "all" or not _was_cut(v)]
    numbers = [variant.numbers for variant in variants]
    shown = [m for m in measures if any(m[1](n) is not None for n in numbers)]
    distances = [_distance(variant) for variant in variants]
    own = [a_t_text(variant) for variant in variants]
    apart = any(d not in ("-", a) for d, a in zip(distances, own, strict=True))
    rows = tuple(
        (
            variant.name,
            a_t,
            *([distance] if apart else []),
            *(_value(measure(known)) for _, measure in shown),
        )
        for variant, a_t, distance, known in zip(variants, own, distances, numbers, strict=True)
    )
    columns = (PUBLISHED, "a(t)", *(["distance"] if apart else []), *(name for name, _ in shown))
    numeric = (False, *(True for _ in columns[1:]))
    notes = [_subtitle(ablation), *_not_joint(ablation)]
    cut = [variant.name for variant in variants if not variant.complete]
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
            variant.name,
            "-" if fixed is None else str(fixed),
            "-" if cells is None else str(cells),
            public,
            disclosed_text(disclosed),
        )


def _refused(ablation: Ablated) -> Lines | None:
    items = by_reason(
        (v.name, v.refused or (v.row.guarantee.refused if v.row else "")) for v in ablation.variants
    )
    # Many names are too long for a column.
    lines = tuple(("", f"{name}: {why}") if "," in name else (name, why) for name, why in items)
    return Lines("Without an effective guarantee", lines) if lines else None


def _budgets(ablation: Ablated) -> Lines | None:
    if not ablation.budgets:
        return None
    number = f"{ablation.budgets} budget{'s' * (ablation.budgets != 1)}"
    note = f"The spec has {number}, which this command ignores; use `semiaudit check`."
    return Lines("Budgets", (("", note),))


def _value(bound: Bound | None) -> str:
    return "-" if bound is None else bound_text(bound)


def costs_text(ablation: Ablated) -> list[str]:
    """Return which invariant raises the number most, by what factor, and what all do together."""
    if not ablation.invariants:
        return [NOTHING]
    everything = ablation.variants[0]
    if everything.numbers is NO_NUMBERS:
        return ["No effective guarantee is proven with all invariants."]
    said = [*_largest(ablation, everything), *_together(ablation, everything)]
    return [*said, *_each(ablation, everything), *([SMALLER] if _lowers(ablation) else [])]


def _each(ablation: Ablated, everything: Variant) -> Iterator[str]:
    if len(ablation.invariants) != 2:
        return
    parts = {"none": "neither", "all": "both"}
    texts, symbol = [], ""
    alone = [variant for variant in ablation.variants if variant.kind == "only"]
    for variant in (ablation.variants[-1], *alone, everything):
        cost = _compared(variant, everything)
        if cost is None:
            return
        symbol = f"{cost.symbol}{cost.at}"
        name = "" if variant.which is None else f"{name_of(variant.which)} alone"
        texts.append(f"{cost.texts[0]} with {parts.get(variant.kind, name)}")
    yield f"{symbol}: {', '.join(texts)}."


def _lowers(ablation: Ablated) -> bool:
    everything = ablation.variants[0]
    costs = (_compared(variant, everything) for variant in ablation.variants[1:])
    return any(cost is not None and _factor(cost) < 1 for cost in costs)


def _largest(ablation: Ablated, everything: Variant) -> Iterator[str]:
    without = [variant for variant in ablation.variants if variant.kind == "without"]
    costs = [
        (variant.which, cost)
        for variant in without
        if variant.which is not None and (cost := _compared(variant, everything)) is not None
    ]
    if not costs:
        if all(variant.numbers is NO_NUMBERS for variant in without):
            yield "An effective guarantee is proven only with all invariants."
        return
    most = max(_factor(cost) for _, cost in costs)
    names = [place for place, cost in costs if _factor(cost) == most]
    cost = next(cost for _, cost in costs if _factor(cost) == most)
    alone = len(ablation.invariants) == 1
    if alone or most > 1:
        verb = _verb(most, several=len(names) > 1)
        how = " most:" if len(names) < len(ablation.invariants) and most > 1 else ""
        named = _names(ablation, names)
        yield f"{named if alone else f'Added to the others, {named}'} {_change(cost, verb, how)}."
    else:
        number = f"{cost.symbol} is {cost.texts[1]}{cost.at} with all of them"
        yield f"No invariant raises {cost.symbol} if it is added to the others: {number}."
    if not alone:
        yield from _lowered(ablation, costs)


def _lowered(ablation: Ablated, costs: Sequence[tuple[int, Compared]]) -> Iterator[str]:
    least = min(_factor(cost) for _, cost in costs)
    if least < 1:
        lowering = [(place, cost) for place, cost in costs if _factor(cost) == least]
        names, cost = [place for place, _ in lowering], lowering[0][1]
        change = _change(cost, _verb(least, several=len(names) > 1))
        yield f"Added to the others, {_names(ablation, names)} {change}."


def _together(ablation: Ablated, everything: Variant) -> Iterator[str]:
    nothing = next(variant for variant in ablation.variants if variant.kind == "none")
    cost = _compared(nothing, everything)
    if len(ablation.invariants) > 1 and cost is not None:
        verb = _verb(_factor(cost), several=True)
        yield f"Together, the invariants {_change(cost, verb)}."


def _verb(factor: Fraction | float, *, several: bool) -> str:
    if factor == 1:
        return "do not change" if several else "does not change"
    return ("raise" if factor > 1 else "lower") + "s" * (not several)


def _change(cost: Compared, verb: str, how: str = "") -> str:
    before, after = cost.texts
    if cost.is_the_same:
        return f"{verb} {cost.symbol}, which is {after}{cost.at}"
    return f"{verb} {cost.symbol}{cost.at}{how} from {before} to {after}{factor_text(cost.growth)}"


def _compared(fewer: Variant, more: Variant) -> Compared | None:
    deltas = [point.delta for point in more.numbers.tightest]
    largest = max(deltas, default=None)
    first = next(iter(compared(fewer.numbers, more.numbers, largest)), None)
    return first if first is not None and first.before and first.after else None


def _factor(cost: Compared) -> Fraction | float:
    """Return the factor by which the number is larger with all invariants; 1 if it is equal."""
    if cost.is_the_same:
        return 1
    if cost.growth is not None:
        return cost.growth
    return math.inf if is_finite(cost.before) else 0


def _names(ablation: Ablated, places: Sequence[int]) -> str:
    """Name invariants by their short names, a single one with its content; many are counted."""
    if len(places) == 1:
        return f"{name_of(places[0])} ({ablation.invariants[places[0]]})"
    if len(places) > _NAMED:
        return f"{len(places)} invariants each"
    names = [f"{name_of(place)} ({ablation.invariants[place]})" for place in places]
    return f"{listed(names)} each"


def changes_text(ablation: Ablated) -> list[str]:
    """Say which invariants change a(t), added to which, and how: one sentence for equal changes."""
    names_by_effect: dict[tuple[str, str], list[str]] = {}
    for change in ablation.changes:
        added, effect = _change_words(change)
        names_by_effect.setdefault(effect, []).append(added)
    return [
        f"{listed(names)} {'each ' if len(names) > 1 else ''}"
        f"{verb if len(names) > 1 else f'{verb}s'} a(t) {rest}"
        for (verb, rest), names in names_by_effect.items()
    ]


def change_text(change: ParameterChange) -> str:
    """Say which invariant changes a(t), added to which others, from what to what."""
    added, (verb, rest) = _change_words(change)
    return f"{added} {verb}s a(t) {rest}"


def _change_words(change: ParameterChange) -> tuple[str, tuple[str, str]]:
    fewer, more = change.fewer, change.more
    (added,) = set(more.kept) - set(fewer.kept)
    context = "with the others" if fewer.kept else "by itself"
    verb = "raise" if change.rises else "lower"
    return name_of(added), (verb, f"{context}: from {a_t_text(fewer)} to {a_t_text(more)}")


def listed(names: list[str]) -> str:
    """Join names, as in "I1, I2, and I3"."""
    *first, last = names
    comma = "," if len(first) > 1 else ""
    return f"{', '.join(first)}{comma} and {last}" if first else last


def a_t_text(variant: Variant) -> str:
    """Return a(t) by the definition in use; a dash if the variant is refused."""
    semi = variant.semi_adjacency
    return "-" if semi is None else interval_text(semi.chosen)


def disclosed_text(disclosed: Disclosed) -> str:
    """Return the disclosed levels of all records, or of groups; empty if there are none."""
    disclosures = [
        f"everyone has {name} = {level}" for name, level in disclosed.constant_attributes or ()
    ]
    groups = len(disclosed.constant_groups or ())
    if groups:
        disclosures.append(f"{groups} group{'s' if groups > 1 else ''} alike in an attribute")
    return "; ".join(disclosures)
