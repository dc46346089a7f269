"""Definition 20 for bundles of measures: row 30's functions, and what is not claimed."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from functools import partial
from statistics import NormalDist

import pytest

from semiaudit.model.loss import LaplaceLoss, PrivacyLoss
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PureDP
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.conversion import zcdp_from_pure
from semiaudit.privacy.measures import gdp
from semiaudit.privacy.ordering.bundle_order import is_exact, order_of_bundles
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
    touching = Fraction(gdp.delta_at(GDP(ONE), Interval.of(ONE)).high)
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


def power(measure: Measure, type_i: float) -> float:
    """1 less the tradeoff function, in floats, from its definition; precise near 0 too."""
    if isinstance(measure, GDP):
        if not 0 < type_i < 1:
            return type_i
        reached = NormalDist().inv_cdf(type_i) + math.sqrt(measure.mu_squared)
        return math.erfc(-reached / math.sqrt(2)) / 2
    assert isinstance(measure, PureDP | ApproxDP)
    epsilon = float(measure.epsilon)
    delta = float(measure.delta) if isinstance(measure, ApproxDP) else 0.0
    steep = delta + math.exp(epsilon) * type_i
    return min(1.0, steep, 1 - math.exp(-epsilon) * (1 - delta - type_i))


def some_measure(at: random.Random) -> Measure:
    number = Fraction(at.randint(1, 20), 10)
    kinds: list[Measure] = [
        GDP(number**2),
        PureDP(number),
        ApproxDP(number, Fraction(1, 10 ** at.randint(1, 4))),
    ]
    return at.choice(kinds)


def test_no_order_is_claimed_that_the_functions_contradict() -> None:
    grid = [i / 200 for i in range(1, 200)] + [10.0**-k for k in range(3, 10)]
    at = random.Random(30)
    seen: set[str] = set()
    for _ in range(60):
        first, second = some_measure(at), some_measure(at)
        found = order_of_bundles((first,), (second,))
        seen.add(found.order)
        f, g = partial(power, first), partial(power, second)
        if found.order in ("equal", "stronger"):
            assert all(f(a) <= g(a) + 1e-12 for a in grid), (first, second)
        if found.order in ("equal", "weaker"):
            assert all(f(a) >= g(a) - 1e-12 for a in grid), (first, second)
        if found.order == "incomparable":
            assert found.first_lower_at is not None
            assert found.second_lower_at is not None
            lower, higher = float(found.first_lower_at), float(found.second_lower_at)
            assert f(lower) > g(lower), (first, second)
            assert g(higher) > f(higher), (first, second)
    assert {"stronger", "weaker", "incomparable"} <= seen


def test_a_bundle_with_the_rho_that_its_pure_dp_implies_is_that_of_its_function() -> None:
    """Then the places of row 30 show the same; with a smaller rho it is no function any more."""
    implied = zcdp_from_pure(PureDP(ONE))
    assert order_of_bundles((PureDP(ONE), implied), G_1) == order_of_bundles(PURE, G_1)
    smaller = PureDP(ONE), ZCDP(implied.rho * Fraction(9, 10))
    assert order_of_bundles(smaller, G_1).order == "undecided"
