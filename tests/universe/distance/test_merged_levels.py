"""Merged levels change no distance: programs over merged classes against brute force."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance import worst_start
from semiaudit.universe.distance.merged_levels import Merged, merged_around
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.system.classes_of_cells import Limited, Sum, System
from tests.oracles import tables as oracle
from tests.universe.instances import (
    assert_contains,
    assert_witnesses,
    case_of,
)

SHAPES = ((4, 2), (4, 3), (3, 3), (5, 2), (5, 3), (2, 2, 3))
FAST, ALL = 12, 600


def random_instance(chance: random.Random) -> tuple[oracle.Instance, oracle.Table]:
    """One-way margins, and counts that see each attribute through two groups of its levels."""
    shape = chance.choice(SHAPES)
    cells = oracle.cells(shape)
    seen = [[chance.randrange(2) for _ in range(levels)] for levels in shape]
    rows = [row for a in range(len(shape)) for row in oracle.margin_rows(shape, (a,))]
    for _ in range(chance.randint(1, 2)):
        of: dict[tuple[int, ...], int] = {}
        rows.append(
            tuple(
                of.setdefault(
                    tuple(s[level] for s, level in zip(seen, cell, strict=True)),
                    chance.choice((0, 1, 1, 2)),
                )
                for cell in cells
            )
        )
    size = chance.randint(3, 6 if len(cells) < 15 else 5)
    table = [0] * len(cells)
    for cell in chance.choices(range(len(cells)), k=size):
        table[cell] += 1
    return oracle.Instance(shape, size, rows=tuple(rows)), tuple(table)


def compare(seeds: range, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int, int]:
    """How many instances were compared, how many were merged, and how many came out exact."""
    merged: list[Merged] = []

    def spied(system: System, y: int) -> Merged | None:
        found = merged_around(system, y)
        if found is not None:
            merged.append(found)
        return found

    monkeypatch.setattr(worst_start, "merged_around", spied)
    compared = smaller = exact = 0
    for seed in seeds:
        chance = random.Random(seed)
        instance, table = random_instance(chance)
        universe = oracle.universe_of(instance, table)
        if not 2 <= len(universe) <= 500:
            continue
        merged.clear()
        case = case_of(chance, instance, table)
        found = universe_of(case.release("hamming"), Limits(600, certify=False))
        compared += 1
        smaller += bool(merged)
        exact += assert_contains(found, universe, "hamming")
        assert_witnesses(found, case, universe, "hamming")
    return compared, smaller, exact


@pytest.mark.usefixtures("programs_only")
def test_merged_searches_contain_the_truth_and_are_mostly_exact(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared, smaller, exact = compare(range(FAST), monkeypatch)
    assert compared >= FAST // 2
    assert smaller >= compared // 2
    assert exact >= 0.9 * compared


@pytest.mark.slow
@pytest.mark.usefixtures("programs_only")
@pytest.mark.parametrize("seeds", [range(30), range(1_000, 1_000 + ALL)], ids=str)
def test_many_merged_searches_contain_the_truth(
    seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared, smaller, exact = compare(seeds, monkeypatch)
    assert compared >= len(seeds) // 2
    assert smaller >= compared // 2
    assert exact >= 0.9 * compared


def system_of(instance: oracle.Instance, table: oracle.Table) -> System:
    """The instance with a class for every cell, and t from a table."""
    cells = oracle.cells(instance.shape)
    return System(
        cells=tuple((cell,) for cell in cells),
        multiplicity=(1,) * len(cells),
        rows=tuple(sparse(row) for row in instance.rows),
        values=tuple(oracle.dot(row, table) for row in instance.rows),
        keys=(),
        bounds=tuple(Limited(sparse(row), low, high) for row, low, high in instance.bounds),
        size=sum(table),
    )


def sparse(row: oracle.Row) -> Sum:
    return tuple((c, k) for c, k in enumerate(row) if k)


def bounded_instance(chance: random.Random) -> tuple[oracle.Instance, oracle.Table]:
    """One-way margins, and a bound on one level's cells or on those of several levels alike."""
    shape = chance.choice(((4, 2), (3, 3), (4, 3)))
    cells = oracle.cells(shape)
    rows = [row for a in range(len(shape)) for row in oracle.margin_rows(shape, (a,))]
    size = chance.randint(3, 5)
    held = Counter(chance.choices(range(len(cells)), k=size))
    table = tuple(held[c] for c in range(len(cells)))
    bounds = []
    for _ in range(chance.randint(1, 2)):
        levels = chance.sample(range(shape[0]), chance.choice((1, 1, 2)))
        other = chance.randrange(shape[1])
        row = tuple(int(a in levels and b == other) for a, b in cells)
        most = oracle.dot(row, table) + chance.randint(0, 1)
        bounds.append((row, min(chance.randint(0, 1), most), most))
    bounds = [b for b in bounds if b[1] <= oracle.dot(b[0], table)]
    return oracle.Instance(shape, size, rows=tuple(rows), bounds=tuple(bounds)), table


