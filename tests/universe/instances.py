"""Releases from the oracle's instances, and answers compared with the oracle's.

An instance is about numbered cells. A release is about attributes, so there are several ways to
say the same:

- `plain`: the attributes a0, a1, ... of the shape; bounds must be products of levels.
- `tagged`: beside them an attribute for each other bound, whose level structural zeros tie to
  the cell.
- `flat`: one attribute, whose levels are the cells; keys must be of all attributes.
- `nested`: the attribute a1 lies within a0, which stands for its structural zeros.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from semiaudit.errors import NOWHERE
from semiaudit.model.adjacency import Adjacency, Metric
from semiaudit.model.audit import Published, PublishedCounts, Release, ReportOptions
from semiaudit.model.dataspace import Attribute, Condition, Dataspace, Level, TableSpace
from semiaudit.model.invariants import (
    Count,
    Invariant,
    Keys,
    Linear,
    Margin,
    PublicBound,
    Total,
    fix_the_size,
)
from semiaudit.model.measure import ZCDP
from semiaudit.model.mechanism import Declared
from semiaudit.model.semi_adjacency import Cell, Parameter, Universe
from semiaudit.spec.data.published_from_counts import groupings, published_counts
from tests.oracles import tables as oracle
from tests.oracles.tables import HAMMING, SYMMETRIC, Instance, Row, Table
from tests.samples import slow_cases

Tables = NDArray[np.int64]
METRICS: tuple[Metric, ...] = ("hamming", "multiset_hamming", "symmetric_difference")


@dataclass(frozen=True)
class Case:
    """An instance said as a release.

    `cells`: the labels of the instance's cells, in its order.
    """

    instance: Instance
    table: Table
    space: TableSpace
    invariants: tuple[Invariant, ...]
    cells: tuple[Cell, ...]

    def release(self, metric: Metric, *, given: bool = True) -> Release:
        held = zip(self.cells, self.table, strict=True)
        published = published_of(self.space, self.invariants, dict(held)) if given else None
        return release_of(self.space, self.invariants, published, metric)

    def counts(self, sparse: Sequence[tuple[Cell, int]]) -> Table:
        """A table of the instance from the counts of labelled cells."""
        held = dict(sparse)
        table = tuple(held.pop(cell, 0) for cell in self.cells)
        assert not held, "a cell that no instance has"
        return table


def published_of(
    space: TableSpace, invariants: Sequence[Invariant], counts: Mapping[Cell, int]
) -> PublishedCounts:
    """t of a table, given by its labelled cells."""
    attributes = space.attributes
    held = [
        (tuple(a.index(level) or 0 for a, level in zip(attributes, cell, strict=True)), number)
        for cell, number in counts.items()
        if number
    ]
    tallies = {}
    for wanted in groupings(space, invariants):
        places = [space.position(name) for name in wanted]
        found: Counter[tuple[int, ...]] = Counter()
        for levels, number in held:
            found[tuple(levels[place] for place in places)] += number
        tallies[wanted] = found
    told = space.size is not None or fix_the_size(invariants)
    size = sum(counts.values()) if told else None
    return published_counts(space, invariants, size, tallies, NOWHERE)


def release_of(
    space: Dataspace,
    invariants: Sequence[Invariant],
    published: Published | None,
    metric: Metric = "hamming",
) -> Release:
    return Release(
        path="test",
        sha256="",
        title="test",
        references=(),
        leaves_out=(),
        dataspace=space,
        invariants=tuple(invariants),
        published=published,
        adjacency=Adjacency(metric),
        mechanism=Declared(ZCDP(Fraction(1))),
        options=ReportOptions((), ()),
        budgets=(),
    )


# --- saying an instance as a release --------------------------------------------------


def case_of(chance: random.Random, instance: Instance, table: Table) -> Case:
    """One of the ways to say an instance, drawn at random; a bound on no cell says nothing."""
    bounds = tuple(bound for bound in instance.bounds if any(bound[0]))
    instance = replace(instance, bounds=bounds)
    ways = [_tagged]
    if all(len(key) == len(instance.shape) for key in instance.keys):
        ways.append(_flat)
    if all(_box(instance.shape, row) for row, _, _ in instance.bounds):
        ways += [_plain, _plain]
    return chance.choice(ways)(chance, instance, table)


def _plain(chance: random.Random, instance: Instance, table: Table) -> Case:
    return _by_attributes(chance, instance, table, ())


def _tagged(chance: random.Random, instance: Instance, table: Table) -> Case:
    tags = [row for row, _, _ in instance.bounds if not _box(instance.shape, row)]
    return _by_attributes(chance, instance, table, tags)


def _flat(chance: random.Random, instance: Instance, table: Table) -> Case:
    count = len(oracle.cells(instance.shape))
    keys = tuple((0,) for _ in instance.keys)
    flat = replace(instance, shape=(count,), keys=keys)
    case = _by_attributes(chance, flat, table, ())
    return replace(case, instance=instance)


def _by_attributes(
    chance: random.Random, instance: Instance, table: Table, tags: Sequence[Row]
) -> Case:
    shape = instance.shape
    own = [(*cell, *(tag[place] for tag in tags)) for place, cell in enumerate(oracle.cells(shape))]
    sizes = (*shape, *(2 for _ in tags))
    names = [f"a{place}" for place in range(len(shape))] + [f"in{t}" for t in range(len(tags))]
    attributes = tuple(Attribute(n, s) for n, s in zip(names, sizes, strict=True))
    possible = {cell for place, cell in enumerate(own) if place not in instance.impossible}
    zeros: list[Condition] = []
    for cell in product(*map(range, sizes)):
        if cell not in possible:
            zeros.append(tuple((name, (level,)) for name, level in zip(names, cell, strict=True)))
    places = {cell: place for place, cell in enumerate(own)}

    def spread(row: Row) -> Row:
        """The row over all cells of the attributes; what an impossible cell has is free."""
        return tuple(
            row[places[cell]] if cell in places else chance.randint(-1, 1)
            for cell in product(*map(range, sizes))
        )

    invariants = _invariants(chance, instance, names, spread)
    for key in instance.keys:
        invariants.append(Keys(tuple(names[a] for a in key)))
    for row, least, most in instance.bounds:
        where = _box(shape, row)
        if row in tags:
            where = ((tags.index(row) + len(shape), (1,)),)
        assert where is not None
        invariants.append(PublicBound(tuple((names[a], v) for a, v in where), least, most))
    chance.shuffle(invariants)
    size = instance.size
    if size is not None and chance.random() < 0.2:
        size = None
        invariants.append(Total())
    space = TableSpace("record", size, attributes, tuple(zeros))
    return Case(instance, table, space, tuple(invariants), tuple(own))


def _invariants(
    chance: random.Random, instance: Instance, names: Sequence[str], spread: Callable[[Row], Row]
) -> list[Invariant]:
    """The rows as margins, counts and matrices, at random where there is a choice."""
    shape, left = instance.shape, list(instance.rows)
    found: list[Invariant] = []
    for length in range(len(shape), -1, -1):
        for attributes in combinations(range(len(shape)), length):
            rows = oracle.margin_rows(shape, attributes)
            if set(rows) <= set(left) and chance.random() < 0.75:
                left = [row for row in left if row not in rows]
                told = [names[a] for a in attributes]
                chance.shuffle(told)
                found.append(Margin(tuple(told)) if told else Total())
    matrix = []
    for row in left:
        where = _box(shape, row)
        if where is not None and chance.random() < 0.5:
            found.append(Count(tuple((names[a], levels) for a, levels in where)))
        elif chance.random() < 0.5:
            found.append(Linear("row", (spread(row),)))
        else:
            matrix.append(spread(row))
    return [*found, Linear("matrix", tuple(matrix))] if matrix else found


def _box(shape: tuple[int, ...], row: Row) -> tuple[tuple[int, tuple[Level, ...]], ...] | None:
    """(attribute, levels) pairs whose product has the ones of a 0/1 row; None if there are none."""
    ones = [cell for cell, k in zip(oracle.cells(shape), row, strict=True) if k]
    if not ones or set(row) - {0, 1}:
        return None
    levels = [sorted({cell[a] for cell in ones}) for a in range(len(shape))]
    if len(list(product(*levels))) != len(ones):
        return None
    told = [a for a in range(len(shape)) if len(levels[a]) < shape[a]] or [0]
    return tuple((a, tuple(levels[a])) for a in told)


def chunks(fast: int, slow: int) -> list[object]:
    """Seeds; those beyond the first ones only with -m slow."""
    later = slow_cases(range(fast, slow))
    return [*range(fast), *later]


def nested_case(chance: random.Random, instance: Instance, table: Table) -> Case:
    """a1 within a0: the instance's structural zeros are the cells of another parent."""
    case = _plain(chance, replace(instance, impossible=frozenset()), table)
    parents = nested_parents(instance.shape)
    names = tuple(str(level) for level in range(instance.shape[1]))
    first, second, *rest = case.space.attributes
    inner = Attribute(second.name, names, within=first.name, parents=parents)
    cells = tuple((cell[0], names[int(cell[1])], *cell[2:]) for cell in case.cells)
    space = replace(case.space, attributes=(first, inner, *rest))
    return replace(case, instance=instance, space=space, cells=cells)


