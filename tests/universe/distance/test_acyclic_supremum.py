"""Overlapping margins without a cycle and without t: suprema, against brute force."""

from __future__ import annotations

import random
from math import comb

import pytest

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Margin
from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance.acyclic_margins import supremum
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.system.decomposable import junction_tree
from semiaudit.universe.witness import check_table
from tests.oracles import tables as oracle
from tests.universe.acyclic_instances import drawn
from tests.universe.instances import chunks, release_of

EACH = 8
MOST_TABLES = 2_500


@pytest.mark.parametrize("seed", chunks(1, 250))
def test_suprema_are_those_of_brute_force(seed: int) -> None:
    chance = random.Random(seed)
    looked_at = 0
    while looked_at < EACH:
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
        for reading, truth in zip(found, (covering, printed), strict=True):
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
