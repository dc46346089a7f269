"""D_t under margins with a junction tree: one of its tables, and tables with given records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from semiaudit.errors import RefusedError
from semiaudit.frozen import cached_property, dataclass
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.universe.system.arrangement import Flow, Run, table_of
from semiaudit.universe.system.closure_counts import Counts, node_counts
from semiaudit.universe.system.components import Numbers, Places
from semiaudit.universe.system.decomposable import JunctionTree
from semiaudit.universe.system.grouped_table import contradiction

Levels = Mapping[int, int]
"""Levels by the indices of attributes."""


class FreeAttributes:
    """The free attributes of a table; each can be nested in a published or a free one.

    Args:
        space: the table of attributes.
        free: the indices of the free attributes. No structural zero contains them.
    """

    def __init__(self, space: TableSpace, free: Places) -> None:
        self.space, self.free = space, free
        self.parent = {
            place: space.position(name)
            for place in free
            if (name := space.attributes[place].within) is not None
        }
        self._ways: dict[tuple[int, int], int] = {}

    def _below(self, place: int) -> list[int]:
        return [child for child, above in self.parent.items() if above == place]

    def _under(self, child: int, level: int) -> list[int]:
        parents = self.space.attributes[child].parents
        return [inner for inner, above in enumerate(parents) if above == level]

    def _number(self, place: int, level: int) -> int:
        key = place, level
        if key not in self._ways:
            self._ways[key] = prod(
                sum(self._number(child, inner) for inner in self._under(child, level))
                for child in self._below(place)
            )
        return self._ways[key]

    def _options(self, place: int, levels: Mapping[int, int]) -> list[int]:
        above = self.parent.get(place)
        if above is None:
            return list(range(self.space.attributes[place].size))
        return self._under(place, levels[above])

    def completed(self, levels: Mapping[int, int], *, other: bool = False) -> dict[int, int] | None:
        """Return a record with the published levels; None if there is none.

        Args:
            levels: the levels of all other attributes, by index.
            other: return a second record with these levels, not the first one.
        """
        completed = dict(levels)
        changed = not other
        waiting = list(self.free)
        while waiting:
            place = next(p for p in waiting if self.parent.get(p, -1) not in waiting)
            waiting.remove(place)
            fitting = [
                level for level in self._options(place, completed) if self._number(place, level)
            ]
            if not fitting:
                return None
            completed[place] = fitting[0]
            if not changed and len(fitting) > 1:
                completed[place], changed = fitting[1], True
            elif not changed and self._number(place, fitting[0]) > 1:
                continue
        return completed if changed else None


@dataclass(frozen=True)
class Decomposed:
    """D_t of a given t.

    Attributes:
        counts: of every node, positive ones only.
        free: the attributes that no margin determines.
    """

    space: TableSpace
    tree: JunctionTree
    counts: tuple[Counts, ...]
    free: FreeAttributes

    @property
    def size(self) -> int:
        """Return the number of records."""
        return sum(self.counts[0].values())

    @cached_property
    def runs(self) -> list[Run]:
        """Return some table of D_t."""
        return table_of(self.tree, self.counts, {}, (), Flow({}))

    @property
    def varies(self) -> bool:
        """Return whether records of two classes occur."""
        return any(len(cells) > 1 for cells in self.counts)

    @cached_property
    def several(self) -> Levels | None:
        """Return the published levels of a record that can change its free levels.

        None if none can.
        """
        parents = sorted({self.free.parent[p] for p in self.free.free if p in self.free.parent})
        known = set()
        for levels, _, _ in self.runs:
            key = tuple([levels.get(place, 0) for place in parents])
            if key not in known:
                known.add(key)
                if self.free.completed(levels, other=True) is not None:
                    return levels
        return None

    @cached_property
    def exchangeable(self) -> tuple[int, Levels, Levels] | None:
        """Return two records that differ on both sides of a separator in which they agree.

        None if a table has no such records. Then no exchange changes it, and D_t has no other table
        over classes: exchanges of this kind link any two tables (Dobra 2003, Theorem 4.2).

        Returns:
            The node below the separator, and the records.
        """
        for k, node in enumerate(self.tree.nodes):
            if node.parent < 0:
                continue
            inside = self.tree.beyond(k)
            shared = [node.places[at] for at in node.separator]
            groups: dict[Numbers, list[Levels]] = {}
            for levels, _, _ in self.runs:
                groups.setdefault(tuple([levels[p] for p in shared]), []).append(levels)
            for those in groups.values():
                pair = _differing(those, inside)
                if pair is not None:
                    return (k, *pair)
        return None

    def containing(self, records: Sequence[Levels]) -> list[Run] | None:
        """Return a table that contains some records; None if no table does.

        If margins agree on their separators and are nonnegative, some table has them.
        """
        remaining = self.without(records)
        if remaining is None:
            return None
        others = table_of(self.tree, remaining, {}, (), Flow({})) if any(remaining) else []
        return [*((dict(record), False, 1) for record in records), *others]

    def without(self, records: Sequence[Levels]) -> list[dict[Numbers, int]] | None:
        """Return the remaining counts; None if some are too small."""
        remaining = [dict(counts) for counts in self.counts]
        for record in records:
            for node, counts in zip(self.tree.nodes, remaining, strict=True):
                cell = tuple([record[place] for place in node.places])
                number = counts.pop(cell, 0) - 1
                if number < 0:
                    return None
                if number:
                    counts[cell] = number
        return remaining


def _differing(those: Sequence[Levels], inside: frozenset[int]) -> tuple[Levels, Levels] | None:
    def sides(levels: Levels) -> tuple[tuple[int, ...], tuple[int, ...]]:
        beyond = tuple([level for place, level in sorted(levels.items()) if place in inside])
        others = tuple([level for place, level in sorted(levels.items()) if place not in inside])
        return beyond, others

    known: list[tuple[Levels, tuple[tuple[int, ...], tuple[int, ...]]]] = []
    for levels in those:
        pair_of_sides = sides(levels)
        for other, (beyond, others) in known:
            if beyond != pair_of_sides[0] and others != pair_of_sides[1]:
                return other, levels
        # Two different records are enough to compare with: a record that differs from neither of
        # them on both sides agrees with each in one side, and so has no partner that they do not
        # have.
        if len(known) < 2 and all(pair != pair_of_sides for _, pair in known):
            known.append((levels, pair_of_sides))
    return None


def decomposed(release: Release, tree: JunctionTree) -> Decomposed:
    """Return D_t of the given t.

    Raises:
        RefusedError: the published values contradict each other, or a public bound, or no record
            can have some published levels.
    """
    table = Decomposed(tree.space, tree, node_counts(release, tree), _free(tree))
    parents = sorted({table.free.parent[p] for p in tree.free if p in table.free.parent})
    known = set()
    for levels, _, _ in table.runs:
        key = tuple([levels.get(place, 0) for place in parents])
        if key not in known:
            known.add(key)
            if table.free.completed(levels) is None:
                raise RefusedError(contradiction(release))
    return table


def _free(tree: JunctionTree) -> FreeAttributes:
    return FreeAttributes(tree.space, tree.free)
