"""Brute-force oracle for the semi-adjacent parameter a(t) under the Hamming distance.

Everything is enumerated and looped over exactly as the definitions of Cho & Awan,
"Formal Privacy Guarantees with Invariant Statistics", are written. No closed form,
no symmetry and no set cover is used, so a fast implementation can be judged by it.

A dataset is a tuple of records, a record any hashable value (for contingency tables a
tuple of level indices). A universe D_t is the collection of all datasets with one value
t of the invariant; its datasets all have the same length.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from itertools import product
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Record = TypeVar("Record", bound=Hashable)
Value = TypeVar("Value", bound=Hashable)
Dataset: TypeAlias = tuple[Record, ...]
AnyDataset: TypeAlias = tuple[Hashable, ...]
TableRecord: TypeAlias = tuple[int, ...]
Distances: TypeAlias = NDArray[np.int64]


# --- dataspaces and invariants -------------------------------------------------------


def hamming(x: AnyDataset, y: AnyDataset) -> int:
    """H(X, X'), the number of places that differ (Cho & Awan, Example 1)."""
    if len(x) != len(y):
        raise ValueError(f"datasets of different lengths: {len(x)} and {len(y)}")
    distance = 0
    for record_x, record_y in zip(x, y, strict=True):
        if record_x != record_y:
            distance += 1
    return distance


def all_datasets(records: Sequence[Record], size: int) -> list[Dataset[Record]]:
    """The dataspace D = X^n of all ordered datasets (Cho & Awan, section 2.1)."""
    return list(product(records, repeat=size))


def table_records(levels: Sequence[int]) -> list[TableRecord]:
    """All cells of a table whose attribute j has levels 0, ..., levels[j] - 1."""
    return list(product(*[range(number) for number in levels]))


def margin_values(
    dataset: Sequence[TableRecord], groups: Sequence[Sequence[int]], levels: Sequence[int]
) -> tuple[tuple[int, ...], ...]:
    """T(X) = (T_1, ..., T_p), the counts T_j (Cho & Awan, section 3.4, Remark 17).

    For every group of attribute positions the complete table of counts, zeros included,
    in the order of ``table_records``. The empty group counts all records.
    """
    cells = set(table_records(levels))
    for record in dataset:
        if record not in cells:
            raise ValueError(f"record {record!r} is not a cell of {tuple(levels)!r}")
    tables: list[tuple[int, ...]] = []
    for group in groups:
        counts: list[int] = []
        for cell in table_records([levels[position] for position in group]):
            count = 0
            for record in dataset:
                if tuple(record[position] for position in group) == cell:
                    count += 1
            counts.append(count)
        tables.append(tuple(counts))
    return tuple(tables)


def universes(
    datasets: Iterable[Dataset[Record]], invariant: Callable[[Dataset[Record]], Value]
) -> dict[Value, list[Dataset[Record]]]:
    """The partition of D into D_t = {X in D: T(X) = t} (Cho & Awan, Definition 12)."""
    partition: dict[Value, list[Dataset[Record]]] = {}
    for dataset in datasets:
        partition.setdefault(invariant(dataset), []).append(dataset)
    return partition


# --- the semi-adjacent parameter -----------------------------------------------------


def covering(universe: Sequence[AnyDataset]) -> int:
    """a(t) from a fixed starting dataset (Cho & Awan, Example 5, proof of Theorem 16).

    max over X in D_t, i, y in D_t^i of min{d(X, Y): Y in D_t, Y_i = y}.
    """
    distance = _distances(_nonempty(universe))
    worst = 0
    for place in range(len(universe[0])):
        for y in _possible_records(universe, place):
            targets = _datasets_with(universe, place, y)
            nearest = distance[:, targets].min(axis=1)  # one for every X
            worst = max(worst, int(nearest.max()))
    return worst


def definition_13(universe: Sequence[AnyDataset]) -> int:
    """a(t) as printed, the infimum over both datasets (Cho & Awan, Definition 13).

    max over i, x, y in D_t^i of min{d(X, Y): X, Y in D_t, X_i = x, Y_i = y}.
    """
    distance = _distances(_nonempty(universe))
    worst = 0
    for place in range(len(universe[0])):
        having = {
            record: _datasets_with(universe, place, record)
            for record in _possible_records(universe, place)
        }
        for targets in having.values():
            nearest = distance[:, targets].min(axis=1)  # one for every X
            for starts in having.values():
                worst = max(worst, int(nearest[starts].min()))
    return worst


def a_min(universe: Sequence[AnyDataset]) -> int | None:
    """min over X != X' in D_t of d(X, X') (Cho & Awan, Remark 14).

    None where D_t holds one dataset only.
    """
    nearest = _nearest_others(universe)
    return min(nearest) if nearest else None


def a_maxmin(universe: Sequence[AnyDataset]) -> int | None:
    """max over X of min over X' != X of d(X, X') (Cho & Awan, Remark 14).

    None where D_t holds one dataset only.
    """
    nearest = _nearest_others(universe)
    return max(nearest) if nearest else None


# --- adjacency metrics and disclosure ------------------------------------------------


def is_adjacency_metric(datasets: Sequence[AnyDataset]) -> bool:
    """Whether Hamming is an adjacency metric on D (Cho & Awan, Definition 1).

    For every pair, d(X, X') must be the length of a shortest path in the graph {d = 1};
    a pair without any path fails.
    """
    space = tuple(dict.fromkeys(datasets))
    distance = _distances(space)
    neighbours = [np.flatnonzero(row == 1).tolist() for row in distance]
    for start in range(len(space)):
        steps = _breadth_first(neighbours, start)
        for end in range(len(space)):
            if steps.get(end) != distance[start][end]:
                return False
    return True


def table_is_public(universe: Sequence[AnyDataset]) -> bool:
    """Whether all datasets of D_t (Cho & Awan, Definition 12) have one histogram.

    Then they are permutations of one another, and t alone reveals the whole table.
    """
    first = Counter(_nonempty(universe)[0])
    return all(Counter(dataset) == first for dataset in universe)


def forced_cells(universe: Sequence[AnyDataset], records: Sequence[Hashable]) -> int:
    """The number of records whose count is the same in all datasets of D_t.

    D_t as in Cho & Awan, Definition 12; these counts are revealed by t alone.
    """
    datasets = _nonempty(universe)
    forced = 0
    for record in records:
        if len({dataset.count(record) for dataset in datasets}) == 1:
            forced += 1
    return forced


# --- parts of the definitions --------------------------------------------------------


def _nonempty(universe: Sequence[AnyDataset]) -> tuple[AnyDataset, ...]:
    """D_t as a tuple; an empty D_t (contradictory t) has no semi-adjacent parameter."""
    if not universe:
        raise ValueError("a universe holds at least one dataset")
    return tuple(universe)


@lru_cache(maxsize=2)
def _distances(datasets: tuple[AnyDataset, ...]) -> Distances:
    """The matrix of d(X, Y) for all X and Y, remembered for the last few universes."""
    sizes = {len(dataset) for dataset in datasets}
    if len(sizes) > 1:
        raise ValueError(f"datasets of different lengths: {sorted(sizes)}")
    distance = np.zeros((len(datasets), len(datasets)), dtype=np.int64)
    for place in range(max(sizes, default=0)):
        number: dict[Hashable, int] = {}  # equal records have one number
        here = np.array([number.setdefault(x[place], len(number)) for x in datasets])
        distance += here[:, None] != here[None, :]
    return distance


def _possible_records(universe: Sequence[AnyDataset], place: int) -> list[Hashable]:
    """D_t^i, the values that occur at place i (Cho & Awan, Definition 13)."""
    return list(dict.fromkeys(dataset[place] for dataset in universe))


def _datasets_with(universe: Sequence[AnyDataset], place: int, record: Hashable) -> list[int]:
    """The indices of {Y in D_t: Y_i = y} (Cho & Awan, Definition 13)."""
    return [k for k, dataset in enumerate(universe) if dataset[place] == record]


def _nearest_others(universe: Sequence[AnyDataset]) -> list[int]:
    """For every X the least d(X, X') over X' != X; empty where there is no other X'."""
    datasets = _nonempty(universe)
    distance = _distances(datasets)
    nearest: list[int] = []
    for row in distance:
        others = row[row > 0]  # X' differs from X where their distance is not 0
        if len(others):
            nearest.append(int(others.min()))
    return nearest


def _breadth_first(neighbours: Sequence[Sequence[int]], start: int) -> dict[int, int]:
    """The number of steps from start to every node that can be reached."""
    steps = {start: 0}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for neighbour in neighbours[node]:
            if neighbour not in steps:
                steps[neighbour] = steps[node] + 1
                waiting.append(neighbour)
    return steps
