"""Mechanisms on other records of the same population: what a protected unit costs through them.

A person who moves changes two households. If a unit touches m other records, datasets in which k
units differ have at most k m other records that differ, so that what the other mechanism loses at
that distance in its own D covers them. That holds whatever is published of the other records: pairs
that agree on more are fewer. A joint a(t) follows only if a unit touches none
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
    """What the mechanism loses where so many of its records differ, anywhere in its D.

    Args:
        records: 0 or more; without any nothing is lost.
    """
    if not records:
        return PERFECT
    return not_attained(loss_at(part.mechanism, records, "D", spaces_of(part, spaces)))


def touched_by(touched: Touched, name: str) -> int:
    """How many other records a unit touches, of the kind of secret that a name begins with."""
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
    """The sensitivity spaces of the other records."""
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
    """A mechanism on as many other records as the protected units touch."""

    standard: str
    not_sampled: ClassVar[tuple[str, str]] = (
        "{kind} is for records other than those of the spec, and is not sampled here",
        "use noise on one query",
    )

    def needs_steps(self, part: OtherRecords) -> bool:
        """Every distance is asked of the other mechanism."""
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
        """Whether the other mechanism shows what is published of its records; nothing follows for
        any pair either if its loss in its own D is refused."""
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
