"""The order of bundles of finite pairs, against elimination of kernels in exact rationals."""

from __future__ import annotations

import random
from fractions import Fraction

from semiaudit.model.loss import FiniteLoss
from semiaudit.model.measure import GDP, Measure, PureDP
from semiaudit.privacy.finite_products import FiniteProduct
from semiaudit.privacy.ordering.bundle_order import order_of_bundles
from semiaudit.privacy.ordering.finite_pairs import order_of_finite, pairs_of
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
