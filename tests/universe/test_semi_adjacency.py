"""Both readings of a(t) against brute force from the definitions, and every witness."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import product

import pytest

from semiaudit.model.audit import ExampleDataset, PublishedCounts, Release
from semiaudit.model.dataspace import Attribute, Dataspace, ListedSpace, ProductSpace, TableSpace
from semiaudit.model.invariants import Count, Invariant, Margin, Partition, Statistic, Total
from semiaudit.model.semi_adjacency import Parameter, Universe
from semiaudit.universe.explicit import (
    explicit_tables_differ,
    metric_distances,
)
from semiaudit.universe.semi_adjacency import universe_of
from tests.oracles import semi_adjacency as oracle
from tests.samples import sampled
from tests.universe.instances import release_of

Groups = Sequence[Sequence[int]]


def table_release(
    levels: Sequence[int], groups: Groups, size: int | None, margins: Sequence[Sequence[int]] | None
) -> Release:
    names = [f"a{i}" for i in range(len(levels))]
    attributes = tuple(Attribute(n, count) for n, count in zip(names, levels, strict=True))
    group_names = [tuple(names[i] for i in group) for group in groups]
    published = None
    if margins is not None:
        pairs = zip(group_names, margins, strict=True)
        published = PublishedCounts(size, tuple((names_, tuple(m)) for names_, m in pairs))
    return release_of(
        TableSpace("record", size, attributes), [Margin(g) for g in group_names], published
    )


def assert_witness_is_right(
    parameter: Parameter, universe: Sequence[oracle.Dataset[tuple[int, ...]]], *, covering: bool
) -> None:
    """The witness against the enumerated universe: membership, distance, and that it is worst."""
    witness = parameter.witness
    if parameter.upper == 0:
        assert witness is None
        return
    assert witness is not None
    assert witness.record_from is not None
    tables = {frozenset(Counter(dataset).items()) for dataset in universe}
    assert frozenset(witness.start) in tables
    assert frozenset(witness.end) in tables
    start = [x for x, number in witness.start for _ in range(number)]
    start.remove(witness.record_from)
    ordered = (witness.record_from, *start)
    reachable = [y for y in universe if y[0] == witness.record_to]
    nearest = min(oracle.hamming(ordered, y) for y in reachable)
    assert nearest <= witness.distance == parameter.lower
    if covering:
        assert nearest == witness.distance


DEAR = (((2, 2, 2), 5), ((3, 3), 4), ((2, 2), 6))
"""Levels and sizes of the slow cases; smaller ones of each shape are fast."""


def table_cases() -> list[tuple[tuple[int, ...], Groups, int]]:
    one_way: list[tuple[tuple[int, ...], int]] = [
        *(((2, 2), n) for n in range(1, 7)),
        *(((2, 3), n) for n in range(1, 5)),
        *(((3, 3), n) for n in range(1, 5)),
        *(((2, 2, 2), n) for n in range(1, 6)),
    ]
    cases: list[tuple[tuple[int, ...], Groups, int]] = [
        (levels, [[i] for i in range(len(levels))], n) for levels, n in one_way
    ]
    merged_and_free: list[tuple[tuple[int, ...], Groups, int]] = [
        ((2, 2, 2), [[0, 1], [2]], 3),
        ((2, 2, 2), [[0, 1], [2]], 4),
        ((2, 2, 2), [[0, 1, 2]], 3),
        ((2, 2, 2), [[0], [2]], 3),
        ((2, 2), [[1]], 4),
        ((3, 2), [[0]], 4),
        ((2, 2, 2), [[1, 2]], 3),
        ((2, 1, 2), [[0], [1], [2]], 4),
        ((1, 1), [[0], [1]], 3),
        ((2, 2), [], 3),
        ((2, 2, 2, 2), [[0], [1], [2], [3]], 3),
    ]
    return [*cases, *merged_and_free]


@pytest.mark.parametrize(
    ("levels", "groups", "size"),
    sampled(table_cases(), [i for i, (k, _, n) in enumerate(table_cases()) if (k, n) not in DEAR]),
    ids=str,
)
def test_every_margin_vector_gives_the_brute_force_values_with_true_witnesses(
    levels: tuple[int, ...], groups: Groups, size: int
) -> None:
    records = oracle.table_records(levels)
    datasets = oracle.all_datasets(records, size)
    universes = oracle.universes(datasets, lambda d: oracle.margin_values(d, groups, levels))
    best = {"covering": 0, "definition_13": 0}
    for margins, universe in universes.items():
        found = universe_of(table_release(levels, groups, size, margins))
        semi = found.semi_adjacency
        expected = oracle.covering(universe), oracle.definition_13(universe)
        assert (semi.covering.lower, semi.definition_13.lower) == expected, margins
        assert (semi.covering.upper, semi.definition_13.upper) == expected, margins
        assert (semi.a_min, semi.a_maxmin) == (oracle.a_min(universe), oracle.a_maxmin(universe))
        assert found.disclosed.table_is_public == oracle.table_is_public(universe), margins
        assert found.disclosed.forced_cells == oracle.forced_cells(universe, records), margins
        assert_witness_is_right(semi.covering, universe, covering=True)
        assert_witness_is_right(semi.definition_13, universe, covering=False)
        best["covering"] = max(best["covering"], expected[0])
        best["definition_13"] = max(best["definition_13"], expected[1])
    supremum = universe_of(table_release(levels, groups, size, None)).semi_adjacency
    assert supremum.covering.lower == supremum.covering.upper == best["covering"]
    assert supremum.definition_13.lower == supremum.definition_13.upper == best["definition_13"]
    if supremum.covering.witness is not None:
        witness = supremum.covering.witness
        start = [x for x, number in witness.start for _ in range(number)]
        cells = tuple(tuple(int(level) for level in cell) for cell in start)
        margins = oracle.margin_values(cells, groups, levels)
        assert_witness_is_right(supremum.covering, universes[margins], covering=True)


def test_theorem_16_bounds_every_value_and_counts_merged_attributes_once() -> None:
    semi = universe_of(table_release((2, 2, 2), [[0, 1], [2]], 4, None)).semi_adjacency
    assert semi.theorem_16_bound == 3
    assert semi.covering.upper == 3
    assert universe_of(table_release((2, 2), [], 3, None)).semi_adjacency.theorem_16_bound is None


@pytest.mark.parametrize("seed", range(60))
def test_random_margin_counts_of_larger_tables_stay_between_certified_ends(seed: int) -> None:
    # Too large to enumerate: the ends are certified by the witness and by p' + 1.
    chance = random.Random(seed)
    levels = [chance.randint(1, 5) for _ in range(chance.randint(1, 9))]
    size = chance.choice([chance.randint(1, 12), chance.randint(10, 10**9)])
    margins = []
    for count in levels:
        cuts = sorted(chance.randint(0, size) for _ in range(count - 1))
        margins.append([b - a for a, b in zip([0, *cuts], [*cuts, size], strict=True)])
    groups = [[i] for i in range(len(levels))]
    covering = universe_of(table_release(levels, groups, size, margins)).semi_adjacency.covering
    differing = sum(sum(c > 0 for c in margin) > 1 for margin in margins)
    assert covering.upper is not None
    assert (2 if differing else 0) <= covering.lower <= covering.upper
    assert covering.upper <= (differing + 1 if differing else 0)
    least = [min(c for c in m if c) for m in margins if sum(c > 0 for c in m) > 1]
    if len(least) <= 3 or sum(least) <= size - 1:
        assert covering.lower == covering.upper
    assert (covering.witness is None) == (covering.upper == 0)


def random_explicit(chance: random.Random) -> tuple[Dataspace, list[Invariant]]:
    values: tuple[Fraction | str, ...] = tuple(Fraction(v) for v in range(chance.randint(2, 3)))
    size = chance.randint(1, 4 if len(values) == 2 else 3)
    everything = list(product(values, repeat=size))
    kinds: list[Invariant] = [
        Total(),
        Count((("value", (1,)),)),
        Count((("value", (0, 2)),)),
        Margin(("value",)),
        *(Statistic(name, "value") for name in ("min", "max", "sum", "median", "range")),
    ]
    if chance.random() < 0.5:
        shuffled = everything[:]
        chance.shuffle(shuffled)
        cut = chance.randint(1, len(shuffled))
        kinds = [Partition((tuple(shuffled[:cut]),)), *kinds[:1]]
    invariants = chance.sample(kinds, chance.randint(1, 2))
    if chance.random() < 0.5:
        return ProductSpace("record", size, values), invariants
    chosen = chance.sample(everything, chance.randint(1, len(everything)))
    return ListedSpace("record", tuple(chosen)), invariants


def brute_invariants(
    invariants: Sequence[Invariant], dataset: tuple[Fraction, ...]
) -> tuple[object, ...]:
    return tuple(brute_invariant(invariant, dataset) for invariant in invariants)


def brute_invariant(invariant: Invariant, dataset: tuple[Fraction, ...]) -> object:
    ordered = sorted(dataset)
    if isinstance(invariant, Count):
        return sum(any(v == level for level in invariant.where[0][1]) for v in dataset)
    if isinstance(invariant, Margin):
        return tuple(ordered)
    if isinstance(invariant, Partition):
        return dataset in invariant.blocks[0]
    if isinstance(invariant, Total):
        return len(dataset)
    assert isinstance(invariant, Statistic)
    middle = len(ordered) // 2
    odd = len(ordered) % 2
    median = ordered[middle] if odd else (ordered[middle - 1] + ordered[middle]) / 2
    return {
        "min": ordered[0],
        "max": ordered[-1],
        "sum": sum(ordered),
        "median": median,
        "range": ordered[-1] - ordered[0],
    }[invariant.name]


def explicit_values(found: Universe) -> tuple[int | None, ...]:
    semi = found.semi_adjacency
    return semi.covering.upper, semi.definition_13.upper, semi.a_min, semi.a_maxmin


@pytest.mark.parametrize("block", sampled(range(12), fast=range(5)))
def test_random_small_dataspaces_with_arbitrary_invariants_agree_with_brute_force(
    block: int,
) -> None:
    values_above_two = 0
    for seed in range(60 * block, 60 * block + 60):
        chance = random.Random(seed)
        space, invariants = random_explicit(chance)
        if isinstance(space, ProductSpace):
            datasets = list(product(space.values, repeat=space.size))
        else:
            assert isinstance(space, ListedSpace)
            datasets = list(space.datasets)
        universes = oracle.universes(datasets, partial(brute_invariants, invariants))
        worst = [0, 0]
        for universe in universes.values():
            published = ExampleDataset(chance.choice(universe))
            found = universe_of(release_of(space, invariants, published))
            expected = (
                oracle.covering(universe),
                oracle.definition_13(universe),
                oracle.a_min(universe),
                oracle.a_maxmin(universe),
            )
            assert explicit_values(found) == expected, seed
            assert found.disclosed.table_is_public == oracle.table_is_public(universe)
            for parameter in (found.semi_adjacency.covering, found.semi_adjacency.definition_13):
                _assert_explicit_witness(parameter, universe)
            worst = [max(worst[0], expected[0]), max(worst[1], expected[1])]
            values_above_two += expected[0] > 2
        found = universe_of(release_of(space, invariants, None))
        assert list(explicit_values(found)[:2]) == worst, seed
        assert found.metric_is_adjacency_metric == oracle.is_adjacency_metric(datasets), seed
    assert values_above_two > 0


def _assert_explicit_witness(parameter: Parameter, universe: Sequence[tuple[object, ...]]) -> None:
    witness = parameter.witness
    assert (witness is None) == (parameter.upper == 0)
    if witness is None:
        return
    start, end = (
        tuple(Fraction(str(cell[1])) for cell, _ in sorted(part))
        for part in (witness.start, witness.end)
    )
    assert start in universe
    assert end in universe
    assert oracle.hamming(start, end) == witness.distance == parameter.upper
    assert witness.record_from is not None
    assert witness.record_to is not None
    place = int(witness.record_from[0]) - 1
    assert start[place] == Fraction(str(witness.record_from[1]))
    assert end[place] == Fraction(str(witness.record_to[1]))


def test_remark_14s_dataspace_has_the_values_of_row_23() -> None:
    pairs = [(a, a, b, b, c, c) for a, b, c in product((0, 1), repeat=3)]
    datasets = [tuple(map(Fraction, d)) for d in [*pairs, (0, 1, 0, 1, 0, 1)]]
    space = ListedSpace("record", tuple(datasets))
    found = universe_of(release_of(space, [], None))
    assert explicit_values(found) == (3, 2, 2, 3)


def test_definition_1_fails_on_the_dataspace_of_erratum_37() -> None:
    datasets = tuple(tuple(map(Fraction, d)) for d in [(0, 0, 0), (0, 0, 1), (1, 1, 1)])
    found = universe_of(release_of(ListedSpace("record", datasets), [], None))
    assert not found.metric_is_adjacency_metric


def test_a_million_cells_and_a_billion_records_are_answered_at_once() -> None:
    release = table_release((100, 100, 100), [[0], [1], [2]], 10**9, None)
    assert universe_of(release).semi_adjacency.covering.upper == 4


def test_n_above_the_number_of_margins_limits_the_supremum() -> None:
    # Row 22: without counts the supremum is min(p', n - 1) + 1.
    for size, expected in ((1, 0), (2, 2), (3, 3), (4, 4), (9, 4)):
        release = table_release((2, 2, 2), [[0], [1], [2]], size, None)
        assert universe_of(release).semi_adjacency.covering.upper == expected


@pytest.mark.parametrize(
    ("others", "method"), [((("1", "1", "1"),), "supremum_over_t"), ((), "enumeration")]
)
def test_listed_datasets_are_enumerated_and_their_worst_t_is_a_supremum(
    others: tuple[tuple[str, ...], ...], method: str
) -> None:
    """One record of (0, 0, 1) becomes a 1 in a dataset of the same universe, in one step."""
    universe = (tuple("001"), tuple("011"))
    space = ListedSpace("record", (*universe, *others))
    kept = Partition((universe, *((other,) for other in others)))
    semi = universe_of(release_of(space, [kept], None, "multiset_hamming")).semi_adjacency
    for found in (semi.covering, semi.definition_13):
        assert (found.lower, found.upper, found.method) == (1, 1, method)


@pytest.mark.parametrize(
    ("blocks", "distance", "differ"),
    [
        ((("01", "10"), ("11", "00")), 1, False),
        ((("01", "10"), ("11", "00")), 2, True),
        ((("01", "11"), ("10",), ("00",)), 1, True),
        ((("01", "10"), ("11",), ("00",)), 2, False),
    ],
)
def test_tables_differ_within_a_universe_at_the_distance_of_its_datasets(
    blocks: tuple[tuple[str, ...], ...], distance: int, differ: bool
) -> None:
    """(0, 1) and (1, 0) are one table, and two records away from each other."""
    universes = tuple(tuple(map(tuple, block)) for block in blocks)
    space = ListedSpace("record", tuple(dataset for block in universes for dataset in block))
    partition = Partition(universes)
    release = release_of(space, [partition], None)
    assert explicit_tables_differ(release, space, distance) is differ


@pytest.mark.parametrize("published", [None, ExampleDataset(("0", "0"))])
def test_remark_14_has_its_values_for_a_given_t_alone(published: ExampleDataset | None) -> None:
    space = ListedSpace("record", (("0", "0"), ("1", "1"), ("0", "1")))
    kept = Partition(((("0", "0"), ("1", "1")), (("0", "1"),)))
    semi = universe_of(release_of(space, [kept], published, "multiset_hamming")).semi_adjacency
    assert semi.covering.lower == 2
    values = None if published is None else 2
    assert (semi.a_min, semi.a_maxmin) == (values, values)


def test_a_universe_of_one_table_has_no_witness() -> None:
    space = ListedSpace("record", (("0", "1"), ("1", "0")))
    semi = universe_of(release_of(space, [Total()], None, "multiset_hamming")).semi_adjacency
    for found in (semi.covering, semi.definition_13):
        assert (found.lower, found.upper, found.witness) == (0, 0, None)


def test_tables_are_apart_by_the_records_that_leave_and_enter_or_by_those_that_change() -> None:
    chance = random.Random(0)
    sizes = [chance.randint(0, 6) for _ in range(30)]
    some = [tuple(chance.choices("abc", k=size)) for size in sizes]
    of_one_size = [tuple(chance.choices("abc", k=6)) for _ in range(30)]
    entered_and_left = metric_distances(some, "symmetric_difference")
    changed = metric_distances(of_one_size, "multiset_hamming")
    for i, j in product(range(30), repeat=2):
        one, other = Counter(some[i]), Counter(some[j])
        assert entered_and_left[i, j] == (one - other).total() + (other - one).total()
        one, other = Counter(of_one_size[i]), Counter(of_one_size[j])
        assert changed[i, j] == (one - other).total()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(400))
def test_random_tables_of_up_to_four_attributes_agree_with_brute_force(seed: int) -> None:
    chance = random.Random(seed)
    while True:
        levels = [chance.randint(1, 3) for _ in range(chance.randint(1, 4))]
        size = chance.randint(1, 5)
        records = oracle.table_records(levels)
        if len(records) ** size <= 40_000:
            break
    places = list(range(len(levels)))
    chance.shuffle(places)
    groups: list[list[int]] = []
    for place in places:
        choice = chance.random()
        if choice < 0.6:
            groups.append([place])
        elif choice < 0.85 and groups:
            groups[-1] = sorted([*groups[-1], place])
    datasets = oracle.all_datasets(records, size)
    universes = oracle.universes(datasets, lambda d: oracle.margin_values(d, groups, levels))
    manageable = [m for m, universe in universes.items() if len(universe) <= 1500]
    for margins in chance.sample(manageable, min(15, len(manageable))):
        universe = universes[margins]
        semi = universe_of(table_release(levels, groups, size, margins)).semi_adjacency
        assert semi.covering.lower == semi.covering.upper == oracle.covering(universe)
        assert semi.definition_13.upper == oracle.definition_13(universe)
        assert (semi.a_min, semi.a_maxmin) == (oracle.a_min(universe), oracle.a_maxmin(universe))
        assert_witness_is_right(semi.covering, universe, covering=True)
        assert_witness_is_right(semi.definition_13, universe, covering=False)
