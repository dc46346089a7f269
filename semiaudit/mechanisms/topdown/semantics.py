"""The privacy loss of each kind of secret in a mechanism with hierarchical parts.

Parts that are not hierarchies use the worst pair at the distance, in D or inside D_t.
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
"""The prefix of the names of secrets without geography."""

GEOGRAPHY, ACROSS = "geography:", "across_"
"""The prefixes for places within a unit of a level, and for records that leave a fixed unit."""

Known = tuple[SecretPair, Measures]
"""A kind of pair, and its measures; empty if there is no such pair."""


def semantics_of(
    mechanism: Mechanism, spaces: SensitivitySpaces, *, steps: bool = True
) -> Iterator[Known]:
    """Yield every secret of a mechanism's hierarchies with its measures; none without hierarchies.

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
            # Datasets that the first hierarchy cannot distinguish, and another one can.
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
    """Compose the parts; with several, it is unknown whether one pair is worst for all."""
    if any(not measures for measures, _ in bundle):
        return ()
    whole = composed(bundle)
    return whole if len(bundle) == 1 else not_attained(whole)


def _sees(part: TopDown, secret: SecretPair, spaces: SensitivitySpaces) -> bool:
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
    """Return the loss of another hierarchy on the same kind of pair.

    If its spine differs, and the pair is one of places, it is the loss on the worst pair of the
    universe at that distance.
    """
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
    """Return the loss of a part that is not a hierarchy at the distance.

    For other records, it is the loss on as many as the secret's units touch.
    """
    if isinstance(part, OtherRecords):
        return of_touched(part, secret.distance * touched_by(part.touched, secret.name), spaces)
    kind, distance, universe = kind_of(part), secret.distance, secret.universe
    direct = kind.loss(part, DatasetPairs(universe, distance, "change"), spaces)
    if not steps and distance > 1:
        return strongest(direct, ())
    return strongest(direct, kind.loss(part, DatasetPairs(universe, distance, "steps"), spaces))
