"""Rows that share numbers, and rows that do not."""

from __future__ import annotations

from fractions import Fraction

import pytest

from semiaudit.auditing import row_numbers
from semiaudit.auditing.row_numbers import RowNumbers
from semiaudit.model.audit import ReportOptions
from semiaudit.model.guarantee import Numbers
from semiaudit.model.measure import GDP, ZCDP, Measure, PureDP
from semiaudit.privacy.evaluate import numbers_of
from semiaudit.privacy.loss import Accuracy

OPTIONS = ReportOptions((Fraction(1, 10**6),), (Fraction(1, 20),), ())
ONE = Fraction(1)
ROWS: list[tuple[Measure, ...]] = [
    (PureDP(9 * ONE), ZCDP(ONE)),
    (PureDP(9 * ONE), ZCDP(ONE, exact=False)),
    (PureDP(9 * ONE), ZCDP(ONE)),
    (ZCDP(ONE),),
    (GDP(ONE), ZCDP(ONE)),
    (GDP(ONE, attained=True), ZCDP(ONE)),
    (),
    (GDP(ONE), ZCDP(ONE)),
]


def test_rows_share_numbers_where_measures_and_what_is_exact_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[Measure, ...]] = []

    def noted(measures: tuple[Measure, ...], *given: object) -> Numbers:
        asked.append(measures)
        return numbers_of(measures, OPTIONS.deltas, OPTIONS.type_i, Accuracy())

    monkeypatch.setattr(row_numbers, "numbers_of", noted)
    numbers = RowNumbers(OPTIONS, Accuracy())
    for row in ROWS:
        assert numbers.of(row) == numbers_of(row, OPTIONS.deltas, OPTIONS.type_i, Accuracy())
    assert len(asked) == 6
    sides = [bound.side for row in ROWS[:2] if (bound := numbers.of(row).zcdp)]
    assert sides == ["exact", "upper"]
