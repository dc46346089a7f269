"""Differences that are taken in batches."""

from __future__ import annotations

import numpy as np
import pytest

from semiaudit.universe.sensitivity import differences
from semiaudit.universe.sensitivity.differences import Collector, distinct, fits


@pytest.mark.parametrize("waiting", [2, 6, 7, 1000])
def test_what_is_found_does_not_depend_on_when_batches_are_looked_at(
    waiting: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(differences, "MAX_WAITING", waiting)
    rows = [(1, -2, 0), (-1, 2, 0), (0, 0, 0), (3, 1, 1), (2, 3, 1)]
    collector = Collector(3)
    for row in rows:
        collector.add(np.array([row], dtype=np.int64))
    found = collector.result()
    assert (found.l1, found.l2_squared, found.linf) == (6, 14, 3)
    assert found.rank == 2
    assert found.vectors is not None
    assert {max(tuple(v), tuple(-v)) for v in found.vectors} == {(1, -2, 0), (3, 1, 1), (2, 3, 1)}
    assert found.elements == 7


def test_batches_wait_until_there_are_enough_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences, "MAX_WAITING", 6)
    collector = Collector(2)
    numbers = []
    for _ in range(7):
        collector.add(np.array([[1, 2]], dtype=np.int64))
        numbers.append(len(collector.waiting))
    assert numbers == [1, 2, 0, 1, 2, 0, 1]


@pytest.mark.parametrize(
    ("largest", "columns", "steps", "fit"),
    [
        (1, 1, 1, True),
        (1 << 28, 1, 1, True),
        (1 << 28, 17, 1, False),  # the sum of squares reaches 2^62
        ((1 << 29) + 1, 1, 1, False),  # an entry is above 2^30
        (1 << 28, 1, 2, True),
        (1 << 28, 1, 3, False),
    ],
)
def test_differences_fit_if_their_entries_and_sums_of_squares_do(
    largest: int, columns: int, steps: int, fit: bool
) -> None:
    assert fits(np.full((1, columns), largest, dtype=np.int64), steps) is fit


@pytest.mark.parametrize(("largest", "columns"), [(2, 3), (1 << 20, 3), (1 << 20, 4), (1, 0)])
def test_distinct_rows_are_each_kept_once_in_one_order_whatever_their_number(
    largest: int, columns: int
) -> None:
    """Rows of 3 entries of 21 bits are compared as one number of 63 bits or less, longer ones not.

    The digits of negative entries, and those of the largest, are not mistaken for others.
    """
    chance = np.random.default_rng(largest + columns)
    some = chance.integers(-largest, largest + 1, (40, columns))
    ends = np.array([[-largest] * columns, [largest] * columns], dtype=np.int64)
    rows = np.concatenate([some, ends, some[::-1]])
    found = [tuple(row) for row in distinct(rows).tolist()]
    assert set(found) == {tuple(row) for row in rows.tolist()}
    assert len(found) == len(set(found))
    again = distinct(np.concatenate([rows[::-1], rows]))
    assert [tuple(row) for row in again.tolist()] == found
    one_more = np.append(rows, np.full((1, columns), 1 << 29, dtype=np.int64), axis=0)
    assert [tuple(row) for row in distinct(one_more).tolist() if (1 << 29) not in row] == (
        found if columns else [()]
    )
