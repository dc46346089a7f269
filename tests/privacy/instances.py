"""Random numbers, pairs and polygons for the tests of the calculus."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

from semiaudit.model.loss import FiniteLoss
from semiaudit.model.measure import GDP, ZCDP, Measure, PiecewiseLinear
from semiaudit.privacy.tradeoff.polygon import lower_hull
from tests.oracles.calculus import mp
from tests.samples import slow_cases


def seeds(first: int, more: int) -> list[object]:
    """One seed of the normal suite; the others only with -m slow."""
    later = range(1_000 * first, 1_000 * first + more)
    return [first, *slow_cases(later)]


def exactly(value: Fraction) -> Any:
    return mp.mpf(value.numerator) / value.denominator


def random_rational(chance: random.Random, low: float, high: float) -> Fraction:
    return Fraction(10) ** 0 * Fraction(str(round(10 ** chance.uniform(low, high), 12)))


def gdp(mu: str) -> GDP:
    return GDP(Fraction(mu) ** 2)


def zcdp_of(measures: tuple[Measure, ...]) -> ZCDP:
    """The only zCDP of a bundle."""
    (found,) = [measure for measure in measures if isinstance(measure, ZCDP)]
    return found


def random_law(chance: random.Random, size: int, least: int = 0) -> tuple[Fraction, ...]:
    """Probabilities in ratios of small integers, each at least `least`; the last is positive."""
    weights = [chance.randint(least, 9) for _ in range(size - 1)] + [chance.randint(1, 9)]
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


def random_pair(chance: random.Random, size: int, least: int = 0) -> FiniteLoss:
    return FiniteLoss(random_law(chance, size, least), random_law(chance, size, least))


def random_delta(chance: random.Random, smallest: int = 30) -> Fraction:
    return Fraction(chance.randint(1, 999), 1000) * Fraction(1, 10 ** chance.randint(0, smallest))


def random_polygon(chance: random.Random, pieces: int = 3) -> PiecewiseLinear:
    """The lower hull of random points below 1 - a, sometimes with f(0) < 1."""
    top = Fraction(1) if chance.random() < 0.5 else Fraction(chance.randint(90, 100), 100)
    points = [(Fraction(0), top), (top, Fraction(0))]
    for _ in range(pieces):
        x = Fraction(chance.randint(1, 99), 100)
        y = (1 - x) * Fraction(chance.randint(1, 99), 100)
        points.append((x, y))
    return lower_hull(points)
