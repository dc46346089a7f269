"""What a table tells of the strata of a swapping, and of their cells."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from semiaudit import Spec
from semiaudit.mechanisms.swapping import cells
from semiaudit.mechanisms.swapping.cells import cells_of, codes_of, summed
from semiaudit.mechanisms.swapping.strata import Strata, strata_of
from semiaudit.model.randomizers import Swapping

SPEC = """\
semiaudit: 1
dataspace: {{unit: home, attributes: {{s: 2, w: 3, r: 3}}}}
data: {{counts: {counts}}}
mechanism: {{swapping: {{rate: 0.4, stratify_by: [s], swap: [w]}}}}
"""
ALL_DIFFER = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
SOME_AGREE = [[2, 0, 0], [0, 1, 0], [0, 0, 0]]
CANNOT_CHANGE = [[2, 1, 3], [0, 0, 0], [0, 0, 0]]
LARGER = [[2, 0, 0], [0, 2, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (ALL_DIFFER, SOME_AGREE, Strata(3, True, known=(3, 3))),
        (SOME_AGREE, ALL_DIFFER, Strata(3, True, known=(3, 3))),
        (SOME_AGREE, SOME_AGREE, Strata(3, False, known=(3, 3))),
        (ALL_DIFFER, LARGER, Strata(4, False, known=(3, 4))),
        (ALL_DIFFER, CANNOT_CHANGE, Strata(3, True, known=(3,))),
        (CANNOT_CHANGE, CANNOT_CHANGE, Strata(0, False, known=())),
    ],
)
def test_one_stratum_of_the_largest_ones_in_which_all_differ_is_enough(
    first: list[list[int]], second: list[list[int]], expected: Strata
) -> None:
    """Two records can only be told apart if both what is exchanged and the rest differ."""
    release = Spec.from_text(SPEC.format(counts=[first, second]))._release
    assert isinstance(release.mechanism, Swapping)
    assert strata_of(release.mechanism, release) == expected


@pytest.mark.parametrize("attributes", ["s: 2, w: 1, r: 3", "s: 2, w: 3, r: 1"])
def test_attributes_of_one_level_leave_nothing_to_change(attributes: str) -> None:
    text = SPEC.replace("s: 2, w: 3, r: 3", attributes).replace("data: {{counts: {counts}}}\n", "")
    release = Spec.from_text(text.format())._release
    assert isinstance(release.mechanism, Swapping)
    assert strata_of(release.mechanism, release) == Strata(0, False)


@pytest.mark.parametrize("most", [1 << 62, 20])
def test_codes_are_equal_and_ascend_as_rows_do(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With few codes to spare rows are numbered anew on the way."""
    monkeypatch.setattr(cells, "_MOST_CODES", most)
    rows = np.random.default_rng(1).integers(0, 5, (200, 6))
    codes = codes_of(rows).tolist()
    told = list(map(tuple, rows.tolist()))
    for a, one in zip(told, codes, strict=True):
        for b, other in zip(told, codes, strict=True):
            assert (a < b) == (one < other)
            assert (a == b) == (one == other)


def test_levels_of_many_attributes_do_not_run_over() -> None:
    rows = np.array([[10**6 - k] * 9 for k in range(3)])
    codes = codes_of(rows)
    assert codes[0] > codes[1] > codes[2] >= 0


def test_rows_that_come_several_times_are_added_up() -> None:
    source = random.Random(2)
    records = [(source.randrange(3), source.randrange(4)) for _ in range(300)]
    counts = [source.randrange(1, 9) for _ in records]
    expected: Counter[tuple[int, ...]] = Counter()
    for record, count in zip(records, counts, strict=True):
        expected[record] += count
    found = summed(np.array(records), np.array(counts))
    told = list(map(tuple, found.levels.tolist()))
    assert told == sorted(expected)
    assert dict(zip(told, found.counts.tolist(), strict=True)) == expected
    assert found.records == sum(counts)


def test_margins_are_sums_and_the_empty_one_is_all() -> None:
    table: dict[tuple[int, ...], int] = {(0, 1, 2): 3, (0, 0, 2): 4, (5, 1, 2): 1}
    found = cells_of(table, 3)
    assert found.records == 8
    margin = found.margin([2, 1])
    assert margin.levels.tolist() == [[2, 0], [2, 1]]
    assert margin.counts.tolist() == [4, 4]
    assert found.margin([]).counts.tolist() == [8]
    assert cells_of({}, 3).records == 0
