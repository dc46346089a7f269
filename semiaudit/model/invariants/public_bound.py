"""``bound``: public knowledge on a count."""

from __future__ import annotations

from collections.abc import Hashable

from semiaudit.errors import NOWHERE, Mark
from semiaudit.frozen import dataclass
from semiaudit.model.dataspace import Condition, condition_key
from semiaudit.model.invariants.constraint import Constraint, Within
from semiaudit.model.invariants.records import Records


@dataclass(frozen=True, slots=True)
class PublicBound:
    """Public knowledge on a count: ``at_least`` and ``at_most`` may be None."""

    where: Condition
    at_least: int | None
    at_most: int | None
    mark: Mark = NOWHERE

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        return f"bound where {condition_key(self.where)}"

    def __str__(self) -> str:
        return self.key

    @property
    def constraint(self) -> Constraint | None:
        """What it asks of a table."""
        return Within(self.where, self.at_least or 0, self.at_most, self.mark)

    def value(self, records: Records) -> Hashable:
        """True within the bound; None outside, where no dataset of D_t is."""
        number = records.number(self.where)
        low = self.at_least is not None and number < self.at_least
        high = self.at_most is not None and number > self.at_most
        return None if low or high else True
