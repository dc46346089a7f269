"""Self-checks of the table oracle: literal definitions over orders, and known numbers."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations, product
from math import comb, factorial, inf, prod

import pytest

from tests.oracles.tables import (
    HAMMING,
    METRICS,
    MULTISET,
    SYMMETRIC,
    Instance,
    Table,
    a_maxmin,
    a_min,
    cell_ranges,
    cells,
    connected,
    covering,
    definition_13,
    differences,
    gauge,
    margin_rows,
    random_free_instance,
    random_instance,
    tables,
    universe_of,
    universes,
    value,
)
from tests.samples import repeated, sampled

Dataset = tuple[int, ...]


def one_way(
    shape: tuple[int, ...], size: int, impossible: frozenset[int] = frozenset()
) -> Instance:
    rows = tuple(row for a in range(len(shape)) for row in margin_rows(shape, (a,)))
    return Instance(shape, size, impossible, rows)


# --- the definitions once more, over ordered datasets --------------------------------


def orders(universe: Sequence[Table]) -> list[Dataset]:
    """All datasets of D_t: a dataset lists the cells of its records."""
    result = []
    for table in universe:
        records = [cell for cell, number in enumerate(table) for _ in range(number)]
        result.extend(sorted(set(permutations(records))))
    return result


def hamming(one: Dataset, other: Dataset) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def covering_of_orders(datasets: Sequence[Dataset]) -> int:
    """max over X, i and y of min{d(X, Y) : Y_i = y}."""
    worst = 0
    for one, place in product(datasets, range(len(datasets[0]))):
        for y in {other[place] for other in datasets}:
            worst = max(worst, min(hamming(one, o) for o in datasets if o[place] == y))
    return worst


def definition_13_of_orders(datasets: Sequence[Dataset]) -> int:
    """sup over i, x and y of inf{d(X, Y) : X_i = x, Y_i = y}."""
    worst = 0
    for place in range(len(datasets[0])):
        closest: dict[tuple[int, int], int] = {}
        for one, other in product(datasets, datasets):
            pair = (one[place], other[place])
            closest[pair] = min(hamming(one, other), closest.get(pair, len(one)))
        worst = max(worst, *closest.values())
    return worst


def nearest_of_orders(datasets: Sequence[Dataset]) -> list[int]:
    """For each dataset the distance of its nearest other one, if there is one."""
    if len(datasets) == 1:
        return []
    return [min(hamming(one, o) for o in datasets if o != one) for one in datasets]


def small_instances(seed: int, number: int, most: int) -> list[list[Table]]:
    chance = random.Random(seed)
    found: list[list[Table]] = []
    while len(found) < number:
        instance, table = random_instance(chance)
        if instance.size is not None and instance.size <= 4:
            universe = universe_of(instance, table)
            if sum(factorial(sum(t)) // prod(map(factorial, t)) for t in universe) <= most:
                found.append(universe)
    return found


@pytest.mark.parametrize(("times", "most"), sampled([(30, 50), (70, 80)], fast=(0,)))
def test_the_tables_say_the_same_as_their_orders(times: int, most: int) -> None:
    seen = set()
    for universe in small_instances(1, times, most):
        datasets = orders(universe)
        assert covering(universe, HAMMING) == covering_of_orders(datasets), universe
        assert definition_13(universe, HAMMING) == definition_13_of_orders(datasets), universe
        nearest = nearest_of_orders(datasets)
        assert a_min(universe, HAMMING) == min(nearest, default=None)
        assert a_maxmin(universe, HAMMING) == max(nearest, default=None)
        seen.add(covering(universe, HAMMING))
    assert {1, 2, 3, 4} <= seen


def test_the_differences_and_steps_of_tables_are_those_of_their_orders() -> None:
    for universe in small_instances(2, 30, 50):
        datasets = orders(universe)
        count = len(universe[0])
        for distance in (1, 2, 3):
            pairs = [p for p in product(datasets, datasets) if hamming(*p) <= distance]
            changes = {
                tuple(one.count(cell) - other.count(cell) for cell in range(count))
                for one, other in pairs
            }
            assert changes == differences(universe, distance, HAMMING)
            group = {dataset: dataset for dataset in datasets}
            for one, other in pairs:
                old, new = group[one], group[other]
                group = (
                    {d: new if g == old else g for d, g in group.items()} if old != new else group
                )
            # with places an exchange of two records is a step of 2, so distance 1 may separate
            if distance > 1:
                assert (len(set(group.values())) == 1) == connected(universe, distance, HAMMING)


# --- the metrics without places, spelled out in plain loops ---------------------------


def length(one: Table, other: Table) -> int:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))


def plain(universe: Sequence[Table], free: bool) -> tuple[int, int]:
    """covering and definition 13 for |h_X - h_Y|_1 with Y another table than X."""

    def holds(table: Table, record: int | None) -> bool:
        return record is None or table[record] > 0  # None: absent, which is always possible

    records = range(len(universe[0]))
    pairs: list[tuple[int | None, int | None]] = list(product(records, records))
    if free:
        pairs = [(None, y) for y in records] + [(x, None) for x in records]
    worst = sharpest = 0
    for x, y in pairs:
        nearest = []
        for one in universe:
            if holds(one, x):
                others = [o for o in universe if o != one and holds(o, y)]
                nearest += [min(length(one, other) for other in others)] if others else []
        if nearest:
            worst, sharpest = max(worst, max(nearest)), max(sharpest, min(nearest))
    return worst, sharpest


@repeated(15, 40)
def test_the_metrics_without_places(times: int) -> None:
    chance = random.Random(3)
    for _ in range(times):
        universe = universe_of(*random_instance(chance))
        if len(universe) <= 40:
            expected = plain(universe, free=False)
            assert (covering(universe, SYMMETRIC), definition_13(universe, SYMMETRIC)) == expected
            half = (covering(universe, MULTISET), definition_13(universe, MULTISET))
            assert tuple(2 * number for number in half) == expected
        universe = universe_of(*random_free_instance(chance))
        if len(universe) <= 40:
            for free in (False, True):
                expected = plain(universe, free)
                assert covering(universe, SYMMETRIC, free) == expected[0]
                assert definition_13(universe, SYMMETRIC, free) == expected[1]


def test_a_free_size_without_invariants_is_one_but_for_the_listed_largest() -> None:
    universe = tables(Instance((2,), None, largest=3))
    assert len(universe) == 1 + 2 + 3 + 4
    assert definition_13(universe, SYMMETRIC) == 1
    assert covering(universe, SYMMETRIC) == 2  # (3, 0) must lose a record to gain another
    with pytest.raises(AssertionError):
        covering(universe, MULTISET)


def test_whether_the_size_is_free_matters_to_definition_13_only() -> None:
    chance, differ = random.Random(4), 0
    for _ in range(40):
        universe = universe_of(*random_instance(chance))
        fixed, free = (covering(universe, SYMMETRIC, free) for free in (False, True))
        assert fixed == free
        fixed, free = (definition_13(universe, SYMMETRIC, free) for free in (False, True))
        assert free <= fixed
        differ += free < fixed
    assert differ


# --- known numbers -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ((2, 1, 1, 0), (3, 2)),
        ((2, 0, 1, 1), (3, 2)),
        ((1, 1, 1, 1), (2, 2)),
        ((2, 0, 0, 2), (2, 2)),
    ],
)
def test_two_by_two(table: Table, expected: tuple[int, int]) -> None:
    universe = universe_of(one_way((2, 2), 4), table)
    assert (covering(universe, HAMMING), definition_13(universe, HAMMING)) == expected


def test_no_invariant_one_margin_and_the_whole_table() -> None:
    table = (1, 1, 1, 1)
    for rows, expected in [
        ((), 1),
        (margin_rows((2, 2), (0,)), 2),
        (margin_rows((2, 2), (0, 1)), 2),
    ]:
        universe = universe_of(Instance((2, 2), 4, rows=rows), table)
        assert covering(universe, HAMMING) == definition_13(universe, HAMMING) == expected
    assert universe == [table]
    assert a_min(universe, HAMMING) == a_maxmin(universe, HAMMING) == 2
    for metric in (MULTISET, SYMMETRIC):
        assert covering(universe, metric) == definition_13(universe, metric) == 0
        assert a_min(universe, metric) is a_maxmin(universe, metric) is None
    assert a_min([(3, 0)], HAMMING) is None
    assert covering([(3, 0)], HAMMING) == definition_13([(3, 0)], HAMMING) == 0


def test_the_parity_tables() -> None:
    shape = (2, 2, 2)
    rows = tuple(row for two in ((0, 1), (0, 2), (1, 2)) for row in margin_rows(shape, two))
    even = tuple(int(sum(cell) % 2 == 0) for cell in cells(shape))
    universe = universe_of(Instance(shape, 4, rows=rows), even)
    assert set(universe) == {even, tuple(1 - count for count in even)}
    assert covering(universe, HAMMING) == definition_13(universe, HAMMING) == 4
    assert not connected(universe, 3, HAMMING)
    assert connected(universe, 4, HAMMING)
    assert cell_ranges(universe) == [(0, 1)] * 8


def test_the_cyclic_band() -> None:
    shape = (4, 4)
    zeros = frozenset(i for i, (a, b) in enumerate(cells(shape)) if (b - a) % 4 > 1)
    diagonal = tuple(int(a == b) for a, b in cells(shape))
    universe = universe_of(one_way(shape, 4, zeros), diagonal)
    assert len(universe) == 2
    assert covering(universe, HAMMING) == definition_13(universe, HAMMING) == 4


def test_a_key_raises_the_parameter() -> None:
    free = universe_of(Instance((2,), 3), (2, 1))
    keyed = universe_of(Instance((2,), 3, keys=((0,),)), (2, 1))
    assert covering(free, HAMMING) == definition_13(free, HAMMING) == 1
    assert set(keyed) == {(1, 2), (2, 1)}
    assert covering(keyed, HAMMING) == 2


@pytest.mark.parametrize(
    ("shape", "distance", "expected"),
    [
        ((2, 2), 2, 3),
        ((2, 3), 2, 7),
        ((3, 3), 2, 19),
        ((2, 2), 3, 3),
        ((2, 3), 3, 7),
        ((3, 3), 3, 31),
    ],
)
def test_sensitivity_spaces(shape: tuple[int, ...], distance: int, expected: int) -> None:
    space: set[Table] = set()
    for universe in universes(one_way(shape, 4)).values():
        space |= differences(universe, distance, HAMMING)
        assert connected(universe, 2, HAMMING)
    assert len(space) == expected
    assert (0,) * prod(shape) in space
    if (shape, distance) == ((3, 3), 3):
        assert max(sum(map(abs, change)) for change in space) == 6


def test_the_gauge_norm() -> None:
    swaps = sorted(differences(tables(one_way((3, 3), 2)), 2, HAMMING))
    margins = one_way((3, 3), 2).rows
    swaps = [s for s in swaps if not any(sum(map(int.__mul__, row, s)) for row in margins)]
    assert len(swaps) == 19
    hexagon = (1, -1, 0, 0, 1, -1, -1, 0, 1)
    assert gauge(swaps, swaps[0]) == pytest.approx(1)
    assert gauge(swaps, hexagon) == pytest.approx(2)
    assert gauge(swaps, (0,) * 9) == 0
    assert gauge(swaps, (1,) + (0,) * 8) == inf
    assert gauge([], hexagon) == inf


# --- the enumeration and the random instances -----------------------------------------


def test_all_tables_are_listed_once() -> None:
    listed = tables(Instance((2, 3), 4))
    assert len(listed) == len(set(listed)) == comb(9, 5)
    assert {sum(table) for table in listed} == {4}
    bounded = tables(Instance((2, 3), 4, frozenset({5}), bounds=(((1, 1, 0, 0, 0, 0), 1, 2),)))
    assert set(bounded) == {t for t in listed if t[5] == 0 and 1 <= t[0] + t[1] <= 2}


def test_margin_rows() -> None:
    assert margin_rows((2, 3), (1,)) == ((1, 0, 0, 1, 0, 0), (0, 1, 0, 0, 1, 0), (0, 0, 1, 0, 0, 1))
    assert margin_rows((2, 2), ()) == ((1, 1, 1, 1),)
    assert margin_rows((2, 2), (1, 0))[1] == (0, 0, 1, 0)  # the levels 0 of 1, and 1 of 0


@repeated(15, 45)
def test_random_instances(times: int) -> None:
    chance, hard, metrics = random.Random(5), 0, set(METRICS)
    for _ in range(times):
        instance, table = random_instance(chance)
        universe = universe_of(instance, table)
        assert table in universe
        assert len(universe) <= 500
        assert universe == universes(instance)[value(instance, table)]
        numbers = {metric: covering(universe, metric) for metric in metrics}
        assert all(definition_13(universe, metric) <= numbers[metric] for metric in metrics)
        assert (a_maxmin(universe, HAMMING) or 0) <= numbers[HAMMING]
        hard += numbers[HAMMING] >= 3
    assert hard >= 0.4 * times


@repeated(12, 40)
def test_random_free_instances_list_the_whole_universe(times: int) -> None:
    chance = random.Random(6)
    for _ in range(times):
        instance, table = random_free_instance(chance)
        universe = universe_of(instance, table)
        assert table in universe
        assert instance.size is None
        assert universe == universe_of(replace(instance, largest=instance.largest + 1), table)
