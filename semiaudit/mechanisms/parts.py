"""A mechanism as the list of its parts, each with how often it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.mechanism import Composition, Mechanism, Noise, Part
from semiaudit.model.source import NOWHERE

Repeated = tuple[Part, int]
"""A part and how often it runs."""


@lru_cache(maxsize=64)
def flattened(mechanism: Mechanism) -> tuple[Repeated, ...]:
    """The parts of a mechanism with how often each runs; equal parts are joined.

    Raises:
        RefusedError: noise on the integers is added to what need not be an integer.
    """
    parts = _parts(mechanism, 1)
    refusals = _fractional([part for part, _ in parts])
    if refusals:
        raise RefusedError(*refusals)
    joined: dict[Part, Repeated] = {}
    for part, number in parts:
        key = _without_marks(part)
        known = joined.get(key, (part, 0))
        joined[key] = (known[0], known[1] + number)
    return tuple(joined.values())


def _parts(mechanism: Mechanism, repeat: int) -> list[Repeated]:
    if not isinstance(mechanism, Composition):
        return [(mechanism, repeat)]
    return [part for inner, times in mechanism.parts for part in _parts(inner, times * repeat)]


def _without_marks(part: Part) -> Part:
    if not isinstance(part, Noise) or part.query is None:
        return replace(part, mark=NOWHERE)
    return replace(part, mark=NOWHERE, query=replace(part.query, mark=NOWHERE))


def _fractional(parts: Sequence[Part]) -> list[Refusal]:
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
