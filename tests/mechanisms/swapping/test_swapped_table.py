"""Swapped tables: what is kept is counted by brute force, and laws come from enumeration."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.swapping import swapped_table
from semiaudit.mechanisms.swapping.cells import Cells, cells_of
from semiaudit.mechanisms.swapping.swapped_table import SwappableTable
from semiaudit.model.randomizers import Swapping, SwapVariant
from tests.oracles.exchange_law import table_law
from tests.oracles.sampling import LEVEL, chi_square_p

HALF = Fraction(1, 2)


def drawn_table(seed: int) -> dict[tuple[int, ...], int]:
    """About 400 records of five attributes in strata of all sizes."""
    rows = np.random.default_rng(seed).integers(0, [6, 3, 4, 2, 3], (400, 5))
    rows[:30, 0] = np.arange(10, 40)  # strata of one record
    return dict(Counter(map(tuple, rows.tolist())))


def counted(cells: Cells, columns: list[int]) -> Counter[tuple[int, ...]]:
    found: Counter[tuple[int, ...]] = Counter()
    for levels, count in zip(cells.levels.tolist(), cells.counts.tolist(), strict=True):
        found[tuple(levels[at] for at in columns)] += count
    return found


@pytest.mark.parametrize("variant", ["derangement", "uniform"])
@pytest.mark.parametrize("reselection", [True, False])
def test_row_121_margins_are_exact_for_100_seeds(variant: SwapVariant, reselection: bool) -> None:
    """theory.md, row 121: V_strat x V_rest and V_strat x V_swap stay, V_rest x V_swap changes."""
    part = Swapping(HALF, variant=variant, reselection=reselection)
    before = cells_of(drawn_table(1), 5)
    strata = SwappableTable(before, [0, 1], [2, 4])
    changed = 0
    for seed in range(100):
        after, moves = strata.swapped(HALF, part, Randomness(seed))
        for columns in ([0, 1, 3], [0, 1, 2, 4]):
            assert counted(after, columns) == counted(before, columns)
        assert after.records == before.records
        changed += counted(after, [3, 2]) != counted(before, [3, 2])
        assert 0 < moves.moved <= moves.selected <= before.records
    assert changed > 90


@pytest.mark.parametrize("at_once", [1, 5, 2_000_000])
def test_tables_of_a_stratum_have_the_enumerated_law(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many strata of the same four records, laid out a few at a time."""
    monkeypatch.setattr(swapped_table, "AT_ONCE", at_once)
    number = 600 if at_once < 9 else 6_000
    records = [(0, 0), (0, 1), (1, 1), (1, 2)]
    cells = cells_of({(k, *record): 1 for k in range(number) for record in records}, 3)
    rate, part = Fraction(2, 5), Swapping(None)
    after, _ = SwappableTable(cells, [0], [2]).swapped(rate, part, Randomness(3))
    found: dict[int, set[tuple[tuple[int, int], int]]] = {k: set() for k in range(number)}
    for (k, rest, swap), count in zip(after.levels.tolist(), after.counts.tolist(), strict=True):
        found[k].add(((rest, swap), count))
    law = table_law(records, rate, deranged=True, reselection=True)
    tables = [frozenset(table) for table in found.values()]
    assert set(tables) <= set(law)
    assert chi_square_p(tables, {table: float(p) for table, p in law.items()}) > LEVEL


def test_moves_of_all_blocks_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = cells_of(drawn_table(2), 5)
    whole = SwappableTable(cells, [0, 1, 2], [4])
    assert whole.summary.number == len(counted(cells, [0, 1, 2]))
    sizes = Counter(counted(cells, [0, 1, 2]).values())
    assert (whole.summary.single, whole.summary.largest) == (sizes[1], max(sizes))
    monkeypatch.setattr(swapped_table, "AT_ONCE", 40)
    part = Swapping(None, variant="uniform", reselection=False)
    found = [whole.swapped(HALF, part, Randomness(seed))[1] for seed in range(30)]
    plural = cells.records - sizes[1]
    mean = sum(moves.selected for moves in found) / len(found)
    assert abs(mean - plural / 2) < 4 * (plural / 4 / len(found)) ** 0.5
    assert all(moves.reselected == moves.selections == 0 for moves in found)
    assert any(moves.alone for moves in found)


@pytest.mark.parametrize("seed", range(30))
def test_the_largest_stratum_that_can_change_is_found_as_by_hand(seed: int) -> None:
    rows = np.random.default_rng(seed).integers(0, [8, 2, 2], (14, 3))
    cells = cells_of(dict(Counter(map(tuple, rows.tolist()))), 3)
    largest = 0
    for stratum in range(8):
        mine = [row for row in rows.tolist() if row[0] == stratum]
        if len({row[1] for row in mine}) > 1 and len({row[2] for row in mine}) > 1:
            largest = max(largest, len(mine))
    assert SwappableTable(cells, [0], [1]).largest_changing == largest


def test_records_that_agree_in_what_is_exchanged_do_not_move() -> None:
    cells = cells_of({(0, 0, 1): 5, (1, 0, 1): 4}, 3)
    after, moves = SwappableTable(cells, [], [2]).swapped(HALF, Swapping(None), Randomness(1))
    assert (after.levels == cells.levels).all()
    assert moves.selected > 1
    assert moves.moved == 0


def test_a_swap_of_everything_beside_the_strata_and_of_no_record() -> None:
    cells = cells_of({(0, 0, 1): 2, (0, 1, 0): 2}, 3)
    after, _ = SwappableTable(cells, [0], [1, 2]).swapped(HALF, Swapping(None), Randomness(1))
    assert counted(after, [0, 1, 2]) == counted(cells, [0, 1, 2])
    none = SwappableTable(cells_of({}, 3), [0], [1])
    assert none.swapped(HALF, Swapping(None), Randomness(1))[0].records == 0
    assert none.summary.largest == 0
