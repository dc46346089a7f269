"""Brute-force oracle for contingency tables under exact invariants.

All tables are enumerated, and every number is looped over as it is defined; no closed
form, no lattice basis and, but for the gauge norm, no solver is used.

A table is the tuple of the counts of all cells. A universe D_t is the collection of all
tables with one value t of the invariants; under `hamming` a dataset is one order of the
records of a table, and every order of a table in D_t is in D_t. With h the counts, x the
record at place i in X and y the one in Y, the closest orders of two tables are

    d(X, Y) = [x != y] + (1/2) |(h_X - e_x) - (h_Y - e_y)|_1

apart. `multiset_hamming` is (1/2)|h_X - h_Y|_1 and `symmetric_difference` |h_X - h_Y|_1:
neither has places, so there Y must be another table than X.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, product
from math import comb, inf
from operator import mul
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

Table = tuple[int, ...]
Row = tuple[int, ...]
Matrix = NDArray[np.int64]
HAMMING: Final = "hamming"
MULTISET: Final = "multiset_hamming"
SYMMETRIC: Final = "symmetric_difference"
METRICS = (HAMMING, MULTISET, SYMMETRIC)
_NEVER = 1 << 40


@dataclass(frozen=True)
class Instance:
    """Invariants over the cells of `shape`, row-major: the last attribute is the fastest.

    `size` None: the size is free, and only tables of at most `largest` records are listed,
    so D_t is whole only where the invariants allow no larger table. `impossible`: cells that
    are always 0. `rows`: linear invariants. `keys`: tuples of attribute positions; which
    combinations of their levels have a positive count is published. `bounds`: (0/1
    coefficients, at_least, at_most or None), true of every dataset.
    """

    shape: tuple[int, ...]
    size: int | None
    impossible: frozenset[int] = frozenset()
    rows: tuple[Row, ...] = ()
    keys: tuple[tuple[int, ...], ...] = ()
    bounds: tuple[tuple[Row, int, int | None], ...] = ()
    largest: int = 0


# --- tables and universes ------------------------------------------------------------


@cache
def cells(shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The levels of each cell, in the order of a table."""
    return tuple(product(*(range(levels) for levels in shape)))


def margin_rows(shape: tuple[int, ...], attributes: Sequence[int]) -> tuple[Row, ...]:
    """One 0/1 row for each combination of the levels of the attributes."""
    own = [tuple(cell[a] for a in attributes) for cell in cells(shape)]
    wanted = product(*(range(shape[a]) for a in attributes))
    return tuple(tuple(int(levels == those) for levels in own) for those in wanted)


def dot(row: Row, table: Table) -> int:
    return sum(map(mul, row, table))


@cache
def _compositions(parts: int, total: int) -> Matrix:
    """All ways to write `total` as an ordered sum of `parts` counts, one in each row."""
    if parts == 0:
        return np.zeros((int(total == 0), 0), dtype=np.int64)
    bars = combinations(range(total + parts - 1), parts - 1)
    edges = [(-1, *chosen, total + parts - 1) for chosen in bars]
    ends: Matrix = np.array(edges, dtype=np.int64)
    return ends[:, 1:] - ends[:, :-1] - 1


def _listed(instance: Instance) -> Matrix:
    """All tables with the size, the impossible cells and the bounds, one in each row."""
    count = len(cells(instance.shape))
    possible = [cell for cell in range(count) if cell not in instance.impossible]
    sizes = range(instance.largest + 1) if instance.size is None else [instance.size]
    counts = np.concatenate([_compositions(len(possible), size) for size in sizes])
    listed = np.zeros((len(counts), count), dtype=np.int64)
    listed[:, possible] = counts
    for row, least, most in instance.bounds:
        held = listed @ np.array(row, dtype=np.int64)
        listed = listed[(held >= least) & (held <= (_NEVER if most is None else most))]
    return listed


def _tuples(listed: Matrix) -> list[Table]:
    return [tuple(counts) for counts in listed.tolist()]


def tables(instance: Instance) -> list[Table]:
    """All tables with the size, the impossible cells and the bounds."""
    return _tuples(_listed(instance))


