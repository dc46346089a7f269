"""Group privacy of polygons against composition point by point, and a 50-digit oracle."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath

from semiaudit.model.measure import ApproxDP
from semiaudit.privacy.tradeoff import polygon
from semiaudit.privacy.tradeoff.algebra import composed_with_itself
from semiaudit.privacy.tradeoff.polygon import tradeoff_from_approx_dp
from tests.oracles import calculus as oracle
from tests.privacy.instances import exactly, random_delta, random_polygon, random_rational


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
