"""Mechanisms on other records of the same population: their loss for a protected unit.

A person who moves changes two households. If a unit touches m other records, datasets in which k
units differ have at most k m other records that differ, so the other mechanism's loss at that
distance in its own D covers them. This holds for any published values of the other records: more
values in common mean fewer pairs. A joint a(t) follows only if a unit touches none
(``model.published_invariants``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from semiaudit.frozen import dataclass
from semiaudit.mechanisms.kind import (
    NEIGHBORS,
    Asked,
    DatasetPairs,
    Measures,
    MechanismKind,
    not_attained,
)
from semiaudit.mechanisms.mechanism_loss import loss_at, refusal
from semiaudit.model.adjacency import Touched
from semiaudit.model.mechanism import OtherRecords
from semiaudit.privacy.worst_pairs import PERFECT
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces


def of_touched(part: OtherRecords, records: int, spaces: SensitivitySpaces) -> Measures:
    """Return the loss of the mechanism if this many of its records differ, anywhere in its D.

    Args:
        records: 0 or more; with 0, nothing is lost.
    """
    if not records:
        return PERFECT
    return not_attained(loss_at(part.mechanism, records, "D", spaces_of(part, spaces)))


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
    return touched.most


def spaces_of(part: OtherRecords, spaces: SensitivitySpaces) -> SensitivitySpaces:
    """Return the sensitivity spaces of the other records."""
    release = replace(
        spaces.release,
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
    not_sampled: ClassVar[tuple[str, str]] = (
        "{kind} is for records other than those of the spec, and is not sampled here",
        "use noise on one query",
    )

    def needs_steps(self, part: OtherRecords) -> bool:
        """Return False: the other mechanism covers every distance."""
        return False

    def loss(self, part: OtherRecords, pairs: DatasetPairs, spaces: SensitivitySpaces) -> Measures:
        """Return the loss for all records that the units touch, in D and inside D_t."""
        if pairs.way == "published":
            return ()
        return of_touched(part, pairs.distance * part.touched.most, spaces)

    def projected(self, part: OtherRecords, spaces: SensitivitySpaces) -> Measures:
        """Return the loss for all records that one unit touches: projecting is post-processing."""
        return self.loss(part, NEIGHBORS, spaces)

    def refusal(self, part: OtherRecords, asked: Asked, spaces: SensitivitySpaces) -> str:
        """Return whether the other mechanism shows its published values.

        Nothing follows for any pair either, if its loss in its own D is refused.
        """
        own = spaces_of(part, spaces)
        shown = refusal(part.mechanism, "disagreeing", own)
        if asked == "disagreeing":
            return shown
        return refusal(part.mechanism, "nominal_dp", own) or shown


OTHER_RECORDS = OtherRecordsKind(
    "the privacy loss of all mechanisms together, including those on other records of "
    "the population"
)
KINDS = {OtherRecords: OTHER_RECORDS}
