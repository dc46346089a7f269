"""Tables with given margins in which no record has a value's levels in two chosen closures.

A record *hits* a closure if it has y's levels in it. The tables with the margins of a junction tree
are those that gluing closures along separators gives: for every level of a separator, as many
records are above as below. So there is a table in which no record hits two of the chosen closures
if and only if the hits can flow up the tree: from each chosen closure's cell of y into the
separator above it, from there into cells of the closure above that have its levels, and so on,
where no cell takes in more than its count, and the chosen cells of y take in nothing. This is a
maximal flow problem in integers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from semiaudit.frozen import dataclass
from semiaudit.universe.system.closure_counts import Counts
from semiaudit.universe.system.components import Numbers
from semiaudit.universe.system.decomposable import JunctionTree

Run = tuple[dict[int, int], bool, int]
"""(levels by index, whether the records hit a chosen closure, the number of records)."""

Vertex = tuple[str, int, Numbers]
"""A cell of a closure, the levels of the separator above it, or the sink."""

SINK: Vertex = ("sink", -1, ())
SOURCE: Vertex = ("source", -1, ())


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow of the hits through the tree.

    Attributes:
        into: for every closure and its separator's levels, the number of hits that enter each cell
            of the closure above.
    """

    into: Mapping[tuple[int, Numbers], Mapping[Numbers, int]]


class _Network:
    """A network of capacities, with maximal flows by shortest augmenting paths (Dinic)."""

    def __init__(self) -> None:
        self.ends: list[int] = []
        self.left: list[int] = []
        self.edges: list[list[int]] = []
        self.names: dict[Vertex, int] = {}

    def vertex(self, name: Vertex) -> int:
        if name not in self.names:
            self.names[name] = len(self.edges)
            self.edges.append([])
        return self.names[name]

    def edge(self, start: Vertex, end: Vertex, capacity: int) -> int:
        """Add an edge and return its number; the next number is its opposite."""
        a, b = self.vertex(start), self.vertex(end)
        for origin, target, room in ((a, b, capacity), (b, a, 0)):
            self.edges[origin].append(len(self.ends))
            self.ends.append(target)
            self.left.append(room)
        return len(self.ends) - 2

    def run(self) -> int:
        """Return the value of a maximal flow from the source to the sink."""
        source, sink, value = self.vertex(SOURCE), self.vertex(SINK), 0
        while True:
            depth = self._depths(source)
            if sink not in depth:
                # No path is left, so that the flow is maximal.
                return value
            used = [0] * len(self.edges)
            while pushed := self._push(source, sink, depth, used):
                value += pushed

    def _depths(self, source: int) -> dict[int, int]:
        depth, waiting = {source: 0}, deque([source])
        while waiting:
            at = waiting.popleft()
            for edge in self.edges[at]:
                if self.left[edge] and self.ends[edge] not in depth:
                    depth[self.ends[edge]] = depth[at] + 1
                    waiting.append(self.ends[edge])
        return depth

    def _push(self, source: int, sink: int, depth: Mapping[int, int], used: list[int]) -> int:
        """Send as much as fits along one shortest path; return 0 if there is none left."""
        path: list[int] = []
        at = source
        while at != sink:
            while used[at] < len(self.edges[at]):
                edge = self.edges[at][used[at]]
                if self.left[edge] and depth.get(self.ends[edge], -1) == depth[at] + 1:
                    break
                used[at] += 1
            else:
                if not path:
                    return 0
                at = self.ends[path.pop() ^ 1]
                used[at] += 1
                continue
            path.append(edge)
            at = self.ends[edge]
        pushed = min(self.left[edge] for edge in path)
        for edge in path:
            self.left[edge] -= pushed
            self.left[edge ^ 1] += pushed
        return pushed


