"""The counts that swapping keeps, and so publishes with its output, whatever the spec says.

They are margins, or ``KeptCounts`` if the strata are known by their sizes only.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from semiaudit.errors import NOWHERE, Mark
from semiaudit.frozen import dataclass
from semiaudit.model.dataspace import Dataspace, TableSpace
from semiaudit.model.invariants.constraint import Constraint, SameMargin, SameSize
from semiaudit.model.invariants.margin import Margin
from semiaudit.model.invariants.records import Records

if TYPE_CHECKING:
    from semiaudit.model.invariants import Invariant
    from semiaudit.model.randomizers import Swapping


@dataclass(frozen=True, slots=True)
class KeptCounts:
    """The counts of each stratum by what is exchanged, and of each by everything else.

    No spec states it, and no attribute tells the strata.
    """

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


def induced(
    space: Dataspace, swappings: Sequence[Swapping], stated: Sequence[Invariant]
) -> tuple[Invariant, ...]:
    """The counts that swapping leaves as they are, so that its output shows them exactly.

    Args:
        space: of the release.
        swappings: all that its mechanism does.
        stated: the spec's own invariants.

    Returns:
        The margins that ``kept_margins`` names, and where strata are known by their sizes only what
        stands for them; each with the place of the swapping.
    """
    invariants: list[Invariant] = []
    for part in swappings:
        known = [*stated, *invariants]
        invariants += [Margin(names, part.mark) for names in kept_margins(space, part, known)]
        if part.by_sizes and not is_kept_by_sizes([*stated, *invariants]):
            invariants.append(KeptCounts(part.mark))
    return tuple(invariants)


def kept_margins(
    space: Dataspace, part: Swapping, invariants: Sequence[Invariant]
) -> tuple[tuple[str, ...], ...]:
    """The margins that swapping keeps and that lie within no margin among the invariants.

    A margin by county tells that by the states in which the counties lie.
    """
    if not isinstance(space, TableSpace):
        return ()
    constraints = [invariant.constraint for invariant in invariants]
    margins = [space.determined_by(c.attributes) for c in constraints if isinstance(c, SameMargin)]
    kept = part.kept(attribute.name for attribute in space.attributes)
    return tuple(names for names in kept if not any({*names} <= margin for margin in margins))


def is_kept_by_sizes(invariants: Sequence[Invariant]) -> bool:
    """Whether the counts are kept that no attribute tells."""
    constraints = [invariant.constraint for invariant in invariants]
    return any(isinstance(c, SameSize) and c.by_unlisted for c in constraints)
