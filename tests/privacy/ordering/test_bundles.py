"""Definition 20 for bundles of measures: row 30's functions, and what is not claimed."""

from __future__ import annotations

from fractions import Fraction

import pytest

from semiaudit.model.loss import LaplaceLoss, PrivacyLoss
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PureDP
from semiaudit.numeric import Interval
from semiaudit.privacy.measures import gaussian
from semiaudit.privacy.ordering.bundles import is_exact, order_of_bundles
from semiaudit.privacy.tradeoff.function import type_ii_at

ONE = Fraction(1)
G_1 = GDP(ONE), ZCDP(Fraction(1, 2))
PURE = PureDP(ONE), ZCDP(Fraction(4622, 10_000), exact=False)


def test_row_30_the_gaussian_and_pure_dp_cross_and_both_places_are_named() -> None:
    found = order_of_bundles(G_1, PURE)
    assert found.order == "incomparable"
    assert found.first_lower_at is not None
    assert found.second_lower_at is not None
    gaussian_, pure = GDP(ONE), PureDP(ONE)
    at = found.first_lower_at
    assert type_ii_at(gaussian_, at).high < type_ii_at(pure, at).low
    at = found.second_lower_at
    assert type_ii_at(pure, at).high < type_ii_at(gaussian_, at).low
    turned = order_of_bundles(PURE, G_1)
    assert (turned.first_lower_at, turned.second_lower_at) == (
        found.second_lower_at,
        found.first_lower_at,
    )


def test_row_30_the_gaussian_is_above_the_line_that_touches_it() -> None:
    # delta of G_1 at epsilon 1 is 0.12693...; a delta above it gives a line below G_1.
    touching = Fraction(gaussian.delta_at(GDP(ONE), Interval.of(ONE)).high)
    assert Fraction("0.1269") < touching < Fraction("0.1270")
    line = (ApproxDP(ONE, touching + Fraction(1, 10**9)),)
    assert order_of_bundles((GDP(ONE),), line).order == "stronger"
    assert order_of_bundles(line, (GDP(ONE),)).order == "weaker"


@pytest.mark.parametrize(
    ("first", "second", "order", "strict"),
    [
        ((GDP(ONE), ZCDP(Fraction(1, 2))), (GDP(Fraction(4)), ZCDP(Fraction(2))), "stronger", True),
        ((ZCDP(ONE),), (ZCDP(ONE),), "equal", None),
        ((ZCDP(ONE),), (ZCDP(ONE, exact=False),), "equal", None),
        # The zCDP follows from the Gaussian; that this says more is not shown by a number.
        (G_1, (ZCDP(Fraction(1, 2)),), "stronger", None),
        (G_1, (ZCDP(ONE),), "stronger", True),
        # zCDP is no statement about one function: nothing is claimed against pure DP.
        ((ZCDP(ONE),), (PureDP(ONE),), "undecided", None),
        ((PrivacyLoss(((LaplaceLoss(ONE), 1),)),), (GDP(ONE),), "undecided", None),
    ],
)
def test_orders_that_are_proven_and_no_others(
    first: tuple[Measure, ...], second: tuple[Measure, ...], order: str, strict: bool | None
) -> None:
    found = order_of_bundles(first, second)
    assert (found.order, found.strict) == (order, strict)
    turned = {"stronger": "weaker", "weaker": "stronger"}
    assert order_of_bundles(second, first).order == turned.get(order, order)


def test_a_bundle_that_states_more_than_one_of_its_functions_is_not_taken_for_that_one() -> None:
    # The two together state more than either, so that no function of theirs is known.
    both = ApproxDP(ONE, Fraction(1, 100)), ApproxDP(Fraction(2), Fraction(1, 10**6))
    assert order_of_bundles(both, (GDP(ONE),)).order == "undecided"
    # A rho below that of its epsilon says more than the epsilon.
    assert order_of_bundles((PureDP(ONE), ZCDP(Fraction(1, 10))), G_1).order == "undecided"


def test_what_is_only_a_bound_is_not_exact() -> None:
    assert is_exact((GDP(ONE),))
    assert is_exact((PureDP(ONE), ZCDP(ONE, exact=False)))
    assert not is_exact((ZCDP(ONE, exact=False),))
    assert not is_exact((PrivacyLoss(((LaplaceLoss(ONE), 1),), attained=False),))
