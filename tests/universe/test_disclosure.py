"""What t reveals by itself, against all tables of D_t."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from semiaudit.model.audit import PublishedCounts
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Count, Invariant, Margin
from semiaudit.model.query import TableQuery
from semiaudit.model.semi_adjacency import Cell
from semiaudit.numeric.limits import Limits
from semiaudit.universe import per_unit
from semiaudit.universe.disclosure import MAX_RANGES
from semiaudit.universe.per_unit import unit_changes, unit_l2_squared
from semiaudit.universe.population import Population
from semiaudit.universe.semi_adjacency import universe_of
from tests.oracles import tables as oracle
from tests.oracles.tables import Instance, Table
from tests.universe.instances import Case, assert_discloses, case_of, published_of, release_of


def constant(case: Case, universe: Sequence[Table]) -> dict[str, object]:
    """The attributes of which all records of all tables have one level."""
    names = [attribute.name for attribute in case.space.attributes]
    held = [c for c, *counts in zip(case.cells, *universe, strict=True) if any(counts)]
    levels = {name: {cell[at] for cell in held} for at, name in enumerate(names)}
    return {name: found.pop() for name, found in levels.items() if len(found) == 1}


def alike(case: Case, universe: Sequence[Table]) -> set[tuple[Cell, str, object]]:
    """Groups, by a margin less one attribute, that t alone shows to have one level of another."""
    names = [attribute.name for attribute in case.space.attributes]
    impossible = case.instance.impossible
    possible = [cell for place, cell in enumerate(case.cells) if place not in impossible]
    held = [c for c, *counts in zip(case.cells, *universe, strict=True) if any(counts)]
    found: set[tuple[Cell, str, object]] = set()
    for margin in case.invariants:
        if not isinstance(margin, Margin):
            continue
        for at, name in enumerate(names):
            rest = [p for p, other in enumerate(names) if other in margin.attributes and p != at]
            if not rest or name in constant(case, universe):
                continue
            for who in {tuple(cell[p] for p in rest) for cell in held}:
                before, after = (
                    {cell[at] for cell in cells if tuple(cell[p] for p in rest) == who}
                    for cells in (possible, held)
                )
                if len(after) == 1 < len(before):
                    told = tuple(f"{names[p]} {who[i]}" for i, p in enumerate(rest))
                    found.add((told, name, after.pop()))
    return found


@pytest.mark.parametrize("by_programs", [False, True])
@pytest.mark.parametrize(
    "seed", [11, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (12, 13, 14))]
)
def test_random_instances_disclose_what_all_their_tables_share(
    seed: int, by_programs: bool, request: pytest.FixtureRequest
) -> None:
    if by_programs:
        request.getfixturevalue("programs_only")
    chance = random.Random(seed)
    groups = levels = public = 0
    for _ in range(15 if by_programs else 60):
        instance, table = oracle.random_instance(chance)
        universe = oracle.universe_of(instance, table)
        case = case_of(chance, instance, table)
        found = universe_of(case.release("hamming"), Limits(600)).disclosed
        assert found.constant_attributes is not None
        assert found.constant_groups is not None
        assert dict(found.constant_attributes) == constant(case, universe)
        assert set(found.constant_groups) == alike(case, universe)
        assert len(set(found.constant_groups)) == len(found.constant_groups)
        groups += bool(found.constant_groups)
        levels += bool(found.constant_attributes)
        public += found.table_is_public is True
    assert min(groups, levels, public) > 0


def test_one_way_margins_of_one_person_disclose_the_table() -> None:
    rows = tuple(row for a in (0, 1) for row in oracle.margin_rows((2, 2), (a,)))
    case = case_of(random.Random(0), Instance((2, 2), 1, rows=rows), (0, 0, 0, 1))
    found = universe_of(case.release("hamming"))
    assert found.disclosed.table_is_public
    assert found.disclosed.forced_cells == 4
    assert found.semi_adjacency.covering.upper == 0


def test_a_sum_over_disjoint_cells_leaves_their_split_open() -> None:
    space = TableSpace("record", 5, (Attribute("a", 3), Attribute("b", 2)))
    invariants: list[Invariant] = [Margin(("a",)), Count((("a", (0, 1)), ("b", (0,))))]
    held: dict[Cell, int] = {(0, 0): 1, (1, 0): 1, (2, 1): 3}
    release = release_of(space, invariants, published_of(space, invariants, held))
    found = universe_of(release).disclosed
    # Both people of a = 0, 1 must be the two with b = 0; those of a = 2 stay open.
    assert found.ranges == (
        ((0, 0), 1, 1),
        ((0, 1), 0, 0),
        ((1, 0), 1, 1),
        ((1, 1), 0, 0),
        ((2, 0), 0, 3),
        ((2, 1), 0, 3),
    )
    assert found.forced_cells == 4
    assert not found.table_is_public
    assert found.constant_groups == ((("a 0",), "b", 0), (("a 1",), "b", 0))


def test_ranges_are_listed_up_to_a_number_of_cells_only() -> None:
    for levels, listed in ((MAX_RANGES // 2, True), (MAX_RANGES // 2 + 1, False)):
        space = TableSpace("record", 3, (Attribute("a", levels), Attribute("b", 2)))
        invariants = [Margin(("a",)), Margin(("b",))]
        counts = published_of(space, invariants, {(0, 0): 1, (1, 1): 2})
        found = universe_of(release_of(space, invariants, counts)).disclosed
        assert (found.ranges is not None) == listed
        assert found.cells == 2 * levels
        assert found.forced_cells == 2 * levels - 4


def test_no_largest_count_is_told_where_nothing_limits_it() -> None:
    space = TableSpace("record", None, (Attribute("a", 2),))
    invariants = [Count((("a", (0,)),))]
    counts = published_of(space, invariants, {(0,): 3, (1,): 5})
    found = universe_of(release_of(space, invariants, counts, "symmetric_difference")).disclosed
    # The records of level 1 may be any number: the list of tables ends, D_t does not.
    assert found.ranges == (((0,), 3, 3), ((1,), 0, None))
    assert found.forced_cells == 1


def test_the_closed_form_and_the_list_disclose_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    shape, chance = (2, 3, 2), random.Random(5)
    for _ in range(20):
        records = chance.choices(list(product(*map(range, shape))), k=4)
        table = tuple(records.count(cell) for cell in oracle.cells(shape))
        rows = tuple(row for a in range(3) for row in oracle.margin_rows(shape, (a,)))
        instance = Instance(shape, 4, rows=rows)
        case = case_of(random.Random(0), instance, table)
        universe = oracle.universe_of(instance, table)
        for closed in (True, False):
            with monkeypatch.context() as patch:
                if not closed:
                    patch.setattr(
                        "semiaudit.universe.problem.grouped_table",
                        lambda *a, **k: None,
                    )
                assert_discloses(universe_of(case.release("hamming")), case, universe)


def test_two_records_change_one_by_one_or_both_by_half_for_each_unit() -> None:
    """Each record keeps its first attribute; the second one of either, or of both, changes."""
    space = TableSpace("record", 2, (Attribute("a", 2), Attribute("b", 2)))
    published = PublishedCounts(2, ((("a",), (1, 1)),))
    release = release_of(space, [Margin(("a",))], published)
    found = unit_changes(release, TableQuery())
    assert found is not None
    half = Fraction(1, 2)
    expected = [
        (1, -1, 0, 0), (0, 0, 1, -1), (half, -half, half, -half), (half, -half, -half, half),
    ]  # fmt: skip
    assert {frozenset({unit, tuple(-k for k in unit)}) for unit in found} == {
        frozenset({unit, tuple(-k for k in unit)}) for unit in expected
    }
    assert len(found) == 4
    assert unit_l2_squared(release, TableQuery()) == 2


def up(vector: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """The vector or its opposite, the one whose first entry that is not 0 is positive."""
    first = next((value for value in vector if value), Fraction(0))
    return tuple(-value if first < 0 else value for value in vector)


@pytest.mark.parametrize("seed", range(20))
def test_changes_are_those_of_every_pair_of_one_universe_however_they_are_collected(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    number, width = chance.randint(1, 25), chance.randint(1, 4)
    seen = tuple(tuple(chance.randint(-2, 2) for _ in range(width)) for _ in range(number))
    universe = tuple(chance.randint(0, 1) for _ in range(number))
    distances = np.array([[abs(i - j) % 4 + 1 for j in range(number)] for i in range(number)])
    people = Population(seen, tuple(map(str, range(number))), universe, distances)
    truth = {
        up([Fraction(a - b, int(distances[i, j])) for a, b in zip(seen[i], seen[j], strict=True)])
        for i in range(number)
        for j in range(i)
        if universe[i] == universe[j]
    }
    nothing = {tuple([Fraction(0)] * width)}
    monkeypatch.setattr(per_unit, "_people", lambda release, query: people)
    monkeypatch.setattr(per_unit, "AT_ONCE", chance.choice([0, 7, 50]))
    most = chance.choice([len(truth), len(truth), max(len(truth) - 1, 0)])
    monkeypatch.setattr(per_unit, "MAX_VECTORS", most)
    space = TableSpace("made up", 2, (Attribute("a", 2),))
    release = release_of(space, [Margin(("a",))], PublishedCounts(2, ((("a",), (seed, 1)),)))
    found = unit_changes(release, TableQuery())
    if most < len(truth):
        assert found is None
    else:
        assert found is not None
        assert len(found) == len(set(found))
        assert set(found) == truth - nothing