def value(instance: Instance, table: Table) -> Hashable:
    """What is published of the table: t."""
    linear = tuple(dot(row, table) for row in instance.rows)
    present = [c for c, number in zip(cells(instance.shape), table, strict=True) if number > 0]
    supports = [frozenset(tuple(c[a] for a in key) for c in present) for key in instance.keys]
    return linear, tuple(supports)


def universes(instance: Instance) -> dict[Hashable, list[Table]]:
    """D_t for each value t."""
    result: dict[Hashable, list[Table]] = {}
    for table in tables(instance):
        result.setdefault(value(instance, table), []).append(table)
    return result


def universe_of(instance: Instance, table: Table) -> list[Table]:
    """The D_t of the value t of one table, without the other universes."""
    listed = _listed(instance)
    for row in instance.rows:
        listed = listed[listed @ np.array(row, dtype=np.int64) == dot(row, table)]
    if not instance.keys:
        return _tuples(listed)
    wanted = value(instance, table)
    return [other for other in _tuples(listed) if value(instance, other) == wanted]


def cell_ranges(universe: Sequence[Table]) -> list[tuple[int, int]]:
    """The smallest and the largest count of each cell."""
    return [(min(counts), max(counts)) for counts in zip(*universe, strict=True)]


# --- the semi-adjacent parameter -----------------------------------------------------