def to_y(tables: list[oracle.Table], start: oracle.Table, y: int) -> int | None:
    """How many records must leave their cells before a record is in y."""
    ends = [sum(max(a - b, 0) for a, b in zip(start, end, strict=True)) for end in tables if end[y]]
    return min(ends, default=None)


def test_bounds_tell_levels_apart_and_hold_of_merged_tables_as_of_whole_ones() -> None:
    chance = random.Random(11)
    merged = apart = 0
    for _ in range(60):
        instance, table = bounded_instance(chance)
        whole = oracle.universe_of(instance, table)
        free = system_of(replace(instance, bounds=()), table)
        for y in range(len(table)):
            found = merged_around(system_of(instance, table), y)
            coarsest = merged_around(free, y)
            apart += coarsest is not None and (
                found is None or coarsest.system.classes < found.system.classes
            )
            if found is None:
                continue
            merged += bool(instance.bounds)
            small = found.system
            inside = [
                t
                for t in oracle.tables(oracle.Instance((small.classes,), instance.size))
                if small.admits(t)
            ]

            def smaller(t: oracle.Table, place: tuple[int, ...] = found.place) -> oracle.Table:
                sums = Counter[int]()
                for c, count in enumerate(t):
                    sums[place[c]] += count
                return tuple(sums[c] for c in range(max(place) + 1))

            # Merged tables are those of whole ones, no more and no fewer, and as far from y.
            assert set(inside) == {smaller(t) for t in whole}, (instance, table, y)
            for start in whole:
                near = to_y(inside, smaller(start), found.place[y])
                assert to_y(whole, start, y) == near, (instance, table, y)
            for t in inside:
                assert found.lift(t) in whole
                assert smaller(found.lift(t)) == t
    assert merged > 100
    assert apart > 100


def test_a_lifted_table_has_the_margins_and_the_merged_table_it_came_from() -> None:
    """5 x 3 with both margins and one count: levels 0 to 2 and 3 to 4 of the first are alike."""
    cells = oracle.cells((5, 3))
    rows = [
        *(row for a in range(2) for row in oracle.margin_rows((5, 3), (a,))),
        tuple(int(a < 3 and b == 0) for a, b in cells),
    ]
    chance = random.Random(3)
    for _ in range(200):
        table = tuple(chance.randrange(3) for _ in cells)
        system = system_of(oracle.Instance((5, 3), sum(table), rows=tuple(rows)), table)
        found = merged_around(system, cells.index((1, 2)))
        assert found is not None
        # Level 1 alone, 0 and 2, 3 and 4; of the other attribute 2 alone, 0 and 1 told apart.
        assert found.system.classes == 9
        small = [0] * 9
        for c, count in enumerate(table):
            small[found.place[c]] += count
        assert found.system.admits(small)
        lifted = found.lift(tuple(small))
        assert system.admits(lifted)
        back = [0] * 9
        for c, count in enumerate(lifted):
            back[found.place[c]] += count
        assert back == small
