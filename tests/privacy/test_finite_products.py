"""Products of finite pairs, multiplied out, against sums over all tuples of outcomes."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from semiaudit.model.loss import FiniteLoss
from semiaudit.privacy.finite_products import FiniteProduct
from semiaudit.privacy.tradeoff.polygon import inverse, type_ii_at
from tests.oracles import finite as oracle
from tests.samples import sampled

F = Fraction


def random_pairs(chance: random.Random) -> list[FiniteLoss]:
    found = []
    for _ in range(chance.randint(1, 2)):
        outcomes = chance.randint(2, 3)
        found.append(FiniteLoss(*(oracle.random_law(chance, outcomes) for _ in range(2))))
    return found


def multiplied(pairs: list[FiniteLoss]) -> tuple[oracle.Law, oracle.Law]:
    first: oracle.Law = (F(1),)
    second: oracle.Law = (F(1),)
    for pair in pairs:
        first = tuple(p * q for p in first for q in pair.first)
        second = tuple(p * q for p in second for q in pair.second)
    return first, second


@pytest.mark.parametrize("seed", sampled(range(60), fast=range(8)))
def test_the_function_of_a_product_is_that_of_its_multiplied_laws(seed: int) -> None:
    pairs = random_pairs(random.Random(seed))
    f = FiniteProduct.of(pairs).tradeoff
    points = oracle.error_points(*multiplied(pairs))
    assert f is not None
    for rate in [x for x, _ in f.vertices] + [F(k, 5) for k in range(1, 5)]:
        assert type_ii_at(f, rate) == oracle.least_type_ii(points, rate)


def test_the_turned_product_has_the_inverse_function_and_the_same_simplest_form() -> None:
    chance = random.Random(2)
    for _ in range(60):
        found = FiniteProduct.of(random_pairs(chance))
        f, turned = found.tradeoff, found.turned.tradeoff
        assert f is not None
        assert turned is not None
        assert inverse(f).vertices == turned.vertices
        assert found.turned.simplest == found.simplest == found.simplest.simplest


def test_turning_one_factor_gives_another_product() -> None:
    pair = FiniteLoss((F(2, 5), F(1, 2), F(1, 10)), (F(1, 8), F(3, 8), F(1, 2)))
    back = FiniteLoss(pair.second, pair.first)
    assert FiniteProduct.of([pair, pair]).simplest == FiniteProduct.of([back, back]).simplest
    assert FiniteProduct.of([pair, pair]).simplest != FiniteProduct.of([pair, back]).simplest


def test_a_product_that_is_too_large_has_no_function_but_a_ratio_and_a_size() -> None:
    pair = FiniteLoss((F(1, 10), F(9, 10)), (F(2, 10), F(8, 10)))
    found = FiniteProduct.of_parts([(pair, 1000)])
    assert found.tradeoff is None
    assert found.loss is None
    assert found.largest_loss is not None
    assert math.isclose(found.largest_loss.high, 1000 * math.log(2), rel_tol=1e-12)
    one = 0.1 * math.log(2) - 0.1 * math.log(8 / 9)
    assert math.isclose(found.size, 1000 * one, rel_tol=1e-9)
    assert found.root(1000) == FiniteProduct.of([pair])


def test_a_billion_runs_need_no_power_of_a_ratio() -> None:
    pair = FiniteLoss((F(1, 10), F(9, 10)), (F(2, 10), F(8, 10)))
    loss = FiniteProduct.of_parts([(pair, 10**9)]).largest_loss
    assert loss is not None
    assert math.isclose(loss.high, 10**9 * math.log(2), rel_tol=1e-12)


def test_a_ratio_beyond_all_doubles_has_a_size() -> None:
    tiny = F(1, 10**399)
    assert FiniteProduct.of([FiniteLoss((tiny, 1 - tiny), (1 - tiny, tiny))]).size > 1800
