"""Joint moves of several queries."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any, cast

import pytest

from semiaudit.universe.sensitivity import joint_moves
from semiaudit.universe.sensitivity.joint_moves import _holds_all


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
    square: int, side: str, known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A query moves two counts by 1 and one by 2, and another one three counts by 1: 6 and 3."""
    monkeypatch.setattr(joint_moves, "_moves", lambda question, elements, **_: elements)
    separate: Any = [
        SimpleNamespace(l2_squared=SimpleNamespace(value=Fraction(squared)), moves=moves)
        for squared, moves in (
            (6, SimpleNamespace(attained=True, sizes=((Fraction(2), 1), (Fraction(1), 2)))),
            (3, SimpleNamespace(attained=True, sizes=((Fraction(1), 3),))),
        )
    ]
    together: Any = SimpleNamespace(l2_squared=SimpleNamespace(side=side, value=Fraction(square)))
    question: Any = None
    found: Any = joint_moves.of_one_worst(question, together, separate)
    assert found == ([((2, 1, 1), (1, 1, 1))] if known else None)


@pytest.mark.parametrize(
    ("l1", "table", "single", "gauge"),
    [(0, True, False, 0), (4, True, False, 2), (4, True, True, 4), (4, False, False, 3)],
)
def test_the_gauge_of_a_table_is_half_of_its_l1_norm_if_records_are_replaced(
    l1: int, table: bool, single: bool, gauge: int
) -> None:
    moves: Any = SimpleNamespace(tables=[table], single=single, most=Fraction(3))
    assert joint_moves.JointMoves._gauge(moves, 0, l1, sure=True).value == gauge
