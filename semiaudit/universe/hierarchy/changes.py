"""The effect of a change of one record on every query of a hierarchical release.

A query counts records in cells. A record that becomes another one leaves a cell and enters a cell:
it changes two cells by 1 if the query counts both and distinguishes them, one cell if it counts one
of them, and none otherwise. If the record also goes to another unit of a level, both cells change,
whether or not the query distinguishes the attributes.

All kinds of change of some attributes are listed by what each attribute's recodes distinguish,
which is a short list; the largest ones are kept. So the result is exact, unless it is unknown which
levels a recode distinguishes, or the list is too long: then the result is an upper bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from math import prod

from semiaudit.frozen import dataclass
from semiaudit.model.dataspace import Condition, TableSpace
from semiaudit.model.topdown import TopDownQuery
from semiaudit.universe.hierarchy.nested_attributes import Item, nests_of

MAX_CHANGES = 20_000
"""The most kinds of change that are listed."""

MAX_KEPT = 6
"""The most changes that are kept, if none covers another."""

Counts = tuple[int, ...]

Zeros = tuple[frozenset[int], frozenset[int]]
"""The structural zeros, by index, that hold for a record before and after a change."""


@dataclass(frozen=True, slots=True)
class RecordChange:
    """The effect of one record that becomes another one.

    Attributes:
        same: the number of cells of each query that change in a unit that the record stays in: 0 to
            2.
        apart: the number of cells if the record also goes to another unit.
    """

    same: Counts
    apart: Counts

    def holds(self, other: RecordChange) -> bool:
        """Return whether the other change affects no more cells of any query."""
        mine, others = self.same + self.apart, other.same + other.apart
        return all(a >= b for a, b in zip(mine, others, strict=True))


@dataclass(frozen=True, slots=True)
class RecordChanges:
    """The largest changes of some attributes.

    Attributes:
        largest: every other change affects no more than one of them; empty if no record of the
            dataspace can change in this way.
        attained: each of them is a possible change of a record of the dataspace.
    """

    largest: tuple[RecordChange, ...]
    attained: bool


@lru_cache(maxsize=512)
def changes(
    space: TableSpace,
    queries: tuple[TopDownQuery, ...],
    free: frozenset[str],
    must: frozenset[str] | None,
    geography: frozenset[str],
    zeros: Zeros,
) -> RecordChanges:
    """Return the largest changes of one record in some attributes; all others stay the same.

    Args:
        free: the attributes that can change; empty if only the place of the record changes.
        must: attributes of which at least one changes; None if the place changes.
        geography: the attributes of a record's place; no query uses them.
        zeros: the structural zeros of each side; their conditions on the geography are known to
            hold.
    """
    upper = _upper(queries, free)
    listed, sure = _listed(space, queries, free, must, geography, zeros)
    if listed is None:
        return RecordChanges((upper,), attained=False)
    unsure = any(r.groups == () and set(r.of) & free for query in queries for r in query.tells)
    if not listed:
        return RecordChanges((), attained=True)
    if upper in listed:
        return RecordChanges((upper,), attained=sure)
    if unsure or len(listed) > MAX_KEPT:
        return RecordChanges((upper,), attained=False)
    return RecordChanges(tuple(listed), attained=sure)


def _upper(queries: Sequence[TopDownQuery], free: frozenset[str]) -> RecordChange:
    """Return an upper bound on all changes: every query with a free attribute distinguishes it."""
    same = []
    for query in queries:
        if any(set(recode.of) & free for recode in query.tells):
            same.append(2)
        else:
            same.append(1 if any(name in free for name, _ in query.where) else 0)
    return RecordChange(tuple(same), (2,) * len(queries))


def _listed(
    space: TableSpace,
    queries: Sequence[TopDownQuery],
    free: frozenset[str],
    must: frozenset[str] | None,
    geography: frozenset[str],
    zeros: Zeros,
) -> tuple[list[RecordChange] | None, bool]:
    """Return None if there are too many changes, and whether each listed one is known to exist."""
    forbidden = [tuple(s for s in w if s[0] not in geography) for w in space.impossible]
    recodes = {recode.name: recode for query in queries for recode in query.tells}
    conditions: list[Condition] = [query.where for query in queries] + forbidden
    relevant = {name for recode in recodes.values() for name in recode.of}
    relevant |= {name for condition in conditions for name, _ in condition}
    nests = nests_of(space, geography)
    used = [nest for nest in nests if nest.names & relevant]
    joint = [r for r in recodes.values() if not any(set(r.of) <= nest.names for nest in used)]
    conditions += [group for recode in joint for group in recode.groups or ()]
    required = must or frozenset()
    others = [nest.can_change(free, required) for nest in nests if nest not in used]
    can_move, sure = True in others or must is None, True
    # It is unknown whether a required attribute can change: assuming that it can only adds changes,
    # but then none is known to exist.
    if not can_move and None in others:
        can_move, sure = True, False
    items = [nest.items(recodes.values(), conditions, free, required) for nest in used]
    if any(listing is None for listing in items):
        return None, False
    listed = [listing for listing in items if listing is not None]
    if prod(map(len, listed)) > MAX_CHANGES:
        return None, False
    at = [
        [index for index, nest in enumerate(used) if nest.names & dict(condition).keys()]
        for condition in conditions
    ]
    first = len(queries)
    # Nests that no query or zero names change nothing in a count, so only the relevant nests are
    # combined. Each listed effect is that of a change of its nest, and nests vary independently
    # except for zeros, which are tested here.
    ended, reached = (sorted(first + zero for zero in side) for side in zeros)
    largest: list[RecordChange] = []
    for combined in product(*listed):
        if not can_move and not any(item.moved for item in combined):
            continue
        before = _satisfied(combined, at, [item.before for item in combined])
        after = _satisfied(combined, at, [item.after for item in combined])
        if any(before[index] for index in ended) or any(after[index] for index in reached):
            continue
        recoded = frozenset(name for item in combined for name in item.recodes)
        place = first + len(forbidden)
        for recode in joint:
            # A recode over several nests shows a change if and only if the record is in another of
            # its groups.
            groups = range(place, place + len(recode.groups or ()))
            place += len(groups)
            if [before[index] for index in groups] != [after[index] for index in groups]:
                recoded |= {recode.name}
        _keep(largest, _change(queries, recoded, before, after))
    return largest, sure


def _satisfied(
    combined: Sequence[Item], at: Sequence[Sequence[int]], sides: Sequence[tuple[bool, ...]]
) -> list[bool]:
    return [all(sides[i][index] for i in places) for index, places in enumerate(at)]


def _change(
    queries: Sequence[TopDownQuery],
    recoded: frozenset[str],
    before: Sequence[bool],
    after: Sequence[bool],
) -> RecordChange:
    same, all_counts = [], []
    for index, query in enumerate(queries):
        counted = before[index] + after[index]
        all_counts.append(counted)
        is_counted = counted == 1 or any(recode.name in recoded for recode in query.tells)
        same.append(counted if is_counted else 0)
    return RecordChange(tuple(same), tuple(all_counts))


def _keep(largest: list[RecordChange], change: RecordChange) -> None:
    if not any(other.holds(change) for other in largest):
        largest[:] = [other for other in largest if not change.holds(other)] + [change]
