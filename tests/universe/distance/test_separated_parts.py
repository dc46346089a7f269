"""Parts that one record keeps apart: the number for the worst pair, against all pairs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from itertools import combinations_with_replacement, product

import pytest

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Margin
from semiaudit.model.semi_adjacency import Cell
from semiaudit.universe.distance.separated_parts import most_parts, separated_pair
from semiaudit.universe.system.closure_counts import Counts
from semiaudit.universe.system.decomposable import JunctionTree, junction_tree
from semiaudit.universe.system.decomposed import Decomposed, decomposed
from tests.samples import slow_cases
from tests.universe.instances import published_of, release_of

NAMES = "abcdefgh"
Tree = tuple[JunctionTree, tuple[Counts, ...]]
Record = tuple[int, ...]


def tree_of(margins: list[tuple[str, ...]], sizes: list[int], held: Counter[Cell]) -> Tree | None:
    """The closures of margins of a table; None where they have no junction tree."""
    known = decomposed_of(margins, sizes, held)
    return None if known is None else (known.tree, known.counts)


def decomposed_of(
    margins: list[tuple[str, ...]], sizes: list[int], held: Counter[Cell]
) -> Decomposed | None:
    attributes = tuple(map(Attribute, NAMES, sizes))
    space = TableSpace("record", None, attributes)
    invariants = [Margin(margin) for margin in dict.fromkeys(margins)]
    release = release_of(space, invariants, published_of(space, invariants, held))
    tree = junction_tree(release, space)
    return None if tree is None else decomposed(release, tree)


def random_tree(seed: int) -> Tree | None:
    """Margins of two or more of up to seven attributes, mostly in a chain, and few records."""
    chance = random.Random(seed)
    number = chance.randint(3, 7)
    sizes = [2 if number > 5 else chance.choice((2, 2, 3)) for _ in range(number)]
    margins: list[tuple[str, ...]] = []
    for place in range(1, number):
        near = max(0, place - 2) if chance.random() < 0.8 else 0
        margin = {NAMES[chance.randint(near, place - 1)], NAMES[place]}
        if margins and chance.random() < 0.3:
            margin |= {*chance.choice(margins)}
        margins.append(tuple(sorted(margin)))
    records = chance.randint(3, 9)
    held: Counter[Cell] = Counter()
    for _ in range(records):
        held[tuple(chance.randrange(size) for size in sizes)] += 1
    return tree_of([m for m in margins if len(m) < number], sizes, held)


def most_by_pairs(tree: JunctionTree, counts: tuple[Counts, ...]) -> int:
    """The most parts of one tree with a difference, over all pairs of records that margins allow.

    A closure in which both agree, and of which one record has these levels, is in no part; others
    that have an attribute in common are in one part with the closure above them.
    """
    places = sorted({place for node in tree.nodes for place in node.places})
    at = {place: rank for rank, place in enumerate(places)}
    levels = [sorted({*_levels(tree, counts, place)}) for place in places]
    possible = []
    for record in product(*levels):
        own = [tuple(record[at[place]] for place in node.places) for node in tree.nodes]
        if all(cell in known for cell, known in zip(own, counts, strict=True)):
            possible.append(own)
    most = 0
    for x, y in product(possible, repeat=2):
        part: dict[int, int] = {}
        root: dict[int, int] = {}
        apart = set()
        for k, node in enumerate(tree.nodes):
            linked = node.parent >= 0 and bool(node.separator)
            root[k] = root[node.parent] if linked else k
            if x[k] == y[k] and counts[k][x[k]] == 1:
                continue
            part[k] = part.get(node.parent, k) if linked else k
            if x[k] != y[k]:
                apart.add((root[k], part[k]))
        most = max(most, *Counter(tree_at for tree_at, _ in apart).values(), 0)
    return most


def _levels(tree: JunctionTree, counts: tuple[Counts, ...], place: int) -> list[int]:
    return [
        cell[node.places.index(place)]
        for node, known in zip(tree.nodes, counts, strict=True)
        if place in node.places
        for cell in known
    ]


# The last one has two branches with a difference each, of which one has parts below it.
@pytest.mark.parametrize(
    "seeds", [range(150), range(2438, 2439), *slow_cases([range(150, 4000)])], ids=str
)
def test_no_pair_of_records_differs_in_more_parts(seeds: range) -> None:
    seen = Counter[int]()
    equal = 0
    for seed in seeds:
        drawn = random_tree(seed)
        if drawn is None:
            continue
        truth, found = most_by_pairs(*drawn), most_parts(*drawn)
        assert truth <= found, seed
        seen[truth] += 1
        equal += found == max(truth, 1)
    assert equal >= 0.85 * seen.total()
    assert len(seeds) == 1 or {1, 2, 3} <= set(seen)


ONE_CUT = ("ab bc cd", ["0000", "1010", "0101"])
"""Only 0000 has b = c = 0; y = 1001 differs from it in ab and in cd."""

TWO_CUTS = ("ab bc cde ef fg", ["0000000", "1010110", "0101010", "0110101"])
"""Only 0000000 has b = c = 0, or e = f = 0; y = 1001001 differs in ab, in cde and in fg."""


@pytest.mark.parametrize(
    ("margins", "records", "parts"),
    [
        ("ab bc", ["000", "101", "010"], 1),
        (*ONE_CUT, 2),
        (*TWO_CUTS, 3),
        (ONE_CUT[0], 2 * ONE_CUT[1], 1),
        # Parts of trees without a common attribute do not add up.
        ("ab bc cd ef fg gh", [2 * record for record in ONE_CUT[1]], 2),
    ],
)
def test_each_closure_that_one_record_has_alone_makes_one_more_part(
    margins: str, records: list[str], parts: int
) -> None:
    held = Counter(tuple(map(int, record)) for record in records)
    drawn = tree_of([*map(tuple, margins.split())], [2] * len(records[0]), Counter[Cell](held))
    assert drawn is not None
    assert most_by_pairs(*drawn) == most_parts(*drawn) == parts


def margins_of(records: Iterable[Record], margins: list[str]) -> list[Counter[Record]]:
    places = [[NAMES.index(name) for name in margin] for margin in margins]
    rows = list(records)
    return [Counter(tuple(row[p] for p in margin) for row in rows) for margin in places]


@pytest.mark.parametrize("more", [[], ["1010"], ["0101", "1010"]])
def test_a_record_that_parts_are_separated_by_needs_two_others_in_any_table(
    more: list[str],
) -> None:
    """Over all tables with the margins of ab, bc and cd in which the record becomes y."""
    margins, held = ONE_CUT[0].split(), [tuple(map(int, r)) for r in (*ONE_CUT[1], *more)]
    known = decomposed_of([*map(tuple, margins)], [2] * 4, Counter[Cell](held))
    assert known is not None
    found = separated_pair(known)
    assert found is not None
    runs, records, y = found
    x, *others = [tuple(record[p] for p in range(4)) for record in records]
    table = Counter[Record]()
    for levels, _, number in runs:
        table[tuple(levels[p] for p in range(4))] += number
    assert margins_of(table.elements(), margins) == margins_of(held, margins)
    assert not Counter([x, *others]) - table
    value = tuple(y[p] for p in range(4))
    left = table - Counter([x])
    fewest = min(
        (left - Counter(rest)).total()
        for rest in combinations_with_replacement(list(product(range(2), repeat=4)), len(held) - 1)
        if margins_of([value, *rest], margins) == margins_of(held, margins)
    )
    assert fewest == len(others) == 2
