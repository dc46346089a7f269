"""The optimal attack on measures that only bound a privacy loss."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

import pytest

from semiaudit.model.measure import ZCDP, ApproxZCDP, PiecewiseLinear
from semiaudit.privacy.best_attack import BestAttack
from semiaudit.privacy.loss import Accuracy


@pytest.mark.parametrize(("rho", "delta"), [("1/50", "1/10"), ("1/8", "1/100")])
@pytest.mark.parametrize("type_i", ["1/20", "3/10"])
def test_type_ii_of_approximate_zcdp_is_between_that_of_two_known_bounds(
    rho: str, delta: str, type_i: str
) -> None:
    """Gaussian noise that fails with probability delta has it; Pinsker's inequality is looser."""
    kept = 1 - float(Fraction(delta))
    within = float(Fraction(type_i)) / kept
    normal = NormalDist()
    gaussian = normal.cdf(normal.inv_cdf(1 - within) - math.sqrt(2 * float(Fraction(rho))))
    pinsker = 1 - within - math.sqrt(float(Fraction(rho)) / 2)
    attack = BestAttack((ApproxZCDP(Fraction(rho), Fraction(delta)),), Accuracy())
    assert kept * pinsker <= attack.type_ii(Fraction(type_i)) <= kept * gaussian


def test_an_attacker_may_always_be_wrong_as_often_as_the_noise_fails() -> None:
    attack = BestAttack((ApproxZCDP(Fraction(1, 8), Fraction(1, 10)),), Accuracy())
    assert attack.type_ii(Fraction(9, 10)) == 0
    assert attack.type_ii(Fraction(19, 20)) == 0


def test_a_merged_polygon_bounds_the_type_ii_error_next_to_zcdp() -> None:
    """The line from (0, 1/2) to (1/2, 0) has 1/4 at 1/4; a large rho has next to nothing."""
    half = Fraction(1, 2)
    merged = PiecewiseLinear(
        ((Fraction(0), half), (half, Fraction(0)), (Fraction(1), Fraction(0))), merged=True
    )
    for measures in ((merged,), (merged, ZCDP(Fraction(50)))):
        attack = BestAttack(measures, Accuracy())
        assert attack.type_ii(Fraction(1, 4)) == Fraction(1, 4)
