"""The answer of an ablation: the invariant that raises the privacy loss most, and its factor."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from semiaudit.commands.ablate.model import Ablated, Variant
from semiaudit.commands.ablate.words import SMALLER, listed, name_of
from semiaudit.model.guarantee import NO_NUMBERS, Numbers
from semiaudit.report.blocks.growth import Compared, compared, factor_text, is_finite

NOTHING = "Nothing is published exactly, so there is no invariant to leave out."

_NAMED = 3
"""The most invariants with the same effect that a sentence names; more are counted."""


def costs_text(ablation: Ablated) -> list[str]:
    """Return which invariant raises the number most, by what factor, and what all do together."""
    if not ablation.invariants:
        return [NOTHING]
    everything = ablation.variants[0]
    if _numbers(everything) is NO_NUMBERS:
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
        if all(_numbers(variant) is NO_NUMBERS for variant in without):
            yield "An effective guarantee is proven only with all invariants."
        return
    most = max(_factor(cost) for _, cost in costs)
    names = [place for place, cost in costs if _factor(cost) == most]
    cost = next(cost for _, cost in costs if _factor(cost) == most)
    alone = len(ablation.invariants) == 1
    if alone or most > 1:
        verb = _verb(most, several=len(names) > 1)
        how = " most:" if len(names) < len(ablation.invariants) and most > 1 else ""
        named = _named(ablation, names)
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
        yield f"Added to the others, {_named(ablation, names)} {change}."


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
    numbers = _numbers(fewer), _numbers(more)
    deltas = [point.delta for point in numbers[1].tightest]
    first = next(iter(compared(*numbers, max(deltas, default=None))), None)
    return first if first is not None and first.before and first.after else None


def _factor(cost: Compared) -> Fraction | float:
    """Return the factor by which the number is larger with all invariants; 1 if it is equal."""
    if cost.is_the_same:
        return 1
    if cost.growth is not None:
        return cost.growth
    return math.inf if is_finite(cost.before) else 0


def _numbers(variant: Variant) -> Numbers:
    return (
        NO_NUMBERS if variant.row is None or variant.row.guarantee.refused else variant.row.numbers
    )


def _named(ablation: Ablated, places: Sequence[int]) -> str:
    """Name invariants by their short names, a single one with its content; many are counted."""
    if len(places) == 1:
        return f"{name_of(places[0])} ({ablation.invariants[places[0]]})"
    if len(places) > _NAMED:
        return f"{len(places)} invariants each"
    names = [f"{name_of(place)} ({ablation.invariants[place]})" for place in places]
    return f"{listed(names)} each"