def nested_parents(shape: Sequence[int]) -> tuple[int, ...]:
    """The parent, a level of a0, of each level of a1."""
    return tuple(level % shape[0] for level in range(shape[1]))


def band() -> tuple[Instance, Table]:
    """4 x 4, only (i, i) and (i, i + 1) possible, one record on every (i, i); E7."""
    cells = oracle.cells((4, 4))
    zeros = frozenset(p for p, (row, column) in enumerate(cells) if (column - row) % 4 > 1)
    rows = tuple(row for a in (0, 1) for row in oracle.margin_rows((4, 4), (a,)))
    table = tuple(int(row == column) for row, column in cells)
    return Instance((4, 4), 4, zeros, rows), table


def parity() -> tuple[Instance, Table]:
    """2 x 2 x 2, all two-way margins, a record on every cell of even sum; row 28."""
    pairs = combinations(range(3), 2)
    rows = tuple(row for pair in pairs for row in oracle.margin_rows((2, 2, 2), pair))
    table = tuple(int(sum(cell) % 2 == 0) for cell in oracle.cells((2, 2, 2)))
    return Instance((2, 2, 2), 4, rows=rows), table


def assert_contains(found: Universe, universe: Sequence[Table], metric: Metric) -> bool:
    """Both intervals contain the truth; True if both are exact."""
    semi, exact = found.semi_adjacency, True
    for parameter, expected in (
        (semi.covering, oracle.covering(universe, metric)),
        (semi.definition_13, oracle.definition_13(universe, metric)),
    ):
        assert parameter.lower <= expected, metric
        assert parameter.upper is None or expected <= parameter.upper, metric
        exact &= parameter.lower == parameter.upper
    return exact


