"""D_t under margins with a junction tree: one of its tables, and tables with given records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from semiaudit.errors import RefusedError
from semiaudit.frozen import cached_property, dataclass
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.universe.system.arrangement import Flow, Run, table_of
from semiaudit.universe.system.closure_counts import Counts, node_counts
from semiaudit.universe.system.components import Numbers
from semiaudit.universe.system.decomposable import JunctionTree
from semiaudit.universe.system.free_attributes import FreeAttributes
from semiaudit.universe.system.grouped_table import contradiction

Levels = Mapping[int, int]
"""Levels by the indices of attributes."""


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
