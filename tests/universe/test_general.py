"""a(t) of any count invariants of tables against brute force, on random instances.

The whole campaign: python -m pytest -m slow -n 2 tests/universe/test_general.py
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations, product

import pytest

from semiaudit.errors import RefusedError
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Invariant, Linear, Margin, PublicBound
from semiaudit.numeric.limits import Limits
from semiaudit.universe.semi_adjacency import universe_of
from tests.oracles import tables as oracle
from tests.oracles.tables import Instance, Table
from tests.universe.instances import (
    METRICS,
    assert_agrees,
    assert_contains,
    assert_discloses,
    assert_witness,
    assert_witnesses,
    band,
    case_of,
    chunks,
    nested_case,
    nested_parents,
    parity,
    published_of,
    release_of,
)

CHUNK = 6
FAST, SLOW = 2, 230
"""Chunks of the normal suite, and of the whole campaign."""

Draw = Callable[[random.Random], tuple[Instance, Table]]


# --- listed ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", chunks(FAST, SLOW))
def test_random_instances_agree_with_brute_force_under_all_metrics(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(CHUNK):
        instance, table = oracle.random_instance(chance)
        universe = oracle.universe_of(instance, table)
        case = case_of(chance, instance, table)
        for metric in METRICS:
            assert_agrees(universe_of(case.release(metric)), case, universe, metric)


@pytest.mark.parametrize("seed", chunks(1, 20))
def test_a_third_of_the_random_instances_have_a_covering_distance_of_three(seed: int) -> None:
    chance = random.Random(seed)
    drawn = [oracle.random_instance(chance) for _ in range(100)]
    worst = [oracle.covering(oracle.universe_of(*one), oracle.HAMMING) for one in drawn]
    assert 3 * sum(value >= 3 for value in worst) >= len(worst)


@pytest.mark.parametrize("seed", chunks(3, 100))
def test_random_instances_of_free_size_agree_with_brute_force(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(CHUNK):
        instance, table = oracle.random_free_instance(chance)
        universe = oracle.universe_of(instance, table)
        case = case_of(chance, instance, table)
        found = universe_of(case.release("symmetric_difference"))
        if found.semi_adjacency.covering.method == "integer_program":
            assert_contains(found, universe, "symmetric_difference")
        else:
            assert_agrees(found, case, universe, "symmetric_difference")


@pytest.mark.parametrize("seed", chunks(3, 100))
def test_nested_attributes_agree_with_brute_force(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(CHUNK):
        instance, table = nested_instance(chance)
        universe = oracle.universe_of(instance, table)
        case = nested_case(chance, instance, table)
        for metric in METRICS:
            assert_agrees(universe_of(case.release(metric)), case, universe, metric)


def nested_instance(chance: random.Random) -> tuple[Instance, Table]:
    """a1 lies within a0; at most 150 tables share the values of the table."""
    while True:
        shape = chance.choice([(2, 3), (2, 4), (3, 4), (2, 3, 2), (2, 4, 2)])
        parents, cells = nested_parents(shape), oracle.cells(shape)
        elsewhere = frozenset(p for p, cell in enumerate(cells) if parents[cell[1]] != cell[0])
        possible = [place for place in range(len(cells)) if place not in elsewhere]
        records = chance.choices(possible, k=chance.randint(2, 5))
        table = tuple(records.count(place) for place in range(len(cells)))
        subsets = [s for k in (1, 2) for s in combinations(range(len(shape)), k)]
        rows = [
            row
            for attributes in chance.sample(subsets, chance.randint(0, 2))
            for row in oracle.margin_rows(shape, attributes)
        ]
        rows += [tuple(chance.choices((0, 1), k=len(cells)))] * chance.randint(0, 1)
        instance = Instance(shape, len(records), elsewhere, tuple(rows))
        if len(oracle.universe_of(instance, table)) <= 150:
            return instance, table


@pytest.mark.parametrize("seed", chunks(3, 100))
def test_without_t_both_readings_are_the_largest_over_all_universes(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(CHUNK):
        instance, table = small_instance(chance)
        universes = oracle.universes(instance)
        case = case_of(chance, instance, table)
        if case.space.size is None:
            continue
        for metric in METRICS:
            semi = universe_of(case.release(metric, given=False)).semi_adjacency
            for parameter, worst, covering in (
                (semi.covering, oracle.covering, True),
                (semi.definition_13, oracle.definition_13, False),
            ):
                expected = max(worst(universe, metric) for universe in universes.values())
                assert (parameter.lower, parameter.upper) == (expected, expected), metric
                if parameter.witness is not None:
                    start = case.counts(parameter.witness.start)
                    universe = universes[oracle.value(instance, start)]
                    assert_witness(parameter, case, universe, metric, covering=covering)
            assert (semi.a_min, semi.a_maxmin) == (None, None) or len(universes) == 1


def small_instance(chance: random.Random) -> tuple[Instance, Table]:
    """A random instance of at most 120 tables, or of 300 with keys or bounds."""
    while True:
        instance, table = oracle.random_instance(chance)
        count = len(oracle.tables(instance))
        if count <= 120 or (count <= 300 and (instance.keys or instance.bounds)):
            return instance, table


# --- by integer programs --------------------------------------------------------------


@pytest.mark.usefixtures("programs_only")
@pytest.mark.parametrize("certify", [False, True])
@pytest.mark.parametrize("seed", chunks(1, 100))
def test_programs_agree_with_brute_force(seed: int, certify: bool) -> None:
    if certify:
        pytest.importorskip("ortools")
    chance = random.Random(1000 + seed)
    exact = 0
    for _ in range(CHUNK // 2):
        instance, table = oracle.random_instance(chance)
        universe = oracle.universe_of(instance, table)
        case = case_of(chance, instance, table)
        for metric in METRICS:
            limits = Limits(600, certify)
            found = universe_of(case.release(metric), limits)
            assert found.semi_adjacency.covering.method == "integer_program"
            assert not limits.is_reached
            exact += assert_contains(found, universe, metric)
            assert_witnesses(found, case, universe, metric)
            assert_discloses(found, case, universe)
    assert exact >= 3 * CHUNK // 2 - 2


@pytest.mark.usefixtures("programs_only")
@pytest.mark.parametrize("certify", [False, True])
@pytest.mark.parametrize("seed", chunks(1, 66))
def test_programs_agree_with_brute_force_where_the_size_is_free(seed: int, certify: bool) -> None:
    if certify:
        pytest.importorskip("ortools")
    chance = random.Random(1000 + seed)
    exact = 0
    for _ in range(CHUNK):
        instance, table = oracle.random_free_instance(chance)
        universe = oracle.universe_of(instance, table)
        case = case_of(chance, instance, table)
        found = universe_of(case.release("symmetric_difference"), Limits(600, certify))
        exact += assert_contains(found, universe, "symmetric_difference")
        assert_witnesses(found, case, universe, "symmetric_difference")
    assert exact >= CHUNK // 2


@pytest.mark.usefixtures("programs_only")
@pytest.mark.parametrize("seed", chunks(1, 50))
def test_programs_without_t_bound_the_supremum(seed: int) -> None:
    chance = random.Random(1000 + seed)
    for _ in range(CHUNK // 3):
        instance, table = small_instance(chance)
        universes = oracle.universes(instance)
        case = case_of(chance, instance, table)
        for metric in METRICS:
            semi = universe_of(case.release(metric, given=False), Limits(600)).semi_adjacency
            for parameter, worst in (
                (semi.covering, oracle.covering),
                (semi.definition_13, oracle.definition_13),
            ):
                expected = max(worst(universe, metric) for universe in universes.values())
                assert parameter.lower <= expected, metric
                assert parameter.upper is None or expected <= parameter.upper, metric


# --- stated examples ------------------------------------------------------------------


@pytest.mark.parametrize("by_programs", [False, True])
@pytest.mark.parametrize("example", [band, parity])
def test_the_examples_of_erratum_7_are_four_under_both_readings(
    example: Callable[[], tuple[Instance, Table]], by_programs: bool, request: pytest.FixtureRequest
) -> None:
    if by_programs:
        request.getfixturevalue("programs_only")
    instance, table = example()
    universe = oracle.universe_of(instance, table)
    for seed in range(5):
        case = case_of(random.Random(seed), instance, table)
        found = universe_of(case.release("hamming"))
        semi = found.semi_adjacency
        assert semi.covering.method == ("integer_program" if by_programs else "enumeration")
        assert (semi.covering.lower, semi.covering.upper) == (4, 4)
        assert (semi.definition_13.lower, semi.definition_13.upper) == (4, 4)
        assert semi.theorem_16_bound is None
        assert_witnesses(found, case, universe, "hamming")


def test_theorem_16_is_not_claimed_for_the_band() -> None:
    # Its p + 1 is 3, and a(t) is 4.
    case = case_of(random.Random(0), *band())
    semi = universe_of(case.release("hamming")).semi_adjacency
    assert semi.theorem_16_bound is None
    assert semi.covering.lower > 2 + 1


def test_keys_can_raise_covering_from_one_to_two() -> None:
    # E7: two records on two cells that must both occur can only exchange places.
    table = (1, 1)
    free = case_of(random.Random(0), Instance((2,), 2), table)
    keys = case_of(random.Random(0), Instance((2,), 2, keys=((0,),)), table)
    assert universe_of(free.release("hamming")).semi_adjacency.covering.upper == 1
    assert universe_of(keys.release("hamming")).semi_adjacency.covering.upper == 2


def test_a_free_size_that_only_bounds_hold_is_not_taken_for_zero() -> None:
    """A regression: classes in no positive row had 0 as their upper end."""
    attributes = (Attribute("a", 30), Attribute("b", 2))
    space = TableSpace("record", None, attributes)
    row = tuple(1 - b for _, b in product(range(30), range(2)))
    bounds = [PublicBound((("a", (a,)), ("b", (1,))), None, 3) for a in range(30)]
    invariants: list[Invariant] = [Linear("none", (row,)), *bounds]
    release = release_of(
        space, invariants, published_of(space, invariants, {}), "symmetric_difference"
    )
    semi = universe_of(release).semi_adjacency
    assert semi.covering.method == "integer_program"
    assert (semi.covering.lower, semi.covering.upper) == (1, 1)
    assert (semi.definition_13.lower, semi.definition_13.upper) == (1, 1)


def test_counts_that_no_table_has_are_refused() -> None:
    space = TableSpace("record", 4, (Attribute("a", 2), Attribute("b", 2), Attribute("c", 2)))
    invariants = [Margin(("a", "b")), Margin(("b", "c"))]
    counts = published_of(space, invariants, {(0, 0, 0): 4})
    other = published_of(space, invariants, {(0, 1, 0): 4})
    mixed = type(counts)(4, (counts.margins[0], other.margins[1]))
    with pytest.raises(RefusedError, match="contradict"):
        universe_of(release_of(space, invariants, mixed))
