"""Joint moves of several queries."""

from __future__ import annotations

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
