from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.optimize import nnls

from semiaudit import deadline
from semiaudit.errors import RefusedError
from semiaudit.mechanisms.sampling.nonnegative import SumConstraint, keeps
from semiaudit.mechanisms.topdown.fitted_table import NoisyCount, top_down
from semiaudit.model.results.errors import FitNorm

WHOLE = range(4)
ROWS, COLUMNS = ((0, 1), (2, 3)), ((0, 2), (1, 3))


def level(
    source: random.Random, groups: Sequence[Sequence[int]], weight: Fraction
) -> list[NoisyCount]:
    return [NoisyCount(tuple(cells), source.randint(-2, 6), weight) for cells in groups]


def distance(counts: Sequence[NoisyCount], table: Sequence[int], fit: FitNorm) -> float:
    """The loss, by its definition: distances in standard deviations of the noise."""
    total = 0.0
    for count in counts:
        sigma = float(1 / count.weight) ** 0.5
        away = abs(sum(table[cell] for cell in count.cells) - count.answer) / sigma
        total += away if fit == "l1" else away * away
    return total


def tables(most: int, rules: Sequence[SumConstraint]) -> Iterator[tuple[int, ...]]:
    return (table for table in product(range(most + 1), repeat=4) if keeps(table, rules))


@pytest.mark.parametrize("fit", ["l1", "l2"])
def test_row_126_no_other_feasible_2x2_table_is_closer(fit: FitNorm) -> None:
    """One level with the cells, the rows and the total; the total or a column is published."""
    source = random.Random(126)
    for published in (
        [SumConstraint(dict.fromkeys(WHOLE, 1), 6, 6)],
        [SumConstraint({0: 1, 2: 1}, 4, 4)],
    ):
        for _ in range(6):
            counts = [
                *level(source, [[cell] for cell in WHOLE], Fraction(1, 3)),
                *level(source, ROWS, Fraction(2)),
                *level(source, [WHOLE], Fraction(1, 2)),
            ]
            found = top_down([counts], published, 4, fit)
            assert keeps(found.cells, published)
            best = min(distance(counts, table, fit) for table in tables(9, published))
            assert distance(counts, found.cells, fit) <= best + 1e-9
            assert distance(counts, found.cells, fit) == pytest.approx(best)


@pytest.mark.parametrize("fit", ["l1", "l2"])
def test_every_step_is_closest_under_what_the_levels_above_have(fit: FitNorm) -> None:
    source = random.Random(5)
    published = [SumConstraint(dict.fromkeys(WHOLE, 1), 7, 7)]
    for _ in range(5):
        levels = [
            level(source, COLUMNS, Fraction(1)),
            level(source, ROWS, Fraction(1, 4)),
            level(source, [[cell] for cell in WHOLE], Fraction(1)),
        ]
        found = top_down(levels, published, 4, fit)
        kept = list(published)
        for counts, values in zip(levels, found.counts, strict=True):
            best = min(distance(counts, table, fit) for table in tables(7, kept))
            sums = [sum(found.cells[cell] for cell in count.cells) for count in counts]
            assert tuple(sums) == values
            assert distance(counts, found.cells, fit) == pytest.approx(best)
            kept += [
                SumConstraint(dict.fromkeys(count.cells, 1), value, value)
                for count, value in zip(counts, values, strict=True)
            ]


def test_a_level_fixes_only_what_it_measures() -> None:
    """The upper level counts the first row alone; cells are told apart below."""
    upper = [NoisyCount((0, 1), 5, Fraction(1))]
    lower = [NoisyCount((cell,), at, Fraction(1)) for cell, at in enumerate((1, 4, 3, 2))]
    found = top_down([upper, lower], [], 4, "l1")
    assert found.cells == (1, 4, 3, 2)


def test_bounds_and_values_are_kept_however_far_the_noise_is() -> None:
    rules = [
        SumConstraint({0: 1, 1: 1}, 500, 500),
        SumConstraint({0: 1}, 3, None),
        SumConstraint({3: 1}, 0, 0),
    ]
    counts = [[NoisyCount((0,), -40, Fraction(1)), NoisyCount((2, 3), -9, Fraction(1, 9))]]
    for fit in ("l1", "l2"):
        found = top_down(counts, rules, 4, fit)
        assert found.cells[:2] == (3, 497)
        assert found.cells[2:] == (0, 0)


def test_rules_that_no_table_keeps_are_refused() -> None:
    rules = [SumConstraint({0: 1}, 3, 3), SumConstraint({0: 1, 1: 1}, 2, 2)]
    with pytest.raises(RefusedError, match="no table of nonnegative whole numbers"):
        top_down([[NoisyCount((0,), 1, Fraction(1))]], rules, 2, "l1")


Country = tuple[list[list[NoisyCount]], list[SumConstraint]]


