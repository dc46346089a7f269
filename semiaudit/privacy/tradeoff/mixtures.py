"""Tradeoff functions of mixtures of experiments, with certified bounds.

If component i of a pair of mixtures is sampled with probability w_i, the pair is no easier to
distinguish than the pair that also reveals the index. The revealed pair has the profile sum w_i
delta_i(epsilon), and its tradeoff function runs through the points whose components are all tested
at one likelihood ratio t. Source: Wang, Su, Ye and Shokri 2023 (Su's review, 4.1); for the profile
it is the joint convexity of the hockey-stick divergence.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import assert_never

from semiaudit.model.loss import LaplaceLoss
from semiaudit.model.measure import GDP, ApproxDP, PiecewiseLinear, PureDP
from semiaudit.numeric.intervals import ONE, ZERO, Interval
from semiaudit.privacy.special.normal import upper_tail
from semiaudit.privacy.tradeoff.function import TradeoffBracket, TradeoffFunction, delta_at
from semiaudit.privacy.tradeoff.polygon import Vertex, lower_hull
from semiaudit.privacy.tradeoff.sources import bracket_of

PIECES = 64
"""The pieces of the polygons around a component that has a closed form."""

Weighted = Sequence[tuple[Fraction, TradeoffFunction]]
"""(weight, function of the component); weights are positive and sum to 1."""


def delta_of_mixture(parts: Weighted, epsilon: Fraction) -> Interval:
    """Return sum w_i delta_i(epsilon), a guarantee for the mixture.

    Exact if the index is revealed.
    """
    _check(parts)
    total = ZERO
    for weight, function in parts:
        total = total + Interval.of(weight) * delta_at(function, epsilon)
    return total


def mixture_point(
    parts: Weighted, ratio: Fraction, tie: Fraction = Fraction(0)
) -> tuple[Interval, Interval]:
    """Return (type I error, type II error in SU's form) of a likelihood-ratio test.

    The test rejects if the ratio is above ``ratio``.

    Args:
        parts: components.
        ratio: t, above 0: of alternative to null, one for all components.
        tie: c in [0, 1], the probability to reject if a ratio is exactly t.

    Returns:
        sum w_i a_i and sum w_i f_i(a_i): at the first value, the mixture's own tradeoff function is
        at least the second value.

    Raises:
        ValueError: weights that are not a distribution; t, c or a component out of range.
    """
    _check(parts)
    if ratio <= 0 or not 0 <= tie <= 1:
        raise ValueError("a likelihood ratio must be above 0, and c in [0, 1]")
    type_i = type_ii = ZERO
    for weight, function in parts:
        first, second = _point(function, ratio, tie)
        type_i = type_i + Interval.of(weight) * first
        type_ii = type_ii + Interval.of(weight) * second
    return type_i, type_ii


def mixture_of_functions(
    parts: Weighted, *, from_above: bool = True
) -> TradeoffBracket | PiecewiseLinear:
    """Return the function of a mixture with a revealed index: the least sum w_i f_i at sum w_i a_i.

    Args:
        parts: components.
        from_above: a polygon component is the function itself, not only a lower bound.

    Returns:
        A bracket, exact if all components are exact polygons; a lower polygon if the functions are
        only known from below. The pieces of all polygons, each times its weight, are sorted by
        their slopes: each test uses one likelihood ratio for all components.

    Raises:
        ValueError: weights that are not a distribution.
    """
    _check(parts)
    brackets = [(weight, bracket_of(function, PIECES)) for weight, function in parts]
    below = _merged([(weight, bracket.below) for weight, bracket in brackets])
    if not from_above:
        return below
    return TradeoffBracket(
        below, _merged([(weight, bracket.above) for weight, bracket in brackets])
    )


def _merged(parts: Sequence[tuple[Fraction, PiecewiseLinear]]) -> PiecewiseLinear:
    pieces = [
        (weight * (x1 - x0), weight * (y0 - y1))
        for weight, f in parts
        for (x0, y0), (x1, y1) in pairwise(f.vertices)
    ]
    x, y = Fraction(0), sum((weight * f.vertices[0][1] for weight, f in parts), Fraction(0))
    points: list[Vertex] = [(x, y)]
    for run, fall in sorted(pieces, key=lambda piece: piece[1] / piece[0], reverse=True):
        x, y = x + run, y - fall
        points.append((x, y))
    return lower_hull(points)


def _check(parts: Weighted) -> None:
    if (
        not parts
        or any(weight <= 0 for weight, _ in parts)
        or sum(weight for weight, _ in parts) != 1
    ):
        what = "weights must be above 0 and sum to 1 exactly"
        raise ValueError(f'{what}; give fractions as text, such as "1/3"')


def _point(function: TradeoffFunction, ratio: Fraction, tie: Fraction) -> tuple[Interval, Interval]:
    match function:
        case GDP():
            return _gaussian_point(function, ratio)
        case TradeoffBracket() if function.below == function.above:
            return _polygon_point(function.below, ratio, tie)
        case TradeoffBracket() | PiecewiseLinear() | PureDP() | ApproxDP() | LaplaceLoss():
            raise ValueError("a component is Gaussian or an exact polygon")
        case _:
            assert_never(function)


def _polygon_point(f: PiecewiseLinear, ratio: Fraction, tie: Fraction) -> tuple[Interval, Interval]:
    x, y = Fraction(0), f.vertices[0][1]
    for (x0, y0), (x1, y1) in pairwise(f.vertices):
        slope = (y0 - y1) / (x1 - x0)
        share = Fraction(int(slope > ratio)) if slope != ratio else tie
        x, y = x + share * (x1 - x0), y - share * (y0 - y1)
    return Interval.of(x), Interval.of(y)


def _gaussian_point(function: GDP, ratio: Fraction) -> tuple[Interval, Interval]:
    """Return P(x > ln t / mu + mu/2) under N(0, 1), and the rest under N(mu, 1)."""
    if not function.mu_squared:
        reject = ONE if ratio < 1 else ZERO
        return reject, ONE - reject
    mu = Interval.of(function.mu_squared).sqrt()
    log_ratio = Interval.of(ratio).ln() if ratio != 1 else ZERO
    half = mu / Interval.of(2)
    return upper_tail(log_ratio / mu + half), upper_tail(half - log_ratio / mu)
