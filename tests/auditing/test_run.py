"""Rows that share numbers, and rows that do not."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from semiaudit.auditing import run as row_numbers
from semiaudit.auditing.run import RowNumbers
from semiaudit.model.audit import ReportOptions
from semiaudit.model.guarantee import Alternative, Numbers
from semiaudit.model.loss import LaplaceLoss, PrivacyLoss
from semiaudit.model.measure import GDP, ZCDP, Measure, PureDP
from semiaudit.privacy.evaluate import CertifiedRow, numbers_of
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


def plain(row: tuple[Measure, ...]) -> Numbers:
    """The numbers of one row that shares nothing."""
    return numbers_of(row, OPTIONS.deltas, OPTIONS.type_i, Accuracy())


def test_rows_that_differ_in_claims_alone_share_searches_and_keep_their_claims(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[tuple[Measure, ...]] = []

    class Noted(CertifiedRow):
        def __init__(self, measures: tuple[Measure, ...], *given: Any) -> None:
            searched.append(measures)
            super().__init__(measures, *given)

    monkeypatch.setattr(row_numbers, "CertifiedRow", Noted)
    numbers = RowNumbers(OPTIONS, Accuracy())
    for row in ROWS:
        assert numbers.of(row) == plain(row)
    assert searched == [ROWS[0], ROWS[3], ROWS[4], ROWS[6]]
    sides = [bound.side for row in ROWS[:2] if (bound := numbers.of(row).zcdp)]
    assert sides == ["exact", "upper"]
    assert [numbers.of(row).own_gdp is None for row in ROWS[4:6]] == [False, False]


def test_a_summary_has_every_number_of_a_report_but_the_regret() -> None:
    numbers = RowNumbers(OPTIONS, Accuracy(), in_full=False)
    for row in ROWS:
        assert numbers.of(row) == replace(plain(row), gdp_regret=None)
    assert any(plain(row).gdp_regret is not None for row in ROWS)


def test_a_summary_needs_only_alternatives_that_the_engine_may_leave_incomplete() -> None:
    closed = Alternative("proposition_15", (PureDP(ONE), ZCDP(ONE)))
    loss = PrivacyLoss(((LaplaceLoss(ONE), 2),))
    composed = Alternative("corollary_18", (PureDP(2 * ONE), loss))
    both = (closed, composed)
    assert RowNumbers(OPTIONS, Accuracy()).needed(both) == [closed, composed]
    assert RowNumbers(OPTIONS, Accuracy(), in_full=False).needed(both) == [composed]
