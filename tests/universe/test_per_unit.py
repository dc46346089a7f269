"""Changes of an answer for each unit of distance, listed by hand."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Margin
from semiaudit.model.published_invariants import PublishedCounts
from semiaudit.model.query import TableQuery
from semiaudit.universe import per_unit
from semiaudit.universe.per_unit import unit_changes, unit_l2_squared
from semiaudit.universe.population import Population
from tests.universe.instances import release_of


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
