"""Tables whose number of records is free, against all tables of D_t.

The whole campaign: python -m pytest -m slow tests/universe/test_free_sizes.py
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from semiaudit.model.adjacency import Metric
from semiaudit.model.semi_adjacency import Parameter, Universe
from semiaudit.numeric.limits import Limits
from semiaudit.universe.semi_adjacency import universe_of
from tests.oracles import free_sizes as oracle
from tests.oracles.tables import Instance, Row, Table, table_distance
from tests.universe.instances import Case, assert_changes, case_of, chunks

METRIC: Metric = "symmetric_difference"
CHUNK = 20
"""Instances a seed; the campaign of 150 seeds has 3,000, and 200 more by programs."""

EXACT = ("enumeration", "closed_form")
"""Methods without an interval; where all invariants are vacuous a closed form answers."""


@pytest.mark.parametrize("seed", chunks(3, 150))
def test_listed_answers_are_those_of_brute_force(seed: int) -> None:
    chance = random.Random(seed)
    exact = 0
    for _ in range(CHUNK):
        case, universe, ranges = drawn(chance)
        found = universe_of(case.release(METRIC), Limits(600))
        exact += found.semi_adjacency.covering.method in EXACT
        assert_holds(found, case, universe)
        assert_discloses(found, case, universe, ranges)
    assert exact >= CHUNK - 2


@pytest.mark.usefixtures("programs_only")
@pytest.mark.parametrize("seed", chunks(1, 20))
def test_programs_contain_what_brute_force_finds(seed: int) -> None:
    chance = random.Random(5000 + seed)
    for _ in range(CHUNK // 2):
        case, universe, ranges = drawn(chance)
        found = universe_of(case.release(METRIC), Limits(600))
        assert_holds(found, case, universe)
        assert_discloses(found, case, universe, ranges)


def drawn(chance: random.Random) -> tuple[Case, list[Table], list[oracle.Range]]:
    instance, table, universe = oracle.random_instance(chance)
    case = case_of(chance, instance, table)
    return case, universe, oracle.ranges(instance, table, universe)


def assert_holds(found: Universe, case: Case, universe: Sequence[Table]) -> None:
    semi = found.semi_adjacency
    for parameter, truth in (
        (semi.covering, oracle.covering(universe)),
        (semi.definition_13, oracle.definition_13(universe)),
    ):
        assert parameter.lower <= truth
        assert parameter.upper is None or truth <= parameter.upper
        if parameter.method in EXACT:
            assert parameter.lower == parameter.upper
        assert_witness(parameter, case, universe)


def assert_witness(parameter: Parameter, case: Case, universe: Sequence[Table]) -> None:
    witness = parameter.witness
    if witness is None:
        return
    start, end = case.counts(witness.start), case.counts(witness.end)
    assert {start, end} <= set(universe)
    assert table_distance(start, end, METRIC) == witness.distance == parameter.lower
    x, y = (
        None if cell is None else case.cells.index(cell)
        for cell in (witness.record_from, witness.record_to)
    )
    assert_changes(start, end, x, y)


def assert_discloses(
    found: Universe, case: Case, universe: Sequence[Table], ranges: Sequence[oracle.Range]
) -> None:
    disclosed = found.disclosed
    zeros = case.instance.impossible
    expected = {
        cell: ends
        for place, (cell, ends) in enumerate(zip(case.cells, ranges, strict=True))
        if place not in zeros
    }
    if disclosed.cells is None:
        # Every invariant is vacuous, so that nothing is published.
        assert set(expected.values()) == {(0, None)}
        assert found.whole
        return
    assert disclosed.cells == len(expected)
    if disclosed.ranges is None:
        assert found.semi_adjacency.covering.method != "enumeration"
        return
    assert {cell: (low, high) for cell, low, high in disclosed.ranges} == expected
    assert disclosed.forced_cells == sum(low == high for low, high in expected.values())
    assert disclosed.table_is_public == (len(universe) == 1)
    held = [cell for cell, (_, high) in expected.items() if high != 0]
    names = [attribute.name for attribute in case.space.attributes]
    levels = {name: {cell[at] for cell in held} for at, name in enumerate(names)}
    alike = {name: told.pop() for name, told in levels.items() if len(told) == 1}
    assert dict(disclosed.constant_attributes or ()) == alike


def test_a_record_that_becomes_another_counts_as_two_changes() -> None:
    # 3 h1 + h2 = 6 and at most four records: (0..2, 2, 0) and (0, 1, 3). The nearest pair that
    # differs and has y = 2 is (0, 2, 0) and (0, 1, 3), 4 apart. From (2, 2, 0) it is 6 to there.
    bound = ((1, 1, 1), 0, 4)
    instance = Instance((3,), None, rows=((0, 3, 1),), bounds=(bound,))
    case = case_of(random.Random(0), instance, (1, 2, 0))
    semi = universe_of(case.release(METRIC)).semi_adjacency
    assert (semi.definition_13.lower, semi.definition_13.upper) == (4, 4)
    assert (semi.covering.lower, semi.covering.upper) == (6, 6)


def test_a_count_that_is_always_zero_leaves_every_other_count_open() -> None:
    instance = Instance((3,), None, frozenset({0}), rows=((1, 0, 0),))
    case = case_of(random.Random(0), instance, (0, 1, 2))
    found = universe_of(case.release(METRIC))
    assert found.semi_adjacency.covering.upper == 1
    assert found.disclosed.ranges == (((1,), 0, None), ((2,), 0, None))
    assert found.disclosed.table_is_public is False


@pytest.mark.parametrize("bounds", [(), (((0, 1), 0, None),), (((1, 1), 0, None),)])
def test_a_vacuous_bound_changes_nothing(bounds: tuple[tuple[Row, int, None], ...]) -> None:
    instance = Instance((2,), None, rows=((1, 0),), bounds=bounds)
    case = case_of(random.Random(0), instance, (5_000, 70))
    found = universe_of(case.release(METRIC))
    # A record of cell 1 enters or leaves; cell 0 has 5,000 records whatever happens.
    assert found.semi_adjacency.covering.upper == found.semi_adjacency.definition_13.upper == 1
    assert found.disclosed.ranges == (((0,), 5_000, 5_000), ((1,), 0, None))


def test_a_row_with_both_signs_limits_a_count_if_the_other_side_is_limited() -> None:
    # h0 = h1 + 1 and h1 <= 3: four tables in a row, each 2 apart from the next.
    instance = Instance((2,), None, rows=((1, -1),), bounds=(((0, 1), 0, 3),))
    case = case_of(random.Random(0), instance, (2, 1))
    found = universe_of(case.release(METRIC))
    assert (found.semi_adjacency.covering.lower, found.semi_adjacency.covering.upper) == (2, 2)
    assert found.disclosed.ranges == (((0,), 1, 4), ((1,), 0, 3))