# --- comparing ------------------------------------------------------------------------


def assert_agrees(found: Universe, case: Case, universe: Sequence[Table], metric: Metric) -> None:
    """Both readings, Remark 14's numbers, witnesses and disclosures, against the oracle."""
    semi = found.semi_adjacency
    for parameter, expected in (
        (semi.covering, oracle.covering(universe, metric)),
        (semi.definition_13, oracle.definition_13(universe, metric)),
    ):
        assert (parameter.lower, parameter.upper) == (expected, expected), metric
    assert semi.a_min == oracle.a_min(universe, metric)
    assert semi.a_maxmin == oracle.a_maxmin(universe, metric)
    assert_witnesses(found, case, universe, metric)
    assert_discloses(found, case, universe)


def assert_witnesses(
    found: Universe, case: Case, universe: Sequence[Table], metric: Metric
) -> None:
    semi = found.semi_adjacency
    assert_witness(semi.covering, case, universe, metric, covering=True)
    assert_witness(semi.definition_13, case, universe, metric, covering=False)


def assert_witness(
    parameter: Parameter, case: Case, universe: Sequence[Table], metric: Metric, *, covering: bool
) -> None:
    """The witness lies in D_t at its distance; no closer Y, or no closer pair, has its records."""
    witness = parameter.witness
    if parameter.lower == parameter.upper:
        assert (witness is None) == (parameter.lower == 0)
    if witness is None:
        return
    start, end = case.counts(witness.start), case.counts(witness.end)
    assert {start, end} <= set(universe)
    x, y = (
        None if cell is None else case.cells.index(cell)
        for cell in (witness.record_from, witness.record_to)
    )
    assert parameter.lower == witness.distance == distance(start, end, x, y, metric)
    tables = np.array(universe)
    starts = np.array([start]) if covering else tables
    if x is not None:
        starts = starts[starts[:, x] > 0]
    ends = tables[tables[:, y] > 0] if y is not None else tables
    if metric != HAMMING:
        assert_changes(start, end, x, y)
    if parameter.lower == parameter.upper and (covering or metric == HAMMING):
        assert closest(starts, ends, x, y, metric) == witness.distance


