"""Polygons: duals, inverses, post-processed pairs, groups, products, and shuffled reports."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest

from semiaudit.model.measure import ApproxDP, PiecewiseLinear
from semiaudit.privacy.tradeoff import polygon, product
from semiaudit.privacy.tradeoff.algebra import composed_with_itself
from semiaudit.privacy.tradeoff.clone_polygons import tradeoff_of_clones
from semiaudit.privacy.tradeoff.polygon import (
    lower_hull,
    symmetrised,
    tradeoff_from_approx_dp,
    type_ii_at,
)
from semiaudit.privacy.tradeoff.product import MAX_ATOMS, tensor_product, thinned
from tests.golden.published import golden
from tests.oracles import calculus as oracle
from tests.oracles import polygons
from tests.privacy.instances import exactly, random_delta, random_polygon, random_rational
from tests.samples import sampled


@pytest.mark.parametrize(
    ("seed", "times"), sampled([(11, 4), (11, 12), *((11_000 + k, 12) for k in range(3))], (0,))
)
def test_duality_agrees_with_the_oracle_on_polygons(seed: int, times: int) -> None:
    chance = random.Random(seed)
    for _ in range(times):
        f = random_polygon(chance, 3)
        delta = Fraction(chance.randint(0, 400), 1000)
        theirs = oracle.epsilon_from_tradeoff(
            oracle.piecewise_linear(f.vertices), delta, [x for x, _ in f.vertices]
        )
        ours = polygon.epsilon_at(f, delta)
        if isinstance(ours, float):
            assert ours == theirs == mpmath.inf
        else:
            assert abs(mpmath.mpf(str(ours)) - theirs) < mpmath.mpf("1e-20")


def test_symmetrising_takes_the_larger_of_a_function_and_its_inverse() -> None:
    # Row 70: f has the vertex (1/2, 1/4), its inverse (1/4, 1/2).
    f = lower_hull([(Fraction(0), Fraction(1)), (Fraction(1, 2), Fraction(1, 4))])
    best = symmetrised(f)
    # They cross on the diagonal, where 1 - 3a/2 = a.
    corner = (Fraction(2, 5), Fraction(2, 5))
    ends = (Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))
    assert best.vertices == (ends[0], corner, ends[1])
    heights = [(x, polygon.type_ii_at(f, x)) for x in [Fraction(i, 960) for i in range(961)]]
    for alpha in [Fraction(i, 60) for i in range(61)]:
        inverse = min(x for x, height in heights if height <= alpha)
        larger = max(polygon.type_ii_at(f, alpha), inverse)
        assert abs(polygon.type_ii_at(best, alpha) - larger) <= Fraction(1, 960)


def test_a_post_processed_pair_is_never_easier_to_tell_apart() -> None:
    # Row 9, with random kernels on the pair behind f_{1,0}.
    chance = random.Random(12)
    f = random_polygon(chance, 3)
    p, q = oracle.finite_pair_from_points(f.vertices)
    for _ in range(30):
        rows = [[Fraction(chance.randint(1, 9)) for _ in range(3)] for _ in p]
        kernel = [[value / sum(row) for value in row] for row in rows]
        left, right = (
            [sum((m * row[j] for m, row in zip(law, kernel, strict=True)), Fraction(0))
             for j in range(3)]
            for law in (p, q)
        )  # fmt: skip
        hull = lower_hull(oracle.vertices_of_finite_pair(left, right))
        for alpha in [Fraction(i, 19) for i in range(20)]:
            assert polygon.type_ii_at(hull, alpha) >= polygon.type_ii_at(f, alpha)


def decimals(chance: random.Random, digits: int = 50) -> Fraction:
    return Fraction(chance.randint(0, 10**digits), 10**digits)


def small_or_long(chance: random.Random) -> Fraction:
    """Grid points, of which many are on one line, next to numbers as long as computed ones."""
    return Fraction(chance.randint(0, 6), 6) if chance.random() < 0.6 else decimals(chance)


@pytest.mark.parametrize(("seed", "times"), sampled([(1, 400), (2, 20_000)], (0,)))
def test_hulls_are_those_of_all_chords(seed: int, times: int) -> None:
    chance = random.Random(seed)
    for _ in range(times):
        number = chance.randint(1, 7)
        points = [(Fraction(0), small_or_long(chance))]
        points += [(small_or_long(chance), small_or_long(chance)) for _ in range(number)]
        assert list(lower_hull(points).vertices) == polygons.hull_below(points)


@pytest.mark.parametrize(("seed", "times"), sampled([(3, 300), (4, 20_000)], (0,)))
def test_an_envelope_is_nowhere_above_or_below_its_largest_line(seed: int, times: int) -> None:
    chance = random.Random(seed)
    for _ in range(times):
        # Lines below one tradeoff function: of a slope t, 1 - delta for growth t of a polygon.
        f = random_polygon(chance, chance.randint(1, 4)).vertices
        slopes = [chance.choice([small_or_long(chance), 9 * decimals(chance)]) for _ in range(6)]
        lines = [(min(y + t * x for x, y in f), t) for t in slopes]
        lines.append(chance.choice(lines))
        found = polygon.envelope(lines).vertices
        cuts = {x for x, _ in found if x < 1} | {Fraction(i, 23) for i in range(23)}
        for x in cuts:
            assert polygons.at(found, x) == polygons.largest_line(lines, x)


@pytest.mark.parametrize(("seed", "times"), sampled([(5, 300), (6, 20_000)], (0,)))
def test_values_epsilons_and_maxima_are_exact(seed: int, times: int) -> None:
    chance = random.Random(seed)
    for _ in range(times):
        f, g = (random_polygon(chance, chance.randint(1, 4)) for _ in range(2))
        if chance.random() < 0.2:
            g = f
        both = polygon.pointwise_max(f, g, Fraction(0)).vertices
        cuts = {x for p in (f.vertices, g.vertices, both) for x, _ in p} | {decimals(chance)}
        for x in cuts:
            heights = [polygons.at(p.vertices, x) for p in (f, g)]
            assert [polygon.type_ii_at(p, x) for p in (f, g)] == heights
            assert polygons.at(both, x) == max(heights)
        delta = small_or_long(chance) * Fraction(9, 10)
        growth = polygons.steepest_left(f.vertices, delta)
        epsilon = polygon.epsilon_between(f, delta)
        if growth is None or isinstance(epsilon, float):
            assert growth is None
            assert epsilon == math.inf
        else:
            exact = mpmath.log(mpmath.mpf(growth.numerator) / growth.denominator)
            assert epsilon.low <= epsilon.high
            assert abs(float(epsilon.high) - exact) < 1e-12
            assert (epsilon.high == 0) == (growth == 1)


def test_polygons_are_evaluated_and_joined_as_by_the_definitions() -> None:
    chance = random.Random(35)
    for _ in range(60):
        f, g = random_polygon(chance, chance.randint(1, 6)), random_polygon(chance, 3)
        places = [Fraction(chance.randint(0, 10**9), 10**9) for _ in range(5)]
        places += [x for x, _ in (*f.vertices, *g.vertices)]
        larger = polygon.pointwise_max(f, g, Fraction(0))
        for x in places:
            heights = polygons.at(f.vertices, x), polygons.at(g.vertices, x)
            assert polygon.type_ii_at(f, x) == heights[0]
            assert polygon.type_ii_at(larger, x) == max(heights)
        below = all(polygons.at(f.vertices, x) <= polygons.at(g.vertices, x) for x in places)
        assert polygon.lies_below(f, g) == below


def test_one_function_lies_below_another_if_it_does_at_every_point_of_a_fine_grid() -> None:
    """Of functions that are not convex, too; the vertices are points of the grid."""
    chance = random.Random(36)
    seen = []
    for number in range(400):
        f, g = (steps_down(chance) if number % 2 else random_polygon(chance) for _ in range(2))
        if chance.random() < 0.5:
            factor = Fraction(chance.randint(6, 10), 10)
            lower = tuple((x, y * factor) for x, y in f.vertices)
            f, g = chance.choice([(f, g), (f, PiecewiseLinear(lower)), (PiecewiseLinear(lower), f)])
        points = sorted({x for x, _ in (*f.vertices, *g.vertices)})
        points = [a + (b - a) * k / 4 for a, b in pairwise(points) for k in range(5)]
        truth = all(polygons.at(g.vertices, x) <= polygons.at(f.vertices, x) for x in points)
        assert polygon.lies_below(g, f) == truth
        seen.append(truth)
    assert 100 < sum(seen) < 300


def steps_down(chance: random.Random) -> PiecewiseLinear:
    """A function through random points, which need not be convex."""
    number = chance.randint(0, 3)
    inner = sorted(chance.sample(range(1, 12), number))
    heights = sorted(chance.choices(range(13), k=number + 1), reverse=True)
    ends = zip([0, *inner, 12], [*heights, 0], strict=True)
    return PiecewiseLinear(tuple((Fraction(x, 12), Fraction(y, 12)) for x, y in ends))


def test_group_privacy_of_polygons_is_the_pointwise_composition() -> None:
    chance = random.Random(6)
    for _ in range(150):
        f, k = random_polygon(chance, chance.randint(1, 4)), chance.randint(1, 6)
        grouped = composed_with_itself(f, k)
        for _ in range(20):
            alpha = Fraction(chance.randint(0, 1000), 1000)
            value = alpha
            for _ in range(k):
                # Cho and Awan's g(a) = f(1 - a), applied k times at a = 1 - alpha.
                value = 1 - polygon.type_ii_at(f, value)
            assert polygon.type_ii_at(grouped, alpha) <= 1 - value
            assert float(1 - value - polygon.type_ii_at(grouped, alpha)) < 1e-70


def test_group_privacy_agrees_with_the_oracle_for_f_epsilon_delta() -> None:
    chance = random.Random(7)
    for _ in range(40):
        epsilon = random_rational(chance, -2, 0.5)
        delta = random_delta(chance, 8) / 20
        k = chance.randint(1, 5)
        f = composed_with_itself(tradeoff_from_approx_dp(ApproxDP(epsilon, delta)), k)
        truth = oracle.group(oracle.f_epsilon_delta(exactly(epsilon), exactly(delta)), k)
        for _ in range(5):
            alpha = Fraction(chance.randint(0, 1000), 1000)
            found, exact = exactly(polygon.type_ii_at(f, alpha)), truth(exactly(alpha))
            assert exact - mpmath.mpf("1e-45") <= found <= exact + mpmath.mpf("1e-48")


def test_reports_that_say_nothing_have_the_tradeoff_function_of_equal_distributions() -> None:
    polygon = tradeoff_of_clones(7, Fraction(0), 9)
    for type_i in (Fraction(0), Fraction(1, 3), Fraction(1)):
        assert type_ii_at(polygon, type_i) == 1 - type_i


@pytest.mark.parametrize("epsilon0", [Fraction(171), Fraction(10**400)])
def test_one_report_that_says_nearly_everything_leaves_hardly_any_type_ii_error(
    epsilon0: Fraction,
) -> None:
    """It is e^-epsilon0 (1 - type I) past the corner, also if epsilon0 itself is no double."""
    polygon = tradeoff_of_clones(1, epsilon0, 9)
    for type_i in (Fraction(1, 1000), Fraction(1, 3), Fraction(1)):
        assert 0 <= type_ii_at(polygon, type_i) <= math.exp(-171) * (1 - type_i)


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
