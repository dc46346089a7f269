"""``linear``: integer rows over the cells of the table."""

from __future__ import annotations

from collections.abc import Hashable

from semiaudit.errors import NOWHERE, Mark, Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.model.invariants.constraint import Constraint, SameCellSums
from semiaudit.model.invariants.records import Records


@dataclass(frozen=True, slots=True)
class Linear:
    """Integer rows over the cells of the table, row-major in the order of the attributes."""

    name: str
    rows: tuple[tuple[int, ...], ...]
    mark: Mark = NOWHERE

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        return f"linear {self.name}"

    def __str__(self) -> str:
        return self.key

    @property
    def constraint(self) -> Constraint | None:
        """What it asks of a table."""
        return SameCellSums(self.rows, self.mark)

    def value(self, records: Records) -> Hashable:
        """The rows' sums.

        Raises:
            RefusedError: the dataspace is explicit, and has no cells.
        """
        sums = tuple(records.weighted(row) for row in self.rows)
        if None in sums:
            what = f"{self} refers to the cells of a table, but the dataspace is explicit"
            mark = self.mark
            raise RefusedError(
                Refusal(what, "use count or partition", "invariants", mark.line, mark.column)
            )
        return sums
