"""The search for the worst start: what it carries over from one value to the next."""

from __future__ import annotations

import random
from itertools import combinations, product

import pytest

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Margin, constraints_of
from semiaudit.model.semi_adjacency import Cell
from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance import worst_start
from semiaudit.universe.distance.moves import Relabelling, keeps_rows, moves_of
from semiaudit.universe.distance.moves_to import MovesTo
from semiaudit.universe.system.classes_of_cells import System, build_system
from semiaudit.universe.system.components import classes_of, components_of
from tests.universe.instances import published_of, release_of


def two_way_system() -> System:
    """3 x 3 x 2 with all two-way margins: every class is a cell."""
    sizes = {"a": 3, "b": 3, "c": 2}
    cells = product(*map(range, sizes.values()))
    counts: dict[Cell, int] = {cell: 1 + sum(cell) % 2 for cell in cells}
    space = TableSpace("record", sum(counts.values()), tuple(map(Attribute, sizes, sizes.values())))
    invariants = [Margin(pair) for pair in combinations(sizes, 2)]
    release = release_of(space, invariants, published_of(space, invariants, counts))
    constraints = constraints_of(release.invariants)
    parts = [classes_of(space, constraints, at) for at in components_of(space, constraints)]
    system = build_system(space, release, parts, space.size)
    assert system is not None
    return system


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
