"""The span of sparse rows against dense elimination in fractions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import pytest

from semiaudit import deadline
from semiaudit.numeric import row_space
from semiaudit.numeric.row_space import RowSpace, TooLongError, unique_solution
from tests.oracles.linear_algebra import echelon, rank, times


def sparse(row: Sequence[int | Fraction]) -> dict[int, int | Fraction]:
    return dict(enumerate(row))


def dense(row: dict[int, Fraction], width: int) -> list[Fraction]:
    return [row.get(c, Fraction(0)) for c in range(width)]


def random_rows(chance: random.Random) -> tuple[list[list[int | Fraction]], int]:
    width, number = chance.randint(1, 7), chance.randint(0, 6)
    return [
        [
            Fraction(chance.randint(-4, 4), chance.choice((1, 1, 1, 2, 3)))
            for _ in range(width)
        ]
        for _ in range(number)
    ], width  # fmt: skip


def test_the_reduced_form_is_that_of_dense_elimination() -> None:
    chance = random.Random(1)
    for _ in range(500):
        rows, width = random_rows(chance)
        space = RowSpace(map(sparse, rows))
        assert [dense(space.row(pivot), width) for pivot in space.pivots] == echelon(rows)
        assert space.rank == rank(rows)


def test_a_form_with_the_last_pivots_is_that_of_the_rows_turned_around() -> None:
    chance = random.Random(2)
    for _ in range(200):
        rows, width = random_rows(chance)
        space = RowSpace(map(sparse, rows), last=True)
        found = [dense(space.row(pivot), width)[::-1] for pivot in reversed(space.pivots)]
        assert found == echelon([row[::-1] for row in rows])


def test_adding_says_whether_a_row_was_independent() -> None:
    chance = random.Random(3)
    for _ in range(300):
        rows, _ = random_rows(chance)
        space = RowSpace()
        for at, row in enumerate(rows):
            assert space.add(sparse(row)) == (rank(rows[: at + 1]) > rank(rows[:at]))


def test_combinations_are_exact_and_found_just_where_the_rank_does_not_rise() -> None:
    chance = random.Random(4)
    for _ in range(500):
        rows, width = random_rows(chance)
        target: list[int | Fraction] = [chance.randint(-3, 3) for _ in range(width)]
        if rows and chance.random() < 0.5:
            target = [sum(column, Fraction(0)) for column in zip(*rows, strict=True)]
        found = RowSpace.of_numbered(map(sparse, rows), width).combination(sparse(target))
        assert (found is not None) == (rank([*rows, target]) == rank(rows))
        if found is not None:
            mixed = times([found], rows)[0] if rows else [Fraction(0)] * width
            assert mixed == target


def test_what_is_left_of_a_row_is_0_in_the_pivots_and_differs_by_a_row_of_the_span() -> None:
    chance = random.Random(5)
    for _ in range(300):
        rows, width = random_rows(chance)
        row = [Fraction(chance.randint(-5, 5), chance.randint(1, 3)) for _ in range(width)]
        space = RowSpace(map(sparse, rows))
        left = space.rest(sparse(row))
        assert not any(left.get(pivot) for pivot in space.pivots)
        taken = [a - b for a, b in zip(row, dense(left, width), strict=True)]
        assert rank([*rows, taken]) == rank(rows)


def test_the_kernel_is_all_that_the_rows_do_not_see() -> None:
    chance = random.Random(6)
    for _ in range(300):
        rows, width = random_rows(chance)
        basis = [dense(row, width) for row in RowSpace(map(sparse, rows)).kernel(width)]
        assert len(basis) == rank(basis) == width - rank(rows)
        assert not any(value for row in times(basis, zip_columns(rows, width)) for value in row)


def zip_columns(rows: list[list[int | Fraction]], width: int) -> list[list[int | Fraction]]:
    return [[row[c] for row in rows] for c in range(width)]


def test_a_system_has_a_unique_solution_just_where_its_rank_is_full() -> None:
    chance = random.Random(7)
    solved = 0
    for _ in range(500):
        rows, width = random_rows(chance)
        wanted = [Fraction(chance.randint(-9, 9)) for _ in range(width)]
        values = [value for (value,) in times(rows, [[k] for k in wanted])]
        scaled = [[6 * k for k in row] for row in rows]
        found = unique_solution(list(map(sparse, scaled)), [int(6 * v) for v in values], width)
        assert found == (tuple(wanted) if rank(rows) == width else None)
        solved += found is not None
    assert solved > 50


def test_a_solution_need_not_be_whole() -> None:
    assert unique_solution([{0: 2}], [3], 1) == (Fraction(3, 2),)


def test_large_numbers_are_exact() -> None:
    assert RowSpace.of_numbered([{0: 1 << 200}], 1).combination({0: 1}) == (Fraction(1, 1 << 200),)


def test_an_elimination_beyond_its_limit_is_refused() -> None:
    chance = random.Random(8)
    rows = [{c: chance.randint(1, 9) for c in range(30)} for _ in range(20)]
    assert RowSpace(rows).rank == 20
    with pytest.raises(TooLongError):
        RowSpace(rows, limit=500)


def test_the_time_limit_is_looked_at_once_in_so_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    space = RowSpace()
    monkeypatch.setattr(deadline, "check", lambda: looked.append(space._added))
    for _ in range(2 * row_space.ROWS_BETWEEN_CHECKS + 1):
        space.add({0: 1})
    assert looked == [row_space.ROWS_BETWEEN_CHECKS, 2 * row_space.ROWS_BETWEEN_CHECKS]
