"""Merged levels change no distance: programs over merged classes against brute force."""

from __future__ import annotations

import random

import pytest

from semiaudit.numeric.integer_program import Limits
from semiaudit.universe.distance import worst_start
from semiaudit.universe.distance.merged_levels import Merged, merged_around
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.system.classes_of_cells import System
from tests.oracles import tables as oracle
from tests.universe.instances import (
    assert_contains,
    assert_witnesses,
    case_of,
)

SHAPES = ((4, 2), (4, 3), (3, 3), (5, 2), (5, 3), (2, 2, 3))
FAST, ALL = 12, 600


def random_instance(chance: random.Random) -> tuple[oracle.Instance, oracle.Table]:
    """One-way margins, and counts that see each attribute through two groups of its levels."""
    shape = chance.choice(SHAPES)
    cells = oracle.cells(shape)
    seen = [[chance.randrange(2) for _ in range(levels)] for levels in shape]
    rows = [row for a in range(len(shape)) for row in oracle.margin_rows(shape, (a,))]
    for _ in range(chance.randint(1, 2)):
        of: dict[tuple[int, ...], int] = {}
        rows.append(
            tuple(
                of.setdefault(
                    tuple(s[level] for s, level in zip(seen, cell, strict=True)),
                    chance.choice((0, 1, 1, 2)),
                )
                for cell in cells
            )
        )
    size = chance.randint(3, 6 if len(cells) < 15 else 5)
    table = [0] * len(cells)
    for cell in chance.choices(range(len(cells)), k=size):
        table[cell] += 1
    return oracle.Instance(shape, size, rows=tuple(rows)), tuple(table)


def compare(seeds: range, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int, int]:
    """How many instances were compared, how many were merged, and how many came out exact."""
    merged: list[Merged] = []

    def spied(system: System, y: int) -> Merged | None:
        found = merged_around(system, y)
        if found is not None:
            merged.append(found)
        return found

    monkeypatch.setattr(worst_start, "merged_around", spied)
    compared = smaller = exact = 0
    for seed in seeds:
        chance = random.Random(seed)
        instance, table = random_instance(chance)
        universe = oracle.universe_of(instance, table)
        if not 2 <= len(universe) <= 500:
            continue
        merged.clear()
        case = case_of(chance, instance, table)
        found = universe_of(case.release("hamming"), Limits(600, certify=False))
        compared += 1
        smaller += bool(merged)
        exact += assert_contains(found, universe, "hamming")
        assert_witnesses(found, case, universe, "hamming")
    return compared, smaller, exact


@pytest.mark.usefixtures("programs_only")
def test_merged_searches_contain_the_truth_and_are_mostly_exact(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared, smaller, exact = compare(range(FAST), monkeypatch)
    assert compared >= FAST // 2
    assert smaller >= compared // 2
    assert exact >= 0.9 * compared


@pytest.mark.slow
@pytest.mark.usefixtures("programs_only")
@pytest.mark.parametrize("seeds", [range(30), range(1_000, 1_000 + ALL)], ids=str)
def test_many_merged_searches_contain_the_truth(
    seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared, smaller, exact = compare(seeds, monkeypatch)
    assert compared >= len(seeds) // 2
    assert smaller >= compared // 2
    assert exact >= 0.9 * compared


def test_a_lifted_table_has_the_margins_and_the_merged_table_it_came_from() -> None:
    """5 x 3 with both margins and one count: levels 0 to 2 and 3 to 4 of the first are alike."""
    cells = oracle.cells((5, 3))
    rows = [
        *(row for a in range(2) for row in oracle.margin_rows((5, 3), (a,))),
        tuple(int(a < 3 and b == 0) for a, b in cells),
    ]
    chance = random.Random(3)
    for _ in range(200):
        table = tuple(chance.randrange(3) for _ in cells)
        system = System(
            cells=tuple((cell,) for cell in cells),
            multiplicity=(1,) * 15,
            rows=tuple(tuple((c, k) for c, k in enumerate(row) if k) for row in rows),
            values=tuple(oracle.dot(row, table) for row in rows),
            keys=(),
            bounds=(),
            size=sum(table),
        )
        found = merged_around(system, cells.index((1, 2)))
        assert found is not None
        # Level 1 alone, 0 and 2, 3 and 4; of the other attribute 2 alone, 0 and 1 told apart.
        assert found.system.classes == 9
        small = [0] * 9
        for c, count in enumerate(table):
            small[found.place[c]] += count
        assert found.system.admits(small)
        lifted = found.lift(tuple(small))
        assert system.admits(lifted)
        back = [0] * 9
        for c, count in enumerate(lifted):
            back[found.place[c]] += count
        assert back == small
