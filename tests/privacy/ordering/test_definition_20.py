"""Row 30: the partial order of guarantees on three bits, and of measures."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PiecewiseLinear, PureDP
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.measures import gdp
from semiaudit.privacy.ordering.definition_20 import (
    Order,
    StatedGuarantee,
    order_of_guarantees,
    order_of_measures,
)
from semiaudit.privacy.tradeoff.functional_power import composed_with_itself
from semiaudit.privacy.tradeoff.polygon import tradeoff_from_approx_dp

G_1 = GDP(Fraction(1))
PURE = PureDP(Fraction(1))
BITS = list(product((0, 1), repeat=3))


def pairs(datasets: list[tuple[int, ...]], distance: int) -> frozenset[tuple[object, object]]:
    return frozenset(
        (x, y)
        for x in datasets
        for y in datasets
        if 0 < sum(a != b for a, b in zip(x, y, strict=True)) <= distance
    )


D_1, D_2 = pairs(BITS, 1), pairs(BITS, 2)
D_T_2 = pairs([x for x in BITS if sum(x) == 2], 2)


def test_row_30_semi_dp_is_weaker_than_group_privacy_at_the_same_distance() -> None:
    f = tradeoff_from_approx_dp(ApproxDP(Fraction(1), Fraction(0)))
    twice = composed_with_itself(f, 2)
    semi, whole = StatedGuarantee(D_T_2, twice), StatedGuarantee(D_2, twice)
    assert order_of_guarantees(semi, whole) == "weaker"
    assert order_of_guarantees(whole, semi) == "stronger"


def test_row_30_ordinary_and_semi_dp_with_one_function_are_incomparable() -> None:
    ordinary, semi = StatedGuarantee(D_1, G_1), StatedGuarantee(D_T_2, G_1)
    assert not D_1 & D_T_2
    assert order_of_guarantees(ordinary, semi) == "incomparable"


def test_fewer_pairs_with_a_stronger_function_are_incomparable() -> None:
    few, many = StatedGuarantee(D_T_2, G_1), StatedGuarantee(D_2, GDP(Fraction(4)))
    assert order_of_guarantees(few, many) == "incomparable"
    assert order_of_guarantees(StatedGuarantee(D_2, G_1), many) == "stronger"


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
