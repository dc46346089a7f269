"""The columns of an answer, as many as may be listed."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

from semiaudit.universe.sensitivity.one_step import distinct_columns


@pytest.mark.parametrize(("most", "number"), [(6, 6), (7, 6), (5, None)])
def test_columns_are_listed_up_to_their_largest_number(most: int, number: int | None) -> None:
    answers: Any = SimpleNamespace(
        matrix=None, space=SimpleNamespace(product_cells=True), sizes=[2, 3], relevant=(0, 1),
        column=lambda levels: ((levels, 1),),
    )  # fmt: skip
    records: Any = SimpleNamespace(
        components=[(0,), (1,)], within=lambda *_: True,
        some=lambda _: product(range(2), range(3)),
    )  # fmt: skip
    found = distinct_columns(answers, records, most)
    assert (None if found is None else len(found)) == number
