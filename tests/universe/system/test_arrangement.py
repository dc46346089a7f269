"""Tables whose records have a value's levels in one closure at most, against all tables."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product

import pytest

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.universe.system.arrangement import apart, table_of
from semiaudit.universe.system.closure_counts import node_counts
from semiaudit.universe.system.decomposable import JunctionTree, junction_tree
from semiaudit.universe.system.decomposed import FreeAttributes
from tests.oracles import tables as oracle
from tests.samples import repeated
from tests.universe.acyclic_instances import drawn

LARGEST = 300
"""Tables of a D_t that are looked at one by one."""

Levels = dict[int, int]


def hits(tree: JunctionTree, record: Levels, y: Levels, chosen: tuple[int, ...]) -> int:
    """In how many of the closures a record has the levels of y."""
    return sum(all(record[p] == y[p] for p in tree.nodes[k].places) for k in chosen)


@repeated(fast=40, slow=3_000)
def test_a_table_keeps_closures_apart_if_there_is_one_by_trying_all_tables(times: int) -> None:
    chance = random.Random("apart")
    seen: Counter[bool] = Counter()
    while times:
        case = drawn(chance, wide=chance.random() < 0.5)
        release = case.release()
        tree = junction_tree(release, case.space)
        if tree is None or not tree.overlaps:
            continue
        universe = case.universe()
        if len(universe) > LARGEST:
            continue
        times -= 1
        counts = node_counts(release, tree)
        cells = [dict(enumerate(cell)) for cell in oracle.cells(case.instance.shape)]
        held = [[cell for cell, n in zip(cells, table, strict=True) if n] for table in universe]
        y = chance.choice([record for records in held for record in records])
        closures = range(len(tree.nodes))
        for chosen in (c for size in closures for c in combinations(closures, size + 1)):
            truth = any(
                all(hits(tree, record, y, chosen) < 2 for record in records) for records in held
            )
            flow = apart(tree, counts, y, chosen)
            seen[truth] += 1
            assert (flow is not None) is truth, (case, y, chosen)
            if flow is None:
                continue
            runs = table_of(tree, counts, y, chosen, flow)
            assert all(hits(tree, levels, y, chosen) < 2 for levels, _, _ in runs)
            for k, node in enumerate(tree.nodes):
                margin: Counter[tuple[int, ...]] = Counter()
                for levels, _, number in runs:
                    margin[tuple(levels[p] for p in node.places)] += number
                assert margin == counts[k]
    assert seen[True] > 20 < seen[False]


Record = tuple[int, ...]


def records(space: TableSpace) -> Iterator[Record]:
    """All records whose nested levels lie in their parents."""
    for record in product(*(range(attribute.size) for attribute in space.attributes)):
        if all(
            attribute.within is None
            or attribute.parents[level] == record[space.position(attribute.within)]
            for attribute, level in zip(space.attributes, record, strict=True)
        ):
            yield record


def is_closed(space: TableSpace, free: set[int]) -> bool:
    """Whether no published attribute lies within a free one: its level would tell that one's."""
    return not any(
        attribute.within is not None and space.position(attribute.within) in free
        for place, attribute in enumerate(space.attributes)
        if place not in free
    )


def check(space: TableSpace, free: tuple[int, ...]) -> None:
    found = FreeAttributes(space, free)
    kept = tuple(place for place in range(len(space.attributes)) if place not in free)
    published = TableSpace("person", None, tuple(space.attributes[place] for place in kept))
    for levels in records(published):
        known = dict(zip(kept, levels, strict=True))
        able = [r for r in records(space) if all(r[p] == k for p, k in known.items())]
        chosen = [found.completed(known), found.completed(known, other=True)]
        assert [one is not None for one in chosen] == [len(able) > 0, len(able) > 1]
        made = [tuple(one[place] for place in sorted(one)) for one in chosen if one is not None]
        assert len(set(made)) == len(made)
        assert set(made) <= set(able)


def nested(seed: int) -> TableSpace:
    """A forest of attributes in a random order of places; some levels have nothing inside."""
    rng = random.Random(seed)
    names = ["a", "b", "c", "d"]
    above = {"a": None, "b": rng.choice([None, "a"]), "c": rng.choice([None, "a", "b"])}
    above["d"] = rng.choice([None, "a", "b", "c"])
    sizes = {name: rng.randint(1, 3) for name in names}
    rng.shuffle(names)
    return TableSpace(
        "person",
        None,
        tuple(
            Attribute(name, sizes[name])
            if (parent := above[name]) is None
            else Attribute(
                name,
                sizes[name],
                within=parent,
                parents=tuple(rng.randrange(sizes[parent]) for _ in range(sizes[name])),
            )
            for name in names
        ),
    )


@pytest.mark.parametrize("seed", range(40))
def test_a_record_is_found_wherever_there_is_one_and_a_second_one_too(seed: int) -> None:
    space = nested(seed)
    for chosen in product([False, True], repeat=4):
        free = tuple(place for place, one in enumerate(chosen) if one)
        if is_closed(space, set(free)):
            check(space, free)
