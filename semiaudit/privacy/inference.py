"""Upper bound on the success probability of the best guess of one person's attribute.

The setting: a value is sampled with known probabilities, a release is made from the dataset that
contains it, and an attacker who knows all other records guesses the value.
docs/theory/attribute-inference.md has the proofs; the setting is that of Swanberg et al. 2025,
arXiv 2507.08158.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.special.roots import falling_root

_LEAST = 1e-200
"""A smaller type I error or epsilon counts as 0."""

_STEP = 1e-4
"""The relative distance of the two type I errors from which a slope is computed."""


def success_of_a_guess(
    prior: Fraction,
    type_ii: Callable[[Fraction], Fraction],
    delta: Callable[[Fraction], Fraction],
) -> Fraction:
    """Return an upper bound on the success probability of the best guess.

    The bound covers any number of values, if the datasets that contain them are pairwise in the
    universe and within the distance of the two functions.

    Args:
        prior: the probability of the likeliest value, in (0, 1): the success probability without
            the release.
        type_ii: the type II error at a type I error in (0, 1); used only to choose an epsilon.
        delta: an upper bound of delta at an epsilon of 0 or more, for every ordered pair.
    """
    odds = prior / (1 - prior)
    if odds >= 1:
        epsilon = Interval.of(odds).ln().low
        least = Fraction(epsilon) if epsilon > _LEAST else Fraction(0)
        return prior + (1 - prior) * min(delta(least), Fraction(1))
    chosen = {Fraction(0), Fraction(_steepness(type_ii, float(odds)))}
    return max(prior, min(_of_many(odds, epsilon, delta(epsilon)) for epsilon in chosen))


def _of_many(odds: Fraction, epsilon: Fraction, delta: Fraction) -> Fraction:
    """1 - (1 - delta) / (1 + odds exp(epsilon)), rounded up."""
    growth = Interval.of(epsilon).exp().upper_rational
    return 1 - max(1 - delta, Fraction(0)) / (1 + odds * growth)


def _steepness(type_ii: Callable[[Fraction], Fraction], odds: float) -> float:
    if odds < _LEAST:
        return 0.0

    def missed(type_i: float) -> float:
        return float(type_ii(Fraction(type_i)))

    if missed(_LEAST) <= _LEAST / odds:
        return 0.0
    near = falling_root(lambda a: missed(a) - a / odds, 0.5, 1.0)
    if not _LEAST < near < 1 - _STEP:
        return 0.0
    slope = (missed(near * (1 - _STEP)) - missed(near * (1 + _STEP))) / (2 * near * _STEP)
    return math.log(slope) if slope > 1 else 0.0
