"""zCDP from its definition: pairs whose rho is found by trying orders, and products listed whole.

Shares no code with the program. Pairs are lists of (p, q), all positive doubles; divergences are
taken with 40 digits.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath

mp: Any = mpmath.mp
Pair = list[tuple[float, float]]

_GRID = [math.exp(-9 + 24 * place / 80) for place in range(81)]


def binary(first: float, second: float) -> Pair:
    """Two outcomes with these probabilities of the first one, above 1e-9 and below 1 - 1e-9."""
    return [(first, second), (1 - first, 1 - second)]


def swapped(pair: Pair) -> Pair:
    """The other direction."""
    return [(second, first) for first, second in pair]


def divergence(pair: Pair, excess: float) -> float:
    """The Renyi divergence of order 1 + excess; that of Kullback and Leibler for 0."""
    with mp.workdps(40):
        exact = [(mp.mpf(p), mp.mpf(p) / mp.mpf(q)) for p, q in pair]
        total = mp.fsum(p for p, _ in exact)
        if not excess:
            return float(mp.fsum(p * mp.log(r) for p, r in exact) / total)
        return float(mp.log(mp.fsum(p * r**excess for p, r in exact) / total) / excess)


def rho(pair: Pair) -> float:
    """The supremum of divergence over order, in both directions: a grid, then its best cell."""
    best = 0.0
    for one in (pair, swapped(pair)):

        def ratio(excess: float, one: Pair = one) -> float:
            return divergence(one, excess) / (1 + excess)

        values = [ratio(excess) for excess in _GRID]
        place = values.index(max(values))
        low, high = _GRID[max(place - 1, 0)], _GRID[min(place + 1, len(_GRID) - 1)]
        for _ in range(40):
            left, right = low + (high - low) / 3, high - (high - low) / 3
            low, high = (left, high) if ratio(left) < ratio(right) else (low, right)
        best = max(best, ratio(low), *values, ratio(0.0))
    return best


def product(*pairs: Sequence[tuple[float, float]]) -> Pair:
    """Independent outcomes of several pairs, listed one by one."""
    return [
        (math.prod(p for p, _ in outcome), math.prod(q for _, q in outcome))
        for outcome in itertools.product(*pairs)
    ]


def following(pair: Pair, answers: Sequence[Pair]) -> Pair:
    """Each outcome of a pair answered by a pair of its own: an adaptive composition."""
    return [(p * r, q * s) for (p, q), answer in zip(pair, answers, strict=True) for r, s in answer]


def delta(pair: Pair, epsilon: float) -> float:
    """The larger one of both directions' hockey-stick divergences."""
    growth = math.exp(epsilon)
    return max(math.fsum(max(p - growth * q, 0.0) for p, q in one) for one in (pair, swapped(pair)))


def epsilon(pair: Pair, at: float) -> float:
    """The smallest epsilon at a delta, by halving."""
    low, high = 0.0, max(abs(math.log(p / q)) for p, q in pair)
    if delta(pair, 0.0) <= at:
        return 0.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if delta(pair, middle) > at else (low, middle)
    return low


def line(rho: float, excess: float, log_ratio: float, low: Fraction) -> tuple[float, float]:
    """(t, delta(t) from above) of the line of an order and two likelihood ratios, in 80 digits.

    Source: docs/theory/conversions.md, *What zCDP says at every delta*.
    """
    with mpmath.workdps(80):
        share, rest = mpmath.mpf(excess), mpmath.mpf(low.numerator) / low.denominator
        high, size = mpmath.exp(mpmath.mpf(log_ratio)), mpmath.mpf(rho)
        if not excess:
            width = mpmath.log(high / rest)
            delta = (size - mpmath.log(rest) - 1 + rest) / width
            return float(mpmath.log((high - rest) / width)), float(delta)
        order = 1 + share
        below = high**share - rest**share
        place = mpmath.log(share / order * (high**order - rest**order) / below)
        top = mpmath.exp(order * share * size) - order * rest**share + share * rest**order
        return float(place), float(top / (order * below))
