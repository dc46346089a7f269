"""What a change of one record does to every query of a hierarchical release.

A query counts records in cells. A record that becomes another one leaves a cell and enters a cell:
it moves two cells by 1 where the query counts both and tells them apart, one cell where it counts
one of them, and none otherwise. Where the record also goes to another unit of a level, both cells
are moved whether the query tells the attributes apart or not.

All kinds of change of some attributes are listed by what each attribute's recodes tell apart, which
is a short list; the largest ones are kept. So the answer is exact, unless a recode does not say
which levels it tells apart, or the list is too long: then it is a bound from above.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod

from semiaudit.model.dataspace import Attribute, Condition, TableSpace
from semiaudit.model.topdown import Recode, TopDownQuery

MAX_CHANGES = 20_000
"""Kinds of change that are listed."""

MAX_LEVELS = 5_000
"""Levels of one attribute that are looked at one by one; of more, those that are named."""

MAX_KEPT = 6
"""Changes of which none moves all that another one moves."""

Counts = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A record becomes another one.

    Attributes:
        same: how many cells of each query that moves in a unit that the record stays in: 0 to 2.
        apart: how many where it goes to another unit as well.
    """

    same: Counts
    apart: Counts

    def holds(self, other: Change) -> bool:
        """Whether the other change moves no more cells of any query."""
        mine, others = self.same + self.apart, other.same + other.apart
        return all(a >= b for a, b in zip(mine, others, strict=True))


@dataclass(frozen=True, slots=True)
class Changes:
    """The largest changes of some attributes.

    Attributes:
        largest: every other change moves no more than one of them.
        attained: each of them is a change of a record that the dataspace has.
    """

    largest: tuple[Change, ...]
    attained: bool


@dataclass(frozen=True, slots=True)
class _Item:
    """What a change of one attribute does: the recodes that tell it, and the conditions that its
    levels satisfy before and after."""

    told: frozenset[str]
    before: tuple[bool, ...]
    after: tuple[bool, ...]


@lru_cache(maxsize=256)
def changes(
    space: TableSpace,
    queries: tuple[TopDownQuery, ...],
    free: frozenset[str],
    geography: frozenset[str],
) -> Changes:
    """The largest changes of one record in some attributes, all others staying as they are.

    Args:
        free: the attributes that may change; none where only the place of the record does.
        geography: the attributes of the spine; structural zeros that name them are set aside, and
            so is that other attributes lie within each other, which only adds changes.
    """
    upper = _upper(queries, free)
    found = _listed(space, queries, free, geography)
    if found is None:
        return Changes((upper,), attained=False)
    unsure = any(r.groups == () and set(r.of) & free for query in queries for r in query.tells)
    zeros = any(name in geography for where in space.impossible for name, _ in where)
    nested = any(a.within is not None and a.name not in geography for a in space.attributes)
    known = not zeros and not nested
    if upper in found:
        return Changes((upper,), attained=known)
    if unsure or len(found) > MAX_KEPT:
        return Changes((upper,), attained=False)
    return Changes(tuple(found), attained=known)


def _upper(queries: Sequence[TopDownQuery], free: frozenset[str]) -> Change:
    """No change moves more: what looks at a free attribute tells it apart."""
    same = []
    for query in queries:
        if any(set(recode.of) & free for recode in query.tells):
            same.append(2)
        else:
            same.append(1 if any(name in free for name, _ in query.where) else 0)
    return Change(tuple(same), (2,) * len(queries))


def _listed(
    space: TableSpace,
    queries: Sequence[TopDownQuery],
    free: frozenset[str],
    geography: frozenset[str],
) -> list[Change] | None:
    """The largest of all changes; None where there are too many to be listed."""
    zeros = [w for w in space.impossible if not any(name in geography for name, _ in w)]
    recodes = {recode.name: recode for query in queries for recode in query.tells}
    joint = [recode for recode in recodes.values() if len(recode.of) > 1]
    conditions = [query.where for query in queries] + zeros
    conditions += [group for recode in joint for group in recode.groups or ()]
    relevant = {name for recode in recodes.values() for name in recode.of}
    relevant |= {name for condition in conditions for name, _ in condition}
    attributes = [a for a in space.attributes if a.name in relevant]
    items = [
        list(_items(a, recodes.values(), conditions, changes=a.name in free)) for a in attributes
    ]
    if prod(map(len, items)) > MAX_CHANGES:
        return None
    at = [
        [index for index, a in enumerate(attributes) if a.name in dict(condition)]
        for condition in conditions
    ]
    found: list[Change] = []
    for combined in product(*items):
        before = _satisfied(combined, at, [item.before for item in combined])
        after = _satisfied(combined, at, [item.after for item in combined])
        zero = range(len(queries), len(queries) + len(zeros))
        if any(before[index] or after[index] for index in zero):
            continue
        told = frozenset(name for item in combined for name in item.told)
        first = len(queries) + len(zeros)
        for recode in joint:
            groups = range(first, first + len(recode.groups or ()))
            first += len(groups)
            if [before[index] for index in groups] != [after[index] for index in groups]:
                told |= {recode.name}
        _keep(found, _change(queries, told, before, after))
    return found


