"""The Lipschitz constants of a finite mechanism, and of responses record by record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.auditing.building_blocks import MAX_UNIVERSES, ListedUniverses
from semiaudit.mechanisms.finite.finite_kind import seen_laws
from semiaudit.mechanisms.finite.lipschitz import SOURCE, DatasetSample, lipschitz_constant
from semiaudit.model.audit import Release
from semiaudit.model.bound import exact
from semiaudit.model.building_blocks import Divergence, Lipschitz
from semiaudit.model.mechanism import Finite, RandomizedResponse

if TYPE_CHECKING:
    from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

MAX_MEASURED = 1_000
"""The most datasets of D for which the constants are computed, over all pairs."""


def of_responses(part: RandomizedResponse, listed: ListedUniverses) -> Iterator[Lipschitz]:
    """Yield the constant epsilon of responses: k records that differ lose exactly k epsilon."""
    for at, places in enumerate(listed.places[:MAX_UNIVERSES]):
        value = part.epsilon if len(places) > 1 else Fraction(0)
        bound = exact(value, "closed_form", SOURCE)
        yield Lipschitz(at, "mult", None, bound, bound)


def of_finite(
    release: Release, part: Finite, spaces: SensitivitySpaces, listed: ListedUniverses | None
) -> Iterator[Lipschitz]:
    """Yield the constants of every divergence, in each universe and in all of D."""
    divergences: list[tuple[Divergence, Fraction | None]] = [("mult", None), ("d_nor", None)]
    divergences += [("mult_delta", delta) for delta in release.options.deltas]
    law_of, people = seen_laws(part, "D" if listed is not None else "D_t", spaces)
    if len(people.seen) > MAX_MEASURED:
        return
    keys: Sequence[Hashable] = [] if listed is None else listed.keys
    laws = [law_of(seen) for seen in people.seen]
    whole = DatasetSample(laws, people.names, people.distances, keys)
    groups = _groups(people.universe) if listed is None else listed.places
    if listed is not None and release.invariants:
        yield from _stated(whole, divergences, None)
    for at, places in enumerate(groups[:MAX_UNIVERSES]):
        yield from _stated(whole.part(places), divergences, at)


def _groups(universe: Sequence[int]) -> list[list[int]]:
    places_by_number: dict[int, list[int]] = defaultdict(list)
    for place, number in enumerate(universe):
        places_by_number[number].append(place)
    return [places_by_number[number] for number in sorted(places_by_number)]


def _stated(
    sample: DatasetSample, divergences: Sequence[tuple[Divergence, Fraction | None]], at: int | None
) -> Iterator[Lipschitz]:
    for divergence, delta in divergences:
        constant = lipschitz_constant(sample, divergence, delta)
        if constant is not None:
            yield replace(constant, universe=at)
