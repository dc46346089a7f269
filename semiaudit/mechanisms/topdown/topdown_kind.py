"""A hierarchical release: the queries that a pair of datasets changes, and their loss.

A few changes of the queries cover all pairs of a universe within a distance, so group privacy by
steps is not needed. A query that is a function of the invariants does not change inside D_t, and
has no privacy loss there (E15).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.kind import (
    NO_SUBSPACE,
    STILL,
    Asked,
    DatasetPairs,
    KnownLoss,
    Measures,
    MechanismKind,
    not_attained,
)
from semiaudit.mechanisms.noise import PERFECT
from semiaudit.mechanisms.other_records import of_touched, touched_by
from semiaudit.mechanisms.parts import composed, flattened
from semiaudit.model.loss import DiscreteGaussianLoss, PrivacyLoss
from semiaudit.model.measure import ZCDP
from semiaudit.model.mechanism import Mechanism, OtherRecords, Part
from semiaudit.model.topdown import Move, SecretPair, TopDown
from semiaudit.privacy.ordering.implication import strongest
from semiaudit.privacy.weakest import weakest
from semiaudit.universe.hierarchy.dataset_pairs import Pairs, pairs_of
from semiaudit.universe.hierarchy.secrets import secrets_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces


def measures_of_pair(part: TopDown, pair: SecretPair) -> Measures:
    """Return the measures of every pair of datasets of a kind: rho exactly, and the noise's loss.

    Empty if the universe has no such pair.
    """
    measures = [measures_of_move(part, move, attained=pair.attained) for move in pair.moves]
    return weakest(measures) if measures else ()


def measures_of_move(part: TopDown, move: Move, *, attained: bool) -> Measures:
    """Return the loss of discrete Gaussian noise if every query's cells change by given amounts.

    rho is half of the sum of squares, each over its sigma squared. It holds on the integers, and so
    does the noise's own loss; the Gaussian profile does not (E5).

    Args:
        attained: whether two datasets differ by that change.

    Source: Canonne, Kamath and Steinke 2020, section 2; docs/theory/topdown.md, One record.
    """
    parts: Counter[DiscreteGaussianLoss] = Counter()
    rho = Fraction(0)
    for noisy, sizes in zip(part.noisy, move, strict=True):
        for size in sizes:
            parts[DiscreteGaussianLoss(size, noisy.sigma_squared)] += 1
            rho += size * size * noisy.rho / 2
    if not parts:
        return PERFECT
    return PrivacyLoss(tuple(parts.items()), attained), ZCDP(rho, attained)


@dataclass(frozen=True, slots=True)
class TopDownKind(MechanismKind[TopDown]):
    """A hierarchical release: pairs of datasets by their changes."""

    standard: str
    has_steps: ClassVar[bool] = False
    not_sampled: ClassVar[tuple[str, str]] = (
        "topdown can be sampled only alone, and here it is a part of the mechanism",
        "use a spec with topdown alone",
    )

    def loss(self, part: TopDown, pairs: DatasetPairs, spaces: SensitivitySpaces) -> KnownLoss:
        """Return the loss of the worst pair of the universe up to the distance.

        Without any, no loss. Projecting is post-processing, if all margins are linear in the
        queries.

        The worst pair is identical records that change together: no steps in D lead further. By
        steps inside D_t, queries that the invariants determine lose nothing (E15).
        """
        if pairs.way == "published":
            return KnownLoss()
        moving = moving_pairs(part, spaces)
        if pairs.way == "projected" and not moving.determine_margins:
            return KnownLoss(refused=NO_SUBSPACE)
        worst = measures_of_pair(part, moving.worst(pairs.universe, pairs.distance)) or PERFECT
        if pairs.universe == "D":
            return KnownLoss(worst)
        if pairs.way == "change":
            return KnownLoss(worst, _still(part, moving))
        bounds = [measures_of_pair(part, change) for change in moving.steps_inside(pairs.distance)]
        steps = strongest(*(bound or PERFECT for bound in bounds))
        # Pairs at distance 1 say nothing about one unit of a longer distance.
        return KnownLoss(steps if pairs.distance == 1 else strongest(worst, steps))

    def refusal(self, part: TopDown, asked: Asked, spaces: SensitivitySpaces) -> str:
        """Refuse nothing: the noise is on all counts of the hierarchy."""
        return ""

    def specified_rho(self, part: TopDown) -> Fraction | None:
        """Return the sum of the allocation."""
        return part.rho


def moving_pairs(part: TopDown, spaces: SensitivitySpaces) -> Pairs:
    """Return the pairs of datasets of the part, under the invariants of the release."""
    return pairs_of(part, spaces.release)


TOPDOWN = TopDownKind(
    "zCDP (discrete Gaussian noise on every query at every level; ε is computed from its exact "
    "loss distribution)"
)
KINDS = {TopDown: TOPDOWN}


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
    composed_bundle = composed(bundle)
    return composed_bundle if len(bundle) == 1 else not_attained(composed_bundle)


def _sees(part: TopDown, secret: SecretPair, spaces: SensitivitySpaces) -> bool:
    if secret.name.startswith((ATTRIBUTE, GEOGRAPHY)):
        return False
    key = secret.name, secret.universe, secret.distance
    pairs = moving_pairs(part, spaces)
    secrets = [s for s in secrets_of(pairs) if (s.name, s.universe, s.distance) == key]
    if secrets:
        return any(other.moves for other in secrets)
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


def _still(part: TopDown, moving: Pairs) -> str:
    """Say whether a query at a level is a function of the invariants in all places."""
    is_function, places = moving.geography.is_function, moving.geography.places
    still = any(all(is_function(n.level, n.query, at) for at in places) for n in part.noisy)
    return STILL if still else ""


def _of_other(
    part: Part, secret: SecretPair, spaces: SensitivitySpaces, *, steps: bool
) -> Measures:
    """Return the loss of a part that is not a hierarchy at the distance.

    For other records, it is the loss on as many as the secret's units touch.
    """
    if isinstance(part, OtherRecords):
        return of_touched(part, secret.distance * touched_by(part.touched, secret.name), spaces)
    kind, distance, universe = kind_of(part), secret.distance, secret.universe
    direct = kind.loss(part, DatasetPairs(universe, distance, "change"), spaces).measures
    if not steps and distance > 1:
        return strongest(direct, ())
    stepwise = kind.loss(part, DatasetPairs(universe, distance, "steps"), spaces)
    return strongest(direct, stepwise.measures)
