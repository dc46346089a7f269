"""Margins without a cycle as a junction tree: which margins tell what, and their counts.

A margin tells the levels of its attributes and of all that these lie within, so it is taken with
its parents (its *closure*). The largest closures must have a junction tree, and every other
invariant must be a function of them. Then two records that agree on a separator can exchange all
that lies beyond it: no closure is torn, and a structural zero, a nesting or a condition inside one
closure looks at one of the two records only. Levels of attributes that no closure has are free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from semiaudit.errors import RefusedError
from semiaudit.model.audit import Release
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
    attributes_of,
)
from semiaudit.model.published import PublishedCounts
from semiaudit.universe.system.components import (
    Numbers,
    Places,
    PublishedRows,
    levels_of,
    places_of,
)
from semiaudit.universe.system.grouped_table import broken_bound, contradiction

Counts = Mapping[Numbers, int]
"""Positive counts by the levels of some attributes."""


@dataclass(frozen=True, slots=True)
class Node:
    """A closure in the junction tree.

    Attributes:
        places: the places of its attributes, ascending.
        parent: the number of the node above it; -1 for the first one.
        separator: what it shares with the node above, as places among ``places``.
        above: the same, as places among the ``places`` of the node above.
    """

    places: Places
    parent: int
    separator: Places
    above: Places


@dataclass(frozen=True, slots=True)
class JunctionTree:
    """The closures of the published margins, each after the one above it.

    Attributes:
        nodes: one for every largest closure; single-level attributes are left out.
        free: the places of the attributes that no closure has.
    """

    space: TableSpace
    nodes: tuple[Node, ...]
    free: Places

    @property
    def children(self) -> list[list[int]]:
        """For every node those below it."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for k, node in enumerate(self.nodes):
            if node.parent >= 0:
                found[node.parent].append(k)
        return found

    def beyond(self, k: int) -> frozenset[int]:
        """The attributes of a node and all below it that the node above it does not have."""
        children, inside, waiting = self.children, set(self.nodes[k].places), [k]
        while waiting:
            for child in children[waiting.pop()]:
                inside |= set(self.nodes[child].places)
                waiting.append(child)
        parent = self.nodes[k].parent
        return frozenset(inside - set(self.nodes[parent].places if parent >= 0 else ()))

    @property
    def overlaps(self) -> bool:
        """True if two closures share an attribute."""
        return any(node.separator for node in self.nodes)


def closure(space: TableSpace, places: Iterable[int]) -> frozenset[int]:
    """Attributes with all that they lie within."""
    found: set[int] = set()
    for place in places:
        while place not in found:
            found.add(place)
            above = space.attributes[place].within
            if above is not None:
                place = space.position(above)
    return frozenset(found)


def junction_tree(
    release: Release, space: TableSpace, *, bounds: bool = False
) -> JunctionTree | None:
    """The junction tree of a release; None where its invariants are not of that structure.

    Args:
        bounds: public bounds on levels of one closure may stand beside the margins without t too.
    """
    constraints = constraints_of(release.invariants)
    several = {place for place, a in enumerate(space.attributes) if a.size > 1}
    closures = [
        closure(space, places_of(space, c)) & several
        for c in constraints
        if isinstance(c, SameMargin)
    ]
    largest = [m for m in dict.fromkeys(closures) if m and not any(m < o for o in closures)]

    def told(names: Iterable[str]) -> bool:
        places = closure(space, map(space.position, names)) & several
        return any(places <= margin for margin in largest) or not places

    if not largest or not all(told([n for n, _ in zero]) for zero in space.impossible):
        return None
    given = bounds or release.published is not None
    if not all(_is_told(c, space, told, given=given) for c in constraints):
        return None
    tree = _spanning(largest)
    if tree is None:
        return None
    covered = frozenset().union(*largest)
    free = tuple(place for place in range(len(space.attributes)) if place not in covered)
    return JunctionTree(space, tree, free)


def _is_told(
    constraint: Constraint,
    space: TableSpace,
    told: Callable[[Iterable[str]], bool],
    *,
    given: bool,
) -> bool:
    """True if a constraint is a function of the margins; a bound is one where t is given."""
    match constraint:
        case SameSize() | SameMargin():
            return True
        case SameSupport():
            return told(constraint.attributes)
        case SameSums():
            return all(told([n for n, _ in where]) for row in constraint.rows for _, where in row)
        case Within():
            return given and told(attributes_of(constraint, space))
        case SameCellSums():
            return False
        case _:
            assert_never(constraint)


def _spanning(largest: Sequence[frozenset[int]]) -> tuple[Node, ...] | None:
    """The nodes of a junction tree; None where there is none.

    A spanning tree with the largest total overlap is a junction tree if there is any, that is if
    every attribute lies in one node more than it lies in separators (Maier 1983).
    """
    order, nodes = [0], [Node(tuple(sorted(largest[0])), -1, (), ())]
    best = {k: (len(largest[k] & largest[0]), 0) for k in range(1, len(largest))}
    shared = 0
    while best:
        k = max(best, key=lambda other: (best[other][0], -other))
        overlap, at = best.pop(k)
        shared += overlap
        places, above = tuple(sorted(largest[k])), tuple(sorted(largest[order[at]]))
        both = sorted(largest[k] & largest[order[at]])
        nodes.append(
            Node(
                places,
                at,
                tuple(places.index(place) for place in both),
                tuple(above.index(place) for place in both),
            )
        )
        order.append(k)
        for other, (size, _) in best.items():
            found = len(largest[other] & largest[k])
            if found > size:
                best[other] = (found, len(order) - 1)
    if sum(map(len, largest)) - shared != len(frozenset().union(*largest)):
        return None
    return tuple(nodes)