def _satisfied(
    combined: Sequence[_Item], at: Sequence[Sequence[int]], sides: Sequence[tuple[bool, ...]]
) -> list[bool]:
    """For every condition whether a record with these levels satisfies it."""
    return [all(sides[i][index] for i in places) for index, places in enumerate(at)]


def _change(
    queries: Sequence[TopDownQuery],
    told: frozenset[str],
    before: Sequence[bool],
    after: Sequence[bool],
) -> Change:
    same, apart = [], []
    for index, query in enumerate(queries):
        counted = before[index] + after[index]
        apart.append(counted)
        seen = counted == 1 or any(recode.name in told for recode in query.tells)
        same.append(counted if seen else 0)
    return Change(tuple(same), tuple(apart))


def _keep(found: list[Change], change: Change) -> None:
    """Add a change to the largest ones, if it is one."""
    if not any(other.holds(change) for other in found):
        found[:] = [other for other in found if not change.holds(other)] + [change]


def _items(
    attribute: Attribute,
    recodes: Iterable[Recode],
    conditions: Sequence[Condition],
    *,
    changes: bool,
) -> Iterator[_Item]:
    """What the changes of one attribute do, each once, without those that tell less than others."""
    own = [r for r in recodes if r.of == (attribute.name,) and r.groups]
    itself = any(r.name == attribute.name and r.groups is None for r in recodes)
    grouped = [[_allowed(attribute, group) for group in recode.groups or ()] for recode in own]
    allowed = [_allowed(attribute, condition) for condition in conditions]
    kept: dict[tuple[tuple[int | None, ...], tuple[bool, ...]], list[int]] = {}
    for level in _looked_at(attribute, [mask for masks in grouped for mask in masks] + allowed):
        groups = tuple(
            next((i for i, mask in enumerate(masks) if mask is None or level in mask), None)
            for masks in grouped
        )
        satisfied = tuple(mask is None or level in mask for mask in allowed)
        alike = kept.setdefault((groups, satisfied), [])
        if len(alike) < 2:
            alike.append(level)
    levels = [(key, level) for key, alike in kept.items() for level in alike]
    by_sides: dict[tuple[tuple[bool, ...], tuple[bool, ...]], list[frozenset[str]]] = {}
    for (groups, before), level in levels:
        for (others, after), other in levels if changes else [((groups, before), level)]:
            told = {r.name for r, a, b in zip(own, groups, others, strict=True) if a != b}
            if itself and level != other:
                told.add(attribute.name)
            known = by_sides.setdefault((before, after), [])
            if not any(told <= more for more in known):
                known[:] = [less for less in known if not less <= told] + [frozenset(told)]
    for (before, after), tells in by_sides.items():
        for names in tells:
            yield _Item(names, before, after)


def _allowed(attribute: Attribute, condition: Condition) -> frozenset[int] | None:
    """The places of the levels that a condition allows; None where it allows all."""
    levels = dict(condition).get(attribute.name)
    if levels is None:
        return None
    return frozenset(at for at in attribute.indices(levels) if at is not None)


def _looked_at(attribute: Attribute, masks: Sequence[frozenset[int] | None]) -> Iterable[int]:
    """The levels that have to be looked at: all, or the named ones and two that are not."""
    if attribute.size <= MAX_LEVELS:
        return range(attribute.size)
    named = {level for mask in masks if mask is not None for level in mask}
    others = [level for level in range(len(named) + 2) if level not in named][:2]
    return sorted(named) + [level for level in others if level < attribute.size]
