"""``partition``: the universes themselves."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import field

from semiaudit.errors import NOWHERE, Mark, Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.model.dataspace import Dataset
from semiaudit.model.invariants.constraint import Constraint
from semiaudit.model.invariants.records import Records

UNLISTED = -1
"""The block of all datasets that no block lists."""


@dataclass(frozen=True, slots=True)
class Partition:
    """The universes themselves: blocks of datasets; unlisted datasets form one block more."""

    blocks: tuple[tuple[Dataset, ...], ...]
    mark: Mark = NOWHERE
    _block_of: Mapping[Dataset, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        block_of = {dataset: i for i, block in enumerate(self.blocks) for dataset in block}
        object.__setattr__(self, "_block_of", block_of)

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        return "partition"

    def __str__(self) -> str:
        return self.key

    @property
    def constraint(self) -> Constraint | None:
        """Return None: a partition is not a count of a table."""
        return None

    def value(self, records: Records) -> Hashable:
        """The block of the dataset.

        Raises:
            RefusedError: the records are a table's, and no dataset of a block.
        """
        if records.ordered is None:
            what, mark = "partition lists datasets, and this is a table", self.mark
            raise RefusedError(
                Refusal(what, "use an explicit dataspace", "invariants", mark.line, mark.column)
            )
        return self._block_of.get(records.ordered, UNLISTED)
