"""What swapping keeps where the strata are known by their sizes only: counts by no attribute.

No spec states it: it stands for what the output of a mechanism publishes (``of_mechanism``).
"""

from __future__ import annotations

from collections.abc import Hashable

from semiaudit.frozen import dataclass
from semiaudit.model.invariants.constraint import Constraint, SameSize
from semiaudit.model.invariants.records import Records
from semiaudit.model.source import NOWHERE, Mark


@dataclass(frozen=True, slots=True)
class KeptCounts:
    """The counts of each stratum by what is exchanged, and of each by everything else."""

    mark: Mark = NOWHERE

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        return "the counts that swapping keeps"

    def __str__(self) -> str:
        return self.key

    @property
    def constraint(self) -> Constraint | None:
        """The number of records, and that no record changes alone: there are no attributes."""
        return SameSize(self.mark, by_unlisted=True)

    def value(self, records: Records) -> Hashable:
        """The number of records, which is all that a table without attributes tells of them."""
        return records.size
