"""Products of polygons against enumerated pairs; what is thinned is never higher."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from semiaudit.model.measure import ApproxDP
from semiaudit.privacy.tradeoff import polygon, product
from semiaudit.privacy.tradeoff.polygon import lower_hull, tradeoff_from_approx_dp
from semiaudit.privacy.tradeoff.product import MAX_ATOMS, tensor_product, thinned
from tests.golden.published import golden
from tests.oracles import calculus as oracle
from tests.privacy.instances import random_polygon


def test_tensor_products_of_polygons_equal_the_best_test_of_the_product_pair() -> None:
    chance = random.Random(8)
    for _ in range(60):
        f, g = random_polygon(chance, 1), random_polygon(chance, 1)
        pairs = [oracle.finite_pair_from_points(h.vertices) for h in (f, g)]
        p, q = oracle.product_pair(*pairs)
        exact = oracle.vertices_of_finite_pair(p, q)
        found = tensor_product([(f, 1), (g, 1)])
        for alpha in [Fraction(i, 37) for i in range(38)]:
            truth = polygon.type_ii_at(lower_hull(exact), alpha)
            ours = polygon.type_ii_at(found, alpha)
            assert ours <= truth
            assert float(truth - ours) < 1e-70


@pytest.mark.parametrize("repeat", [2, 3, 5])
def test_repeats_equal_products_one_by_one(repeat: int) -> None:
    chance = random.Random(repeat)
    for _ in range(10):
        f = random_polygon(chance, 2)
        together = tensor_product([(f, repeat)])
        apart = tensor_product([(f, 1)] * repeat)
        for alpha in [Fraction(i, 23) for i in range(24)]:
            difference = polygon.type_ii_at(together, alpha) - polygon.type_ii_at(apart, alpha)
            assert abs(float(difference)) < 1e-70


def test_repeated_randomised_response_equals_the_binomial_in_closed_form() -> None:
    f = tradeoff_from_approx_dp(ApproxDP(Fraction("0.1"), Fraction(0)))
    value = polygon.type_ii_at(tensor_product([(f, 100)]), Fraction(1, 20))
    assert float(value) == golden("response_01_times_100")


def test_thinning_and_merging_only_lower_the_function() -> None:
    f = tradeoff_from_approx_dp(ApproxDP(Fraction("0.05"), Fraction("1e-9")))
    fine = tensor_product([(f, 200)])
    many = tensor_product([(f, 200), (random_polygon(random.Random(9), 4), 1)])
    assert len(thinned(many).vertices) <= MAX_ATOMS + 2
    for alpha in [Fraction(i, 41) for i in range(42)]:
        assert polygon.type_ii_at(many, alpha) <= polygon.type_ii_at(fine, alpha)


def test_a_thinned_product_stays_below_the_unthinned_one(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(10)
    for _ in range(20):
        parts = [(random_polygon(chance, 3), 1) for _ in range(3)]
        exact = tensor_product(parts)
        monkeypatch.setattr(product, "MAX_ATOMS", 12)
        product._tensor_product.cache_clear()
        coarse = tensor_product(parts)
        monkeypatch.undo()
        product._tensor_product.cache_clear()
        assert len(coarse.vertices) <= 14
        for alpha in [Fraction(i, 41) for i in range(42)]:
            assert polygon.type_ii_at(coarse, alpha) <= polygon.type_ii_at(exact, alpha)


def test_thinning_never_raises_a_polygon_even_where_pieces_are_tiny() -> None:
    chance = random.Random(13)
    for _ in range(300):
        scale = Fraction(1, polygon.GRAIN)
        cuts = sorted(chance.sample(range(1, 60), 12))
        points = [(Fraction(0), Fraction(1))]
        points += [(cut * scale, 1 - chance.randint(1, 50) * cut * scale) for cut in cuts]
        points.append((Fraction(1, 2), Fraction(1, 4)))
        f = lower_hull(points)
        coarse = product._tradeoff(product._merge(product._atoms(f), 1))
        for alpha in [x for x, _ in f.vertices] + [x for x, _ in coarse.vertices]:
            assert polygon.type_ii_at(coarse, alpha) <= polygon.type_ii_at(f, alpha)
