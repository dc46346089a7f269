"""What a declared privacy measure implies by itself."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.mechanisms.declared import approx_dp
from semiaudit.model.measure import ApproxDP, PiecewiseLinear, PureDP


def test_a_delta_above_0_is_no_pure_dp_and_a_delta_of_0_is() -> None:
    measure = ApproxDP(Fraction(1), Fraction(1, 100))
    found = approx_dp(measure)
    assert measure in found
    assert not any(isinstance(one, PureDP) for one in found)
    (function,) = (one for one in found if isinstance(one, PiecewiseLinear))
    assert function.vertices[0] == (0, Fraction(99, 100))
    assert PureDP(Fraction(1)) in approx_dp(ApproxDP(Fraction(1), Fraction(0)))
