from __future__ import annotations

import random

import pytest

from semiaudit.errors import RefusedError
from semiaudit.mechanisms.sampling.nonnegative import Fit, SumConstraint, _within, nearest

MARGINS = [
    SumConstraint({0: 1, 1: 1}, 4, 4),
    SumConstraint({2: 1, 3: 1}, 6, 6),
    SumConstraint({0: 1, 2: 1}, 5, 5),
    SumConstraint({1: 1, 3: 1}, 5, 5),
]


@pytest.mark.parametrize("fit", ["l1", "l2"])
def test_no_table_with_the_margins_is_nearer(fit: Fit) -> None:
    source = random.Random(1)
    power = {"l1": 1, "l2": 2}[fit]
    for _ in range(12):
        target = [source.gauss(2.5, 6) for _ in range(4)]

        def far(table: list[int], target: list[float] = target) -> float:
            return sum(abs(a - b) ** power for a, b in zip(table, target, strict=True))

        found = nearest(target, MARGINS, fit)
        tables = [[k, 4 - k, 5 - k, 1 + k] for k in range(5)]
        assert found in tables
        assert far(found) == pytest.approx(min(map(far, tables)))


def test_far_targets_and_bounds_are_met_too() -> None:
    rules = [SumConstraint({0: 1, 1: 1}, 500, 500), SumConstraint({0: 1}, 3, None)]
    assert nearest([-40.0, 700.0], rules, "l2") == [3, 497]
    assert nearest([900.0, 0.2], rules, "l2") == [500, 0]


def test_rules_that_no_table_keeps_are_refused() -> None:
    with pytest.raises(RefusedError, match="no table of nonnegative whole numbers"):
        nearest([1.0, 1.0], [SumConstraint({0: 1}, 3, 3), SumConstraint({0: 1, 1: 1}, 2, 2)], "l1")


def test_a_cell_at_the_last_piece_with_an_exact_cost_is_not_within_them() -> None:
    """Further out, and there, costs may be too low; a cell without a cost may be anywhere."""
    assert _within([2, 9], [0, 0], 3, [1.0, 0.0])
    assert not _within([3, 0], [0, 0], 3, [1.0, 0.0])
    assert not _within([0, -3], [0, 0], 3, [1.0, 2.0])
