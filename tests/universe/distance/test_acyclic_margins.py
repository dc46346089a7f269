"""Overlapping margins without a cycle, nested and product, against brute force; and at any size."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise, product
from types import SimpleNamespace
from typing import Any

import pytest

from semiaudit.model.adjacency import Metric
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Margin
from semiaudit.model.semi_adjacency import Cell
from semiaudit.universe.distance.acyclic_margins import _choices, covering, definition_13
from semiaudit.universe.distance.of_junction_tree import acyclic_universe
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.system.decomposable import junction_tree
from semiaudit.universe.system.decomposed import decomposed
from semiaudit.universe.witness import check_table
from tests.oracles import tables as oracle
from tests.universe.acyclic_instances import drawn
from tests.universe.instances import METRICS, chunks, published_of, release_of

EACH = 25
"""Instances a seed; the campaign of 240 seeds has 6,000: half with more margins, a third nested."""

LARGEST = 300
"""Tables of a D_t that are compared in pairs."""


@pytest.mark.parametrize("seed", chunks(2, 240))
def test_intervals_hold_the_brute_force_values(seed: int) -> None:
    chance = random.Random(seed)
    looked_at = 0
    while looked_at < EACH:
        case = drawn(chance, wide=seed % 2 == 1)
        tree = junction_tree(case.release(), case.space)
        if tree is None or not tree.overlaps:
            continue
        universe = case.universe()
        if len(universe) > LARGEST:
            continue
        looked_at += 1
        for metric in METRICS:
            release = case.release(metric)
            whole = acyclic_universe(release, tree)
            assert whole is not None
            # Here without the list of D_t, by which small intervals are closed.
            d = decomposed(release, tree)
            covers = covering(d, metric)
            printed = definition_13(d, metric, covers.upper or 0)
            # The infimum over both datasets is at most the supremum over the first one.
            assert (printed.upper or 0) <= (covers.upper or 0)
            truths = oracle.covering(universe, metric), oracle.definition_13(universe, metric)
            for reading, truth in (
                *zip((covers, printed), truths, strict=True),
                *zip((whole.covering, whole.definition_13), truths, strict=True),
            ):
                assert reading.upper is not None
                assert reading.lower <= truth <= reading.upper, (case, metric)
                assert (reading.witness is None) <= (reading.lower < 2), (case, metric)
                check_table(release, case.space, reading)
            assert whole.remark_14 == (
                oracle.a_min(universe, metric),
                oracle.a_maxmin(universe, metric),
            )
            assert whole.disclosed.table_is_public == (len(universe) == 1)


@pytest.mark.parametrize("seed", chunks(1, 20))
def test_two_margins_are_exact_under_hamming(seed: int) -> None:
    chance = random.Random(1000 + seed)
    looked_at = 0
    while looked_at < EACH:
        case = drawn(chance)
        release = case.release()
        tree = junction_tree(release, case.space)
        if tree is None or not tree.overlaps or len(tree.nodes) > 2:
            continue
        universe = case.universe()
        if len(universe) > LARGEST:
            continue
        looked_at += 1
        d = decomposed(release, tree)
        covers, printed = covering(d, "hamming"), definition_13(d, "hamming", 3)
        truth = oracle.covering(universe, oracle.HAMMING)
        assert (covers.lower, covers.upper) == (truth, truth), case
        truth = oracle.definition_13(universe, oracle.HAMMING)
        assert (printed.lower, printed.upper) == (truth, truth), case


def chain(margins: str, levels: int, records: Counter[Cell]) -> tuple[int, int]:
    """Covering and definition_13, both exact, of a path of attributes."""
    names = sorted(set(margins) - {" "})
    space = TableSpace("record", None, tuple(Attribute(name, levels) for name in names))
    invariants = [Margin(tuple(margin)) for margin in margins.split()]
    release = release_of(space, invariants, published_of(space, invariants, records))
    semi = universe_of(release).semi_adjacency
    assert semi.covering.lower == semi.covering.upper
    assert semi.definition_13.lower == semi.definition_13.upper
    return semi.covering.lower, semi.definition_13.lower


def test_a_record_from_another_level_of_the_separator_can_change_as_well() -> None:
    # ab 01:1, 10:3, 11:1 and bc 01:3, 10:1, 11:1: the two records at b = 1 suffice for a(t) = 3.
    records: Counter[Cell] = Counter({(0, 1, 0): 1, (1, 0, 1): 3, (1, 1, 1): 1})
    assert chain("ab bc", 2, records) == (3, 2)


def test_five_binary_records_in_a_chain_of_two_as_often_three_as_by_brute_force() -> None:
    # 200 of these margins have a(t) = 3, by enumeration of all tables and all orders.
    cells = list(product(range(2), repeat=3))
    seen = set()
    for table in oracle.tables(oracle.Instance((2, 2, 2), 5)):
        ab, bc = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
        for (a, b, c), count in zip(cells, table, strict=True):
            ab[a, b] += count
            bc[b, c] += count
        seen.add((tuple(sorted(ab.items())), tuple(sorted(bc.items())), table))
    margins = {(ab, bc): table for ab, bc, table in seen}
    threes = 0
    for table in margins.values():
        records: Counter[Cell] = Counter({c: n for c, n in zip(cells, table, strict=True) if n})
        threes += chain("ab bc", 2, records)[0] == 3
    assert threes == 200


def test_least_counts_of_different_levels_of_the_separator_do_not_make_three() -> None:
    # By enumeration a(t) is 2 in 320 of these margins though the least counts of both whole margins
    # add up to at most n - 1; and it is 3 in 32 in which no b has m_ab + m_bc <= n_b - 1.
    cells = list(product(range(2), repeat=3))
    rows = tuple(row for pair in ((0, 1), (1, 2)) for row in oracle.margin_rows((2, 2, 2), pair))
    too_large, too_small = 0, 0
    for universe in oracle.universes(oracle.Instance((2, 2, 2), 5, rows=rows)).values():
        ab, bc, of_b = Counter[tuple[int, int]](), Counter[tuple[int, int]](), Counter[int]()
        for (a, b, c), count in zip(cells, universe[0], strict=True):
            ab[a, b] += count
            bc[b, c] += count
            of_b[b] += count
        sums = [
            (of_b[b], count + other)
            for (_, b), count in ab.items()
            for (at, _), other in bc.items()
            if count and other and at == b
        ]
        truth = oracle.covering(universe, oracle.HAMMING)
        whole = min(filter(None, ab.values())) + min(filter(None, bc.values())) <= 4
        inside = any(least <= of_its_b - 1 for of_its_b, least in sums)
        if whole == (truth == 3) and inside == (truth == 3):
            continue
        too_large += whole and truth == 2
        too_small += not inside and truth == 3
        records = {c: n for c, n in zip(cells, universe[0], strict=True) if n}
        assert chain("ab bc", 2, Counter[Cell](records))[0] == truth
    assert (too_large, too_small) == (320, 32)


def test_a_lone_record_between_two_margins_makes_definition_13_three() -> None:
    # 16 margins of three binary records on the path [a, b], [b, c], [c, d], by enumeration.
    shape = (2, 2, 2, 2)
    rows = tuple(
        row for pair in ((0, 1), (1, 2), (2, 3)) for row in oracle.margin_rows(shape, pair)
    )
    universes = oracle.universes(oracle.Instance(shape, 3, rows=rows))
    threes = 0
    for tables in universes.values():
        records: Counter[Cell] = Counter(
            {c: n for c, n in zip(oracle.cells(shape), tables[0], strict=True) if n}
        )
        found = chain("ab bc cd", 2, records)
        assert found[1] == oracle.definition_13(tables, oracle.HAMMING)
        threes += found[1] == 3
    assert threes == 16


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("count", [1, 10**9])
def test_counts_of_any_size_have_small_ends(metric: Metric, count: int) -> None:
    chance = random.Random(5)
    states = tuple(f"s{s}" for s in range(10))
    counties = tuple(f"{s}c{c}" for s in states for c in range(8))
    attributes = (
        Attribute("state", states),
        Attribute("county", counties, within="state", parents=tuple(c // 8 for c in range(80))),
        Attribute("sex", 2),
        Attribute("age", 5),
    )
    space = TableSpace("person", None, attributes)
    held: Counter[Cell] = Counter()
    for _ in range(4000):
        county = chance.randrange(80)
        record = (states[county // 8], counties[county], chance.randrange(2), chance.randrange(5))
        held[record] += count
    invariants = [Margin(("county", "sex")), Margin(("state", "sex", "age"))]
    release = release_of(space, invariants, published_of(space, invariants, held), metric)
    semi = universe_of(release).semi_adjacency
    least = {"hamming": 3, "multiset_hamming": 2, "symmetric_difference": 4}[metric]
    assert (semi.covering.lower, semi.covering.upper) == (least, least)
    assert semi.covering.witness is not None


def test_a_long_chain_of_many_levels_is_answered() -> None:
    chance = random.Random(2)
    names = "abcdefgh"
    space = TableSpace("record", None, tuple(Attribute(name, 30) for name in names))
    invariants = [Margin((one, other)) for one, other in pairwise(names)]
    held: Counter[Cell] = Counter(tuple(chance.randrange(30) for _ in names) for _ in range(3000))
    release = release_of(space, invariants, published_of(space, invariants, held))
    semi = universe_of(release).semi_adjacency
    assert (semi.covering.lower, semi.covering.upper) == (8, 8)
    assert semi.covering.witness is not None


def choices(frequencies: list[int], size: int, *, placed: bool = False) -> list[tuple[int, ...]]:
    """Of closures whose cell with y's levels counts so many records."""
    nodes = [SimpleNamespace(places=(k,)) for k, _ in enumerate(frequencies)]
    counts = [{(0,): number} for number in frequencies]
    d: Any = SimpleNamespace(size=size, counts=counts, tree=SimpleNamespace(nodes=nodes))
    y = dict.fromkeys(range(len(frequencies)), 0)
    return list(_choices(d, y, range(len(frequencies)), placed=placed))


