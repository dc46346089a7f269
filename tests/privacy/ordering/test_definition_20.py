"""Row 30: the partial order of measures."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from statistics import NormalDist

import pytest

from semiaudit.model.loss import LaplaceLoss
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PiecewiseLinear, PureDP
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.measures import gdp
from semiaudit.privacy.ordering.definition_20 import Order, order_of_functions, order_of_measures
from semiaudit.privacy.tradeoff.algebra import composed_with_itself
from semiaudit.privacy.tradeoff.function import TradeoffFunction
from semiaudit.privacy.tradeoff.polygon import tradeoff_from_approx_dp

G_1 = GDP(Fraction(1))
PURE = PureDP(Fraction(1))


tight = Fraction(gdp.delta_at(G_1, Interval.of(1)).high)


@pytest.mark.parametrize(
    ("first", "second", "order"),
    [
        (G_1, PURE, "incomparable"),
        (G_1, ApproxDP(Fraction(1), tight), "stronger"),
        (ApproxDP(Fraction(1), tight), G_1, "weaker"),
        (G_1, ApproxDP(Fraction(1), Fraction("0.1269367")), "incomparable"),
        (G_1, GDP(Fraction(4)), "stronger"),
        (PURE, PureDP(Fraction(1)), "equal"),
        (PureDP(Fraction(2)), PURE, "weaker"),
        (ZCDP(Fraction(1)), ZCDP(Fraction(2)), "stronger"),
        (ZCDP(Fraction(1)), G_1, "undecided"),
    ],
)
def test_row_30_measures(first: Measure, second: Measure, order: Order) -> None:
    """0.1269367 is below delta(1) of G_1 by 3.75e-8, so f_{1,0.1269367} is the higher one there."""
    assert order_of_measures(first, second) == order


def test_row_7_three_steps_of_pure_dp_are_strictly_more_than_three_epsilon() -> None:
    f = tradeoff_from_approx_dp(ApproxDP(Fraction(1), Fraction(0)))
    third = composed_with_itself(f, 3)
    assert isinstance(third, PiecewiseLinear)
    loose = tradeoff_from_approx_dp(ApproxDP(Fraction(301, 100), Fraction(0)))
    assert order_of_measures(third, loose) == "stronger"


def laplace_at(shift: float, type_i: float) -> float:
    """The type II error of Laplace noise of scale 1 moved by the shift, in its three pieces."""
    if math.exp(-shift) / 2 < type_i < 0.5:
        return math.exp(-shift) / (4 * type_i)
    return max(1 - math.exp(shift) * type_i, math.exp(-shift) * (1 - type_i))


def approx_at(epsilon: float, delta: float, type_i: float) -> float:
    steep, flat = 1 - delta - math.exp(epsilon) * type_i, math.exp(-epsilon) * (1 - delta - type_i)
    return max(0.0, steep, flat)


def gaussian_at(mu: float, type_i: float) -> float:
    return NormalDist().cdf(NormalDist().inv_cdf(1 - type_i) - mu)


def laplace(shift: str) -> LaplaceLoss:
    return LaplaceLoss(Fraction(shift))


@pytest.mark.parametrize(
    ("first", "second", "order"),
    [
        (laplace("1"), laplace("2"), "stronger"),
        (laplace("2"), laplace("1.0000000001"), "weaker"),
        (laplace("-1"), laplace("1"), "equal"),
        (laplace("0"), GDP(Fraction(0)), "equal"),
        (laplace("1"), PURE, "stronger"),  # e-DP allows all that Laplace noise reveals, and more
        (PureDP(Fraction("0.999")), laplace("1"), "incomparable"),
        (laplace("2"), PURE, "weaker"),
        (laplace("1"), ApproxDP(Fraction(1, 2), Fraction("0.2212")), "stronger"),
        (laplace("1"), ApproxDP(Fraction(1, 2), Fraction("0.2")), "incomparable"),
        (GDP(Fraction(9)), laplace("1"), "weaker"),
        (laplace("1"), G_1, "incomparable"),
    ],
)
def test_laplace_noise_is_ordered_by_its_closed_form(
    first: TradeoffFunction, second: TradeoffFunction, order: Order
) -> None:
    """delta(1/2) of Laplace noise moved by 1 is 1 - e^(-1/4) = 0.221199...

    G_1 lies below it at small errors, and above it at 1/4: 0.3724 and e^-1 = 0.3679.
    """
    turned: dict[Order, Order] = {"stronger": "weaker", "weaker": "stronger"}
    assert order_of_functions(first, second) == order
    assert order_of_functions(second, first) == turned.get(order, order)


def test_what_is_decided_agrees_with_the_functions_on_a_fine_grid() -> None:
    chance = random.Random(5)
    decided = 0
    grid = [place / 400 for place in range(1, 400)] + [10.0**-k for k in range(3, 12)]
    for _ in range(8):
        s, e, mu = chance.uniform(0, 3), chance.uniform(0, 3), chance.uniform(0, 3)
        delta = chance.choice([0.0, chance.uniform(0, 0.4)])
        first = LaplaceLoss(Fraction(s))
        values = [laplace_at(s, a) for a in grid]
        for second, others in (
            (LaplaceLoss(Fraction(e)), [laplace_at(e, a) for a in grid]),
            (ApproxDP(Fraction(e), Fraction(delta)), [approx_at(e, delta, a) for a in grid]),
            (GDP(Fraction(mu) ** 2), [gaussian_at(mu, a) for a in grid]),
        ):
            gaps = [f - g for f, g in zip(values, others, strict=True)]
            order = order_of_functions(first, second)
            decided += order != "undecided"
            if order != "undecided":
                assert (min(gaps) >= -1e-12) == (order in ("equal", "stronger"))
                assert (max(gaps) <= 1e-12) == (order in ("equal", "weaker"))
    assert decided >= 20
