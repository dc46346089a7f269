"""Mechanisms on other records of the same population: their loss for a protected unit.

A person who moves changes two households. If a unit touches m other records, at most k m of them
leave and at most k m enter between datasets in which k units differ. Under a metric that compares
datasets of equal size, these are k m replaced records, and the other mechanism's loss at that
distance in its own D covers them. Under ``symmetric_difference``, a replaced record is at distance
2, and a record that enters or leaves alone at distance 1. All this holds for any published values
of the other records: more values in common mean fewer pairs. A joint a(t) follows only if a unit
touches none (``model.audit``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.kind import (
    Asked,
    DatasetPairs,
    KnownLoss,
    Measures,
    MechanismKind,
    not_attained,
)
from semiaudit.mechanisms.mechanism_loss import loss_at
from semiaudit.mechanisms.parts import composed, flattened, query_of
from semiaudit.model.adjacency import Metric, Touched, can_be_neighbors, compares_sizes
from semiaudit.model.measure import ZCDP, PureDP
from semiaudit.model.mechanism import CorrelatedGaussian, Gaussian, Mechanism, OtherRecords, Part
from semiaudit.privacy.ordering.implication import strongest
from semiaudit.privacy.weakest import weakest
from semiaudit.privacy.worst_pairs import PERFECT
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces


def of_touched(part: OtherRecords, records: int, spaces: SensitivitySpaces) -> Measures:
    """Return the loss of the mechanism if at most this many of its records leave and enter.

    Args:
        records: 0 or more records that leave, and as many that enter; with 0, nothing is lost.
    """
    if not records or not flattened(part.mechanism):
        return PERFECT
    added = spaces_of(part, spaces)
    if not compares_sizes(added.release.adjacency.metric):
        return not_attained(_loss(part.mechanism, records, added))
    losses = [
        (_of_leaving_and_entering(inner, records, added, spaces_of(part, spaces, _REPLACED)), times)
        for inner, times in flattened(part.mechanism)
    ]
    return not_attained(composed(losses))


_REPLACED: Metric = "multiset_hamming"
"""The metric whose distance is the number of records that leave, if as many enter."""


def _of_leaving_and_entering(
    part: Part, records: int, added: SensitivitySpaces, replaced: SensitivitySpaces
) -> Measures:
    """Return the loss of one part under ``symmetric_difference``.

    Args:
        added, replaced: the sensitivity spaces of the other records under ``symmetric_difference``,
            and under the metric that counts replaced records.
    """
    # Every such change is among those at twice the distance. Others are too (all records enter).
    anywhere = _loss(part, 2 * records, added)
    if query_of(part) is None:
        return anywhere
    # The change of a query is a sum of vectors Q(y) - Q(x), one for each of ``records`` slots,
    # where x or y is absent (Q = 0) if a record only leaves or enters. It is the average of
    # ``records`` times each vector, so a convex function of it is largest where all slots are
    # equal: all records are replaced alike, or all leave, or all enter.
    extremes = weakest([_loss(part, records, at) for at in (replaced, added)])
    if isinstance(part, Gaussian | CorrelatedGaussian):
        return extremes  # the loss depends on one norm of the change, and increases with it
    # ρ and ε of pure DP increase with a norm, or are sums of convex functions of the coordinates.
    # No such argument holds for (ε, δ) of other noise, composed with any other part.
    return strongest(anywhere, tuple(m for m in extremes if isinstance(m, PureDP | ZCDP)))


def _loss(mechanism: Mechanism, distance: int, spaces: SensitivitySpaces) -> Measures:
    """Return the loss up to a distance; steps lead there if two datasets can be neighbors."""
    release = spaces.release
    steps = can_be_neighbors(release.adjacency.metric, release.dataspace.size)
    return loss_at(mechanism, distance, "D", spaces, steps=steps).measures


def touched_by(touched: Touched, name: str) -> int:
    """Return how many other records a unit touches, by the kind of secret in a name's prefix."""
    for begins, number in (
        ("attribute:", touched.attribute),
        ("geography:", touched.geography),
        ("within_", touched.within),
        ("across_", touched.across),
        ("exchange", touched.exchange),
    ):
        if name.startswith(begins):
            return number
    return touched.by_change


def touched_at(touched: Touched, distance: int, metric: Metric) -> int:
    """Return how many other records leave, and as many enter, up to a distance of the units.

    Under ``symmetric_difference``, units enter or leave one by one, or two steps are one unit that
    changes. The number is linear in how many units change, so it is largest with none or all.

    Raises:
        RefusedError: the spec does not say how many records a unit that enters or leaves touches.
    """
    if not compares_sizes(metric):
        return distance * touched.by_change
    if touched.presence is None:
        what = "touches has no number for a unit that enters or leaves"
        raise RefusedError(Refusal(what, "add presence to touches", path="releases"))
    changed, alone = divmod(distance, 2)
    by_changes = changed * touched.by_change + alone * touched.presence
    return max(distance * touched.presence, by_changes)


def spaces_of(
    part: OtherRecords, spaces: SensitivitySpaces, metric: Metric | None = None
) -> SensitivitySpaces:
    """Return the sensitivity spaces of the other records, under the same or another metric."""
    adjacency = spaces.release.adjacency
    release = replace(
        spaces.release,
        adjacency=replace(adjacency, metric=metric or adjacency.metric),
        dataspace=part.dataspace,
        invariants=part.invariants,
        published=None,
        source=None,
        mechanism=part.mechanism,
        parts=(),
    )
    return SensitivitySpaces(release, spaces.limits)


@dataclass(frozen=True, slots=True)
class OtherRecordsKind(MechanismKind[OtherRecords]):
    """A mechanism on the other records that the protected units touch."""

    standard: str
    has_steps: ClassVar[bool] = False
    not_sampled: ClassVar[tuple[str, str]] = (
        "{kind} is for records other than those of the spec, and is not sampled here",
        "use noise on one query",
    )

    def loss(self, part: OtherRecords, pairs: DatasetPairs, spaces: SensitivitySpaces) -> KnownLoss:
        """Return the loss for all records that the units touch, in D and inside D_t.

        Projecting is post-processing.
        """
        if pairs.way == "published":
            return KnownLoss()
        metric = spaces.release.adjacency.metric
        noisy = flattened(part.mechanism)
        records = touched_at(part.touched, pairs.distance, metric) if noisy else 0
        return KnownLoss(of_touched(part, records, spaces))

    def refusal(self, part: OtherRecords, asked: Asked, spaces: SensitivitySpaces) -> str:
        """Return whether the other mechanism shows its published values.

        Nothing follows for any pair either, if its loss in its own D is refused.
        """
        own_spaces = spaces_of(part, spaces)
        both: tuple[Asked, ...] = ("nominal_dp", "disagreeing")
        reasons = (
            kind_of(inner).refusal(inner, one, own_spaces)
            for one in (both if asked != "disagreeing" else both[1:])
            for inner, _ in flattened(part.mechanism)
        )
        return next(filter(None, reasons), "")


OTHER_RECORDS = OtherRecordsKind(
    "the privacy loss of all mechanisms together, including those on other records of "
    "the population"
)
KINDS = {OtherRecords: OTHER_RECORDS}
