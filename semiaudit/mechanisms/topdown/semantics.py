"""What each kind of secret costs in a whole mechanism that has hierarchical parts.

Parts that are no hierarchies are set against the worst pair at the distance, in D or inside D_t.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from semiaudit import deadline
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.kind import DatasetPairs, Measures, not_attained
from semiaudit.mechanisms.noise import PERFECT
from semiaudit.mechanisms.other_records import of_touched, touched_by
from semiaudit.mechanisms.parts import composed, flattened
from semiaudit.mechanisms.topdown.topdown_kind import measures_of_pair, moving_pairs
from semiaudit.model.mechanism import Mechanism, OtherRecords, Part
from semiaudit.model.topdown import SecretPair, TopDown
from semiaudit.privacy.ordering.implication import strongest
from semiaudit.universe.hierarchy.secrets import secrets_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

ATTRIBUTE = "attribute:"
"""Begins the names of secrets that no geography is a part of."""

GEOGRAPHY, ACROSS = "geography:", "across_"
"""Begin those of places within a unit of a level, and of records that leave a fixed unit."""

Known = tuple[SecretPair, Measures]
"""A kind of pair, and what holds for it; nothing where there is no such pair."""


def semantics_of(
    mechanism: Mechanism, spaces: SensitivitySpaces, *, steps: bool = True
) -> Iterator[Known]:
    """Every secret of a mechanism's hierarchies with what holds for it; none without hierarchies.

    Args:
        steps: whether the metric is an adjacency metric on D (Definition 1).
    """
    parts = flattened(mechanism)
    hierarchies = [(part, times) for part, times in parts if isinstance(part, TopDown)]
    if not hierarchies:
        return
    others = [(part, times) for part, times in parts if not isinstance(part, TopDown)]
    first, repeat = hierarchies[0]
    for secret in secrets_of(moving_pairs(first, spaces)):
        deadline.check(deadline.GRACE)
        measures = measures_of_pair(first, secret)
        if not measures and any(_sees(part, secret, spaces) for part, _ in hierarchies[1:]):
            # Datasets that the first hierarchy cannot tell apart, and another one can.
            secret, measures = replace(secret, moves=(((),) * len(first.noisy),)), PERFECT
        if not measures:
            yield secret, ()
            continue
        bundle = [(measures, repeat)]
        bundle += [
            (_of_secret(part, secret, first, spaces), times) for part, times in hierarchies[1:]
        ]
        bundle += [(_of_other(part, secret, spaces, steps=steps), times) for part, times in others]
        yield secret, measures if len(bundle) == 1 and repeat == 1 else _together(bundle)


def _together(bundle: list[tuple[Measures, int]]) -> Measures:
    """The parts composed; of several it is not known whether one pair is worst for all."""
    if any(not measures for measures, _ in bundle):
        return ()
    whole = composed(bundle)
    return whole if len(bundle) == 1 else not_attained(whole)


def _sees(part: TopDown, secret: SecretPair, spaces: SensitivitySpaces) -> bool:
    """Whether another hierarchy has places that make a pair of what is none in the first one."""
    if secret.name.startswith((ATTRIBUTE, GEOGRAPHY)):
        return False
    key = secret.name, secret.universe, secret.distance
    pairs = moving_pairs(part, spaces)
    own = [s for s in secrets_of(pairs) if (s.name, s.universe, s.distance) == key]
    if own:
        return any(other.moves for other in own)
    alone = secret.universe == "D_t" and secret.distance == 1 and secret.name.startswith(ACROSS)
    return not alone and any(map(any, pairs.worst(secret.universe, secret.distance).moves))


def _of_secret(
    part: TopDown, secret: SecretPair, first: TopDown, spaces: SensitivitySpaces
) -> Measures:
    """What another hierarchy loses on the same kind of pair; where its spine is another one, and
    the pair is one of places, on the worst pair of the universe at that distance."""
    pairs = moving_pairs(part, spaces)
    if secret.name.startswith(ATTRIBUTE) or _spine(part) == _spine(first):
        for other in secrets_of(pairs):
            key = other.name, other.universe, other.distance, other.where
            if key == (secret.name, secret.universe, secret.distance, secret.where):
                return measures_of_pair(part, other)
    return measures_of_pair(part, pairs.worst(secret.universe, secret.distance)) or PERFECT


def _spine(part: TopDown) -> list[tuple[str, str | None, frozenset[int]]]:
    return [(level.name, level.attribute, level.split) for level in part.spine]


def _of_other(
    part: Part, secret: SecretPair, spaces: SensitivitySpaces, *, steps: bool
) -> Measures:
    """What a part that is no hierarchy loses at the distance; of other records, on as many as the
    units touch that the secret is of."""
    if isinstance(part, OtherRecords):
        return of_touched(part, secret.distance * touched_by(part.touched, secret.name), spaces)
    kind, distance, universe = kind_of(part), secret.distance, secret.universe
    direct = kind.loss(part, DatasetPairs(universe, distance, "change"), spaces)
    if not steps and distance > 1:
        return strongest(direct, ())
    return strongest(direct, kind.loss(part, DatasetPairs(universe, distance, "steps"), spaces))
