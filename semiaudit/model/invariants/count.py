"""``count``: the number of records that satisfy a condition."""

from __future__ import annotations

from collections.abc import Hashable

from semiaudit.errors import NOWHERE, Mark
from semiaudit.frozen import dataclass
from semiaudit.model.dataspace import Condition, condition_key
from semiaudit.model.invariants.constraint import Constraint, SameSums
from semiaudit.model.invariants.records import Records


@dataclass(frozen=True, slots=True)
class Count:
    """The number of records that satisfy a condition: attribute -> the levels it allows."""

    where: Condition
    mark: Mark = NOWHERE

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        return f"count where {condition_key(self.where)}"

    def __str__(self) -> str:
        return self.key

    @property
    def constraint(self) -> Constraint | None:
        """What it asks of a table."""
        return SameSums((((1, self.where),),), self.mark)

    def value(self, records: Records) -> Hashable:
        """The count, as the only sum."""
        return (records.number(self.where),)
