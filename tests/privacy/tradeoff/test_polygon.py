"""Polygons against their duals, their inverses and post-processed pairs."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest

from semiaudit.model.measure import PiecewiseLinear
from semiaudit.privacy.tradeoff import polygon
from semiaudit.privacy.tradeoff.polygon import lower_hull, symmetrised
from tests.oracles import calculus as oracle
from tests.oracles import polygons
from tests.privacy.instances import random_polygon
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
