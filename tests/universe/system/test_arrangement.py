"""Tables whose records have a value's levels in one closure at most, against all tables."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

from semiaudit.universe.system.arrangement import apart, table_of
from semiaudit.universe.system.closure_counts import node_counts
from semiaudit.universe.system.decomposable import JunctionTree, junction_tree
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
