"""The Gaussian mechanism: its exact profile, conversions of zCDP, and Lemma 3.4 of Gao et al."""

from __future__ import annotations

import math
from fractions import Fraction

from semiaudit.commands.reproduce.model import Estimate
from semiaudit.commands.reproduce.results import floating
from semiaudit.library.null_space import NullSpace
from semiaudit.mechanisms.designs.gaussian_designs import (
    concentrated_constant,
    realised_delta,
    unchecked_constant,
)
from semiaudit.mechanisms.designs.intensity import mu_squared_of
from semiaudit.model.bound import Bound, upper
from semiaudit.model.measure import GDP, ApproxDP
from semiaudit.numeric.intervals import ONE, Interval
from semiaudit.privacy.measures import gdp

EXACT, BALLE_WANG = "gaussian_exact", "Balle and Wang 2018"
THEOREM_8 = f"{BALLE_WANG}, Theorem 8"
LEAST, MOST, STEPS = Fraction(1, 1000), Fraction(20), 40
"""The range of epsilons in the search for the limit of Lemma 3.4, and the bisection steps."""


def gaussian_delta(rho: Fraction, epsilon: Fraction) -> Bound:
    interval = gdp.delta_at(GDP(2 * Fraction(rho)), Interval.of(Fraction(epsilon)))
    return upper(interval, EXACT, BALLE_WANG)


def printed_constant(epsilon: Fraction, delta: Fraction) -> Bound:
    """Return the constant of Lemma 3.4 as printed."""
    least = unchecked_constant(_target(epsilon, delta))
    return upper(least, "lemma_3_4", "Gao, Gong and Yu, Lemma 3.4")


def exact_constant(epsilon: Fraction, delta: Fraction) -> Bound:
    """Return the smallest constant that gives (epsilon, delta)-DP."""
    return upper(ONE / Interval.of(_mu_squared(epsilon, delta)).sqrt(), EXACT, THEOREM_8)


def zcdp_constant(epsilon: Fraction, delta: Fraction) -> Bound:
    least = concentrated_constant(_target(epsilon, delta))
    return upper(least, "bs16", "Bun and Steinke 2016, Proposition 1.3")


def squared_error_of_lemma_3_4(epsilon: Fraction, delta: Fraction) -> Bound:
    """Return the expected squared error on a histogram of four cells with its total."""
    # Three dimensions remain, and Delta_2 is sqrt(2).
    left = 2 * NullSpace([[1, 1, 1, 1]]).dimension
    return upper(Interval.of(left / _mu_squared(epsilon, delta)), EXACT, THEOREM_8)


def delta_of_the_printed_constant(epsilon: Fraction, delta: Fraction) -> Bound:
    return upper(_realized(epsilon, delta), EXACT, THEOREM_8)


def limit_of_lemma_3_4(delta: Fraction) -> Bound:
    low, high = LEAST, MOST
    for _ in range(STEPS):
        middle = (low + high) / 2
        if _realized(middle, delta).upper_rational > delta:
            high = middle
        else:
            low = middle
    return upper(high, EXACT, BALLE_WANG)


def excess_of_the_printed_constant(epsilon: Fraction, delta: Fraction) -> Estimate:
    """Return the factor by which the printed constant is larger than necessary."""
    constant = float(unchecked_constant(_target(epsilon, delta)).high)
    factor = constant * math.sqrt(_mu_squared(epsilon, delta))
    return floating(factor, "the printed constant over the exact one")


def _target(epsilon: Fraction, delta: Fraction) -> ApproxDP:
    return ApproxDP(Fraction(epsilon), Fraction(delta))


def _realized(epsilon: Fraction, delta: Fraction) -> Interval:
    return realised_delta(unchecked_constant(_target(epsilon, delta)), Fraction(epsilon))


def _mu_squared(epsilon: Fraction, delta: Fraction) -> Fraction:
    square = mu_squared_of(_target(epsilon, delta))
    if square is None:
        raise ValueError("the target has no mu")
    return square
