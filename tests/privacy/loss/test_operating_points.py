"""Pairs without a common outcome: no test errs, and that is all there is to know."""

from __future__ import annotations

from fractions import Fraction

import pytest

from semiaudit.model.loss import FiniteLoss, LaplaceLoss, PrivacyLoss
from semiaudit.privacy.loss.bracket import Accuracy, Bracket
from semiaudit.privacy.loss.engine import power_bracket, type_ii_bracket

APART = FiniteLoss((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))
LOSS = PrivacyLoss(((APART, 1), (LaplaceLoss(Fraction(1)), 2)))


@pytest.mark.parametrize("type_i", [Fraction(0), Fraction(1, 100), Fraction(1, 2)])
def test_errors_of_pairs_without_a_common_outcome_are_0_and_complete(type_i: Fraction) -> None:
    assert type_ii_bracket(LOSS, type_i, Accuracy()) == Bracket(0.0, 0.0, "exact", True)
    assert power_bracket(LOSS, type_i, Accuracy()) == Bracket(1.0, 1.0, "exact", True)
