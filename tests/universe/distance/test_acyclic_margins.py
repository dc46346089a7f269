"""Overlapping margins without a cycle, nested and product, against brute force; and at any size.

What a branch counts: the records at y's levels, over the closures that stand apart.

Parts that one record keeps apart: the number for the worst pair, against all pairs.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from itertools import combinations_with_replacement, pairwise, product
from math import comb
from types import SimpleNamespace
from typing import Any

import pytest

from semiaudit.model.adjacency import Metric
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Margin
from semiaudit.model.semi_adjacency import Cell
from semiaudit.numeric.limits import Limits
from semiaudit.universe.disclosure import disclosed_of
from semiaudit.universe.distance.acyclic_margins import (
    Branch,
    _choices,
    _closed,
    _with,
    covering,
    definition_13,
    most_parts,
    separated_pair,
    supremum,
)
from semiaudit.universe.distance.methods import along_junction_tree
from semiaudit.universe.problem import TableProblem
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.system.closure_counts import Counts
from semiaudit.universe.system.decomposable import JunctionTree, junction_tree
from semiaudit.universe.system.decomposed import Decomposed, decomposed
from semiaudit.universe.witness import check_table
from tests.oracles import tables as oracle
from tests.samples import slow_cases
from tests.universe.acyclic_instances import drawn
from tests.universe.instances import METRICS, chunks, published_of, release_of

EACH_SUPREMUM = 8
MOST_TABLES = 2_500


@pytest.mark.parametrize("seed", chunks(1, 250))
def test_suprema_are_those_of_brute_force(seed: int) -> None:
    chance = random.Random(seed)
    looked_at = 0
    while looked_at < EACH_SUPREMUM:
        size = chance.randint(2, 4)
        case = drawn(chance, wide=chance.random() < 0.3, size=size)
        possible = len(case.table) - len(case.instance.impossible)
        if comb(size + possible - 1, size) > MOST_TABLES:
            continue
        release = case.release(given=False)
        tree = junction_tree(release, case.space)
        found = None
        if tree is not None and tree.overlaps:
            found = supremum(case.space, tree, size)
        if found is None:
            continue
        looked_at += 1
        universes = oracle.universes(case.instance).values()
        covering = max(oracle.covering(tables, oracle.HAMMING) for tables in universes)
        printed = max(oracle.definition_13(tables, oracle.HAMMING) for tables in universes)
        for reading, truth in zip(found.parameters, (covering, printed), strict=True):
            assert (reading.lower, reading.upper) == (truth, truth), case
            check_table(release, case.space, reading)


def test_a_chain_without_counts_is_exact_whatever_its_size() -> None:
    sizes = {"region": 14, "hour": 24, "building": 20}
    space = TableSpace("record", None, tuple(Attribute(n, s) for n, s in sizes.items()))
    chain = [Margin(("building", "hour")), Margin(("building", "region"))]
    found = universe_of(release_of(space, chain, None), Limits(0)).semi_adjacency
    assert (found.covering.lower, found.covering.upper) == (3, 3)
    assert (found.definition_13.lower, found.definition_13.upper) == (2, 2)
    assert found.covering.witness is not None
    assert found.theorem_16_bound is None


def test_nested_levels_without_counts_need_as_many_records_as_closures() -> None:
    counties = tuple(f"{s}{c}" for s in range(10) for c in range(8))
    county = Attribute("county", counties, within="state", parents=tuple(c // 8 for c in range(80)))
    attributes = (Attribute("state", 10), county, Attribute("sex", 2), Attribute("age", 5))
    space = TableSpace("record", 10**15, attributes)
    margins = [Margin(("county", "sex")), Margin(("state", "sex", "age"))]
    found = universe_of(release_of(space, margins, None), Limits(0)).semi_adjacency
    assert (found.covering.lower, found.covering.upper) == (3, 3)
    assert (found.definition_13.lower, found.definition_13.upper) == (2, 2)


NAMES = "abcdefgh"
Tree = tuple[JunctionTree, tuple[Counts, ...]]
Record = tuple[int, ...]


def tree_of(margins: list[tuple[str, ...]], sizes: list[int], held: Counter[Cell]) -> Tree | None:
    """The closures of margins of a table; None where they have no junction tree."""
    known = decomposed_of(margins, sizes, held)
    return None if known is None else (known.tree, known.counts)


def decomposed_of(
    margins: list[tuple[str, ...]], sizes: list[int], held: Counter[Cell]
) -> Decomposed | None:
    attributes = tuple(map(Attribute, NAMES, sizes))
    space = TableSpace("record", None, attributes)
    invariants = [Margin(margin) for margin in dict.fromkeys(margins)]
    release = release_of(space, invariants, published_of(space, invariants, held))
    tree = junction_tree(release, space)
    return None if tree is None else decomposed(release, tree)


def random_tree(seed: int) -> Tree | None:
    """Margins of two or more of up to seven attributes, mostly in a chain, and few records."""
    chance = random.Random(seed)
    number = chance.randint(3, 7)
    sizes = [2 if number > 5 else chance.choice((2, 2, 3)) for _ in range(number)]
    margins: list[tuple[str, ...]] = []
    for place in range(1, number):
        near = max(0, place - 2) if chance.random() < 0.8 else 0
        margin = {NAMES[chance.randint(near, place - 1)], NAMES[place]}
        if margins and chance.random() < 0.3:
            margin |= {*chance.choice(margins)}
        margins.append(tuple(sorted(margin)))
    records = chance.randint(3, 9)
    held: Counter[Cell] = Counter()
    for _ in range(records):
        held[tuple(chance.randrange(size) for size in sizes)] += 1
    return tree_of([m for m in margins if len(m) < number], sizes, held)


def most_by_pairs(tree: JunctionTree, counts: tuple[Counts, ...]) -> int:
    """The most parts of one tree with a difference, over all pairs of records that margins allow.

    A closure in which both agree, and of which one record has these levels, is in no part; others
    that have an attribute in common are in one part with the closure above them.
    """
    places = sorted({place for node in tree.nodes for place in node.places})
    at = {place: rank for rank, place in enumerate(places)}
    levels = [sorted({*_levels(tree, counts, place)}) for place in places]
    possible = []
    for record in product(*levels):
        own = [tuple(record[at[place]] for place in node.places) for node in tree.nodes]
        if all(cell in known for cell, known in zip(own, counts, strict=True)):
            possible.append(own)
    most = 0
    for x, y in product(possible, repeat=2):
        part: dict[int, int] = {}
        root: dict[int, int] = {}
        apart = set()
        for k, node in enumerate(tree.nodes):
            linked = node.parent >= 0 and bool(node.separator)
            root[k] = root[node.parent] if linked else k
            if x[k] == y[k] and counts[k][x[k]] == 1:
                continue
            part[k] = part.get(node.parent, k) if linked else k
            if x[k] != y[k]:
                apart.add((root[k], part[k]))
        most = max(most, *Counter(tree_at for tree_at, _ in apart).values(), 0)
    return most


def _levels(tree: JunctionTree, counts: tuple[Counts, ...], place: int) -> list[int]:
    return [
        cell[node.places.index(place)]
        for node, known in zip(tree.nodes, counts, strict=True)
        if place in node.places
        for cell in known
    ]


# The last one has two branches with a difference each, of which one has parts below it.
@pytest.mark.parametrize(
    "seeds", [range(150), range(2438, 2439), *slow_cases([range(150, 4000)])], ids=str
)
def test_no_pair_of_records_differs_in_more_parts(seeds: range) -> None:
    seen = Counter[int]()
    equal = 0
    for seed in seeds:
        drawn = random_tree(seed)
        if drawn is None:
            continue
        truth, found = most_by_pairs(*drawn), most_parts(*drawn)
        assert truth <= found, seed
        seen[truth] += 1
        equal += found == max(truth, 1)
    assert equal >= 0.85 * seen.total()
    assert len(seeds) == 1 or {1, 2, 3} <= set(seen)


ONE_CUT = ("ab bc cd", ["0000", "1010", "0101"])
"""Only 0000 has b = c = 0; y = 1001 differs from it in ab and in cd."""

TWO_CUTS = ("ab bc cde ef fg", ["0000000", "1010110", "0101010", "0110101"])
"""Only 0000000 has b = c = 0, or e = f = 0; y = 1001001 differs in ab, in cde and in fg."""


@pytest.mark.parametrize(
    ("margins", "records", "parts"),
    [
        ("ab bc", ["000", "101", "010"], 1),
        (*ONE_CUT, 2),
        (*TWO_CUTS, 3),
        (ONE_CUT[0], 2 * ONE_CUT[1], 1),
        # Parts of trees without a common attribute do not add up.
        ("ab bc cd ef fg gh", [2 * record for record in ONE_CUT[1]], 2),
    ],
)
def test_each_closure_that_one_record_has_alone_makes_one_more_part(
    margins: str, records: list[str], parts: int
) -> None:
    held = Counter(tuple(map(int, record)) for record in records)
    drawn = tree_of([*map(tuple, margins.split())], [2] * len(records[0]), Counter[Cell](held))
    assert drawn is not None
    assert most_by_pairs(*drawn) == most_parts(*drawn) == parts


def margins_of(records: Iterable[Record], margins: list[str]) -> list[Counter[Record]]:
    places = [[NAMES.index(name) for name in margin] for margin in margins]
    rows = list(records)
    return [Counter(tuple(row[p] for p in margin) for row in rows) for margin in places]


@pytest.mark.parametrize("more", [[], ["1010"], ["0101", "1010"]])
def test_a_record_that_parts_are_separated_by_needs_two_others_in_any_table(
    more: list[str],
) -> None:
    """Over all tables with the margins of ab, bc and cd in which the record becomes y."""
    margins, held = ONE_CUT[0].split(), [tuple(map(int, r)) for r in (*ONE_CUT[1], *more)]
    known = decomposed_of([*map(tuple, margins)], [2] * 4, Counter[Cell](held))
    assert known is not None
    found = separated_pair(known)
    assert found is not None
    runs, records, y = found
    x, *others = [tuple(record[p] for p in range(4)) for record in records]
    table = Counter[Record]()
    for levels, _, number in runs:
        table[tuple(levels[p] for p in range(4))] += number
    assert margins_of(table.elements(), margins) == margins_of(held, margins)
    assert not Counter([x, *others]) - table
    value = tuple(y[p] for p in range(4))
    left = table - Counter([x])
    fewest = min(
        (left - Counter(rest)).total()
        for rest in combinations_with_replacement(list(product(range(2), repeat=4)), len(held) - 1)
        if margins_of([value, *rest], margins) == margins_of(held, margins)
    )
    assert fewest == len(others) == 2


CHILD = Branch(True, 2, 4, 11, (1,), (), (8, 9))
KNOWN = Branch(True, 1, 5, 3, (0,), (), (7,))


def test_a_child_that_stands_apart_adds_its_records_and_one_closure() -> None:
    joined = _with(KNOWN, CHILD, 2)
    assert joined.apart == (7, 8, 9, 2)
    assert joined.records == 4
    assert joined.total == 3 + 11 + 4
    assert (joined.is_open, joined.count, joined.levels, joined.below) == (True, 5, (0,), (CHILD,))


def test_a_child_that_does_not_stand_apart_adds_what_lies_below_it() -> None:
    joined = _with(KNOWN, CHILD, -1)
    assert (joined.apart, joined.records, joined.total) == ((7, 8, 9), 3, 3 + 11)


def test_the_first_closure_is_counted_if_it_is_open() -> None:
    whole = _closed(CHILD, 3)
    assert (whole.is_open, whole.apart, whole.records, whole.total) == (False, (8, 9, 3), 3, 15)
    assert _closed(whole, 5) == whole


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
            problem = TableProblem(release, case.space, Limits())
            whole = along_junction_tree(problem)
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
            assert (whole.a_min, whole.a_maxmin) == (
                oracle.a_min(universe, metric),
                oracle.a_maxmin(universe, metric),
            )
            assert disclosed_of(problem).table_is_public == (len(universe) == 1)


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
