"""Attributes that lie within each other, and what a change of them does.

A nest is an attribute that lies within no other one, with all that lies within it: its levels are
combinations, of which many cannot occur. An attribute by itself is a nest of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

from semiaudit.frozen import dataclass
from semiaudit.model.dataspace import Attribute, Condition, TableSpace
from semiaudit.model.topdown import Recode

MAX_LEVELS = 5_000
"""Levels of one attribute that are looked at one by one; of more, those that are named."""

MAX_COMBINATIONS = 20_000
"""Combinations of the levels of a nest that are looked at."""

MAX_ALIKE = 400
"""Combinations of a nest that differ in what queries see of them."""

Combination = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """What a change of one nest does.

    Attributes:
        recodes: the recodes that tell it.
        before, after: for every condition whether the levels of the nest satisfy it.
        moved: whether one of the attributes changes of which one has to.
    """

    recodes: frozenset[str]
    before: tuple[bool, ...]
    after: tuple[bool, ...]
    moved: bool


@dataclass(frozen=True)
class Nest:
    """Attributes of one nest, each after the one that it lies within."""

    attributes: tuple[Attribute, ...]

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the attributes."""
        return frozenset(a.name for a in self.attributes)

    @cached_property
    def combinations(self) -> tuple[Combination, ...] | None:
        """The levels that a record can have together; None if they are too many."""
        combinations: list[Combination] = [()]
        place = {a.name: at for at, a in enumerate(self.attributes)}
        for a in self.attributes:
            below: dict[int | None, list[int]] = {}
            for level in range(a.size):
                below.setdefault(a.parents[level] if a.within else None, []).append(level)
            held = None if a.within is None else place[a.within]
            longer: list[Combination] = []
            for one in combinations:
                inside = below.get(None if held is None else one[held], [])
                if len(longer) + len(inside) > MAX_COMBINATIONS:
                    return None
                longer += [(*one, level) for level in inside]
            combinations = longer
        return tuple(combinations)

    def can_change(self, free: frozenset[str], must: frozenset[str]) -> bool | None:
        """Whether a change of the free attributes changes one that must; None if not known."""
        if not self.names & free & must:
            return False
        if len(self.attributes) == 1:
            return self.attributes[0].size > 1
        if self.combinations is None:
            return None
        kept = [at for at, a in enumerate(self.attributes) if a.name not in free]
        asked = [at for at, a in enumerate(self.attributes) if a.name in must]
        seen: dict[Combination, Combination] = {}
        for one in self.combinations:
            levels = tuple(one[at] for at in asked)
            if seen.setdefault(tuple(one[at] for at in kept), levels) != levels:
                return True
        return False

    def items(
        self,
        recodes: Iterable[Recode],
        conditions: Sequence[Condition],
        free: frozenset[str],
        must: frozenset[str],
    ) -> list[Item] | None:
        """What the changes do, each once, without those that tell less than others; None if
        they are too many."""
        own = [r for r in recodes if set(r.of) <= self.names and r.groups != ()]
        seen = [self._of_condition(condition) for condition in conditions]
        groups = [[self._of_condition(g) for g in r.groups or ()] for r in own]
        chosen = self._chosen(groups, seen)
        if chosen is None:
            return None
        listed = [
            (one, self._values(one, own, groups), tuple(_holds(c, one) for c in seen))
            for one in chosen
        ]
        kept = [at for at, a in enumerate(self.attributes) if a.name not in free]
        asked = [at for at, a in enumerate(self.attributes) if a.name in must]
        moves_by_ends: dict[
            tuple[tuple[bool, ...], tuple[bool, ...]], list[tuple[frozenset[str], bool]]
        ] = {}
        for one, values, before in listed:
            for other, others, after in listed:
                if any(one[at] != other[at] for at in kept):
                    continue
                distinguished = frozenset(
                    r.name for r, a, b in zip(own, values, others, strict=True) if a != b
                )
                moved = any(one[at] != other[at] for at in asked)
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
        """What a condition says of the nest: of some attributes, by their place, their levels."""
        allowed = dict(condition)
        return tuple(
            (at, frozenset(i for i in a.indices(allowed[a.name]) if i is not None))
            for at, a in enumerate(self.attributes)
            if a.name in allowed
        )

    def _values(
        self, one: Combination, own: Sequence[Recode], groups: Sequence[Sequence[_Levels]]
    ) -> tuple[int | None, ...]:
        """What each recode shows of a combination."""
        values: list[int | None] = []
        for recode, parts in zip(own, groups, strict=True):
            if recode.groups is None:
                (name,) = recode.of
                values += [one[at] for at, a in enumerate(self.attributes) if a.name == name]
                continue
            values.append(next((i for i, part in enumerate(parts) if _holds(part, one)), None))
        return tuple(values)

    def _chosen(
        self, groups: Sequence[Sequence[_Levels]], seen: Sequence[_Levels]
    ) -> list[Combination] | None:
        """Combinations that stand for all: two of those that look alike but for the last level."""
        inner = {a.within for a in self.attributes}
        ends = [at for at, a in enumerate(self.attributes) if a.name not in inner]
        combinations: Iterable[Combination] | None = self.combinations
        if len(self.attributes) == 1:
            masks = [
                mask for part in [*seen, *(g for of in groups for g in of)] for _, mask in part
            ]
            combinations = ((level,) for level in _looked_at(self.attributes[0], masks))
        if combinations is None:
            return None
        if len(ends) > 1:
            chosen = list(combinations)
            return chosen if len(chosen) <= MAX_ALIKE else None
        by_key: dict[object, list[Combination]] = {}
        for one in combinations:
            shown = tuple(
                next((i for i, part in enumerate(parts) if _holds(part, one)), None)
                for parts in groups
            )
            key = one[:-1], shown, tuple(_holds(part, one) for part in seen)
            of_key = by_key.setdefault(key, [])
            if len(of_key) < 2:
                of_key.append(one)
        chosen = [one for of_key in by_key.values() for one in of_key]
        return chosen if len(chosen) <= MAX_ALIKE or len(self.attributes) == 1 else None


_Levels = tuple[tuple[int, frozenset[int]], ...]


@lru_cache(maxsize=64)
def nests_of(space: TableSpace, without: frozenset[str]) -> tuple[Nest, ...]:
    """The nests of all attributes but some, which are whole nests or parts of the geography."""
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


def _holds(part: _Levels, one: Combination) -> bool:
    """Whether a combination satisfies what a condition says of the nest."""
    return all(one[at] in levels for at, levels in part)


def _looked_at(attribute: Attribute, masks: Sequence[frozenset[int]]) -> Iterable[int]:
    """The levels that have to be looked at: all, or the named ones and two that are not."""
    if attribute.size <= MAX_LEVELS:
        return range(attribute.size)
    named = {level for mask in masks for level in mask}
    others = [level for level in range(len(named) + 2) if level not in named][:2]
    return sorted(named) + [level for level in others if level < attribute.size]