def country() -> Country:
    """The noisy counts of 300 cells in 3 states, 6 counties and 30 blocks; states are published."""
    source = random.Random(9)
    truth = [source.choice([0, 0, 1, 2, 30]) for _ in range(300)]
    areas = [[range(300)], *([range(a, a + k) for a in range(0, 300, k)] for k in (100, 50, 10))]
    levels = []
    for of_level in areas:
        groups = [[c for c in area if c % 10 == k] for area in of_level for k in range(10)]
        groups += [list(area) for area in of_level]
        levels.append(
            [
                NoisyCount(
                    tuple(g), sum(truth[c] for c in g) + source.randint(-4, 4), Fraction(1, 8)
                )
                for g in groups
            ]
        )
    rules = [
        SumConstraint(dict.fromkeys(area, 1), *[sum(truth[c] for c in area)] * 2)
        for area in areas[1]
    ]
    return levels, rules


@pytest.mark.parametrize("fit", ["l1", "l2"])
def test_many_blocks_keep_their_counties_and_states(fit: FitNorm) -> None:
    levels, rules = country()
    found = top_down(levels, rules, 300, fit)
    assert min(found.cells) >= 0
    assert keeps(found.cells, rules)
    for counts, values in zip(levels, found.counts, strict=True):
        for count, value in zip(counts, values, strict=True):
            assert sum(found.cells[cell] for cell in count.cells) == value


def test_whole_numbers_cost_little_more_than_least_squares_of_real_ones() -> None:
    """Each step beside another solver's real numbers from 0 on, which nothing whole undercuts."""
    levels, rules = country()
    found = top_down(levels, rules, 300, "l2")
    kept = list(rules)
    for counts, values in zip(levels, found.counts, strict=True):
        whole, real = distance(counts, found.cells, "l2"), least_squares(counts, kept, 300)
        assert real - 0.01 <= whole <= 1.05 * real + 1
        kept += [
            SumConstraint(dict.fromkeys(count.cells, 1), value, value)
            for count, value in zip(counts, values, strict=True)
        ]


def least_squares(counts: Sequence[NoisyCount], kept: Sequence[SumConstraint], cells: int) -> float:
    """The least distance with real cells from 0 on; rules are counts of a large weight."""
    heavy = 300.0
    matrix, wanted = np.zeros((len(counts) + len(kept), cells)), np.zeros(len(counts) + len(kept))
    for row, count in enumerate(counts):
        matrix[row, list(count.cells)] = float(count.weight) ** 0.5
        wanted[row] = count.answer * float(count.weight) ** 0.5
    for row, rule in enumerate(kept, len(counts)):
        assert rule.low == rule.high is not None
        matrix[row, list(rule.terms)] = heavy
        wanted[row] = rule.high * heavy
    solved, _ = nnls(matrix, wanted, maxiter=30_000)
    away = (matrix @ solved - wanted)[: len(counts)]
    return float(away @ away)


@pytest.mark.slow
@pytest.mark.parametrize("fit", ["l1", "l2"])
@pytest.mark.parametrize("blocks", [64, 128])
def test_a_table_of_thousands_of_cells_keeps_its_invariants_and_sums(
    blocks: int, fit: FitNorm
) -> None:
    """Blocks of 40 cells in 8 counties and 2 states: 4,125 and 7,645 noisy counts."""
    source, size = random.Random(3), 40 * blocks
    truth = [source.choice([0, 0, 0, 1, 1, 2, 5, 20]) for _ in range(size)]
    levels = []
    for part in (size, size // 2, size // 8, 40):
        groups: list[list[int]] = []
        for area in range(0, size, part):
            cells = range(area, area + part)
            groups += [[c for c in cells if c % 40 == k] for k in range(40)]
            groups += [[c for c in cells if c % 40 // 4 == k] for k in range(10)]
            groups += [[c for c in cells if c % 4 == k] for k in range(4)]
            groups.append(list(cells))
        levels.append([noisy(source, group, truth) for group in groups])
    areas = [range(a, a + size // 2) for a in (0, size // 2)]
    rules = [
        SumConstraint(dict.fromkeys(area, 1), *[sum(truth[c] for c in area)] * 2) for area in areas
    ]
    with deadline.running(300):
        found = top_down(levels, rules, size, fit)
    assert min(found.cells) >= 0
    assert keeps(found.cells, rules)
    lowest = [
        abs(v - sum(truth[c] for c in n.cells))
        for n, v in zip(levels[3], found.counts[3], strict=True)
    ]
    before = [abs(n.answer - sum(truth[c] for c in n.cells)) for n in levels[3]]
    assert sum(lowest) < 0.8 * sum(before)


def noisy(source: random.Random, cells: Sequence[int], truth: Sequence[int]) -> NoisyCount:
    error = round(source.gauss(0, 3))
    return NoisyCount(tuple(cells), sum(truth[c] for c in cells) + error, Fraction(1, 9))
