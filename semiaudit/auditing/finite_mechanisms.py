"""Finite mechanisms and responses per record: Lipschitz constants and worst pairs of datasets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.auditing.listed_universes import MAX_UNIVERSES, ListedUniverses
from semiaudit.errors import RefusedError
from semiaudit.mechanisms.finite.attained import pairs_of_laws
from semiaudit.mechanisms.finite.finite_kind import seen_laws
from semiaudit.mechanisms.finite.lipschitz import SOURCE, DatasetSample, lipschitz_constant
from semiaudit.model.audit import Release, ReportOptions
from semiaudit.model.bound import exact, upper
from semiaudit.model.building_blocks import Divergence, Lipschitz
from semiaudit.model.frameworks import FRAMEWORKS, FrameworkName
from semiaudit.model.guarantee import GuaranteeRow, WorstPair, WorstPairs
from semiaudit.model.mechanism import Finite, FiniteNoise, RandomizedResponse
from semiaudit.numeric.intervals import Interval
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

if TYPE_CHECKING:
    from semiaudit.mechanisms.finite.attained import Attained, PairsOfLaws


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
    laws = [law_of(observed) for observed in people.seen]
    all_datasets = DatasetSample(laws, people.names, people.distances, keys)
    groups = _groups(people.universe) if listed is None else listed.places
    if listed is not None and release.invariants:
        yield from _stated(all_datasets, divergences, None)
    for at, places in enumerate(groups[:MAX_UNIVERSES]):
        yield from _stated(all_datasets.part(places), divergences, at)


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


DIRECT = frozenset(
    name
    for name, framework in FRAMEWORKS.items()
    if framework.of_the_output and not framework.per_distance
)
"""Definitions that compare the laws of pairs of datasets; the others divide by distances, or
project."""

BY_ENUMERATION, OF_LAWS = "enumeration", "the exact output distributions of the two datasets"


def worst_pairs_of(
    mechanism: Finite | FiniteNoise,
    rows: Sequence[GuaranteeRow],
    options: ReportOptions,
    spaces: SensitivitySpaces,
) -> tuple[WorstPairs, ...] | None:
    """Return, for every row that compares pairs directly, the pair that is easiest to distinguish.

    Returns:
        Nothing for a mechanism with too many pairs, or with rounded probabilities.
    """
    if mechanism.rtol:
        return None
    worst_pairs: list[WorstPairs] = []
    for row in rows:
        guarantee = row.guarantee
        if guarantee.framework not in DIRECT or not guarantee.measures or not guarantee.distance:
            continue
        try:
            pairs = pairs_of_laws(mechanism, guarantee.distance, guarantee.universe, spaces)
        except RefusedError:
            return None
        if pairs is None:
            return None
        worst_pairs.append(_of_row(guarantee.framework, pairs, options))
    return tuple(worst_pairs)


def _of_row(name: FrameworkName, pairs: PairsOfLaws, options: ReportOptions) -> WorstPairs:
    rates = tuple((rate, _pair(pairs.at_rate(rate), ratio=False)) for rate in options.type_i)
    deltas = tuple((d, _pair(pairs.at_delta(d), ratio=True)) for d in options.deltas)
    return WorstPairs(name, rates, deltas)


def _pair(attained: Attained | None, *, ratio: bool) -> WorstPair | None:
    if attained is None:
        return None
    if attained.value is None:
        number = upper(float("inf"), BY_ENUMERATION, OF_LAWS)
    elif ratio:
        number = upper(Interval.of(attained.value).ln().upper_rational, BY_ENUMERATION, OF_LAWS)
    else:
        number = exact(attained.value, BY_ENUMERATION, OF_LAWS)
    two = attained.two
    return WorstPair(two.first, two.second, two.distance, number)
