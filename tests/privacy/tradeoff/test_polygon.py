"""Polygons against their duals, their inverses and post-processed pairs."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import pytest

from semiaudit.privacy.tradeoff import polygon
from semiaudit.privacy.tradeoff.polygon import lower_hull, symmetrised
from tests.oracles import calculus as oracle
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
    for alpha in [Fraction(i, 60) for i in range(61)]:
        inverse = min(x for x in [Fraction(i, 960) for i in range(961)]
                      if polygon.type_ii_at(f, x) <= alpha)  # fmt: skip
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
