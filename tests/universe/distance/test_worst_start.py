"""The search for the worst start: the moves that it learns, and the record that changes last."""

from __future__ import annotations

import random
from itertools import combinations, product

import pytest

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Margin, constraints_of
from semiaudit.model.semi_adjacency import Cell
from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance import worst_start
from semiaudit.universe.distance.interval import ParameterInterval
from semiaudit.universe.distance.moves import Relabelling, keeps_rows, moves_of
from semiaudit.universe.distance.moves_to import MovesTo
from semiaudit.universe.distance.nearest import ABSENT
from semiaudit.universe.system.classes_of_cells import System, build_system
from semiaudit.universe.system.components import classes_of, components_of
from tests.universe.instances import published_of, release_of


def system_of(sizes: dict[str, int], invariants: list[Margin], counts: dict[Cell, int]) -> System:
    """D_t of a table; in the tests below, every class is a cell."""
    space = TableSpace("record", sum(counts.values()), tuple(map(Attribute, sizes, sizes.values())))
    release = release_of(space, invariants, published_of(space, invariants, counts))
    constraints = constraints_of(release.invariants)
    parts = [classes_of(space, constraints, at) for at in components_of(space, constraints)]
    system = build_system(space, release, parts, space.size)
    assert system is not None
    return system


def two_way_system() -> System:
    """3 x 3 x 2 with all two-way margins."""
    sizes = {"a": 3, "b": 3, "c": 2}
    cells = product(*map(range, sizes.values()))
    counts: dict[Cell, int] = {cell: 1 + sum(cell) % 2 for cell in cells}
    return system_of(sizes, [Margin(pair) for pair in combinations(sizes, 2)], counts)


def test_a_move_whose_levels_are_exchanged_is_a_move_of_the_other_class() -> None:
    system = two_way_system()
    relabelling = Relabelling(system)
    chance = random.Random(0)
    for move in chance.sample(list(moves_of(system, 4)), 12):
        first, second = chance.sample(range(system.classes), 2)
        changed = relabelling.exchanged(move, first, second)
        assert changed is not None
        assert keeps_rows(relabelling.columns, changed)
        assert dict(changed).get(second, 0) == dict(move).get(first, 0)
        assert relabelling.exchanged(changed, first, second) == move


def test_a_search_with_listed_moves_has_its_rounds_and_a_first_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every start has a dataset with y among those that differ in all records."""
    monkeypatch.setattr(worst_start, "LISTED_ROUNDS", 0)
    system = two_way_system()
    search = worst_start._Search(system, "multiset_hamming", Limits())
    search.lists = MovesTo(system)
    assert search.beyond(0, 8, 1_000) == "none"


def test_a_search_learns_the_moves_that_it_needs_for_a_proof() -> None:
    """Of three records that differ in both attributes, two exchange a level for any value."""
    counts: dict[Cell, int] = {(level, level): 1 for level in range(3)}
    system = system_of({"a": 3, "b": 3}, [Margin(("a",)), Margin(("b",))], counts)
    search = worst_start._Search(system, "multiset_hamming", Limits(), pool={})
    for y in range(9):
        found = search.beyond(y, 1, 1_000)
        assert isinstance(found, ParameterInterval)
        assert found.lower == 2
        assert search.beyond(y, 2, 1_000) == "none"


def test_what_blocked_most_for_one_value_is_known_to_the_search_for_the_next() -> None:
    """Of three records that differ in both attributes, two exchange a level for any value.

    So two records suffice for each value, whatever was learned for the values before it.
    """
    counts: dict[Cell, int] = {(level, level): 1 for level in range(3)}
    system = system_of({"a": 3, "b": 3}, [Margin(("a",)), Margin(("b",))], counts)
    search = worst_start._Search(system, "multiset_hamming", Limits(), pool={})
    assert [search.beyond(y, 2, 1_000) for y in range(9)] == ["none"] * 9


def test_the_record_that_changes_is_one_that_no_closest_change_of_the_table_moves() -> None:
    """Without places, (0, 0) and (1, 1) exchange a level; (1, 0) becomes (0, 1) as a third one."""
    counts: dict[Cell, int] = {(0, 0): 1, (1, 0): 1, (1, 1): 1}
    system = system_of({"a": 2, "b": 2}, [Margin(("a",)), Margin(("b",))], counts)
    place = {cells[0]: c for c, cells in enumerate(system.cells)}
    start = tuple(int(cell in counts) for cell in place)
    y = place[0, 1]
    search = worst_start._Search(system, "hamming", Limits())
    change = ParameterInterval(2, None, start, None, (ABSENT, y))
    found = search.placed(change, Limits())
    assert (found.lower, found.classes) == (3, (place[1, 0], y))


def test_renaming_levels_that_a_class_does_not_have_leaves_the_change_of_its_count() -> None:
    system = two_way_system()
    relabelling = Relabelling(system)
    move = next(iter(moves_of(system, 4)))
    for fixed in range(system.classes):
        orbit = relabelling.orbit(move, 50, fixed)
        assert len(orbit) > 1
        assert {dict(image).get(fixed, 0) for image in orbit} == {dict(move).get(fixed, 0)}
