"""The pair of datasets in which a record becomes y by exchanges along a junction tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from semiaudit.model.semi_adjacency import Cell, Witness
from semiaudit.universe.distance.closed_form import sparse_cells
from semiaudit.universe.distance.transversal import smallest_transversal
from semiaudit.universe.system.arrangement import Run
from semiaudit.universe.system.components import Numbers
from semiaudit.universe.system.decomposable import JunctionTree
from semiaudit.universe.system.decomposed import Decomposed, Levels


def held(tree: JunctionTree, record: Levels, y: Levels) -> int:
    """Return the closures in which a record has y's levels, as a bit mask."""
    return sum(
        1 << k
        for k, node in enumerate(tree.nodes)
        if all(record[place] == y[place] for place in node.places)
    )


def fewest(masks: Iterable[int], wanted: int) -> tuple[int, ...] | None:
    """Return the fewest masks that together contain all wanted closures.

    None if it takes too long.
    """
    places = [k for k in range(wanted.bit_length()) if wanted >> k & 1]
    narrow: dict[int, int] = {}
    for mask in masks:
        narrow.setdefault(sum(1 << at for at, k in enumerate(places) if mask >> k & 1), mask)
    if not places:
        return ()
    transversal = smallest_transversal(sorted(narrow), len(places))
    return None if transversal is None else tuple(narrow[kind] for kind in transversal)


def rearranged(tree: JunctionTree, records: Sequence[Levels], y: Levels) -> list[dict[int, int]]:
    """Return the records after exchanges that make the first one y.

    Together they have y's levels.
    """
    exchanged = [dict(record) for record in records]
    for k, node in enumerate(tree.nodes):
        if all(exchanged[0][place] == y[place] for place in node.places):
            continue
        other = next(
            at
            for at, record in enumerate(exchanged)
            if at and all(record[place] == y[place] for place in node.places)
        )
        for place in tree.beyond(k):
            exchanged[0][place], exchanged[other][place] = (
                exchanged[other][place],
                exchanged[0][place],
            )
    return exchanged


def witness(
    d: Decomposed, runs: Sequence[Run], records: Sequence[Levels], y: Levels, distance: int
) -> Witness:
    """Return the pair in which the first of some records of a table becomes y by exchanges."""
    label = _labels(d)
    start: Counter[Cell] = Counter()
    for levels, _, count in runs:
        start[label(levels)] += count
    end = start.copy()
    after = rearranged(d.tree, records, y)
    end.subtract(label(record) for record in records)
    end.update(label(record) for record in after)
    return Witness(
        label(records[0]),
        label(after[0]),
        distance,
        sparse_cells(list(start.items())),
        sparse_cells(list(end.items())),
    )


def inside_class(d: Decomposed, levels: Levels, distance: int) -> Witness:
    """Return the pair in which one record of a table changes its free levels."""
    label = _labels(d)
    start: Counter[Cell] = Counter()
    for cell, _, count in d.runs:
        start[label(cell)] += count
    end = start.copy()
    before, after = label(levels), _cell(d, d.free.completed(levels, other=True) or {})
    end[before] -= 1
    end[after] += 1
    return Witness(
        before, after, distance, sparse_cells(list(start.items())), sparse_cells(list(end.items()))
    )


def _labels(d: Decomposed) -> Callable[[Levels], Cell]:
    places = sorted({place for node in d.tree.nodes for place in node.places})
    known: dict[Numbers, Cell] = {}

    def label(levels: Levels) -> Cell:
        key = tuple([levels[place] for place in places])
        if key not in known:
            known[key] = _cell(d, d.free.completed(levels) or {})
        return known[key]

    return label


def _cell(d: Decomposed, levels: Mapping[int, int]) -> Cell:
    return tuple(a.label(levels[place]) for place, a in enumerate(d.space.attributes))
