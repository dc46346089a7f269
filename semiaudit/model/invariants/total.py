"""``total``: the number of records."""

from __future__ import annotations

from collections.abc import Hashable

from semiaudit.errors import NOWHERE, Mark
from semiaudit.frozen import dataclass
from semiaudit.model.invariants.constraint import Constraint, SameSize
from semiaudit.model.invariants.records import Records


@dataclass(frozen=True, slots=True)
class Total:
    """The number of records."""

    mark: Mark = NOWHERE

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        return "total"

    def __str__(self) -> str:
        return self.key

    @property
    def constraint(self) -> Constraint | None:
        """What it asks of a table."""
        return SameSize(self.mark)

    def value(self, records: Records) -> Hashable:
        """The number of records."""
        return records.size