def test_closures_are_kept_apart_all_together_then_without_the_most_frequent_ones() -> None:
    assert choices([3, 1, 2], 9) == [(0, 1, 2), (1, 2), (0, 1), (0, 2), (1,), (2,)]
    assert choices([3, 1, 2], 4) == [(1, 2), (0, 1), (1,), (2,)]
    assert choices([3, 1, 2], 4, placed=True) == [(1, 2), (1,), (2,)]
    assert len(choices([1] * 30, 99)) == 12


@pytest.mark.parametrize(
    ("metric", "distance"), [("hamming", 1), ("multiset_hamming", 1), ("symmetric_difference", 2)]
)
def test_records_that_agree_in_every_margin_change_one_at_a_time(
    metric: Metric, distance: int
) -> None:
    """No margin counts d, and all records are alike in a, b and c."""
    space = TableSpace("record", 3, tuple(Attribute(name, 2) for name in "abcd"))
    invariants = [Margin(("a", "b")), Margin(("b", "c"))]
    records: Counter[Cell] = Counter({(0, 1, 0, 0): 2, (0, 1, 0, 1): 1})
    release = release_of(space, invariants, published_of(space, invariants, records), metric)
    tree = junction_tree(release, space)
    assert tree is not None
    d = decomposed(release, tree)
    for found in (covering(d, metric), definition_13(d, metric, distance)):
        assert (found.lower, found.upper) == (distance, distance)
        check_table(release, space, found)
