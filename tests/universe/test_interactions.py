"""Overlapping margins beside keys, bounds and counts, under every metric, against brute force.

The whole campaign: python -m pytest -m slow tests/universe/test_interactions.py
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from semiaudit.model.dataspace import Condition
from semiaudit.model.invariants import Count, Invariant, Keys, PublicBound, Total
from semiaudit.universe.connected import connected
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.oracles import tables as oracle
from tests.universe.acyclic_instances import NAMES, Acyclic, drawn
from tests.universe.instances import (
    METRICS,
    Case,
    assert_contains,
    assert_discloses,
    assert_witnesses,
    chunks,
)
from tests.universe.sensitivity.test_spaces import answers, assert_above, columns, random_query

EACH = 20
"""Instances a seed; the campaign of 100 seeds has 2,000."""

LARGEST = 250
"""Tables of a D_t that are compared in pairs."""


def condition(chance: random.Random, case: Acyclic) -> tuple[Condition, oracle.Row]:
    """Some levels of one or two attributes, and the cells that have them."""
    shape = case.instance.shape
    places = sorted(chance.sample(range(len(shape)), chance.randint(1, 2)))
    levels = {a: chance.sample(range(shape[a]), chance.randint(1, shape[a])) for a in places}
    where = tuple(
        (NAMES[a], tuple(case.space.attributes[a].label(level) for level in those))
        for a, those in levels.items()
    )
    own = oracle.cells(shape)
    return where, tuple(int(all(cell[a] in those for a, those in levels.items())) for cell in own)


def with_others(chance: random.Random, case: Acyclic) -> Case:
    """The margins beside up to three other invariants."""
    found: list[Invariant] = list(case.invariants)
    instance = case.instance
    for kind in chance.choices(
        ("keys", "bound", "bound", "count", "total"), k=chance.randint(0, 3)
    ):
        where, row = condition(chance, case)
        held = oracle.dot(row, case.table)
        if kind == "keys":
            places = tuple(sorted(chance.sample(range(len(instance.shape)), chance.randint(1, 2))))
            found.append(Keys(tuple(NAMES[a] for a in places)))
            instance = replace(instance, keys=(*instance.keys, places))
        elif kind == "bound":
            least = max(0, held - chance.randint(0, 2))
            most = chance.choice((None, held, held + 1))
            found.append(PublicBound(where, least, most))
            instance = replace(instance, bounds=(*instance.bounds, (row, least, most)))
        elif kind == "count":
            found.append(Count(where))
            instance = replace(instance, rows=(*instance.rows, row))
        else:
            found.append(Total())
    chance.shuffle(found)
    labels = tuple(
        tuple(a.label(level) for a, level in zip(case.space.attributes, cell, strict=True))
        for cell in oracle.cells(instance.shape)
    )
    return Case(instance, case.table, case.space, tuple(found), labels)


@pytest.mark.parametrize("seed", chunks(2, 100))
def test_margins_beside_other_invariants_agree_with_brute_force(seed: int) -> None:
    chance = random.Random(seed)
    looked_at = 0
    while looked_at < EACH:
        case = with_others(chance, drawn(chance, wide=seed % 2 == 1, size=chance.choice((None, 4))))
        universe = oracle.universe_of(case.instance, case.table)
        if len(universe) > LARGEST:
            continue
        looked_at += 1
        metric = chance.choice(METRICS)
        release = case.release(metric)
        found = universe_of(release)
        assert_contains(found, universe, metric)
        assert_witnesses(found, case, universe, metric)
        assert_discloses(found, case, universe)
        query, distance = random_query(chance, case.space), chance.randint(1, 4)
        spaces = SensitivitySpaces(release)
        changes = oracle.differences(universe, distance, metric)
        assert_above(spaces.within(query, distance), answers(changes, columns(case, query)))
        joined = connected(spaces, distance)
        assert joined in (None, oracle.connected(universe, distance, metric))
