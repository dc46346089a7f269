"""The view of an ablation: a row for each part of the invariants."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby

from semiaudit.commands.ablate.model import Ablated, ParameterChange, Variant, by_reason, name_of
from semiaudit.model.bound import Bound
from semiaudit.model.frameworks import LEADING
from semiaudit.model.guarantee import NO_NUMBERS, Numbers
from semiaudit.model.labels import label
from semiaudit.model.number_text import bound_text
from semiaudit.model.semi_adjacency import Disclosed
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.conclusion import draft_sentence
from semiaudit.report.blocks.growth import Compared, compared, factor_text, is_finite
from semiaudit.report.blocks.guarantees_table import epsilon_at
from semiaudit.report.blocks.universe_view import interval_text
from semiaudit.report.text.layout import Block, Grid, Lines, View, heading
from semiaudit.version import __version__

SMALLER = (
    "A smaller number is not a reason to publish more: fewer datasets agree on the invariants, "
    "because the invariants already disclose more."
)

NOTHING = "Nothing is published exactly, so there is no invariant to leave out."

_NAMED = 3
"""The most invariants with the same effect that a sentence names; more are counted."""

PUBLISHED = "published"
NONE = "none"


def view_of(ablation: Ablated) -> View:
    """Arrange an ablation: the invariants, a(t) and the effective guarantee, the disclosures."""
    blocks: list[Block | None] = [
        Lines("Answer", tuple(("", text) for text in _answer(ablation))),
        _costs(ablation),
        _invariants(ablation),
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


def _was_cut(variant: Variant) -> bool:
    return "time" in variant.incomplete_because and variant.numbers is NO_NUMBERS


def _costs(ablation: Ablated) -> Grid:
    points = [point for variant in ablation.variants for point in variant.numbers.tightest]
    deltas = sorted({point.delta for point in points}, reverse=True)
    measures: list[tuple[str, Callable[[Numbers], Bound | None]]] = [
        ("ρ", lambda n: n.zcdp),
        ("μ", lambda n: n.gdp),
        ("ε at δ = 0", lambda n: n.pure_dp),
        *((f"ε at δ = {rational_text(delta)}", epsilon_at(delta)) for delta in deltas[:1]),
        ("advantage", lambda n: n.advantage),
    ]
    # What the time did not suffice for is in one line, with the reason.
    variants = [v for v in ablation.variants if v.kind == "all" or not _was_cut(v)]
    numbers = [variant.numbers for variant in variants]
    shown = [m for m in measures if any(m[1](n) is not None for n in numbers)]
    distances = [_distance(variant) for variant in variants]
    own = [a_t_text(variant) for variant in variants]
    apart = any(d not in ("-", a) for d, a in zip(distances, own, strict=True))
    rows = _joined(
        (
            variant,
            (
                a_t,
                *([distance] if apart else []),
                *(_value(measure(known)) for _, measure in shown),
            ),
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


def _joined(rows: Iterable[tuple[Variant, tuple[str, ...]]]) -> tuple[tuple[str, ...], ...]:
    """Return the rows with their names; many single invariants with the same cells share a row."""
    found: list[tuple[str, ...]] = []

    def key(numbered: tuple[int, tuple[Variant, tuple[str, ...]]]) -> object:
        at, (variant, cells) = numbered
        return variant.kind, cells, None if variant.which is None else variant.which - at

    for _, alike in groupby(enumerate(rows), key=key):
        variants, (cells, *_) = zip(*(row for _, row in alike), strict=True)
        first, last = variants[0], variants[-1]
        names = [variant.name for variant in variants]
        if first.which is not None and last.which is not None and len(names) > _NAMED:
            one = f"one of {name_of(first.which)} to {name_of(last.which)}"
            names = [f"all but {one}" if first.kind == "without" else f"{one} only"]
        found += ((name, *cells) for name in names)
    return tuple(found)


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


def _disclosed(ablation: Ablated) -> Grid | None:
    rows = _joined(_disclosures(ablation))
    if not any(row[0] != NONE for row in rows):
        return None
    columns: tuple[str, ...] = (PUBLISHED, "cells fixed", "of", "whole table public", "in addition")
    if not any(row[-1] for row in rows):
        columns, rows = columns[:-1], tuple(row[:-1] for row in rows)
    notes = ("What the invariants disclose by themselves, whatever the noise.",)
    numeric = (False, True, True, False, False)[: len(columns)]
    return Grid("What is disclosed", columns, rows, numeric, notes, breaks=True)


def _disclosures(ablation: Ablated) -> Iterator[tuple[Variant, tuple[str, ...]]]:
    for variant in ablation.variants:
        disclosed = variant.disclosed
        if disclosed is None or (disclosed.forced_cells, disclosed.table_is_public) == (None, None):
            continue
        public = {True: "yes", False: "no", None: "-"}[disclosed.table_is_public]
        fixed, cells = disclosed.forced_cells, disclosed.cells
        yield (
            variant,
            (
                "-" if fixed is None else f"{fixed:,}",
                "-" if cells is None else f"{cells:,}",
                public,
                disclosed_text(disclosed),
            ),
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
    return [*said, *([SMALLER] if _lowers(ablation) else [])]


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
    if len(ablation.invariants) == 1:
        ((place, cost),) = costs
        verb = _verb(_factor(cost), several=False)
        yield f"{_named_one(ablation, place)} {_change(cost, verb)}."
        return
    most = max(_factor(cost) for _, cost in costs)
    if most > 1:
        yield _left_out(ablation, costs, most)
    else:
        cost = costs[0][1]
        number = f"{cost.symbol} is {cost.texts[1]}{cost.at} with all of them"
        yield f"Leaving out a single invariant does not lower {cost.symbol}: {number}."
    least = min(_factor(cost) for _, cost in costs)
    if least < 1:
        yield _left_out(ablation, costs, least)


def _left_out(
    ablation: Ablated, costs: Sequence[tuple[int, Compared]], factor: Fraction | float
) -> str:
    """Say what leaving out each invariant with the same factor does to the number."""
    alike = [(place, cost) for place, cost in costs if _factor(cost) == factor]
    places, cost = [place for place, _ in alike], alike[0][1]
    names = f"any one of {len(places)} invariants"
    if len(places) <= _NAMED:
        names = listed([_named_one(ablation, place) for place in places], "or")
    verb = "lowers" if factor > 1 else "raises"
    most = " most:" if factor > 1 and len(places) < len(ablation.invariants) else ""
    before, after = cost.texts
    return f"Leaving out {names} {verb} {cost.symbol}{cost.at}{most} from {after} to {before}."


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


def _change(cost: Compared, verb: str) -> str:
    before, after = cost.texts
    if cost.is_the_same:
        return f"{verb} {cost.symbol}, which is {after}{cost.at}"
    return f"{verb} {cost.symbol}{cost.at} from {before} to {after}{factor_text(cost.growth)}"


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


def _named_one(ablation: Ablated, place: int) -> str:
    return f"{name_of(place)} ({ablation.invariants[place]})"


def change_text(change: ParameterChange) -> str:
    """Say which invariant changes a(t), added to which others, from what to what."""
    fewer, more = change.fewer, change.more
    (added,) = set(more.kept) - set(fewer.kept)
    context = "with the others" if fewer.kept else "by itself"
    verb = "raises" if change.rises else "lowers"
    return f"{name_of(added)} {verb} a(t) {context}: from {a_t_text(fewer)} to {a_t_text(more)}"


def listed(names: list[str], word: str = "and") -> str:
    """Join names, as in "I1, I2, and I3"."""
    *first, last = names
    comma = "," if len(first) > 1 else ""
    return f"{', '.join(first)}{comma} {word} {last}" if first else last


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
