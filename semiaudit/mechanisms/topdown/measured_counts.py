"""The counts of a hierarchical release: the cells of each count, in the order of sampling.

A count is one of a query's groups in one unit of a level. Cells are the records that can occur;
groups and units without cells are omitted.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.mechanisms.kind import refused
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.topdown import NoisyQuery, Recode, TopDown
from semiaudit.universe.sensitivity.answers import Records
from semiaudit.universe.system.components import matches

MOST_CELLS = 50_000
"""The most cells that can occur: noise is sampled for counts of all of them at every level."""

Levels = tuple[int, ...]
"""A record: the index of its level in each attribute."""


@dataclass(frozen=True)
class TopDownCount:
    """One count.

    Attributes:
        noisy: the level and query, and their rho.
        unit: the place of the unit's level in its attribute; None for the top.
        groups: for each of the query's recodes, the place of its group, or of an attribute's level.
        cells: those that it sums, by their places.
    """

    noisy: NoisyQuery
    unit: int | None
    groups: tuple[int, ...]
    cells: tuple[int, ...]

    @property
    def sigma_squared(self) -> Fraction:
        """Return the parameter of its noise."""
        return self.noisy.sigma_squared


def cells_of(part: TopDown, space: TableSpace) -> list[Levels]:
    """Return all records that can occur.

    Raises:
        RefusedError: there are too many.
    """
    records = Records(space)
    if not records.within(records.components, MOST_CELLS):
        what = f"the table has more than {MOST_CELLS} cells that can occur"
        raise refused(part, what, "use a smaller table")
    cells = []
    for pieces in product(*(records.of(positions) for positions in records.components)):
        levels = [0] * len(space.attributes)
        for positions, piece in zip(records.components, pieces, strict=True):
            for place, level in zip(positions, piece, strict=True):
                levels[place] = level
        cells.append(tuple(levels))
    return sorted(cells)


def counts_of(part: TopDown, space: TableSpace, cells: list[Levels]) -> list[list[TopDownCount]]:
    """Return the counts of each level of the spine, from the top down.

    Raises:
        RefusedError: the dataspace does not tell the units of a level, or a recode's groups.
    """
    _check(part)
    counts: list[list[TopDownCount]] = [[] for _ in part.spine]
    for noisy in part.noisy:
        level, query = part.spine[noisy.level], part.queries[noisy.query]
        place = None if level.attribute is None else space.position(level.attribute)
        members: dict[tuple[int | None, Levels], list[int]] = {}
        for at, cell in enumerate(cells):
            if matches(space, query.where, cell):
                unit = None if place is None else cell[place]
                groups = tuple(_group(recode, space, cell) for recode in query.tells)
                members.setdefault((unit, groups), []).append(at)
        for (unit, groups), inside in members.items():
            counts[noisy.level].append(TopDownCount(noisy, unit, groups, tuple(inside)))
    return counts


def is_attribute(recode: Recode) -> bool:
    """Return whether a recode is an attribute, whose groups are its levels."""
    return recode.groups is None and recode.of == (recode.name,)


def _group(recode: Recode, space: TableSpace, cell: Levels) -> int:
    """Return the index of a record's group; records in no group have one more index."""
    if recode.groups is None:
        places = [space.position(name) for name in recode.of]
        index = 0
        for place in places:
            index = index * space.attributes[place].size + cell[place]
        return index
    inside = (at for at, group in enumerate(recode.groups) if matches(space, group, cell))
    return next(inside, len(recode.groups))


def _check(part: TopDown) -> None:
    refusals = [*_unmeasured_levels(part), *_unmeasured_recodes(part)]
    if refusals:
        raise RefusedError(*refusals)


def _unmeasured_levels(part: TopDown) -> Iterator[Refusal]:
    """Yield levels with measurements whose units are not levels of an attribute.

    With an attribute for the areas of a split level the audit is the same as with the split.
    """
    measured = {noisy.level for noisy in part.noisy}
    above = None
    for at, level in enumerate(part.spine):
        above = level.attribute or above
        inside = "" if above is None else f" within {above}"
        if at in measured and level.attribute is None and at:
            what = "has no attribute, so the data do not show its units"
            remedy = f"add an attribute{inside} to the dataspace, and name it here"
        elif at in measured and level.split:
            what = "splits units into areas that the data do not distinguish"
            remedy = (
                f"add an attribute{inside} that distinguishes them, and name it here instead "
                "of split"
            )
        else:
            continue
        message = f"the level {level.name} {what}"
        mark = level.mark
        yield Refusal(message, remedy, "mechanism.topdown.spine", mark.line, mark.column)


def _unmeasured_recodes(part: TopDown) -> Iterator[Refusal]:
    measured = {noisy.query for noisy in part.noisy}
    recodes = {r for at in measured for r in part.queries[at].tells if r.groups == ()}
    for name in sorted(recode.name for recode in recodes):
        what = f"the recode {name} does not specify which levels it distinguishes"
        yield Refusal(what, "add its groups", "mechanism.topdown", part.mark.line, part.mark.column)