def assert_changes(start: Table, end: Table, x: int | None, y: int | None) -> None:
    """X has more records x than Y, and Y more y than X; None where no count falls, or rises."""
    change = [b - a for a, b in zip(start, end, strict=True)]
    assert min(change) >= 0 if x is None else change[x] < 0
    assert max(change) <= 0 if y is None else change[y] > 0


def closest(starts: Tables, ends: Tables, x: int | None, y: int | None, metric: Metric) -> int:
    """The least of the distances of all pairs."""
    change = ends[None, :, :] - starts[:, None, :]
    same = ~change.any(axis=2)
    if metric == HAMMING:
        change[:, :, x] += 1
        change[:, :, y] -= 1
        return int(x != y) + int(np.abs(change).sum(axis=2).min()) // 2
    moved = np.abs(change).sum(axis=2)[~same]
    return int(moved.min()) // (1 if metric == SYMMETRIC else 2)


def distance(start: Table, end: Table, x: int | None, y: int | None, metric: Metric) -> int:
    """The distance of two datasets in which x became y at one place; metrics as in the oracle."""
    before, after = list(start), list(end)
    if metric == HAMMING:
        assert x is not None
        assert y is not None
        before[x] -= 1
        after[y] -= 1
        moved = sum(abs(a - b) for a, b in zip(before, after, strict=True))
        return int(x != y) + moved // 2
    moved = sum(abs(a - b) for a, b in zip(before, after, strict=True))
    return moved if metric == SYMMETRIC else moved // 2


def assert_discloses(found: Universe, case: Case, universe: Sequence[Table]) -> None:
    disclosed = found.disclosed
    ranges = {
        cell: ends
        for place, (cell, ends) in enumerate(
            zip(case.cells, oracle.cell_ranges(universe), strict=True)
        )
        if place not in case.instance.impossible
    }
    assert disclosed.table_is_public == (len(universe) == 1)
    assert disclosed.cells == len(ranges)
    assert disclosed.forced_cells == sum(low == high for low, high in ranges.values())
    if disclosed.ranges is not None:
        assert {cell: (low, high) for cell, low, high in disclosed.ranges} == ranges
    for name, level in disclosed.constant_attributes or ():
        at = [attribute.name for attribute in case.space.attributes].index(name)
        held = {cell[at] for cell, (_, high) in ranges.items() if high}
        assert held == {level}
