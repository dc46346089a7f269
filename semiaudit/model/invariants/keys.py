"""``keys``: which combinations of levels occur at all."""

from __future__ import annotations

from collections.abc import Hashable

from semiaudit.errors import NOWHERE, Mark
from semiaudit.frozen import dataclass
from semiaudit.model.invariants.constraint import Constraint, SameSupport
from semiaudit.model.invariants.records import Records


@dataclass(frozen=True, slots=True)
class Keys:
    """Which combinations of levels occur at all."""

    attributes: tuple[str, ...]
    mark: Mark = NOWHERE

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        return f"keys [{', '.join(self.attributes)}]"

    def __str__(self) -> str:
        return self.key

    @property
    def constraint(self) -> Constraint | None:
        """What it asks of a table."""
        return SameSupport(self.attributes, self.mark)

    def value(self, records: Records) -> Hashable:
        """Every combination that occurs."""
        return frozenset(records.counts(self.attributes))