def _moves(universe: Sequence[Table], metric: str, free: bool | None) -> Iterator[Matrix]:
    """One matrix for each pair (x, y): the distance for every X with x and every Y with y.

    Only feasible x and y are taken. With `free` one of x and y is "absent" instead, which
    every table has. An entry is _NEVER where a metric without places needs another table.
    """
    free = len({sum(table) for table in universe}) > 1 if free is None else free
    assert metric == SYMMETRIC or not free, f"{metric} compares datasets of one size"
    counts: Matrix = np.array(universe, dtype=np.int64)
    change = counts[:, None, :] - counts[None, :, :]
    length: Matrix = np.abs(change).sum(axis=2)
    has = {cell: np.flatnonzero(counts[:, cell]) for cell in range(counts.shape[1])}
    feasible = [cell for cell, holders in has.items() if len(holders)]
    if metric == HAMMING:
        less = {x: np.abs(change[:, :, x] - 1) - np.abs(change[:, :, x]) for x in feasible}
        more = {y: np.abs(change[:, :, y] + 1) - np.abs(change[:, :, y]) for y in feasible}
        for x, y in product(feasible, feasible):
            if x != y:  # x = y is the distance 0, from X to itself
                yield (1 + (length + less[x] + more[y]) // 2)[np.ix_(has[x], has[y])]
        return
    distance = length // 2 if metric == MULTISET else length.copy()
    distance[length == 0] = _NEVER
    records, absent = [has[cell] for cell in feasible], [np.arange(len(universe))]
    pairs = [(absent, records), (records, absent)] if free else [(records, records)]
    for old, new in pairs:
        for holders_of_x, holders_of_y in product(old, new):
            yield distance[np.ix_(holders_of_x, holders_of_y)]


def covering(universe: Sequence[Table], metric: str, free: bool | None = None) -> int:
    """max over X in D_t, x in X and feasible y of the distance to the closest Y with y.

    `free`: only record <-> absent counts; None: where the tables differ in their sizes.
    """
    worst = 0
    for distances in _moves(universe, metric, free):
        closest = distances.min(axis=1)
        worst = max(worst, int(closest[closest < _NEVER].max(initial=0)))
    return worst


def definition_13(universe: Sequence[Table], metric: str, free: bool | None = None) -> int:
    """max over feasible x and y of the distance of the closest X with x and Y with y."""
    closest = [int(distances.min()) for distances in _moves(universe, metric, free)]
    return max((distance for distance in closest if distance < _NEVER), default=0)


def table_distance(one: Table, other: Table, metric: str) -> int:
    """The distance of two tables; under `hamming` that of their closest orders."""
    total = sum(abs(a - b) for a, b in zip(one, other, strict=True))
    if metric == SYMMETRIC:
        return total
    assert sum(one) == sum(other), f"{metric} compares datasets of one size"
    return total // 2


def _distances(universe: Sequence[Table], metric: str) -> Matrix:
    """``table_distance`` of every table, in the rows, from every other one."""
    counts: Matrix = np.array(universe, dtype=np.int64)
    total: Matrix = np.zeros((len(counts), len(counts)), dtype=np.int64)
    for cell in counts.T:
        total += np.abs(np.subtract.outer(cell, cell))
    if metric == SYMMETRIC:
        return total
    assert len({sum(table) for table in universe}) <= 1, f"{metric} compares datasets of one size"
    return total // 2


def _nearest(universe: Sequence[Table], metric: str) -> list[int]:
    """For each dataset of D_t the distance of the nearest other dataset, if there is one."""
    result = []
    for table, distances in zip(universe, _distances(universe, metric), strict=True):
        others = distances[distances > 0].tolist()  # tables that are 0 apart are the same
        if metric == HAMMING and sum(1 for number in table if number) > 1:
            others.append(2)  # exchange two records
        if others:
            result.append(min(others))
    return result


def a_min(universe: Sequence[Table], metric: str) -> int | None:
    """The smallest distance of two datasets of D_t; None if there is one dataset."""
    return min(_nearest(universe, metric), default=None)


def a_maxmin(universe: Sequence[Table], metric: str) -> int | None:
    """The largest distance of a dataset from its nearest one; None if there is one dataset."""
    return max(_nearest(universe, metric), default=None)


def differences(universe: Sequence[Table], distance: int, metric: str) -> set[Table]:
    """The sensitivity space of the whole table, 0 included."""
    counts: Matrix = np.array(universe, dtype=np.int64)
    one, other = np.nonzero(_distances(universe, metric) <= distance)
    return set(_tuples(counts[one] - counts[other]))


def connected(universe: Sequence[Table], distance: int, metric: str) -> bool:
    """Whether steps of at most `distance` lead from each table to every other."""
    unseen, waiting = set(universe[1:]), list(universe[:1])
    while waiting:
        table = waiting.pop()
        near = {other for other in unseen if table_distance(table, other, metric) <= distance}
        unseen -= near
        waiting.extend(near)
    return not unseen


def gauge(vectors: Sequence[Sequence[int]], v: Sequence[int]) -> float:
    """The least c with v in c times the convex hull of the vectors and their negatives."""
    if not any(v):
        return 0.0
    if not vectors:
        return inf
    signed = np.vstack([np.array(vectors, dtype=float), -np.array(vectors, dtype=float)])
    answer = linprog(np.ones(len(signed)), A_eq=signed.T, b_eq=np.array(v), bounds=(0, None))
    if answer.status not in (0, 2):  # solved, or v is not in the span
        raise ArithmeticError(answer.message)
    return inf if answer.status == 2 else float(answer.fun)


# --- random instances ----------------------------------------------------------------

SHAPES = ((2,), (3,), (2, 2), (2, 3), (3, 2), (3, 3), (2, 2, 2), (3, 2, 2), (2, 2, 3), (3, 3, 2))
KINDS = ("one-way", "two-way", "overlapping", "sets", "predicates", "integers", "weights")
_MOST_TABLES, _MOST_IN_UNIVERSE = 20_000, 500


def _number_rows(chance: random.Random, shape: tuple[int, ...], kind: str) -> tuple[Row, ...]:
    count, attributes = len(cells(shape)), range(len(shape))
    if kind == "predicates":
        return tuple(tuple(chance.choices((0, 1), k=count)) for _ in range(chance.randint(1, 3)))
    if kind == "integers":
        drawn = [chance.choices(range(-2, 3), k=count) for _ in range(chance.randint(1, 2))]
        return tuple(tuple(row) for row in drawn)
    if kind == "weights":
        return (tuple(chance.choices((1, 2, 3), k=count)),)
    subsets = [list(combinations(attributes, k)) for k in range(len(shape) + 1)]
    if kind in ("one-way", "two-way"):
        sets = subsets[1 if kind == "one-way" else max(1, len(shape) - 1)]
    elif kind == "overlapping":
        sets = [(0, 1), (1, 2)] if len(shape) == 3 else [(0,), (len(shape) - 1,)]
    else:
        sets = [chance.choice(chance.choice(subsets)) for _ in range(chance.randint(0, 3))]
    return tuple(row for attributes in sets for row in margin_rows(shape, attributes))


def _impossible(chance: random.Random, shape: tuple[int, ...], band: bool) -> frozenset[int]:
    """Structural zeros: none, single cells, or all but a cyclic band of two attributes."""
    if band and len(shape) > 1:
        steps = [(c[1] - c[0]) % max(shape[:2]) for c in cells(shape)]
        return frozenset(cell for cell, step in enumerate(steps) if step > 1)
    count = len(cells(shape))
    zeros = chance.choice((0, 0, 0, 1, 2, count // 3))
    return frozenset(chance.sample(range(count), min(zeros, count - 2)))


def _draw_table(chance: random.Random, instance: Instance, size: int, cube: bool) -> Table:
    """Random records; with `cube` first the even corners of a random box of 2 x 2 x ..."""
    shape, count = instance.shape, len(cells(instance.shape))
    possible = [cell for cell in range(count) if cell not in instance.impossible]
    first = []
    if cube:
        ends = [chance.sample(range(levels), 2) for levels in shape]
        even = [bits for bits in product((0, 1), repeat=len(shape)) if sum(bits) % 2 == 0]
        corners = [tuple(e[b] for e, b in zip(ends, bits, strict=True)) for bits in even]
        first = [cell for cell in map(cells(shape).index, corners) if cell in possible][:size]
    records = first + chance.choices(possible, k=size - len(first))
    return tuple(records.count(cell) for cell in range(count))


def _finish(chance: random.Random, instance: Instance, table: Table) -> Instance | None:
    """The instance with keys and bounds, each rarely; None if D_t is too large, or too dull."""
    attributes, keys, bounds = len(instance.shape), instance.keys, instance.bounds
    if chance.random() < 0.2:
        keys = (tuple(sorted(chance.sample(range(attributes), chance.randint(1, attributes)))),)
    if chance.random() < 0.2:
        row = tuple(chance.choices((0, 1), k=len(table)))
        held = dot(row, table)
        most = chance.choice((None, held, held + 1, held + 2))
        bounds += ((row, max(0, held - chance.randint(0, 2)), most),)
    instance = replace(instance, keys=keys, bounds=bounds)
    least = 1 if chance.random() < 0.1 else 2
    return instance if least <= len(universe_of(instance, table)) <= _MOST_IN_UNIVERSE else None


def random_instance(chance: random.Random) -> tuple[Instance, Table]:
    """An instance of one size and one of its tables; at most 500 tables share its values."""
    while True:
        shape, size, kind = chance.choice(SHAPES), chance.randint(2, 6), chance.choice(KINDS)
        instance = Instance(shape, size, _impossible(chance, shape, chance.random() < 0.15))
        possible = len(cells(shape)) - len(instance.impossible)
        if comb(possible + size - 1, size) > _MOST_TABLES:
            continue
        table = _draw_table(chance, instance, size, kind == "two-way" or chance.random() < 0.2)
        drawn = _finish(chance, replace(instance, rows=_number_rows(chance, shape, kind)), table)
        easy = chance.random() < 0.7  # some of those with a(t) < 3 are drawn again
        if drawn and (easy or covering(universe_of(drawn, table), HAMMING) >= 3):
            return drawn, table


def random_free_instance(chance: random.Random) -> tuple[Instance, Table]:
    """The same with a free size; no table with the values of the table exceeds `largest`."""
    while True:
        shape, size = chance.choice(SHAPES), chance.randint(0, 5)
        instance = Instance(shape, None, _impossible(chance, shape, chance.random() < 0.15))
        table = _draw_table(chance, instance, size, False)
        # a weighted count is published of some cells, and a bound is known for the others
        bounded = tuple(chance.choices((0, 1), (chance.random(), 0.3), k=len(table)))
        rows: tuple[Row, ...] = (tuple(0 if b else chance.choice((1, 1, 2, 3)) for b in bounded),)
        most = dot(bounded, table) + chance.randint(0, 2)
        largest = dot(rows[0], table) + most
        possible = len(table) - len(instance.impossible)
        if comb(possible + largest, possible) > _MOST_TABLES:
            continue
        if chance.random() < 0.5:
            rows += _number_rows(chance, shape, chance.choice(("predicates", "integers", "sets")))
        instance = replace(instance, rows=rows, bounds=((bounded, 0, most),), largest=largest)
        if drawn := _finish(chance, instance, table):
            return drawn, table
