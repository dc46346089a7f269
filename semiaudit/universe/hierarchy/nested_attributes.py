"""Nested attributes, and the effect of a change of them.

A nest is a top-level attribute with all attributes nested within it: its levels are combinations,
many of which cannot occur. A single attribute is a nest of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from semiaudit.frozen import cached_property, dataclass
from semiaudit.model.dataspace import Attribute, Condition, TableSpace
from semiaudit.model.topdown import Recode

MAX_LEVELS = 5_000
"""Levels of one attribute that are examined one by one; with more, only those that are named."""

MAX_COMBINATIONS = 20_000
"""The most combinations of the levels of a nest that are examined."""

MAX_ALIKE = 400
"""The most combinations of a nest that queries distinguish."""

Combination = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """The effect of a change of one nest.

    Attributes:
        recodes: the recodes that show the change.
        before, after: for every condition, whether the levels of the nest satisfy it.
        moved: whether an attribute changes of those of which one must change.
    """

    recodes: frozenset[str]
    before: tuple[bool, ...]
    after: tuple[bool, ...]
    moved: bool


@dataclass(frozen=True)
class Nest:
    """Attributes of one nest, each after its parent."""

    attributes: tuple[Attribute, ...]

    @cached_property
    def names(self) -> frozenset[str]:
        """Return the names of the attributes."""
        return frozenset(a.name for a in self.attributes)

    @cached_property
    def combinations(self) -> tuple[Combination, ...] | None:
        """Return the levels that a record can have together; None if there are too many."""
        combinations: list[Combination] = [()]
        place = {a.name: at for at, a in enumerate(self.attributes)}
        for a in self.attributes:
            below: dict[int | None, list[int]] = {}
            for level in range(a.size):
                below.setdefault(a.parents[level] if a.within else None, []).append(level)
            outer = None if a.within is None else place[a.within]
            longer: list[Combination] = []
            for cell in combinations:
                inside = below.get(None if outer is None else cell[outer], [])
                if len(longer) + len(inside) > MAX_COMBINATIONS:
                    return None
                longer += [(*cell, level) for level in inside]
            combinations = longer
        return tuple(combinations)

    def can_change(self, free: frozenset[str], must: frozenset[str]) -> bool | None:
        """Return whether a change of the free attributes changes one that must; None if unknown."""
        if not self.names & free & must:
            return False
        if len(self.attributes) == 1:
            return self.attributes[0].size > 1
        if self.combinations is None:
            return None
        fixed = [at for at, a in enumerate(self.attributes) if a.name not in free]
        required = [at for at, a in enumerate(self.attributes) if a.name in must]
        known: dict[Combination, Combination] = {}
        for cell in self.combinations:
            levels = tuple(cell[at] for at in required)
            if known.setdefault(tuple(cell[at] for at in fixed), levels) != levels:
                return True
        return False

    def items(
        self,
        recodes: Iterable[Recode],
        conditions: Sequence[Condition],
        free: frozenset[str],
        must: frozenset[str],
    ) -> list[Item] | None:
        """Return the distinct effects of the changes, without those that show less than others.

        None if there are too many.
        """
        inner = [r for r in recodes if set(r.of) <= self.names and r.groups != ()]
        own = [self._of_condition(condition) for condition in conditions]
        groups = [[self._of_condition(g) for g in r.groups or ()] for r in inner]
        chosen = self._chosen(groups, own)
        if chosen is None:
            return None
        listed = [
            (cell, self._values(cell, inner, groups), tuple(_holds(c, cell) for c in own))
            for cell in chosen
        ]
        fixed = [at for at, a in enumerate(self.attributes) if a.name not in free]
        required = [at for at, a in enumerate(self.attributes) if a.name in must]
        moves_by_ends: dict[
            tuple[tuple[bool, ...], tuple[bool, ...]], list[tuple[frozenset[str], bool]]
        ] = {}
        for cell, values, before in listed:
            for other, others, after in listed:
                if any(cell[at] != other[at] for at in fixed):
                    continue
                distinguished = frozenset(
                    r.name for r, a, b in zip(inner, values, others, strict=True) if a != b
                )
                moved = any(cell[at] != other[at] for at in required)
                # An effect with the same conditions and more recodes changes no fewer cells of any
                # query, and combines with the same effects of other nests. So the smaller one can
                # be left out.
                known = moves_by_ends.setdefault((before, after), [])
                if not any(distinguished <= more and moved <= also for more, also in known):
                    known[:] = [e for e in known if not (e[0] <= distinguished and e[1] <= moved)]
                    known.append((distinguished, moved))
        return [
            Item(distinguished, before, after, moved)
            for (before, after), each in moves_by_ends.items()
            for distinguished, moved in each
        ]

    def _of_condition(self, condition: Condition) -> tuple[tuple[int, frozenset[int]], ...]:
        allowed = dict(condition)
        return tuple(
            (at, frozenset(i for i in a.indices(allowed[a.name]) if i is not None))
            for at, a in enumerate(self.attributes)
            if a.name in allowed
        )

    def _values(
        self, cell: Combination, recodes: Sequence[Recode], groups: Sequence[Sequence[_Levels]]
    ) -> tuple[int | None, ...]:
        values: list[int | None] = []
        for recode, parts in zip(recodes, groups, strict=True):
            if recode.groups is None:
                (name,) = recode.of
                values += [cell[at] for at, a in enumerate(self.attributes) if a.name == name]
                continue
            values.append(next((i for i, part in enumerate(parts) if _holds(part, cell)), None))
        return tuple(values)

    def _chosen(
        self, groups: Sequence[Sequence[_Levels]], used: Sequence[_Levels]
    ) -> list[Combination] | None:
        inner = {a.within for a in self.attributes}
        ends = [at for at, a in enumerate(self.attributes) if a.name not in inner]
        combinations: Iterable[Combination] | None = self.combinations
        if len(self.attributes) == 1:
            masks = [
                mask for part in [*used, *(g for of in groups for g in of)] for _, mask in part
            ]
            combinations = ((level,) for level in _looked_at(self.attributes[0], masks))
        if combinations is None:
            return None
        if len(ends) > 1:
            chosen = list(combinations)
            return chosen if len(chosen) <= MAX_ALIKE else None
        by_key: dict[object, list[Combination]] = {}
        for cell in combinations:
            shown = tuple(
                next((i for i, part in enumerate(parts) if _holds(part, cell)), None)
                for parts in groups
            )
            key = cell[:-1], shown, tuple(_holds(part, cell) for part in used)
            of_key = by_key.setdefault(key, [])
            if len(of_key) < 2:
                of_key.append(cell)
        chosen = [cell for of_key in by_key.values() for cell in of_key]
        return chosen if len(chosen) <= MAX_ALIKE or len(self.attributes) == 1 else None


_Levels = tuple[tuple[int, frozenset[int]], ...]


@lru_cache(maxsize=64)
def nests_of(space: TableSpace, without: frozenset[str]) -> tuple[Nest, ...]:
    """Return the nests of all attributes except some.

    The exceptions are whole nests or parts of the geography.
    """
    roots: dict[str, list[Attribute]] = {}
    root_of: dict[str, str] = {}
    waiting = [a for a in space.attributes if a.name not in without]
    while waiting:
        later = []
        for a in waiting:
            if a.within is not None and a.within not in root_of:
                later.append(a)
                continue
            root = a.name if a.within is None else root_of[a.within]
            root_of[a.name] = root
            roots.setdefault(root, []).append(a)
        if len(later) == len(waiting):
            raise ValueError("an attribute lies within one of the geography")
        waiting = later
    return tuple(Nest(tuple(members)) for members in roots.values())


def _holds(part: _Levels, cell: Combination) -> bool:
    return all(cell[at] in levels for at, levels in part)


def _looked_at(attribute: Attribute, masks: Sequence[frozenset[int]]) -> Iterable[int]:
    """Return the levels that must be examined: all, or the named ones and two others."""
    if attribute.size <= MAX_LEVELS:
        return range(attribute.size)
    named = {level for mask in masks for level in mask}
    others = [level for level in range(len(named) + 2) if level not in named][:2]
    return sorted(named) + [level for level in others if level < attribute.size]
