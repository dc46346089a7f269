"""A mechanism as the list of its parts, each with how often it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from semiaudit.errors import Refusal, RefusedError
from semiaudit.mechanisms import DECLARED, NOISE
from semiaudit.mechanisms.shifts import sensitivity_of_shifts
from semiaudit.model.measure import ApproxDP, Measure
from semiaudit.model.mechanism import Composition, Declared, Mechanism, Noise
from semiaudit.model.source import NOWHERE

Part = tuple[Declared | Noise, int]

_ONE_STEP = sensitivity_of_shifts((Fraction(1),), 1)


@lru_cache(maxsize=64)
def flattened(mechanism: Mechanism) -> tuple[Part, ...]:
    """The parts of a mechanism with how often each runs; equal parts are joined.

    Raises:
        RefusedError: a part has no kind of measure in common with another, so nothing is known
            of both together; or noise on the integers is added to what need not be an integer.
    """
    parts = _parts(mechanism, 1)
    refusals = [*_uncommon([part for part, _ in parts]), *_fractional([part for part, _ in parts])]
    if refusals:
        raise RefusedError(*refusals)
    joined: dict[Declared | Noise, Part] = {}
    for part, number in parts:
        key = _without_marks(part)
        known = joined.get(key, (part, 0))
        joined[key] = (known[0], known[1] + number)
    return tuple(joined.values())


def _parts(mechanism: Mechanism, repeat: int) -> list[Part]:
    if not isinstance(mechanism, Composition):
        return [(mechanism, repeat)]
    return [part for inner, times in mechanism.parts for part in _parts(inner, times * repeat)]


def _without_marks(part: Declared | Noise) -> Declared | Noise:
    if isinstance(part, Declared) or part.query is None:
        return replace(part, mark=NOWHERE)
    return replace(part, mark=NOWHERE, query=replace(part.query, mark=NOWHERE))


def _uncommon(parts: Sequence[Declared | Noise]) -> list[Refusal]:
    """One refusal for every part that some part before it has no kind of measure in common with."""
    kept: list[tuple[Declared | Noise, set[type[Measure]]]] = []
    refusals = []
    for part in parts:
        kinds = _composable_kinds(part)
        strangers = [other for other, known in kept if not kinds & known]
        if not strangers:
            kept.append((part, kinds))
            continue
        both = f"{_a(part.kind)} part cannot be composed with {_a(strangers[0].kind)} part"
        what = f"{both}: no measure is known of the two together"
        remedy = "state both in one family"
        mark = part.mark
        refusals.append(Refusal(what, remedy, "mechanism.compose", mark.line, mark.column))
    return refusals


def _a(kind: str) -> str:
    return f"an {kind}" if kind.startswith("a") else f"a {kind}"


def _composable_kinds(part: Declared | Noise) -> set[type[Measure]]:
    if isinstance(part, Declared):
        measures = DECLARED[part.kind](part.measure)
    else:
        measures = NOISE[part.kind](part, _ONE_STEP, _ONE_STEP)
    return {type(measure) for measure in measures} - {ApproxDP}


def _fractional(parts: Sequence[Declared | Noise]) -> list[Refusal]:
    """Refusals of discrete noise on answers that need not be integers."""
    return [
        Refusal(
            f"{part.kind} noise is for whole numbers, and a shift is none",
            "give whole shifts",
            "mechanism",
            part.mark.line,
            part.mark.column,
        )
        for part in parts
        if isinstance(part, Noise)
        and part.kind.startswith("discrete_")
        and any(shift.denominator != 1 for shift in part.shifts)
    ]
