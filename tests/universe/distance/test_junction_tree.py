"""Margins that overlap without a cycle: p + 1 bounds every a(t)."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import (
    Count,
    Invariant,
    Keys,
    Margin,
    PublicBound,
    Total,
    constraints_of,
)
from semiaudit.universe.distance.junction_tree import acyclic_end
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.solver.integer_program import Limits
from tests.oracles import tables as oracle
from tests.universe.instances import release_of

NAMES = ("a", "b", "c", "d")


def end_of(*margins: str) -> int | None:
    space = TableSpace("record", None, tuple(Attribute(name, 2) for name in NAMES))
    return acyclic_end(space, constraints_of([Margin(tuple(margin)) for margin in margins]))


@pytest.mark.parametrize(
    ("margins", "end"),
    [
        (("ab", "bc"), 3),
        (("ab", "bc", "cd"), 4),
        (("ab", "cd"), 3),
        (("abc", "bcd"), 3),
        (("ab", "ac", "ad"), 4),
        (("abc", "ab", "bc", "ac"), 2),
        (("ab", "bc", "ac"), None),
        (("ab", "bc", "cd", "ad"), None),
    ],
)
def test_junction_trees_are_told_from_cycles(margins: tuple[str, ...], end: int | None) -> None:
    assert end_of(*margins) == end


def test_other_structure_has_no_such_end() -> None:
    attributes = tuple(Attribute(name, 2) for name in NAMES)
    space = TableSpace("record", None, attributes)
    chain: list[Invariant] = [Margin(("a", "b")), Margin(("b", "c")), Total()]
    inside: list[Invariant] = [Count((("a", (1,)), ("b", (0,)))), Keys(("c",))]
    assert acyclic_end(space, constraints_of([*chain, *inside])) == 3
    assert acyclic_end(space, constraints_of([*chain, Count((("a", (1,)), ("c", (1,))))])) is None
    assert (
        acyclic_end(space, constraints_of([*chain, PublicBound((("a", (1,)),), 1, None)])) is None
    )
    zeros = TableSpace("record", None, attributes, ((("a", (1,)), ("b", (1,))),))
    assert acyclic_end(zeros, constraints_of(chain)) is None


def test_brute_force_never_exceeds_the_end_and_often_attains_it() -> None:
    chance = random.Random(4)
    sets = [c for size in (1, 2, 3) for c in combinations(range(3), size)]
    looked_at = attained = 0
    while looked_at < 150:
        shape = chance.choice([(2, 2, 2), (2, 2, 3), (3, 2, 2), (2, 3, 2)])
        margins = chance.sample(sets, chance.randint(1, 3))
        space = TableSpace("r", None, tuple(Attribute(NAMES[i], s) for i, s in enumerate(shape)))
        named = [Margin(tuple(NAMES[i] for i in margin)) for margin in margins]
        end = acyclic_end(space, constraints_of(named))
        if end is None:
            continue
        cells = shape[0] * shape[1] * shape[2]
        records = [chance.randrange(cells) for _ in range(chance.randint(1, 6))]
        table = tuple(records.count(cell) for cell in range(cells))
        rows = tuple(row for margin in margins for row in oracle.margin_rows(shape, margin))
        universe = oracle.universe_of(oracle.Instance(shape, len(records), rows=rows), table)
        if len(universe) > 300:
            continue
        found = oracle.covering(universe, oracle.HAMMING)
        assert found <= end, (shape, margins, table)
        looked_at += 1
        attained += found == end
    assert attained > 50


def test_a_chain_without_counts_is_exact_whatever_its_size() -> None:
    sizes = {"region": 14, "hour": 24, "building": 20}
    space = TableSpace("record", None, tuple(Attribute(n, s) for n, s in sizes.items()))
    chain: list[Invariant] = [Margin(("building", "hour")), Margin(("building", "region"))]
    found = universe_of(release_of(space, chain, None), Limits(600)).semi_adjacency
    assert (found.covering.lower, found.covering.upper) == (3, 3)
    assert found.covering.witness is not None
    assert found.theorem_16_bound is None
