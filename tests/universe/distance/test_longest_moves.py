"""Upper bounds on a(t) by the longest indivisible move, for every t and size."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations, permutations, product
from math import comb, factorial, gcd

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Margin
from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance import longest_moves
from semiaudit.universe.distance.longest_moves import (
    LONGEST_OF_NINE,
    graver_basis,
    lattice_basis,
    longest_element,
    longest_of_layers,
    longest_of_two_layers,
    most_of_moves,
)
from semiaudit.universe.distance.methods import _by_structure_or_size
from semiaudit.universe.problem import TableProblem
from semiaudit.universe.semi_adjacency import universe_of
from tests.oracles import tables as oracle
from tests.oracles.tables import Instance, margin_rows
from tests.universe.distance.test_each_method import MOST_TABLES, truths
from tests.universe.instances import METRICS, case_of, chunks, release_of

PAIRS = [(0, 1), (0, 2), (1, 2)]
CYCLE = [(0, 1), (1, 2), (2, 3), (0, 3)]


def problem_of(
    shape: Sequence[int], margins: Sequence[Sequence[int]], size: int | None = 99
) -> TableProblem:
    """A table without t; its attributes are a, b, ..."""
    space = TableSpace("r", size, tuple(Attribute("abcdef"[k], n) for k, n in enumerate(shape)))
    invariants = [Margin(tuple("abcdef"[k] for k in margin)) for margin in margins]
    return TableProblem(release_of(space, invariants, None), space, Limits())


def rows_of(
    shape: tuple[int, ...], margins: Sequence[tuple[int, ...]]
) -> list[tuple[tuple[int, int], ...]]:
    rows = [row for margin in margins for row in margin_rows(shape, margin)]
    return [tuple((c, k) for c, k in enumerate(row) if k) for row in rows]


@pytest.mark.parametrize("seed", chunks(3, 30))
def test_the_basis_has_the_vectors_of_the_lattice_that_have_no_part(seed: int) -> None:
    """A vector in a box is indivisible if no other vector in the box is a part of it."""
    chance = random.Random(seed)
    for _ in range(15):
        size, end = chance.choice(((3, 7), (4, 4), (5, 3)))
        rows = [chance.choices(range(-3, 4), k=size) for _ in range(chance.randint(1, size - 2))]
        box = np.array(list(product(range(-end, end + 1), repeat=size)))
        inside = box[(box @ np.array(rows).T == 0).all(axis=1) & box.any(axis=1)]
        parts = (inside[:, None] * inside[None] >= 0) & (abs(inside[None]) <= abs(inside[:, None]))
        expected = set(map(tuple, inside[parts.all(axis=2).sum(axis=1) == 1].tolist()))
        sums = [tuple((c, k) for c, k in enumerate(row) if k) for row in rows]
        basis = graver_basis(lattice_basis(sums, size))
        assert basis is not None
        found = list(map(tuple, basis.tolist()))
        assert len(set(found)) == len(found)
        assert {one for one in found if max(map(abs, one)) <= end} == expected


@pytest.mark.parametrize("levels", [(2, 5), (3, 3), (3, 4)])
def test_the_basis_of_two_one_way_margins_has_the_cycles_of_a_bipartite_graph(
    levels: tuple[int, int],
) -> None:
    r, c = levels
    cycles = sum(
        comb(r, k) * comb(c, k) * factorial(k) * factorial(k - 1) // 2
        for k in range(2, min(levels) + 1)
    )
    basis = graver_basis(lattice_basis(rows_of(levels, [(0,), (1,)]), r * c))
    assert basis is not None
    assert len(basis) == 2 * cycles
    assert abs(basis).sum(axis=1).max() == 2 * min(levels)


def test_all_two_way_margins_of_four_bits_are_at_most_ten_apart_for_every_size() -> None:
    problem = problem_of((2, 2, 2, 2), list(combinations(range(4), 2)), None)
    assert problem.system is not None
    assert longest_element(problem.system) == 9
    assert most_of_moves(problem) == 10


@pytest.mark.parametrize(("size", "most"), [(49, 49), (50, 49), (400, 49), (None, 49)])
def test_a_bound_that_is_no_less_than_the_size_establishes_nothing(
    size: int | None, most: int
) -> None:
    found = _by_structure_or_size(problem_of((3, 3, 3, 3), CYCLE, size)).covering
    assert found.upper == most
    assert found.trivial == (size == most)


def test_a_basis_that_is_too_large_is_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    lattice = lattice_basis(rows_of((2, 3, 3), PAIRS), 18)
    assert graver_basis(lattice) is not None
    assert graver_basis([[1, -longest_moves.MAX_ENTRY - 1]]) is None
    monkeypatch.setattr(longest_moves, "MAX_ELEMENTS", 20)
    assert graver_basis(lattice) is None


@pytest.mark.parametrize("seed", chunks(3, 60))
def test_no_table_is_farther_from_a_value_than_the_longest_move(seed: int) -> None:
    chance = random.Random(seed)
    bounded = 0
    for _ in range(60):
        metric = chance.choice(METRICS)
        instance, table = oracle.random_instance(chance)
        given = chance.random() < 0.5
        universes = [oracle.universe_of(instance, table)]
        if not given:
            universes = list(oracle.universes(instance).values())
        if sum(map(len, universes)) > MOST_TABLES:
            continue
        release = case_of(chance, instance, table).release(metric, given=given)
        assert isinstance(release.dataspace, TableSpace)
        most = most_of_moves(TableProblem(release, release.dataspace, Limits()))
        if most is not None:
            bounded += 1
            assert max(truths(universes, metric)) <= most, (metric, release)
    assert bounded > 20


@pytest.mark.parametrize(
    ("shape", "margins", "longest"),
    [
        ((2, 2, 3), PAIRS, 4),
        ((2, 3, 3), PAIRS, 6),
        ((4, 2, 5), PAIRS, 8),
        ((3, 7, 3), PAIRS, LONGEST_OF_NINE),
        ((2, 2, 2, 2), CYCLE, 8),
        ((2, 2, 2, 2), [*CYCLE, (0, 2)], 8),
        ((3, 3, 3, 3), CYCLE, 2 * LONGEST_OF_NINE),
        ((3, 5, 3, 7), CYCLE, 2 * LONGEST_OF_NINE),
        ((5, 2, 7, 3), CYCLE, 2 * 2 * 3),
        ((3, 2, 3, 2), [*CYCLE, (0, 2)], 2 * LONGEST_OF_NINE),
        ((3, 2, 3, 2), [*CYCLE, (1, 3)], 2 * 4),
        ((2, 2, 2, 2), [(0, 1, 2), (0, 3), (1, 2, 3)], 4),
        ((3, 3, 3, 2), [*CYCLE, (0, 2), (1, 3)], None),
        ((3, 3, 3, 3, 3), [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)], None),
        ((3, 3, 3, 3, 3), [(a, b) for a in (0, 1) for b in (2, 3, 4)], None),
        ((3, 3, 3, 3, 3), CYCLE, None),
        ((3, 3, 3, 3), [(0, 1), (0, 2), (1, 2), (0, 3)], None),
        ((3, 3, 2, 2, 2, 2), [(a, *b) for a in (0, 1) for b in ((2, 3), (3, 4))], None),
        ((3, 3, 2, 2, 2, 2), [(0, 1), *((a, *b) for a in (0, 1) for b in ((2, 3), (3, 4)))], None),
        ((3, 4, 4), PAIRS, None),
        ((3, 3, 3), [(0, 1), (1, 2)], None),
    ],
)
def test_layers_whose_sums_agree_have_a_longest_move(
    shape: tuple[int, ...], margins: list[tuple[int, ...]], longest: int | None
) -> None:
    assert longest_of_layers(problem_of(shape, margins)) == longest


@pytest.mark.parametrize(
    ("shape", "margins"),
    [
        ((2, 2, 4), PAIRS),
        ((2, 3, 4), PAIRS),
        ((3, 3, 2), PAIRS),
        ((2, 2, 2, 2), CYCLE),
        ((2, 2, 2, 2), [*CYCLE, (0, 2)]),
    ],
)
def test_no_element_of_the_basis_is_longer_than_the_move_of_the_layers(
    shape: tuple[int, ...], margins: list[tuple[int, ...]]
) -> None:
    problem = problem_of(shape, margins)
    most = longest_of_layers(problem)
    assert problem.system is not None
    element = longest_element(problem.system)
    assert element is not None
    assert most is not None
    assert element <= most
    # Only the cycle through all levels of the longer side is as long.
    assert element == most or len(shape) == 4 or shape == (3, 3, 2)


def test_a_move_of_three_by_three_cells_in_five_layers_is_the_longest() -> None:
    """The even permutations, and then the odd ones: 1, 2, 3, 2, and 1 steps from one to the next.

    Its support has no other move, so it is indivisible.
    """
    odd = {p: np.linalg.det(np.eye(3)[list(p)]) < 0 for p in permutations(range(3))}
    path = [np.eye(3, dtype=int)[list(p)] for p in sorted(odd, key=lambda p: odd[p])]
    steps = zip((1, 2, 3, 2, 1), path, path[1:], strict=False)
    layers = np.array([times * (after - before) for times, before, after in steps])
    move = layers.transpose(1, 2, 0).ravel()
    support = np.flatnonzero(move)
    rows = np.array([row for pair in PAIRS for row in margin_rows((3, 3, 5), pair)])
    assert not (rows @ move).any()
    assert gcd(*move.tolist()) == 1
    assert np.linalg.matrix_rank(rows[:, support]) == len(support) - 1
    assert abs(move).sum() == 2 * LONGEST_OF_NINE


LONG_MOVE = """
16:-1787 17:1787 20:-901 24:901 25:-886 28:886 33:901 34:-901 41:1787 43:-1787 45:1787 47:-1787
50:1110 52:-1110 56:-1528 58:1528 66:401 69:-401 73:-1 74:1 80:-1510 84:1510 86:1127 88:-1127
90:400 93:-400 97:1110 99:-1110 103:735 104:-735 107:793 108:-793 110:-774 111:-1408 112:2182
116:1386 117:-1386 121:854 122:48 124:-902 130:774 131:-774 142:-1637 144:1637 146:-58 148:58
151:-750 152:750 155:-735 156:-1934 159:2669 162:-399 163:399 175:886 176:1783 179:-2669 181:901
183:-901 185:351 187:-351 190:1285 193:-1285 195:-1787 198:1787 202:360 203:-360 221:-1981
223:1981 227:-1048 228:-1621 229:2669 231:-688 232:688 241:2669 244:-2669 251:375 253:-375
261:-375 264:375 268:-401 269:401 288:776 289:-776 307:2621 309:-2621 317:-3873 318:3873 320:901
321:1127 323:-2028 330:736 332:-736 336:-1127 337:351 339:776 340:-1637 342:1637 348:-1845
349:1845 356:48 359:-48 360:399 363:-399 372:-48 373:48 381:-48 382:48 385:-351 388:351 390:-48
394:48 400:-375 401:375 406:3414 407:-3414 410:375 414:-375 417:3472 418:-3472 431:609 434:-609
441:-4456 443:3472 444:984 446:58 447:-58 450:-735 454:735 455:735 458:-735 461:1783 462:-1783
476:-1783 477:1048 478:735 497:735 499:-735
"""
"""Cells of a 10 x 10 x 5 table, row-major, and what they gain; found by random pivots."""


def test_a_move_of_ten_by_ten_by_five_cells_is_longer_than_any_dataset() -> None:
    """Its support has no other move, so it is indivisible."""
    move = np.zeros(500, dtype=int)
    for part in LONG_MOVE.split():
        cell, gain = part.split(":")
        move[int(cell)] = int(gain)
    support = np.flatnonzero(move)
    rows = np.array([row for pair in PAIRS for row in margin_rows((10, 10, 5), pair)])
    assert not (rows @ move).any()
    assert gcd(*move.tolist()) == 1
    assert np.linalg.matrix_rank(rows[:, support]) == len(support) - 1 == 136
    assert abs(move).sum() == 2 * 78_147


FAR_FROM_THE_FIRST_CELL = """
3:1 11:1 24:1 30:1 76:3 89:3 90:3 102:2 127:1 135:2 141:3 148:1 150:3 156:3 192:3 201:1 229:3 232:1
235:1 236:2 259:1 273:1 307:2 308:1 321:2 346:1 372:2 381:2 401:1 407:1 414:944 451:1 478:1 482:1
"""
"""Counts of a 10 x 10 x 5 table of 1,000 records."""


def test_from_a_table_of_ten_by_ten_by_five_cells_31_records_must_change() -> None:
    """The cheapest move that fills the first cell, by a program of its own."""
    table = np.zeros(500, dtype=int)
    for part in FAR_FROM_THE_FIRST_CELL.split():
        cell, count = part.split(":")
        table[int(cell)] = int(count)
    rows = np.array([row for pair in PAIRS for row in margin_rows((10, 10, 5), pair)])
    found = milp(
        np.repeat([0, 1], 500),  # what enters cells, and what leaves them
        constraints=LinearConstraint(np.hstack([rows, -rows]), 0, 0),
        bounds=Bounds(np.eye(1, 1000)[0], np.append(np.full(500, 1000), table)),
        integrality=np.ones(1000),
    )
    assert table.sum() == 1000
    assert found.status == 0
    assert round(found.fun) == 31


@pytest.mark.parametrize("layers", [4, 6])
def test_circuits_of_three_by_three_cells_are_at_most_that_long(layers: int) -> None:
    """Of 300 bases, the changes that bring in one other cell, as integers without a factor."""
    chance = np.random.default_rng(layers)
    shape = (3, 3, layers)
    rows = np.array([row for pair in PAIRS for row in margin_rows(shape, pair)], dtype=float)
    rank, most = np.linalg.matrix_rank(rows), 0
    for _ in range(300):
        order = chance.permutation(rows.shape[1])
        basis: list[int] = []
        for cell in order:
            if np.linalg.matrix_rank(rows[:, [*basis, cell]]) > len(basis):
                basis.append(int(cell))
            if len(basis) == rank:
                break
        changes = np.linalg.lstsq(rows[:, basis], rows, rcond=None)[0]
        for cell in set(range(rows.shape[1])) - set(basis):
            change = np.append(changes[:, cell], -1)
            # By Cramer's rule a multiple up to 24 is an integer.
            least = next(
                k for k in range(1, 25) if np.allclose(k * change, np.round(k * change), atol=1e-6)
            )
            most = max(most, round(abs(least * change).sum()) // 2)
    assert 6 < most <= LONGEST_OF_NINE


@pytest.mark.parametrize(
    ("shape", "margins", "size", "bound"),
    [
        ((2, 2, 2), [(0, 1), (0, 2), (1, 2)], 5, 5),
        ((2, 2, 3), [(0, 1), (0, 2), (1, 2)], 4, 5),
        ((3, 2, 2), [(0, 1), (0, 2), (1, 2)], 4, 5),
        (
            (2, 2, 2, 2),
            [(0, 1), (0, 2), (1, 2, 3)],
            3,
            5,
        ),  # no margin of a layer has d
        ((2, 2, 2, 2), [(0, 1), (0, 2), (1, 2)], 3, None),  # no sum of the layers
        ((2, 2, 2), [(0, 1), (1, 2)], 4, None),
        ((3, 3, 3), [(0, 1), (0, 2), (1, 2)], 3, None),
    ],
)
def test_two_layers_with_a_sum_are_at_most_a_cycle_apart_in_every_table(
    shape: tuple[int, ...], margins: list[tuple[int, ...]], size: int, bound: int | None
) -> None:
    space = TableSpace("r", size, tuple(Attribute("abcd"[k], n) for k, n in enumerate(shape)))
    rows = tuple(row for margin in margins for row in margin_rows(shape, margin))
    universes = list(oracle.universes(Instance(shape, size, rows=rows)).values())
    for metric in METRICS:
        invariants = [Margin(tuple("abcd"[k] for k in margin)) for margin in margins]
        release = release_of(space, invariants, None, metric)
        problem = TableProblem(release, space, Limits())
        if bound is None:
            assert longest_of_two_layers(problem) is None
            continue
        assert longest_of_two_layers(problem) == bound - 1
        most = most_of_moves(problem)
        assert most == (bound - (metric != "hamming")) * (1 + (metric == "symmetric_difference"))
        # A cycle through all of both levels takes four records, and the fifth one becomes y.
        worst = max(oracle.covering(universe, metric) for universe in universes)
        assert worst == most or (size < bound and worst < most)


def test_all_two_way_margins_of_two_layers_have_the_same_a_t_for_every_larger_size() -> None:
    """2 x 5 x 9: a cycle through five rows is the longest."""
    space = TableSpace("r", 5_000, (Attribute("a", 2), Attribute("b", 5), Attribute("c", 9)))
    invariants = [Margin(pair) for pair in combinations("abc", 2)]
    covering = universe_of(release_of(space, invariants, None)).semi_adjacency.covering
    assert (covering.lower, covering.upper, covering.trivial) == (11, 11, False)