def node_counts(release: Release, tree: JunctionTree) -> tuple[dict[Numbers, int], ...]:
    """The positive counts of every node under the given t.

    Raises:
        RefusedError: the published values contradict each other, or a public bound.
        ValueError: t is not given.
    """
    space, published = tree.space, release.published
    if not isinstance(published, PublishedCounts):
        raise ValueError("t is not given")
    constraints = constraints_of(release.invariants)
    given = PublishedRows(space, constraints, published)
    found: list[dict[Numbers, int] | None] = [None] * len(tree.nodes)
    smaller: list[tuple[int, Places, Counter[Numbers]]] = []
    for index, constraint in enumerate(constraints):
        if not isinstance(constraint, SameMargin):
            continue
        own = places_of(space, constraint)
        places, counts = _closed_counts(release, space, own, given.values[index])
        node, at = _inside(tree, places)
        if len(at) == len(tree.nodes[node].places) and found[node] is None:
            found[node] = dict(counts)
        smaller.append((node, at, counts))
    counts_of = tuple(counts or {} for counts in found)
    _check(release, tree, counts_of, smaller)
    _check_others(release, tree, counts_of, constraints, given)
    return counts_of


def _closed_counts(
    release: Release, space: TableSpace, own: Places, flat: Numbers
) -> tuple[Places, Counter[Numbers]]:
    """A margin's positive counts over its closure, without attributes of one level."""
    closed = sorted(closure(space, own))
    sizes = [space.attributes[place].size for place in own]
    parent = {
        place: space.position(name)
        for place in closed
        if (name := space.attributes[place].within) is not None
    }
    kept = tuple(place for place in closed if space.attributes[place].size > 1)
    counts: Counter[Numbers] = Counter()
    for cell, count in enumerate(flat):
        if not count:
            continue
        levels = dict(zip(own, levels_of(cell, sizes), strict=True))
        for place in own:
            at = place
            while at in parent:
                above = space.attributes[at].parents[levels[at]]
                if levels.setdefault(parent[at], above) != above:
                    raise RefusedError(contradiction(release))
                at = parent[at]
        if count < 0:
            raise RefusedError(contradiction(release))
        counts[tuple(levels[place] for place in kept)] += count
    return kept, counts


def _inside(tree: JunctionTree, places: Sequence[int]) -> tuple[int, Places]:
    """A node that holds some attributes, and where it holds them."""
    for k, node in enumerate(tree.nodes):
        if set(places) <= set(node.places):
            return k, tuple(node.places.index(place) for place in places)
    raise ValueError("no margin tells these attributes")


def projected(counts: Counts, at: Sequence[int]) -> Counter[Numbers]:
    """Counts by the levels at some places only."""
    found: Counter[Numbers] = Counter()
    for levels, count in counts.items():
        found[tuple([levels[place] for place in at])] += count
    return found


def _check(
    release: Release,
    tree: JunctionTree,
    counts: Sequence[Counts],
    smaller: Sequence[tuple[int, Places, Counter[Numbers]]],
) -> None:
    """Refuse margins that disagree where they overlap, or with the size or a structural zero."""
    published = release.published
    good = all(projected(counts[k], at) == own for k, at, own in smaller)
    for k, node in enumerate(tree.nodes):
        if node.parent >= 0:
            above = projected(counts[node.parent], node.above)
            good = good and projected(counts[k], node.separator) == above
    total = sum(counts[0].values())
    told = [tree.space.size, published.size if isinstance(published, PublishedCounts) else None]
    good = good and all(size is None or size == total for size in told)
    good = good and not any(number(tree, counts, zero) for zero in tree.space.impossible)
    if not good:
        raise RefusedError(contradiction(release))


def number(tree: JunctionTree, counts: Sequence[Counts], where: Condition) -> int:
    """How many records satisfy a condition on attributes of one closure."""
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
    wanted = list(zip(at, allowed.values(), strict=True))
    return (
        0
        if empty
        else sum(
            count
            for levels, count in counts[node].items()
            if all(levels[place] in known for place, known in wanted)
        )
    )


def _check_others(
    release: Release,
    tree: JunctionTree,
    counts: Sequence[Counts],
    constraints: Sequence[Constraint],
    given: PublishedRows,
) -> None:
    """Refuse sums, keys and bounds that the margins contradict."""
    space = tree.space
    for index, constraint in enumerate(constraints):
        match constraint:
            case SameSums():
                sums = tuple(
                    sum(k * number(tree, counts, where) for k, where in row)
                    for row in constraint.rows
                )
                good = sums == tuple(given.values[index])
            case SameSupport():
                own = places_of(space, constraint)
                several = tuple(p for p in own if space.attributes[p].size > 1)
                node, at = _inside(tree, several)
                sizes = [space.attributes[place].size for place in own]
                held = {
                    tuple(
                        level
                        for level, place in zip(levels_of(cell, sizes), own, strict=True)
                        if place in several
                    )
                    for cell in given.values[index]
                }
                good = held == set(projected(counts[node], at))
            case Within():
                found = number(tree, counts, constraint.where)
                if not constraint.admits(found):
                    raise RefusedError(broken_bound(release, index, found))
                good = True
            case SameSize() | SameMargin() | SameCellSums():
                good = True
            case _:
                assert_never(constraint)
        if not good:
            raise RefusedError(contradiction(release))
