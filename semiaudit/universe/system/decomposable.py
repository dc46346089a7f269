"""Margins without a cycle as a junction tree: which margins tell what.

A margin tells the levels of its attributes and of all that these lie within, so it is taken with
its parents (its *closure*). The largest closures must have a junction tree, and every other
invariant must be a function of them. Then two records that agree on a separator can exchange all
that lies beyond it: no closure is torn, and a structural zero, a nesting or a condition inside one
closure looks at one of the two records only. Levels of attributes that no closure has are free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import assert_never

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
        children: list[list[int]] = [[] for _ in self.nodes]
        for k, node in enumerate(self.nodes):
            if node.parent >= 0:
                children[node.parent].append(k)
        return children

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
    closed: set[int] = set()
    for place in places:
        while place not in closed:
            closed.add(place)
            above = space.attributes[place].within
            if above is not None:
                place = space.position(above)
    return frozenset(closed)


def is_determined_by(
    space: TableSpace, places: Places, other: Places, *, strict: bool = True
) -> bool:
    """True if another margin tells a margin; of two that tell each other the first one stays."""
    one, two = closure(space, places), closure(space, other)
    return one <= two and (not strict or one != two or other < places)


def junction_tree(
    release: Release, space: TableSpace, *, bounds: bool = False
) -> JunctionTree | None:
    """The junction tree of a release; None if its invariants are not of that structure.

    Args:
        bounds: public bounds on levels of one closure may be added to the margins without t too.
    """
    constraints = constraints_of(release.invariants)
    several = {place for place, a in enumerate(space.attributes) if a.size > 1}
    closures = [
        closure(space, places_of(space, c)) & several
        for c in constraints
        if isinstance(c, SameMargin)
    ]
    largest = [m for m in dict.fromkeys(closures) if m and not any(m < o for o in closures)]

    def determines(names: Iterable[str]) -> bool:
        places = closure(space, map(space.position, names)) & several
        return any(places <= margin for margin in largest) or not places

    if not largest or not all(determines([n for n, _ in zero]) for zero in space.impossible):
        return None
    given = bounds or release.published is not None
    if not all(_is_determined(c, space, determines, given=given) for c in constraints):
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
    """True if a constraint is a function of the margins; a bound is one where t is given."""
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
    """The nodes of a junction tree; None if there is none.

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
            weight = len(largest[other] & largest[k])
            if weight > size:
                best[other] = (weight, len(order) - 1)
    if sum(map(len, largest)) - shared != len(frozenset().union(*largest)):
        return None
    return tuple(nodes)
