"""Certified brackets beside a published curve of the DHC's persons, and where that curve ends."""

from __future__ import annotations

from fractions import Fraction

import pytest

from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.loss.engine import delta_bracket, epsilon_bracket
from tests.privacy.loss.inversion import delta_of_discrete_gaussians
from tests.privacy.loss.published_curve import dhc_persons, dhc_variances, published_curve

POINTS = published_curve()
SMALL = Fraction(1, 10**13)
"""Below it their digits are lost one after another."""


@pytest.mark.parametrize("at", [0, 21])
def test_their_larger_deltas_lie_in_our_brackets(at: int) -> None:
    point = POINTS[at]
    assert point.delta > SMALL
    found = delta_bracket(dhc_persons(), point.epsilon, Accuracy(tolerance=1e-8))
    assert found.lower <= point.delta <= found.upper
    assert found.upper - found.lower < 1e-9 * found.upper


def test_their_smallest_delta_is_three_times_too_large() -> None:
    """A tail that is off by 1e-35 is off by 1e-35 times exp(epsilon) in delta."""
    point = POINTS[-1]
    found = delta_bracket(dhc_persons(), point.epsilon, Accuracy(tolerance=1e-8))
    again = delta_of_discrete_gaussians([(1, v, 2) for v in dhc_variances()], point.epsilon, 3.1)
    assert found.lower == pytest.approx(again, rel=1e-7)
    assert found.upper == pytest.approx(again, rel=1e-7)
    assert 3.1 < float(point.delta) / found.upper < 3.2


@pytest.mark.parametrize(("digits", "tilt"), [(10, 2.0), (35, 3.9)])
def test_epsilon_is_bracketed_down_to_1e_35(digits: int, tilt: float) -> None:
    delta = Fraction(1, 10**digits)
    found = epsilon_bracket(dhc_persons(), delta, Accuracy(tolerance=1e-8))
    assert found.complete
    assert found.upper - found.lower < 1e-9
    for end, sign in ((found.lower, 1), (found.upper, -1)):
        again = delta_of_discrete_gaussians(
            [(1, v, 2) for v in dhc_variances()], Fraction(end) - sign * Fraction(1, 10**6), tilt
        )
        assert sign * (again / float(delta) - 1) > 0
