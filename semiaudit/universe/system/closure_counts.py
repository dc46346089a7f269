"""The counts of a junction tree under a given t, and whether t contradicts itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import assert_never

from semiaudit.errors import RefusedError
from semiaudit.model.audit import PublishedCounts, Release
from semiaudit.model.dataspace import Condition, TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import (
    Constraint,
    SameCellSums,
    SameMargin,
    SameSize,
    SameSums,
    SameSupport,
    Within,
)
from semiaudit.universe.system.components import (
    Numbers,
    Places,
    PublishedRows,
    levels_of,
    places_of,
)
from semiaudit.universe.system.decomposable import JunctionTree, closure
from semiaudit.universe.system.grouped_table import broken_bound, contradiction

Counts = Mapping[Numbers, int]
"""Positive counts by the levels of some attributes."""


def node_counts(release: Release, tree: JunctionTree) -> tuple[dict[Numbers, int], ...]:
    """Return the positive counts of every node under the given t.

    Raises:
        RefusedError: the published values contradict each other, or a public bound.
        ValueError: t is not given.
    """
    space, published = tree.space, release.published
    if not isinstance(published, PublishedCounts):
        raise ValueError("t is not given")
    constraints = constraints_of(release.invariants)
    published_rows = PublishedRows(space, constraints, published)
    counts_by_node: list[dict[Numbers, int] | None] = [None] * len(tree.nodes)
    smaller: list[tuple[int, Places, Counter[Numbers]]] = []
    for index, constraint in enumerate(constraints):
        if not isinstance(constraint, SameMargin):
            continue
        own = places_of(space, constraint)
        places, counts = _closed_counts(release, space, own, published_rows.values[index])
        node, at = _inside(tree, places)
        if len(at) == len(tree.nodes[node].places) and counts_by_node[node] is None:
            counts_by_node[node] = dict(counts)
        smaller.append((node, at, counts))
    counts_of = tuple(counts or {} for counts in counts_by_node)
    _check(release, tree, counts_of, smaller)
    _check_others(release, tree, counts_of, constraints, published_rows)
    return counts_of


def _closed_counts(
    release: Release, space: TableSpace, places: Places, flat: Numbers
) -> tuple[Places, Counter[Numbers]]:
    closed = sorted(closure(space, places))
    sizes = [space.attributes[place].size for place in places]
    parent = {
        place: space.position(name)
        for place in closed
        if (name := space.attributes[place].within) is not None
    }
    varying = tuple(place for place in closed if space.attributes[place].size > 1)
    counts: Counter[Numbers] = Counter()
    for cell, count in enumerate(flat):
        if not count:
            continue
        levels = dict(zip(places, levels_of(cell, sizes), strict=True))
        for place in places:
            at = place
            while at in parent:
                above = space.attributes[at].parents[levels[at]]
                if levels.setdefault(parent[at], above) != above:
                    raise RefusedError(contradiction(release))
                at = parent[at]
        if count < 0:
            raise RefusedError(contradiction(release))
        counts[tuple(levels[place] for place in varying)] += count
    return varying, counts


def _inside(tree: JunctionTree, places: Sequence[int]) -> tuple[int, Places]:
    for k, node in enumerate(tree.nodes):
        if set(places) <= set(node.places):
            return k, tuple(node.places.index(place) for place in places)
    raise ValueError("no margin contains these attributes")


def projected(counts: Counts, at: Sequence[int]) -> Counter[Numbers]:
    """Return counts by the levels at some positions only."""
    projection: Counter[Numbers] = Counter()
    for levels, count in counts.items():
        projection[tuple([levels[place] for place in at])] += count
    return projection


def _check(
    release: Release,
    tree: JunctionTree,
    counts: Sequence[Counts],
    smaller: Sequence[tuple[int, Places, Counter[Numbers]]],
) -> None:
    published = release.published
    good = all(projected(counts[k], at) == expected for k, at, expected in smaller)
    for k, node in enumerate(tree.nodes):
        if node.parent >= 0:
            above = projected(counts[node.parent], node.above)
            good = good and projected(counts[k], node.separator) == above
    total = sum(counts[0].values())
    sizes = [tree.space.size, published.size if isinstance(published, PublishedCounts) else None]
    good = good and all(size is None or size == total for size in sizes)
    good = good and not any(number(tree, counts, zero) for zero in tree.space.impossible)
    if not good:
        raise RefusedError(contradiction(release))


def number(tree: JunctionTree, counts: Sequence[Counts], where: Condition) -> int:
    """Return how many records satisfy a condition on attributes of one closure."""
    space, empty = tree.space, False
    allowed: dict[int, set[int]] = {}
    for name, levels in where:
        place = space.position(name)
        known = {level for level in space.attributes[place].indices(levels) if level is not None}
        if space.attributes[place].size > 1:
            allowed[place] = known & allowed.get(place, known)
        else:
            empty |= not known
    node, at = _inside(tree, tuple(allowed))
    chosen = list(zip(at, allowed.values(), strict=True))
    return (
        0
        if empty
        else sum(
            count
            for levels, count in counts[node].items()
            if all(levels[place] in known for place, known in chosen)
        )
    )


def _check_others(
    release: Release,
    tree: JunctionTree,
    counts: Sequence[Counts],
    constraints: Sequence[Constraint],
    published_rows: PublishedRows,
) -> None:
    space = tree.space
    for index, constraint in enumerate(constraints):
        match constraint:
            case SameSums():
                sums = tuple(
                    sum(k * number(tree, counts, where) for k, where in row)
                    for row in constraint.rows
                )
                good = sums == tuple(published_rows.values[index])
            case SameSupport():
                places = places_of(space, constraint)
                several = tuple(p for p in places if space.attributes[p].size > 1)
                node, at = _inside(tree, several)
                sizes = [space.attributes[place].size for place in places]
                counted = {
                    tuple(
                        level
                        for level, place in zip(levels_of(cell, sizes), places, strict=True)
                        if place in several
                    )
                    for cell in published_rows.values[index]
                }
                good = counted == set(projected(counts[node], at))
            case Within():
                records = number(tree, counts, constraint.where)
                if not constraint.admits(records):
                    raise RefusedError(broken_bound(release, index, records))
                good = True
            case SameSize() | SameMargin() | SameCellSums():
                good = True
            case _:
                assert_never(constraint)
        if not good:
            raise RefusedError(contradiction(release))
