"""What holds for every pair of datasets, from what holds for each of several kinds of pairs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath

from semiaudit.model.loss import DiscreteLaplaceLoss, LaplaceLoss, PrivacyLoss, WorstLoss
from semiaudit.model.measure import GDP, ZCDP, Measure, PiecewiseLinear, PureDP
from semiaudit.privacy.evaluate import numbers_of
from semiaudit.privacy.ordering.joining import joined
from semiaudit.privacy.tradeoff.polygon import type_ii_at
from semiaudit.privacy.weakest import weakest, worst_loss
from tests.oracles.domination import discrete_laplace_pair, hockey_stick

ONE, TWO = Fraction(1), Fraction(2)


def test_numbers_are_the_largest_of_all() -> None:
    bundles: list[tuple[Measure, ...]] = [
        (PureDP(ONE), ZCDP(TWO)),
        (PureDP(TWO), ZCDP(ONE)),
        (PureDP(ONE), GDP(TWO)),
    ]
    assert {PureDP(TWO), ZCDP(TWO)} <= set(weakest(bundles[:2]))
    assert [m for m in weakest(bundles) if isinstance(m, ZCDP)] == []


def test_the_convex_minimum_lies_below_both_functions() -> None:
    one = PiecewiseLinear(((Fraction(0), Fraction(4, 5)), (Fraction(1), Fraction(0))))
    points = ((0, 1), (Fraction(1, 10), Fraction(3, 10)), (1, 0))
    other = PiecewiseLinear(tuple((Fraction(x), Fraction(y)) for x, y in points))
    (found,) = (m for m in weakest([(one,), (other,)]) if isinstance(m, PiecewiseLinear))
    for x, _ in (*one.vertices, *other.vertices):
        assert type_ii_at(found, x) <= min(type_ii_at(one, x), type_ii_at(other, x))
    assert type_ii_at(found, Fraction(0)) == Fraction(4, 5)
    assert type_ii_at(found, Fraction(1, 10)) == Fraction(3, 10)


def test_losses_that_are_not_ordered_are_all_kept() -> None:
    wide = PrivacyLoss(((DiscreteLaplaceLoss(2, TWO), 1),), attained=True)
    twice = PrivacyLoss(((DiscreteLaplaceLoss(1, ONE), 2),), attained=True)
    smaller = PrivacyLoss(((DiscreteLaplaceLoss(1, TWO), 1),))
    found = worst_loss([smaller, wide, twice])
    assert found == WorstLoss((wide, twice))
    assert worst_loss([smaller, wide]) == wide


def test_epsilon_of_the_worst_of_several_losses_is_that_of_one_of_them() -> None:
    """delta of both pairs, outcome by outcome: the larger one at the printed epsilon is enough."""
    wide = PrivacyLoss(((DiscreteLaplaceLoss(3, TWO), 1),), attained=True)
    twice = PrivacyLoss(((DiscreteLaplaceLoss(1, ONE), 1),), attained=True)
    found = numbers_of((WorstLoss((wide, twice)),), (Fraction(1, 10),), (Fraction(1, 20),))
    (point,) = found.approx_dp

    def worst(epsilon: float) -> Any:
        pairs = discrete_laplace_pair([3], TWO), discrete_laplace_pair([1], ONE)
        return max(hockey_stick(pair, mpmath.exp(epsilon)) for pair in pairs)

    assert point.epsilon_lower is not None
    assert worst(float(point.epsilon.value)) <= 0.1 + 1e-12
    assert worst(float(point.epsilon_lower.value)) >= 0.1 - 1e-12
    assert found.advantage is not None
    assert abs(float(found.advantage.value) - worst(0.0)) <= 2e-5


def test_a_joined_product_has_the_larger_pair_at_every_place() -> None:
    one = PrivacyLoss(((LaplaceLoss(Fraction(3)), 1), (LaplaceLoss(ONE), 1)))
    other = PrivacyLoss(((LaplaceLoss(TWO), 3), (DiscreteLaplaceLoss(1, ONE), 1)))
    found = joined([one, other])
    assert found is not None
    assert dict(found.parts) == {
        LaplaceLoss(Fraction(3)): 1,
        LaplaceLoss(TWO): 2,
        DiscreteLaplaceLoss(1, ONE): 1,
    }
