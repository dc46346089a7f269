"""The parts of a mechanism, each with its number of runs and its known measures."""

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
from semiaudit.model.adjacency import Neighbors
from semiaudit.model.loss import PrivacyLoss, WorstLoss
from semiaudit.model.measure import ZCDP
from semiaudit.model.mechanism import (
    BasisLaplace,
    Composition,
    CorrelatedGaussian,
    Declared,
    Finite,
    KNorm,
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
"""A part and its number of runs."""


@lru_cache(maxsize=64)
def flattened(mechanism: Mechanism) -> tuple[Repeated, ...]:
    """Return the parts of a mechanism with their numbers of runs.

    Equal parts are joined, and so are the steps of equal samples.

    Raises:
        RefusedError: a part is of an unknown kind, noise on the integers is added to an answer that
            need not be an integer, or the parts do not add up to the specified total.
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
    """Return the mechanism with the distance of the datasets for which its noise is designed.

    Only noise for the datasets of one D_t has one; without such a part, the mechanism is returned.
    """
    if isinstance(mechanism, Composition):
        parts = tuple((made_for(part, distance), times) for part, times in mechanism.parts)
        pairs = zip(parts, mechanism.parts, strict=True)
        same = all(part is other for (part, _), (other, _) in pairs)
        return mechanism if same else replace(mechanism, parts=parts)
    on_a_subspace = KNorm, CorrelatedGaussian, BasisLaplace
    if isinstance(mechanism, Noise) and (mechanism.support or isinstance(mechanism, on_a_subspace)):
        return replace(mechanism, made_for=distance)
    return mechanism


def assumed_parts(mechanism: Mechanism) -> tuple[Part, ...]:
    """Return the parts whose numbers hold for neighboring datasets that the spec does not name."""
    if isinstance(mechanism, Composition):
        return tuple(part for inner, _ in mechanism.parts for part in assumed_parts(inner))
    if isinstance(mechanism, OtherRecords):
        return assumed_parts(mechanism.mechanism)
    if isinstance(mechanism, Declared | Noise) and mechanism.neighbors is None:
        return () if query_of(mechanism) else (mechanism,)
    return ()


def for_neighbors(mechanism: Mechanism, neighbors: Neighbors) -> Mechanism:
    """Return the mechanism with a neighboring relation of all parts that name none."""
    if isinstance(mechanism, Composition):
        parts = tuple((for_neighbors(part, neighbors), times) for part, times in mechanism.parts)
        return replace(mechanism, parts=parts)
    if isinstance(mechanism, OtherRecords):
        return replace(mechanism, mechanism=for_neighbors(mechanism.mechanism, neighbors))
    if isinstance(mechanism, Declared | Noise) and assumed_parts(mechanism):
        return replace(mechanism, neighbors=neighbors)
    return mechanism


def query_of(part: Part) -> Query | None:
    """Return the query to which a part adds its noise; None if it has none."""
    match part:
        case Noise():
            return part.query
        case Declared() | Randomizer() | Finite() | Swapping() | TopDown() | OtherRecords():
            return None
        case _:
            assert_never(part)


def queries_of(mechanism: Mechanism) -> tuple[Query, ...]:
    """Return the distinct queries of all parts, in their order."""
    queries = (query_of(part) for part, _ in flattened(mechanism))
    unmarked = (replace(query, mark=NOWHERE) for query in queries if query is not None)
    return tuple(dict.fromkeys(unmarked))


def _parts(mechanism: Mechanism, repeat: int) -> list[Repeated]:
    if not isinstance(mechanism, Composition):
        return [(mechanism, repeat)]
    return [part for inner, times in mechanism.parts for part in _parts(inner, times * repeat)]


def _single_step(part: Part, repeat: int) -> Repeated:
    if isinstance(part, SubsampledGaussian):
        return replace(part, steps=1), repeat * part.steps
    return part, repeat


def _all_steps(part: Part, repeat: int) -> Repeated:
    """Return the steps of a part as one release, the inverse of ``_single_step``."""
    if isinstance(part, SubsampledGaussian):
        return replace(part, steps=repeat), 1
    return part, repeat


def _without_marks(part: Part) -> Part:
    query = query_of(part)
    if isinstance(part, Noise) and query is not None:
        return replace(part, mark=NOWHERE, query=replace(query, mark=NOWHERE))
    return replace(part, mark=NOWHERE)


def _fractional(parts: Sequence[Part]) -> list[Refusal]:
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
    if not isinstance(mechanism, Composition):
        return []
    refusals = [refusal for part, _ in mechanism.parts for refusal in _misallocated(part)]
    allocation = mechanism.allocation
    if allocation is None:
        return refusals
    total = _declared_rho(mechanism)
    if total is None:
        what = "can be checked only if the spec alone determines the rho of every part"
        remedy = "use zcdp, gdp, or Gaussian noise with shifts, or remove it"
    elif len({p.neighbors for p, _ in _parts(mechanism, 1) if isinstance(p, Declared | Noise)}) > 1:
        what = "is a sum only if all parts hold for the same neighboring datasets"
        remedy = "give all parts the same neighbors, or remove it"
    elif total != allocation.rho:
        what = f"the parts add up to rho {total}, not to {allocation.rho}"
        remedy = "correct the parts or the total"
    else:
        return refusals
    place = allocation.mark
    return [*refusals, Refusal(what, remedy, allocation.path, place.line, place.column)]


def _declared_rho(mechanism: Mechanism) -> Fraction | None:
    """Return rho at distance 1, if it follows from the spec without the sensitivity of a query."""
    if not isinstance(mechanism, Composition):
        return kind_of(mechanism).specified_rho(mechanism)
    parts = [(_declared_rho(part), repeat) for part, repeat in mechanism.parts]
    known = [rho * repeat for rho, repeat in parts if rho is not None]
    return sum(known, Fraction(0)) if len(known) == len(parts) else None


Bundles = list[tuple[Measures, int]]
"""(the measures of a part, its number of runs)."""

Known = tuple[Part, Measures, int]
"""A part, its own measures, and its number of runs."""


def composed(parts: Iterable[tuple[Measures, int]], *, polygon: bool = False) -> Measures:
    """Compose parts; those that lose nothing add nothing, for any kinds of measures.

    Args:
        polygon: see ``composition.compose``.
    """
    known = list(parts)
    losing = [(measures, times) for measures, times in known if not is_perfect(measures)] or known
    if len(losing) == 1 and losing[0][1] == 1:
        return losing[0][0]
    from semiaudit.privacy.composition import compose  # a single release needs no composition

    return compose(losing, polygon=polygon)


def have_common_pairs(parts: Sequence[Known]) -> bool:
    """Return whether a common pair of datasets can lose less than the parts' own worst pairs."""
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
    """Return both, with the products of only the one with the smaller rho."""
    if not has_loss(one):
        return strongest(other, one)
    if _rho(one) <= _rho(other) or not has_loss(other):
        return strongest(one, without_losses(other))
    return strongest(without_losses(one), other)


def has_loss(measures: Measures) -> bool:
    """Return whether a measure is a product of pairs."""
    return any(isinstance(measure, PrivacyLoss | WorstLoss) for measure in measures)


def without_losses(measures: Measures) -> Measures:
    """Return the measures that are not products of pairs."""
    return tuple(m for m in measures if not isinstance(m, PrivacyLoss | WorstLoss))
