"""Which single measure implies another one."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.model.measure import ZCDP, ApproxZCDP
from semiaudit.privacy.ordering.implication import implies

ONE, TENTH, FIFTH = Fraction(1), Fraction(1, 10), Fraction(1, 5)


def test_zcdp_implies_what_sets_no_less_aside_and_allows_no_less() -> None:
    assert implies(ApproxZCDP(ONE, TENTH), ApproxZCDP(ONE, FIFTH))
    assert not implies(ApproxZCDP(ONE, FIFTH), ApproxZCDP(ONE, TENTH))
    assert not implies(ApproxZCDP(2 * ONE, TENTH), ApproxZCDP(ONE, FIFTH))
    assert implies(ZCDP(ONE), ApproxZCDP(ONE, TENTH))
    assert not implies(ApproxZCDP(ONE, TENTH), ZCDP(ONE))
