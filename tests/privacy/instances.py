"""Random numbers and polygons for the tests of the calculus, and what encloses a truth."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from semiaudit.model.measure import PiecewiseLinear
from semiaudit.numeric import Interval
from semiaudit.privacy.tradeoff.polygon import lower_hull
from tests.oracles.calculus import mp


def seeds(first: int, more: int) -> list[object]:
    """One seed of the normal suite; the others only with -m slow."""
    later = range(1_000 * first, 1_000 * first + more)
    return [first, *(pytest.param(seed, marks=pytest.mark.slow) for seed in later)]


def exactly(value: Fraction) -> Any:
    return mp.mpf(value.numerator) / value.denominator


def encloses(interval: Interval, truth: Any) -> bool:
    low, high = (mp.mpf(str(end)) for end in (interval.low, interval.high))
    slack = abs(truth) * mp.mpf("1e-45") + mp.mpf("1e-400")
    return bool(low - slack <= truth <= high + slack)


def random_rational(chance: random.Random, low: float, high: float) -> Fraction:
    return Fraction(10) ** 0 * Fraction(str(round(10 ** chance.uniform(low, high), 12)))


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
