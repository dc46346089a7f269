"""Definition 20 for bundles of measures: row 30's functions, and what is not claimed.

The order of bundles of finite pairs, against elimination of kernels in exact rationals.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction
from functools import partial
from statistics import NormalDist

import pytest

from semiaudit.model.loss import FiniteLoss, LaplaceLoss, PrivacyLoss
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PureDP
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.conversion import zcdp_from_pure
from semiaudit.privacy.finite_products import FiniteProduct
from semiaudit.privacy.measures import gdp
from semiaudit.privacy.ordering.bundle_order import (
    is_exact,
    order_of_bundles,
    order_of_finite,
    pairs_of,
)
from semiaudit.privacy.tradeoff.function import type_ii_at
from semiaudit.privacy.worst_pairs import measures_of_products
from tests.oracles.finite import error_points, least_type_ii
from tests.oracles.garbling import has_kernel, random_law
from tests.samples import repeated

F = Fraction
Pair = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]


def bundle(*pairs: Pair) -> tuple[Measure, ...]:
    products = [FiniteProduct.of([FiniteLoss(*pair)]) for pair in pairs]
    return measures_of_products(products, attained=True)


def loses_no_more(strong: Pair, weak: Pair) -> bool:
    """Whether a kernel leads from the weak pair to the strong one, or to it turned around."""
    return has_kernel(weak, strong) or has_kernel(weak, strong[::-1])


def type_ii(pair: Pair, type_i: Fraction) -> Fraction:
    """The smaller one of both directions."""
    return min(least_type_ii(error_points(*side), type_i) for side in (pair, pair[::-1]))


@repeated(fast=25, slow=1500)
def test_two_pairs_are_ordered_exactly_where_a_kernel_is(times: int) -> None:
    chance = random.Random(20)
    orders: dict[str, int] = {}
    for _ in range(times):
        one, other = ((random_law(chance, 3), random_law(chance, 3)) for _ in range(2))
        if one[0] == one[1] or other[0] == other[1]:
            continue
        bundles = bundle(one), bundle(other)
        if pairs_of(bundles[0]) is None or pairs_of(bundles[1]) is None:
            continue  # told apart with certainty: no pair is left
        found = order_of_bundles(*bundles)
        orders[found.order] = orders.get(found.order, 0) + 1
        up, down = loses_no_more(one, other), loses_no_more(other, one)
        if up or down:
            assert found.order == ("equal" if up and down else "stronger" if up else "weaker")
        else:
            assert found.order in ("incomparable", "undecided")
        if found.order == "incomparable":
            assert found.first_lower_at is not None
            assert found.second_lower_at is not None
            at = found.first_lower_at
            assert type_ii(one, at) < type_ii(other, at)
            at = found.second_lower_at
            assert type_ii(other, at) < type_ii(one, at)
    assert {"stronger", "weaker", "incomparable"} <= set(orders)


SHARP = (F(3, 4), F(1, 4)), (F(1, 4), F(3, 4))
BLUNT = (F(1, 2), F(1, 4), F(1, 4)), (F(1, 4), F(1, 2), F(1, 4))


def test_the_garbled_pair_is_the_stronger_guarantee_and_its_outcomes_have_no_order() -> None:
    found = order_of_finite(bundle(BLUNT), bundle(SHARP))
    assert found is not None
    assert (found.order, found.strict) == ("stronger", True)
    mixed = (BLUNT[0][::-1], BLUNT[1][::-1])
    assert order_of_bundles(bundle(BLUNT), bundle(mixed)).order == "equal"
    assert order_of_bundles(bundle(BLUNT), bundle(BLUNT[::-1])).order == "equal"


def test_several_pairs_are_compared_one_by_one() -> None:
    third = (F(9, 10), F(1, 10)), (F(3, 5), F(2, 5))
    both = bundle(SHARP, third)
    assert order_of_bundles(bundle(BLUNT), both).order == "stronger"
    assert order_of_bundles(both, bundle(BLUNT)).order == "weaker"


def test_a_bundle_that_states_more_than_its_pairs_is_not_taken_for_them() -> None:
    assert pairs_of((*bundle(SHARP), PureDP(F(1, 2)))) is None
    assert pairs_of((*bundle(SHARP), GDP(F(1)))) is None
    assert pairs_of((PureDP(F(1)),)) is None
    assert pairs_of((*bundle(SHARP), PureDP(F(2)))) is not None


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
