"""Both definitions of a(t) under margins with a junction tree, as suprema over all t (``hamming``).

With p closures and n records, no t needs more than min(p, n - 1) other records. A table needs this
many if every closure has its own record that alone has y's levels in it: each closure has an
attribute that those nearer to the first one do not have, in which the other records differ.
"""

from __future__ import annotations

from collections.abc import Sequence

from semiaudit.model.dataspace import TableSpace
from semiaudit.model.semi_adjacency import Parameter
from semiaudit.universe.distance.acyclic_margins import COVERING, DEFINITION_13, definition_13
from semiaudit.universe.distance.exchanges import fewest, held, witness
from semiaudit.universe.system.components import matches
from semiaudit.universe.system.decomposable import JunctionTree
from semiaudit.universe.system.decomposed import Decomposed, Levels
from semiaudit.universe.system.free_attributes import FreeAttributes

METHOD = "supremum_over_t"


def supremum(
    space: TableSpace, tree: JunctionTree, size: int | None
) -> tuple[Parameter, Parameter] | None:
    """Return both definitions over all t; None if no table is found that attains the upper bound.

    Args:
        size: the number of records, 2 or more; None for the supremum over all sizes too.
    """
    nodes = len(tree.nodes)
    others = nodes if size is None else min(nodes, size - 1)
    if others < 1:
        return None
    records, y = _spread(space, tree, others)
    if not all(_possible(space, record) for record in [*records, y]):
        return None
    masks = {held(tree, record, y): record for record in records[1:]}
    needed = fewest(masks, (1 << nodes) - 1 & ~held(tree, records[0], y))
    if needed is None or len(needed) < others:
        return None
    more = 0 if size is None else size - len(records)
    counts = _counts(tree, records, more)
    d = Decomposed(space, tree, counts, FreeAttributes(space, tree.free))
    runs = [(dict(record), False, 1) for record in records]
    runs[0] = (dict(records[0]), False, 1 + more)
    shown = witness(d, runs, [records[0], *(masks[mask] for mask in needed)], y, others + 1)
    covering = Parameter(others + 1, others + 1, METHOD, COVERING, shown)
    printed = definition_13(d, "hamming", others + 1)
    upper = min(others + 1, 1 + _most_separate(tree))
    if printed.lower < upper:
        return None
    return covering, Parameter(printed.lower, upper, METHOD, DEFINITION_13, printed.witness)


def _counts(
    tree: JunctionTree, records: Sequence[Levels], more: int
) -> tuple[dict[tuple[int, ...], int], ...]:
    """Return the margins of some records, and of ``more`` copies of the first one."""
    tables = []
    for node in tree.nodes:
        cells = [tuple([record[place] for place in node.places]) for record in records]
        counts = {cell: cells.count(cell) for cell in cells}
        counts[cells[0]] += more
        tables.append(counts)
    return tuple(tables)


def _spread(
    space: TableSpace, tree: JunctionTree, others: int
) -> tuple[list[dict[int, int]], dict[int, int]]:
    """One record nowhere has y's levels, the last closures have one record each, and one record
    covers the rest.
    """
    # Nothing here is a proof: the caller counts how many records this table needs, and uses it only
    # if they are as many as the upper bound.
    order: list[int] = []
    parent = {}
    for place, attribute in enumerate(space.attributes):
        if attribute.within is not None:
            parent[place] = space.position(attribute.within)
    while len(order) < len(space.attributes):
        order += [
            place
            for place in range(len(space.attributes))
            if place not in order and parent.get(place, place) in (*order, place)
        ]
    rooms = _rooms(space, order, parent)

    def record(like: dict[int, int], kept: frozenset[int]) -> dict[int, int]:
        """Return the levels of ``like`` where they are kept, else other levels if there are any."""
        level_of: dict[int, int] = {}
        for place in order:
            if place in kept:
                level_of[place] = like[place]
                continue
            able = range(space.attributes[place].size)
            above = space.attributes[place].parents
            fits = [
                level
                for level in able
                if place not in parent or above[level] == level_of[parent[place]]
            ]
            fits = [level for level in fits if rooms[place][level]] or fits or [0]
            level_of[place] = max(
                fits, key=lambda at: (at != like.get(place), rooms[place][at], -at)
            )
        return level_of

    y = record({}, frozenset())
    # Children come after their parents in the tree. So a closure from the end has an attribute that
    # the remaining ones lack, where the records of the remaining ones can differ from y.
    last = list(reversed(range(len(tree.nodes))))
    rest = {place for k in last[others - 1 :] for place in tree.nodes[k].places}
    kept = [frozenset(tree.nodes[k].places) for k in last[: others - 1]]
    return [record(y, frozenset()), *(record(y, own) for own in (*kept, frozenset(rest)))], y


def _rooms(space: TableSpace, order: Sequence[int], parent: dict[int, int]) -> list[list[int]]:
    """For every level, return how many ways its inner attributes vary; 0 if one has no level."""
    rooms = [[1] * attribute.size for attribute in space.attributes]
    for place in reversed(order):
        if place not in parent:
            continue
        above = [0] * space.attributes[parent[place]].size
        for level, at in enumerate(space.attributes[place].parents):
            above[at] += rooms[place][level]
        own = rooms[parent[place]]
        rooms[parent[place]] = [a * b for a, b in zip(own, above, strict=True)]
    return rooms


def _possible(space: TableSpace, levels: Levels) -> bool:
    values = [levels[place] for place in range(len(space.attributes))]
    nested = all(
        attribute.within is None
        or attribute.parents[values[place]] == values[space.position(attribute.within)]
        for place, attribute in enumerate(space.attributes)
    )
    return nested and not any(matches(space, zero, values) for zero in space.impossible)


def _most_separate(tree: JunctionTree) -> int:
    """Return the largest number of closures of one tree of which no two are neighbors.

    In a tree, a greedy choice from below is the largest: take each closure whose children were not
    taken.
    """
    taken: set[int] = set()
    children = tree.children
    root = list(range(len(tree.nodes)))
    number: dict[int, int] = {}
    for k, node in enumerate(tree.nodes):
        if node.separator:
            root[k] = root[node.parent]
    for k in reversed(range(len(tree.nodes))):
        if not any(child in taken for child in children[k] if tree.nodes[child].separator):
            taken.add(k)
            number[root[k]] = number.get(root[k], 0) + 1
    return max(number.values())
