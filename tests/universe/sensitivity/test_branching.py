"""The largest moves by branching, against all pairs of records that leave and enter."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product
from typing import Any

import pytest

from semiaudit import audit
from semiaudit.universe.sensitivity import branching
from semiaudit.universe.sensitivity.answers import Column
from semiaudit.universe.sensitivity.branching import largest_moves
from tests.samples import slow_cases

RANDOM = [*range(150), *slow_cases(range(150, 2150))]


def all_moves(margins: Sequence[Sequence[int]], records: int, half: int) -> Iterator[Counter[int]]:
    """Every change in which ``half`` records leave and ``half`` enter, and all margins stay."""
    sets = list(combinations_with_replacement(range(records), half))
    for leaving, entering in product(sets, sets):
        move = Counter(entering)
        move.subtract(leaving)
        sums: Counter[tuple[int, int]] = Counter()
        for record, change in move.items():
            for m, cells in enumerate(margins):
                sums[m, cells[record]] += change
        if not any(sums.values()):
            yield move


def norms_of(move: Counter[int], columns: Sequence[Column]) -> tuple[int, int, int]:
    answer: Counter[object] = Counter()
    for record, change in move.items():
        for coordinate, entry in columns[record]:
            answer[coordinate] += change * entry
    values = [abs(value) for value in answer.values()]
    return sum(values), sum(value * value for value in values), max(values, default=0)


@pytest.mark.parametrize("seed", RANDOM)
def test_the_largest_norms_are_those_of_all_moves(seed: int) -> None:
    chance = random.Random(seed)
    records, half = chance.randint(2, 8), chance.randint(1, 3)
    margins = [
        [chance.randrange(chance.randint(1, 3)) for _ in range(records)]
        for _ in range(chance.randint(1, 3))
    ]
    columns: list[Column] = [
        tuple(((0, c), chance.randint(-2, 2)) for c in range(3) if chance.random() < 0.7)
        for _ in range(records)
    ]
    true = (0, 0, 0)
    for move in all_moves(margins, records, half):
        one, two, three = map(max, true, norms_of(move, columns))
        true = one, two, three
    found = largest_moves(margins, columns, 2 * half)
    assert found is not None
    assert found.norms == true
    assert {max(column) for column in zip(*(norms_of(Counter(dict(enumerate(move))), columns)
            for move in found.moves), strict=True)} <= {*true}  # fmt: skip


def test_a_search_with_too_many_branches_gives_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(branching, "MAX_BRANCHES", 10)
    columns: list[Column] = [(((0, c), 1),) for c in range(6)]
    assert largest_moves([[0] * 6], columns, 4) is None


def test_the_two_way_margins_of_hair_and_eye_colors() -> None:
    # A change is (M, -M) with zero margins and at most 5 records: |M|_1 = 4, and ρ = 8/4.
    counts = [[[32, 36], [11, 9], [10, 5], [3, 2]], [[53, 66], [50, 34], [25, 29], [15, 14]],
              [[10, 16], [10, 7], [7, 7], [7, 7]], [[3, 4], [30, 64], [5, 5], [8, 8]]]  # fmt: skip
    spec: dict[str, Any] = {
        "semiaudit": 1,
        "dataspace": {"attributes": {"hair": 4, "eye": 4, "sex": 2}},
        "invariants": [
            {"margin": pair} for pair in (["hair", "eye"], ["hair", "sex"], ["eye", "sex"])
        ],
        "data": {"counts": counts},
        "mechanism": {"discrete_gaussian": {"sigma_squared": 2, "query": "table"}},
    }
    report = audit(spec)
    assert report.semi_dp.distance == 5
    assert report.semi_dp.rho is not None
    assert report.semi_dp.rho.value == 2
