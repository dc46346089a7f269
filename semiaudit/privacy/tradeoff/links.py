"""Divergences as functions of the tradeoff function (link functions).

Every divergence that post-processing cannot raise is a function of T(P, Q) alone (Su's review,
Theorem 3). Directions matter where f is not symmetric: total variation has none; delta and the
maximal divergence set Q against P; the Renyi divergence, as the review prints its integral, sets
P against Q. ``algebra.inverse`` gives the other direction of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Overflow
from fractions import Fraction
from itertools import pairwise
from math import inf, isinf
from typing import assert_never

from semiaudit.model.loss import LaplaceLoss
from semiaudit.model.measure import GDP, ApproxDP, PiecewiseLinear, PureDP
from semiaudit.numeric.intervals import ONE, Interval, nonnegative_ends
from semiaudit.privacy.tradeoff.algebra import inverse
from semiaudit.privacy.tradeoff.function import (
    TradeoffBracket,
    TradeoffFunction,
    epsilon_at,
)

Ends = tuple[Fraction | float, Fraction | float]
"""(lower bound, upper bound); infinite if the quantity is."""


def max_divergence(function: TradeoffFunction) -> Ends:
    """Return ln of the supremum of |f'|: the largest ln Q(S)/P(S)."""
    return epsilon_at(function, Fraction(0))


def renyi_divergence(function: TradeoffFunction, order: Fraction) -> Ends:
    """Return the divergence of P from Q: ln of the integral of |f'|^(1 - order), over order - 1.

    Args:
        function: the tradeoff function T(P, Q).
        order: above 1.

    Returns:
        Both bounds. A bracket's upper bound is that of its lower polygon, because a larger f has a
        smaller divergence.

    Rounding: exact closed forms in directed decimals; a polygon is a sum over its pieces.
    Source: Su's review, section 2.3; van Erven and Harremoes 2014 for the Gaussian; Mironov 2017,
    Proposition 6, for Laplace.
    """
    if order <= 1:
        raise ValueError("an order must be above 1")
    match function:
        case GDP():
            value = order * function.mu_squared / 2
            return value, value
        case LaplaceLoss():
            return nonnegative_ends(_laplace(abs(function.shift), order))
        case PureDP():
            return nonnegative_ends(_randomized_response(function.epsilon, order))
        case ApproxDP():
            if function.delta:
                return inf, inf
            return nonnegative_ends(_randomized_response(function.epsilon, order))
        case PiecewiseLinear():
            return _polygon(function, order)
        case TradeoffBracket():
            return _polygon(function.above, order)[0], _polygon(function.below, order)[1]
        case _:
            assert_never(function)


def divergence(function: TradeoffFunction, order: Fraction) -> Fraction | float:
    """The Renyi divergence of P from Q at an order of 1 or more, from above.

    It is infinite, although the true one may be finite, for a function that is known by a polygon
    from below whose last piece is flat: the polygon cannot exclude outcomes that Q lacks. At orders
    whose powers are no decimals it is the divergence of order infinity, which is not less.
    """
    if order == 1:
        return kullback_leibler(function)[1]
    try:
        return renyi_divergence(function, order)[1]
    except Overflow:
        return max_divergence(inverse(function))[1]


def divergence_of_mixture(
    components: Sequence[tuple[Fraction, Fraction | float]], order: Fraction
) -> Fraction | float:
    """The Renyi divergence of a mixture whose index is revealed, from above.

    Args:
        components: (weight, divergence of the component, from above); weights sum to 1.
        order: 1 or more.

    Returns:
        ln of the sum of w e^((order - 1) D), over order - 1; at order 1 the mean of the D.

    Rounding: up. The largest D is taken out of the sum, so that no exponential is too large.
    Source: the integral of p^a q^(1 - a) over both the index and the output; van Erven and
    Harremoes 2014, for the limit of order 1.
    """
    largest = max(value for _, value in components)
    if isinf(largest):
        return inf
    if order == 1:
        return sum((weight * Fraction(value) for weight, value in components), Fraction(0))
    total = Interval.of(0)
    for weight, value in components:
        exponent = (order - 1) * (Fraction(value) - Fraction(largest))
        total = total + Interval.of(weight) * Interval.of(exponent).exp()
    below = (total.ln() / Interval.of(order - 1)).upper_rational
    return Fraction(largest) + min(below, Fraction(0))


def kullback_leibler(function: TradeoffFunction) -> Ends:
    """Return minus the integral of ln |f'|: the divergence of P from Q, the limit of order 1.

    Args:
        function: the tradeoff function T(P, Q).

    Returns:
        Both bounds. A bracket's upper bound is that of its lower polygon.

    Rounding: as of :func:`renyi_divergence`.
    Source: Su's review, section 3.3 (kl). For Laplace noise moved by s it is s + e^-s - 1, for
    f_{epsilon,0} it is epsilon (e^epsilon - 1) / (e^epsilon + 1).
    """
    match function:
        case GDP():
            return function.mu_squared / 2, function.mu_squared / 2
        case LaplaceLoss():
            shift = Interval.of(abs(function.shift))
            return nonnegative_ends(shift + (-shift).exp() - ONE)
        case PureDP():
            return _kullback_of_response(function.epsilon)
        case ApproxDP():
            return (inf, inf) if function.delta else _kullback_of_response(function.epsilon)
        case PiecewiseLinear():
            return _kullback(function)
        case TradeoffBracket():
            return _kullback(function.above)[0], _kullback(function.below)[1]
        case _:
            assert_never(function)


def _kullback_of_response(epsilon: Fraction) -> Ends:
    growth = Interval.of(epsilon).exp()
    return nonnegative_ends(Interval.of(epsilon) * (growth - ONE) / (growth + ONE))


def _laplace(shift: Fraction, order: Fraction) -> Interval:
    total = 2 * order - 1
    up = Interval.of(order / total) * Interval.of((order - 1) * shift).exp()
    down = Interval.of((order - 1) / total) * Interval.of(-order * shift).exp()
    return (up + down).ln() / Interval.of(order - 1)


def _randomized_response(epsilon: Fraction, order: Fraction) -> Interval:
    local = Interval.of(epsilon).exp()
    up, down = Interval.of(order * epsilon).exp(), Interval.of((1 - order) * epsilon).exp()
    return ((up + down) / (ONE + local)).ln() / Interval.of(order - 1)


def _polygon(f: PiecewiseLinear, order: Fraction) -> Ends:
    """Sum length * slope^(1 - order) over the pieces; a flat piece makes the sum infinite."""
    total = Interval.of(0)
    for (x0, y0), (x1, y1) in pairwise(f.vertices):
        if y0 == y1:
            return inf, inf
        slope = Interval.of((y0 - y1) / (x1 - x0)).ln()
        total = total + Interval.of(x1 - x0) * (slope * Interval.of(1 - order)).exp()
    return nonnegative_ends(total.ln() / Interval.of(order - 1))


def _kullback(f: PiecewiseLinear) -> Ends:
    total = Interval.of(0)
    for (x0, y0), (x1, y1) in pairwise(f.vertices):
        if y0 == y1:
            return inf, inf
        total = total - Interval.of(x1 - x0) * Interval.of((y0 - y1) / (x1 - x0)).ln()
    return nonnegative_ends(total)