def apart(
    tree: JunctionTree, counts: Sequence[Counts], y: Mapping[int, int], chosen: Sequence[int]
) -> Flow | None:
    """Return a flow that keeps the hits of some closures apart; None if no table does.

    Args:
        counts: of every node.
        y: levels by index that occur in every node.
        chosen: the numbers of the closures.
    """
    # Such a table exists if and only if the flow can carry all hits (docs/theory/semi-adjacency.md,
    # Overlaps without a cycle). Capacities are whole, so a maximal flow is whole too, and its
    # numbers are records.
    network, demand = _Network(), 0
    of_y = {k: tuple([y[place] for place in tree.nodes[k].places]) for k in chosen}
    cells_reached: dict[int, set[Numbers]] = {k: set() for k in range(len(tree.nodes))}
    edges: dict[tuple[int, Numbers], dict[Numbers, int]] = {}
    network.vertex(SOURCE)
    network.vertex(SINK)
    # Children come before their parents, so ``reached[k]`` is complete when k is visited.
    for k in reversed(range(len(tree.nodes))):
        node = tree.nodes[k]
        if k in of_y:
            # Hits of the first closure go nowhere.
            demand += counts[k][of_y[k]] if node.parent >= 0 else 0
            cells_reached[k].add(of_y[k])
        entering: set[Numbers] = set()
        for cell in sorted(cells_reached[k]):
            is_in_y = k in of_y and cell == of_y[k]
            if node.parent < 0:
                if not is_in_y:
                    network.edge(("cell", k, cell), SINK, counts[k][cell])
                continue
            shared = tuple([cell[place] for place in node.separator])
            entering.add(shared)
            origin = SOURCE if is_in_y else ("cell", k, cell)
            # A cell sends on at most as many hits as it has records, which also limits what its
            # several children send into it together.
            network.edge(origin, ("separator", k, shared), counts[k][cell])
        if node.parent < 0:
            continue
        above: dict[Numbers, list[Numbers]] = {shared: [] for shared in entering}
        for cell in counts[node.parent]:
            shared = tuple([cell[place] for place in node.above])
            # A hit that entered the cell of y of a chosen closure would hit both.
            if shared in above and cell != of_y.get(node.parent):
                above[shared].append(cell)
        for shared in sorted(entering):
            for cell in above[shared]:
                cells_reached[node.parent].add(cell)
                edge = network.edge(
                    ("separator", k, shared),
                    ("cell", node.parent, cell),
                    counts[node.parent][cell],
                )
                edges.setdefault((k, shared), {})[cell] = edge
    if network.run() < demand:
        return None
    return Flow(
        {
            key: {cell: number for cell, e in those.items() if (number := network.left[e ^ 1])}
            for key, those in edges.items()
        }
    )


def table_of(
    tree: JunctionTree,
    counts: Sequence[Counts],
    y: Mapping[int, int],
    chosen: Sequence[int],
    flow: Flow,
) -> list[Run]:
    """Return a table with the given margins in which the hits follow a flow.

    Args:
        y, chosen, flow: as for ``apart``; with nothing chosen and no flow, any table.
    """
    of_y = {k: tuple([y[place] for place in tree.nodes[k].places]) for k in chosen}
    children = tree.children
    runs: list[dict[Numbers, list[Run]]] = [{} for _ in tree.nodes]
    whole: list[Run] = []
    for k in reversed(range(len(tree.nodes))):
        node = tree.nodes[k]
        # (levels, the child from which the hits come: -1 own, -2 none, their number) of every cell.
        # No part is negative: a cell takes in no more hits than its count, and a chosen cell of y
        # takes in none.
        parts: dict[Numbers, list[tuple[int, int]]] = {}
        for cell, count in counts[k].items():
            parts[cell] = [(-1, count)] if cell == of_y.get(k) else [(-2, count)]
        for child in children[k]:
            for (at, _), entering in flow.into.items():
                if at != child:
                    continue
                for cell, number in entering.items():
                    parts[cell][0] = (-2, parts[cell][0][1] - number)
                    parts[cell].append((child, number))
        pieces: list[tuple[Run, Numbers, int]] = [
            ((dict(zip(node.places, cell, strict=True)), origin != -2, number), cell, origin)
            for cell, those in parts.items()
            for origin, number in those
            if number
        ]
        for child in children[k]:
            # For every level of the separator as many records are above as below, since both
            # closures are margins of one table, and as many hits as the flow sends. So no piece
            # runs out of records.
            pieces = _glued(pieces, runs[child], tree.nodes[child].above, child)
        for run, cell, _ in pieces:
            if node.parent < 0:
                whole.append(run)
            else:
                shared = tuple([cell[place] for place in node.separator])
                runs[k].setdefault(shared, []).append(run)
    return whole


def _glued(
    pieces: Sequence[tuple[Run, Numbers, int]],
    below: Mapping[Numbers, Sequence[Run]],
    above: Sequence[int],
    child: int,
) -> list[tuple[Run, Numbers, int]]:
    """Join the records of a closure with those below it; the flow says where hits come from."""
    stock = {
        shared: {hit: [(r, n) for r, h, n in reversed(those) if h == hit] for hit in (True, False)}
        for shared, those in below.items()
    }
    joined = []
    for (levels, hit, number), cell, origin in pieces:
        supply = stock[tuple([cell[place] for place in above])][origin == child]
        while number:
            record, available = supply.pop()
            used = min(number, available)
            joined.append((({**levels, **record}, hit, used), cell, origin))
            number -= used
            if available > used:
                supply.append((record, available - used))
    return joined
