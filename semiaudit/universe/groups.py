"""Margins as groups of attributes that do not overlap.

Remark 17 of Cho and Awan: publishing the joint counts of some attributes makes one feature of
them. A margin whose attributes all lie in another margin adds nothing to it. What remains must
not overlap; attributes in no margin are free.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariant import Invariant, Margin, Total
from semiaudit.model.published import MarginCounts

NEXT = "this version answers one-way margins and margins over groups that do not overlap"


@dataclass(frozen=True, slots=True)
class Group:
    """Attributes that are published jointly.

    Attributes:
        positions: the places of the attributes in the order of the spec, ascending.
        sizes: their numbers of levels.
        counts: (row-major cell, count) of every combination that occurs, or None if not given.
    """

    positions: tuple[int, ...]
    sizes: tuple[int, ...]
    counts: tuple[tuple[int, int], ...] | None

    @property
    def cells(self) -> int:
        """The number of combinations of levels."""
        return prod(self.sizes)

    def levels_of(self, cell: int) -> tuple[int, ...]:
        """The level index of each attribute in a row-major cell."""
        levels = []
        for size in reversed(self.sizes):
            cell, level = divmod(cell, size)
            levels.append(level)
        return tuple(reversed(levels))


@dataclass(frozen=True, slots=True)
class GroupedTable:
    """A table under margins of groups that do not overlap.

    Attributes:
        size: the number of records, or None where no size is known.
        groups: the published groups; counts are given for all of them or for none.
        free: the places of the attributes in no margin.
    """

    space: TableSpace
    size: int | None
    groups: tuple[Group, ...]
    free: tuple[int, ...]

    @property
    def free_cells(self) -> int:
        """The number of combinations of levels of the free attributes."""
        return prod(self.space.attributes[place].size for place in self.free)

    @property
    def counts_given(self) -> bool:
        """True if t is known: counts were given, or every group has one cell only."""
        return all(group.counts is not None for group in self.groups)


def grouped_table(
    space: TableSpace, invariants: tuple[Invariant, ...], published: MarginCounts | None
) -> GroupedTable:
    """Merge and check the margins of a table.

    Raises:
        RefusedError: an invariant is no margin or total, or two margins overlap; one refusal for
            each such invariant.
    """
    refusals = []
    margins: dict[frozenset[int], tuple[int, Margin]] = {}
    for index, invariant in enumerate(invariants):
        if isinstance(invariant, Margin):
            places = frozenset(space.position(name) for name in invariant.attributes)
            margins.setdefault(places, (index, invariant))
        elif not isinstance(invariant, Total):
            refusals.append(_refusal(index, invariant, "is not supported yet for tables"))
    maximal = [places for places in margins if not any(places < other for other in margins)]
    for position, places in enumerate(maximal):
        for earlier in maximal[:position]:
            if places & earlier:
                names = [space.attributes[place].name for place in sorted(places & earlier)]
                index, margin = margins[places]
                other = margins[earlier][1]
                why = f"overlaps with {other} in {', '.join(names)}, which is not supported yet"
                refusals.append(_refusal(index, margin, why))
                break
    if refusals:
        raise RefusedError(*refusals)
    size = published.size if published else space.size
    groups = tuple(_group(space, tuple(sorted(places)), published, size) for places in maximal)
    published_places = {place for places in maximal for place in places}
    free = tuple(place for place in range(len(space.attributes)) if place not in published_places)
    return GroupedTable(space, size, groups, free)


def _group(
    space: TableSpace, places: tuple[int, ...], published: MarginCounts | None, size: int | None
) -> Group:
    sizes = tuple(space.attributes[place].size for place in places)
    if published is not None:
        names = tuple(space.attributes[place].name for place in places)
        flat = dict(published.margins)[names]
        return Group(places, sizes, tuple((cell, c) for cell, c in enumerate(flat) if c))
    if prod(sizes) == 1 and size is not None:
        return Group(places, sizes, ((0, size),))
    return Group(places, sizes, None)


def _refusal(index: int, invariant: Invariant, why: str) -> Refusal:
    return Refusal(
        f"{invariant} {why}",
        NEXT,
        path=f"invariants[{index}]",
        line=invariant.mark.line,
        column=invariant.mark.column,
    )
