"""Brute-force oracle for tables whose number of records is free.

D_t may be infinite: then it holds, with a table X, also X + e_c for a cell c that no row and no
upper end of a bound speaks of. All tables are gone through whose open cells hold at most the sum
of all lower ends and 3 records. That is enough: cutting every open cell off there leaves all
lower ends met, keeps which cells are held, takes no two tables farther apart, and where it makes
two tables one, one more or one less record in the open cell is another table at distance 1.

Every number is looped over as docs/theory/guarantees.md defines it for datasets that differ in
size.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from tests.oracles.tables import SYMMETRIC, Instance, Row, Table, cells, dot, table_distance, value

FAR = 1_000_000
"""An open cell stays in D_t with so many records more."""

Range = tuple[int, int | None]


def belongs(instance: Instance, table: Table, given: Table) -> bool:
    """True if a table is in the D_t of a given one."""
    if any(table[cell] for cell in instance.impossible):
        return False
    for row, least, most in instance.bounds:
        held = dot(row, table)
        if held < least or (most is not None and held > most):
            return False
    return value(instance, table) == value(instance, given)


def open_cells(instance: Instance, given: Table) -> set[int]:
    """The cells that can hold any number of records beside what the given table holds."""
    more = {c: (*given[:c], given[c] + FAR, *given[c + 1 :]) for c in range(len(given))}
    return {c for c, table in more.items() if belongs(instance, table, given)}


def universe_of(instance: Instance, given: Table, most_tables: int) -> list[Table] | None:
    """D_t, its open cells cut off; None where more tables would have to be gone through."""
    open_ = open_cells(instance, given)
    cap = sum(least for _, least, _ in instance.bounds) + len(given) * len(instance.keys) + 3
    ends = []
    for cell in range(len(given)):
        if cell in instance.impossible:
            ends.append(0)
            continue
        limits = [cap] if cell in open_ else []
        for row in instance.rows:
            if row[cell] > 0 and min(row) >= 0:
                limits.append(dot(row, given) // row[cell])
        limits += [most for row, _, most in instance.bounds if row[cell] and most is not None]
        if not limits:
            return None
        ends.append(min(limits))
    if prod(end + 1 for end in ends) > most_tables:
        return None
    every = product(*(range(end + 1) for end in ends))
    return [table for table in every if belongs(instance, table, given)]


def sizes_differ(universe: Sequence[Table]) -> bool:
    return len({sum(table) for table in universe}) > 1


def _least(distances: Iterator[int]) -> list[int]:
    """The least of some distances, as a list; nothing where there is no such Y."""
    found = min(distances, default=None)
    return [] if found is None else [found]


def covering(universe: Sequence[Table]) -> int:
    """The largest, over X and records y, of the distance to the nearest other Y with y.

    Where the sizes differ X may be empty, and a record of X may become absent: any other Y.
    """
    free = sizes_differ(universe)
    held = [c for c in range(len(universe[0])) if any(table[c] for table in universe)]
    worst = [0]
    for start in universe:
        if not free and not any(start):
            continue
        for y in held:
            worst += _least(
                table_distance(start, Y, SYMMETRIC) for Y in universe if start != Y and Y[y]
            )
        if free and any(start):
            ends = [end for end in universe if end != start]
            worst += _least(table_distance(start, end, SYMMETRIC) for end in ends)
    return max(worst)


def definition_13(universe: Sequence[Table]) -> int:
    """The largest, over x and y, of the distance of the nearest X with x and other Y with y.

    Where the sizes differ one of x and y is the absence of a record, which every table has.
    """
    held = [c for c in range(len(universe[0])) if any(table[c] for table in universe)]
    worst = [0]
    for y in held:
        for x in [None] if sizes_differ(universe) else held:
            pairs = product((X for X in universe if x is None or X[x]), universe)
            worst += _least(table_distance(X, Y, SYMMETRIC) for X, Y in pairs if X != Y and Y[y])
    return max(worst)


def ranges(instance: Instance, given: Table, universe: Sequence[Table]) -> list[Range]:
    """The least and the largest count of every cell over D_t; None: there is no largest."""
    open_ = open_cells(instance, given)
    columns = list(zip(*universe, strict=True))
    return [(min(k), None if c in open_ else max(k)) for c, k in enumerate(columns)]


# --- random instances ----------------------------------------------------------------

SHAPES = ((2,), (3,), (4,), (2, 2), (2, 3), (2, 2, 2))
MOST_TABLES = 20_000
MOST_IN_UNIVERSE = 150


def random_instance(chance: random.Random) -> tuple[Instance, Table, list[Table]]:
    """An instance of free size, one of its tables, and the tables of its D_t."""
    while True:
        shape = chance.choice(SHAPES)
        count = len(cells(shape))
        zeros = chance.sample(range(count), chance.choice((0, 0, 0, 1)))
        given = tuple(0 if c in zeros else chance.choice((0, 0, 1, 1, 2, 3)) for c in range(count))
        rows = tuple(_row(chance, count) for _ in range(chance.randint(0, 2)))
        bounds = [_bound(chance, given) for _ in range(chance.choice((0, 1, 1, 2)))]
        keys: tuple[tuple[int, ...], ...] = ()
        if chance.random() < 0.2:
            places = chance.sample(range(len(shape)), chance.randint(1, len(shape)))
            keys = (tuple(sorted(places)),)
        told = tuple(b for b in bounds if b is not None)
        instance = Instance(shape, None, frozenset(zeros), rows, keys, told)
        if not rows and not keys and not told:
            continue
        universe = universe_of(instance, given, MOST_TABLES)
        if universe and len(universe) <= MOST_IN_UNIVERSE:
            return instance, given, universe


def _row(chance: random.Random, count: int) -> Row:
    """Ones, small weights or both signs, and zeros for the cells that are left open."""
    weights = chance.choice(((0, 1), (0, 1, 1), (0, 1, 2, 3), (0, 0, 1, -1), (0, 1, -1, 2)))
    return tuple(chance.choices(weights, k=count))


def _bound(chance: random.Random, given: Table) -> tuple[Row, int, int | None] | None:
    """Of some cells, at least or at most so many, or both; vacuous ones too."""
    row = tuple(chance.choices((0, 1), k=len(given)))
    held = dot(row, given)
    least = max(0, held - chance.randint(0, 2)) if chance.random() < 0.5 else 0
    most = held + chance.randint(0, 2) if chance.random() < 0.6 else None
    return (row, least, most) if any(row) else None
