"""The test of Theorem 37, in the direction of its hypotheses (docs/errata.md, E3).

The release is U = x21 + N with canonical noise N of f. For w > 1, large U are evidence against
independence: phi*(x21) = P(U >= m | x21) = F(x21 - m), with m such that its mean at w = 1 is the
level. The p-value of U is p(U) = E_{w=1} F(H - U). For w < 1, both use the reversed order of the
counts.

p falls from 1 to 0, and U >= m is the same as p(U) <= level: so P(p <= level | x21) is phi*(x21).
The p-value for w < 1 is 1 - p, as F(x) + F(-x) = 1. At w = 1 p is uniform, and so is
2 min(p, 1 - p), which the two-sided test takes: its level holds exactly, but no optimality is known
for it.
Source: Cho and Awan, Theorem 37, Lemmas 46 and 47; Awan and Vadhan 2023.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Literal, assert_never

from semiaudit.frozen import dataclass
from semiaudit.model.results.odds_ratio import Alternative
from semiaudit.numeric.intervals import ONE, TWO, ZERO, Interval
from semiaudit.numeric.rationals import float_down, float_up
from semiaudit.privacy.canonical.canonical_distribution import CanonicalDistribution
from semiaudit.privacy.odds_ratio.hypergeometric import HypergeometricLaw
from semiaudit.privacy.special.roots import falling_root

_SELDOM = Fraction(1, 10**30)
"""An event with a smaller probability is bounded, not computed."""

_ASIDE = 1e-13
"""The relative distance by which a point moves from its estimate in doubles to the safe side of the
level."""

_SHORT = Fraction(1, 10**9)
"""The most by which a region can fall short of the level, as a share of the level."""

_LEAST = 1e-300
"""Smaller probabilities have no logarithm for the root search."""


@dataclass(frozen=True, slots=True)
class Region:
    """The statistics that reject.

    Attributes:
        at_least: statistics of at least this value reject; None: no large statistic rejects.
        at_most: statistics of at most this value reject; None: no small statistic rejects.
    """

    at_least: Fraction | None = None
    at_most: Fraction | None = None


def p_value(
    noise: CanonicalDistribution, at_one: HypergeometricLaw, statistic: Fraction, kind: Alternative
) -> Interval:
    """Return the p-value of a statistic, enclosed.

    Args:
        at_one: the law of x21 at an odds ratio of 1.
    """
    match kind:
        case "greater":
            return reaches(noise, at_one, statistic)
        case "less":
            return ONE - reaches(noise, at_one, statistic)
        case "two-sided":
            large = reaches(noise, at_one, statistic)
            small = ONE - large
            return TWO * Interval(min(large.low, small.low), min(large.high, small.high))
        case _:
            assert_never(kind)


def reaches(noise: CanonicalDistribution, law: HypergeometricLaw, point: Fraction) -> Interval:
    """Return P(x21 + N >= point) = E F(x21 - point), enclosed."""
    certain = _SELDOM
    spread = noise.quantile_above(certain).upper_rational
    # Counts so far from the point that the noise almost never makes up for the distance.
    seldom, mostly = Interval.hull(ZERO, Interval.of(certain)), Interval.of(1 - certain)
    total = Interval.hull(ZERO, Interval.of(law.below) + Interval.of(law.above))
    for count, chance in law.counts():
        excess = point - count
        if excess > spread:
            total = total + chance * seldom
        elif excess < -spread:
            total = total + chance * Interval.hull(mostly, ONE)
        else:
            total = total + chance * noise.upper_tail(excess)
    return total.clip(0, 1)


def region(
    noise: CanonicalDistribution, at_one: HypergeometricLaw, level: Fraction, kind: Alternative
) -> Region:
    """Return the statistics that reject independence with a probability of at most the level.

    Args:
        level: in (0, 1).

    Rounding: doubles, certified not to exceed the level; they fall short of it by a share of at
    most 1e-9, or by the step to the next double.
    """
    match kind:
        case "greater":
            return Region(at_least=_least(noise, at_one, level))
        case "less":
            return Region(at_most=_most(noise, at_one, level))
        case "two-sided":
            return Region(_least(noise, at_one, level / 2), _most(noise, at_one, level / 2))
        case _:
            assert_never(kind)


def power(noise: CanonicalDistribution, law: HypergeometricLaw, rejecting: Region) -> Interval:
    """Return the probability to reject under the law of x21 at an odds ratio."""
    total = ZERO
    if rejecting.at_least is not None:
        total = total + reaches(noise, law, rejecting.at_least)
    if rejecting.at_most is not None:
        total = total + (ONE - reaches(noise, law, rejecting.at_most))
    return total.clip(0, 1)


def _least(noise: CanonicalDistribution, at_one: HypergeometricLaw, level: Fraction) -> Fraction:
    point = _near(noise, at_one, level, 1)
    return _safe(point, level, 1, lambda at: reaches(noise, at_one, at))


def _most(noise: CanonicalDistribution, at_one: HypergeometricLaw, level: Fraction) -> Fraction:
    point = _near(noise, at_one, level, -1)
    return _safe(point, level, -1, lambda at: ONE - reaches(noise, at_one, at))


def _safe(
    point: Fraction, level: Fraction, side: Literal[1, -1], chance: Callable[[Fraction], Interval]
) -> Fraction:
    """Return a double near a point at which a probability is at most the level, and hardly less.

    Args:
        side: 1 if the probability decreases with the point, -1 if it increases.

    Returns:
        The probability there is certified not to exceed the level. It falls short by a share of at
        most ``_SHORT``, or the next double exceeds the level.
    """

    def moved(start: Fraction, by: Fraction) -> Fraction:
        end = start + side * by
        return Fraction(float_up(end) if side * by > 0 else float_down(end))

    step, beyond = _step(point), None
    while (achieved := chance(point)).upper_rational > level:
        point, step, beyond = moved(point, step), 4 * step, point
    # The search in doubles can end outside of the support of bounded noise.
    while achieved.lower_rational < level * (1 - _SHORT):
        if beyond is None:
            candidate, step = moved(point, -step), 4 * step
        else:
            candidate = Fraction(float((point + beyond) / 2))
            if candidate in (point, beyond):
                break
        candidate_chance = chance(candidate)
        if candidate_chance.upper_rational > level:
            beyond = candidate
        else:
            point, achieved = candidate, candidate_chance
    return point


def _step(point: Fraction) -> Fraction:
    return max(abs(point), Fraction(1)) / 2**52


def _near(
    noise: CanonicalDistribution, at_one: HypergeometricLaw, level: Fraction, side: Literal[1, -1]
) -> Fraction:
    """Estimate a point with an upper (1) or lower (-1) tail probability just below the level.

    Both are one search: the lower-tail probability is the exceedance probability for mirrored noise
    and counts.
    """
    spread = float(noise.quantile_above(min(level, 1 - level) / 4).high) + 1
    counts = [(side * count, float(chance.low)) for count, chance in at_one.counts()]
    start = min(count for count, _ in counts) - spread
    width = 2 * spread + len(counts)
    target = math.log(level)

    def excess(offset: float) -> float:
        point = start + offset
        chance = math.fsum(chance * noise.estimate(point - count) for count, chance in counts)
        return math.log(max(chance, _LEAST)) - target

    root = start + falling_root(excess, width / 2, width)
    return side * Fraction(root + _ASIDE * max(abs(root), 1.0))
