"""A longer campaign of a(t) against brute force: python -m pytest -m slow tests/universe."""

from __future__ import annotations

import random

import pytest

from semiaudit.universe.semi_adjacency import universe_of
from tests.oracles import semi_adjacency as oracle
from tests.universe.test_semi_adjacency import assert_witness_is_right, table_release


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
