"""The largest moves by branching, against all pairs of records that leave and enter."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from semiaudit import audit
from semiaudit.universe.sensitivity import bounds, differences, joint_moves
from semiaudit.universe.sensitivity.answers import Column
from semiaudit.universe.sensitivity.bounds import largest_moves
from semiaudit.universe.sensitivity.differences import Collector, distinct, fits
from semiaudit.universe.sensitivity.joint_moves import _holds_all
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
    monkeypatch.setattr(bounds, "MAX_BRANCHES", 10)
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


def test_of_several_corners_none_is_known_to_dominate_every_sum_of_steps() -> None:
    corners = cast(Any, [((2, 1),), ((1, 2),)])
    assert not _holds_all(cast(Any, "no question is asked"), corners)


def test_one_record_moves_two_cells_of_each_margin_that_has_several(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(joint_moves, "_one_pair_differs", lambda question, able: True)
    margins = ((0,), (1,), (0, 1))
    answers = SimpleNamespace(matrix=None, margins=margins, blocks=((0, 1, 2), (1,), (0,)))
    records = SimpleNamespace(several=lambda places: places != (1,))
    reach = SimpleNamespace(free=False)
    question = cast(Any, SimpleNamespace(answers=answers, records=records, reach=reach))
    assert joint_moves._steps(question) == [((1,) * 4, (), (1,) * 2)]


@pytest.mark.parametrize(
    ("product_cells", "ends", "able", "differs"),
    [
        (True, None, [True], True),
        (False, None, [True, True], False),
        (False, ((0, 0), (1, 1)), [True, True], True),
        (False, ((0, 0), (0, 1)), [True, True], False),
        (False, ((0, 0), (0, 1)), [False, True], True),
    ],
)
def test_one_pair_of_records_differs_in_every_margin_in_which_any_can(
    product_cells: bool, ends: Any, able: list[bool], differs: bool
) -> None:
    question: Any = SimpleNamespace(
        space=SimpleNamespace(product_cells=product_cells),
        records=SimpleNamespace(ends=lambda: ends),
        answers=SimpleNamespace(column=lambda levels: levels),
    )
    assert joint_moves._one_pair_differs(question, able) is differs


@pytest.mark.parametrize(
    ("square", "side", "known"), [(9, "exact", True), (8, "exact", False), (9, "upper", False)]
)
def test_one_element_has_the_worst_moves_of_all_queries_if_its_square_is_their_sum(
    square: int, side: str, known: bool
) -> None:
    """A query moves two counts by 1 and one by 2, and another one three counts by 1: 6 and 3."""
    separate: Any = [
        SimpleNamespace(l2_squared=SimpleNamespace(value=Fraction(squared)), moves=moves)
        for squared, moves in (
            (6, SimpleNamespace(attained=True, sizes=((Fraction(2), 1), (Fraction(1), 2)))),
            (3, SimpleNamespace(attained=True, sizes=((Fraction(1), 3),))),
        )
    ]
    together = SimpleNamespace(l2_squared=SimpleNamespace(side=side, value=Fraction(square)))
    question: Any = SimpleNamespace(sensitivity=together, separate=separate)
    found: Any = joint_moves.of_one_worst(question)
    assert (found and found.elements) == ((((2, 1, 1), (1, 1, 1)),) if known else None)


@pytest.mark.parametrize(
    ("l1", "table", "single", "gauge"),
    [(0, True, False, 0), (4, True, False, 2), (4, True, True, 4), (4, False, False, 3)],
)
def test_the_gauge_of_a_table_is_half_of_its_l1_norm_if_records_are_replaced(
    l1: int, table: bool, single: bool, gauge: int
) -> None:
    answers = SimpleNamespace(tables=[table])
    question = SimpleNamespace(answers=answers, single=single, most=Fraction(3))
    moves: Any = SimpleNamespace(question=question)
    assert joint_moves.JointMoves._gauge(moves, 0, l1, sure=True).value == gauge
