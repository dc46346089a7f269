"""``margin``: the counts of every combination of levels of some attributes."""

from __future__ import annotations

from collections.abc import Hashable

from semiaudit.errors import NOWHERE, Mark
from semiaudit.frozen import dataclass
from semiaudit.model.invariants.constraint import Constraint, SameMargin
from semiaudit.model.invariants.records import Records


@dataclass(frozen=True, slots=True)
class Margin:
    """The counts of every combination of levels of some attributes."""

    attributes: tuple[str, ...]
    mark: Mark = NOWHERE

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        return f"margin [{', '.join(self.attributes)}]"

    def __str__(self) -> str:
        return self.key

    @property
    def constraint(self) -> Constraint | None:
        """What it asks of a table."""
        return SameMargin(self.attributes, self.mark)

    def value(self, records: Records) -> Hashable:
        """Every combination that occurs, with its count."""
        return frozenset(records.counts(self.attributes).items())
