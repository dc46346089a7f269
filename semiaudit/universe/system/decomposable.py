"""Margins without a cycle as a junction tree, and which margins determine which.

A margin determines the levels of its attributes and of all their parents, so it is used with its
parents (its *closure*). The largest closures must have a junction tree, and every other invariant
must be a function of them. Then two records that agree on a separator can exchange all levels
beyond it: no closure is split, and a structural zero, a nesting or a condition inside one closure
involves only one of the two records. Levels of attributes in no closure are free.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar, assert_never

from semiaudit.frozen import dataclass
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
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
from semiaudit.universe.system.components import (
    Places,
    places_of,
)


@dataclass(frozen=True, slots=True)
class Node:
    """A closure in the junction tree.

    Attributes:
        places: the indices of its attributes, ascending.
        parent: the number of the node above it; -1 for the first one.
        separator: the attributes shared with the node above, as positions in ``places``.
        above: the same attributes, as positions in the ``places`` of the node above.
    """

    places: Places
    parent: int
    separator: Places
    above: Places


@dataclass(frozen=True, slots=True)
class JunctionTree:
    """The closures of the published margins, each after the one above it.

    Attributes:
        nodes: one for every maximal closure; attributes with a single level are omitted.
        free: the indices of the attributes in no closure.
    """

    space: TableSpace
    nodes: tuple[Node, ...]
    free: Places

    @property
    def children(self) -> list[list[int]]:
        """For every node, return its children."""
        children: list[list[int]] = [[] for _ in self.nodes]
        for k, node in enumerate(self.nodes):
            if node.parent >= 0:
                children[node.parent].append(k)
        return children

    def beyond(self, k: int) -> frozenset[int]:
        """Return the attributes of a node and all below it that the node above it does not have."""
        children, inside, waiting = self.children, set(self.nodes[k].places), [k]
        while waiting:
            for child in children[waiting.pop()]:
                inside |= set(self.nodes[child].places)
                waiting.append(child)
        parent = self.nodes[k].parent
        return frozenset(inside - set(self.nodes[parent].places if parent >= 0 else ()))

    @property
    def overlaps(self) -> bool:
        """Return whether two closures share an attribute."""
        return any(node.separator for node in self.nodes)


def closure(space: TableSpace, places: Iterable[int]) -> frozenset[int]:
    """Return attributes with all of their parents."""
    closed: set[int] = set()
    for place in places:
        while place not in closed:
            closed.add(place)
            above = space.attributes[place].within
            if above is not None:
                place = space.position(above)
    return frozenset(closed)


H = TypeVar("H", bound=Hashable)


class SupersetIndex(Generic[H]):
    """Sets of attributes, of which those that contain a set are found without a look at all."""

    def __init__(self, sets: Iterable[frozenset[H]]) -> None:
        self._sets = list(sets)
        self._by_place: defaultdict[H, list[frozenset[H]]] = defaultdict(list)
        for places in self._sets:
            for place in places:
                self._by_place[place].append(places)

    def containing(self, part: frozenset[H]) -> Iterator[frozenset[H]]:
        """Yield the sets that contain a set or equal it, in their order."""
        by_place = [self._by_place.get(place, []) for place in part]
        candidates = min(by_place, key=len, default=self._sets)
        return (places for places in candidates if part <= places)


def is_determined_by(
    space: TableSpace, places: Places, other: Places, *, strict: bool = True
) -> bool:
    """Return whether another margin determines a margin.

    Of two equivalent ones, the first one stays.
    """
    first, two = closure(space, places), closure(space, other)
    return first <= two and (not strict or first != two or other < places)


def junction_tree(
    release: Release, space: TableSpace, *, bounds: bool = False
) -> JunctionTree | None:
    """Return the junction tree of a release; None if its invariants do not have that structure.

    Args:
        bounds: public bounds on levels of one closure are allowed without t too.
    """
    constraints = constraints_of(release.invariants)
    several = {place for place, a in enumerate(space.attributes) if a.size > 1}
    closures = [
        closure(space, places_of(space, c)) & several
        for c in constraints
        if isinstance(c, SameMargin)
    ]
    index = SupersetIndex(dict.fromkeys(closures))
    largest = [m for m in dict.fromkeys(closures) if m and all(m == o for o in index.containing(m))]

    def determines(names: Iterable[str]) -> bool:
        places = closure(space, map(space.position, names)) & several
        return any(places <= margin for margin in largest) or not places

    if not largest or not all(determines([n for n, _ in zero]) for zero in space.impossible):
        return None
    has_values = bounds or release.published is not None
    if not all(_is_determined(c, space, determines, given=has_values) for c in constraints):
        return None
    tree = _spanning(largest)
    if tree is None:
        return None
    covered = frozenset().union(*largest)
    free = tuple(place for place in range(len(space.attributes)) if place not in covered)
    return JunctionTree(space, tree, free)


def _is_determined(
    constraint: Constraint,
    space: TableSpace,
    determines: Callable[[Iterable[str]], bool],
    *,
    given: bool,
) -> bool:
    """Return whether a constraint is a function of the margins; a bound is one if t is given."""
    match constraint:
        case SameSize() | SameMargin():
            return True
        case SameSupport():
            return determines(constraint.attributes)
        case SameSums():
            return all(
                determines([n for n, _ in where]) for row in constraint.rows for _, where in row
            )
        case Within():
            return given and determines(attributes_of(constraint, space))
        case SameCellSums():
            return False
        case _:
            assert_never(constraint)


def _spanning(largest: Sequence[frozenset[int]]) -> tuple[Node, ...] | None:
    """Return the nodes of a junction tree; None if there is none.

    A spanning tree with the largest total overlap is a junction tree if there is any, that is, if
    every attribute is in one more node than separators (Maier 1983).
    """
    if len(largest) > len(frozenset().union(*largest)):
        return None  # in a junction tree, each node has an attribute that no node before it has
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
            weight = len(largest[other] & largest[k])
            if weight > size:
                best[other] = (weight, len(order) - 1)
    if sum(map(len, largest)) - shared != len(frozenset().union(*largest)):
        return None
    return tuple(nodes)
