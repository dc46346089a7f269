"""A mechanism as the list of its parts, each with how often it runs, and what is known of each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import assert_never

from semiaudit.errors import NOWHERE, Refusal, RefusedError
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.kind import Measures
from semiaudit.model.loss import PrivacyLoss, WorstLoss
from semiaudit.model.measure import ZCDP
from semiaudit.model.mechanism import (
    Composition,
    Declared,
    Finite,
    Mechanism,
    Noise,
    OtherRecords,
    Part,
    Randomizer,
    SubsampledGaussian,
    Swapping,
)
from semiaudit.model.query import Query
from semiaudit.model.topdown import TopDown
from semiaudit.privacy.ordering.implication import is_perfect, strongest

Repeated = tuple[Part, int]
"""A part and how often it runs."""


@lru_cache(maxsize=64)
def flattened(mechanism: Mechanism) -> tuple[Repeated, ...]:
    """The parts of a mechanism with how often each runs; equal parts are joined, and the steps of
    equal samples.

    Raises:
        RefusedError: a part is of no known kind, noise on the integers is added to what need not
            be an integer, or the parts do not add up to what they are said to.
    """
    parts = _parts(mechanism, 1)
    for part, _ in parts:
        kind_of(part)
    refusals = [*_fractional([part for part, _ in parts]), *_misallocated(mechanism)]
    if refusals:
        raise RefusedError(*refusals)
    joined: dict[Part, Repeated] = {}
    for part, repeat in parts:
        single, number = _single_step(part, repeat)
        key = _without_marks(single)
        known = joined.get(key, (single, 0))
        joined[key] = (known[0], known[1] + number)
    return tuple(_all_steps(part, number) for part, number in joined.values())


def made_for(mechanism: Mechanism, distance: int | None) -> Mechanism:
    """The mechanism with the distance of the datasets that its noise is made for, where it is one
    that is made for the datasets of one D_t."""
    if isinstance(mechanism, Composition):
        parts = tuple((made_for(part, distance), times) for part, times in mechanism.parts)
        return replace(mechanism, parts=parts)
    return replace(mechanism, made_for=distance) if isinstance(mechanism, Noise) else mechanism


def query_of(part: Part) -> Query | None:
    """The query that a part adds its noise to; None if it has none."""
    match part:
        case Noise():
            return part.query
        case Declared() | Randomizer() | Finite() | Swapping() | TopDown() | OtherRecords():
            return None
        case _:
            assert_never(part)


def queries_of(mechanism: Mechanism) -> tuple[Query, ...]:
    """The queries of all parts, each once, in their order."""
    queries = (query_of(part) for part, _ in flattened(mechanism))
    unmarked = (replace(query, mark=NOWHERE) for query in queries if query is not None)
    return tuple(dict.fromkeys(unmarked))


def _parts(mechanism: Mechanism, repeat: int) -> list[Repeated]:
    if not isinstance(mechanism, Composition):
        return [(mechanism, repeat)]
    return [part for inner, times in mechanism.parts for part in _parts(inner, times * repeat)]


def _single_step(part: Part, repeat: int) -> Repeated:
    """Steps count as repeats: however they are written, they are one mechanism."""
    if isinstance(part, SubsampledGaussian):
        return replace(part, steps=1), repeat * part.steps
    return part, repeat


def _all_steps(part: Part, repeat: int) -> Repeated:
    """The steps of a part as one release, as ``_single_step`` took them apart."""
    if isinstance(part, SubsampledGaussian):
        return replace(part, steps=repeat), 1
    return part, repeat


def _without_marks(part: Part) -> Part:
    query = query_of(part)
    if isinstance(part, Noise) and query is not None:
        return replace(part, mark=NOWHERE, query=replace(query, mark=NOWHERE))
    return replace(part, mark=NOWHERE)


def _fractional(parts: Sequence[Part]) -> list[Refusal]:
    """Refusals of discrete noise on answers that need not be integers."""
    return [
        Refusal(
            f"{part.kind} noise is for whole numbers, but a shift is not a whole number",
            "use whole numbers as shifts",
            "mechanism",
            part.mark.line,
            part.mark.column,
        )
        for part in parts
        if isinstance(part, Noise)
        and part.whole
        and any(shift.denominator != 1 for shift in part.shifts)
    ]


def _misallocated(mechanism: Mechanism) -> list[Refusal]:
    """Refusals of compositions whose parts do not add up to the rho that is stated."""
    if not isinstance(mechanism, Composition):
        return []
    refusals = [refusal for part, _ in mechanism.parts for refusal in _misallocated(part)]
    stated = mechanism.allocation
    if stated is None:
        return refusals
    total = _declared_rho(mechanism)
    if total is None:
        what = "can be checked only if the spec alone determines the rho of every part"
        remedy = "use zcdp, gdp, or Gaussian noise with shifts, or remove it"
    elif total != stated.rho:
        what = f"the parts add up to rho {total}, not to {stated.rho}"
        remedy = "correct the parts or the total"
    else:
        return refusals
    place = stated.mark
    return [*refusals, Refusal(what, remedy, stated.path, place.line, place.column)]


def _declared_rho(mechanism: Mechanism) -> Fraction | None:
    """rho at distance 1, where it follows from the spec without the sensitivity of a query."""
    if not isinstance(mechanism, Composition):
        return kind_of(mechanism).specified_rho(mechanism)
    parts = [(_declared_rho(part), repeat) for part, repeat in mechanism.parts]
    known = [rho * repeat for rho, repeat in parts if rho is not None]
    return sum(known, Fraction(0)) if len(known) == len(parts) else None


Bundles = list[tuple[Measures, int]]
"""(the measures of a part, how often it runs)."""

Known = tuple[Part, Measures, int]
"""A part, what is known of it by itself, and how often it runs."""


def composed(parts: Iterable[tuple[Measures, int]], *, polygon: bool = False) -> Measures:
    """Parts that lose nothing add nothing, whatever kinds of measure they have.

    Args:
        polygon: see ``composition.compose``.
    """
    known = list(parts)
    losing = [(measures, times) for measures, times in known if not is_perfect(measures)] or known
    if len(losing) == 1 and losing[0][1] == 1:
        return losing[0][0]
    from semiaudit.privacy.composition import compose  # one release needs no composition

    return compose(losing, polygon=polygon)


def have_common_pairs(parts: Sequence[Known]) -> bool:
    """Whether one pair of datasets for all parts may lose less than each part's own worst pair."""
    losing = [known for known in parts if not is_perfect(known[1])]
    noisy = [known for part, known, _ in losing if query_of(part) is not None]
    if not noisy:
        return False
    if len(losing) > 1:
        return True
    losses = [measure for measure in noisy[0] if isinstance(measure, PrivacyLoss)]
    return any(not loss.attained for loss in losses)


def _rho(measures: Measures) -> Fraction | float:
    return min((m.rho for m in measures if isinstance(m, ZCDP)), default=math.inf)


def best_of(one: Measures, other: Measures) -> Measures:
    """Both, with the products of only that one whose rho is the smaller one."""
    if not has_loss(one):
        return strongest(other, one)
    if _rho(one) <= _rho(other) or not has_loss(other):
        return strongest(one, without_losses(other))
    return strongest(without_losses(one), other)


def has_loss(measures: Measures) -> bool:
    """Whether some measure is a product of pairs."""
    return any(isinstance(measure, PrivacyLoss | WorstLoss) for measure in measures)


def without_losses(measures: Measures) -> Measures:
    """The measures that are no product of pairs."""
    return tuple(m for m in measures if not isinstance(m, PrivacyLoss | WorstLoss))
