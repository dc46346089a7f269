"""Which single measure implies another one."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.model.measure import GDP, ZCDP, ApproxDP, ApproxZCDP, PiecewiseLinear, PureDP
from semiaudit.privacy.ordering.implication import implies

ONE, HALF, TENTH, FIFTH = Fraction(1), Fraction(1, 2), Fraction(1, 10), Fraction(1, 5)


def test_zcdp_implies_what_sets_no_less_aside_and_allows_no_less() -> None:
    assert implies(ApproxZCDP(ONE, TENTH), ApproxZCDP(ONE, FIFTH))
    assert not implies(ApproxZCDP(ONE, FIFTH), ApproxZCDP(ONE, TENTH))
    assert not implies(ApproxZCDP(2 * ONE, TENTH), ApproxZCDP(ONE, FIFTH))
    assert implies(ZCDP(ONE), ApproxZCDP(ONE, TENTH))
    assert not implies(ApproxZCDP(ONE, TENTH), ZCDP(ONE))


def test_what_loses_nothing_implies_everything_and_follows_from_itself_alone() -> None:
    nothing = PureDP(Fraction(0))
    for weak in (PureDP(ONE), ZCDP(ONE), GDP(ONE), ApproxDP(ONE, TENTH), nothing):
        assert implies(nothing, weak)
        assert implies(weak, nothing) == (weak == nothing)
    assert implies(GDP(Fraction(0)), ZCDP(ONE))


def test_gaussian_dp_implies_a_polygon_whose_lines_its_function_does_not_cross() -> None:
    zero = Fraction(0)
    low = PiecewiseLinear(((zero, Fraction(3, 4)), (TENTH, HALF), (HALF, zero), (ONE, zero)))
    # G_0.1(0.1) is 0.88, and G_5(0.1) is below 0.001.
    assert implies(GDP(Fraction(1, 100)), low)
    assert not implies(GDP(Fraction(25)), low)
