"""Tradeoff functions from likelihoods, finite privacy losses, densities and closed forms.

All but the first are brackets of two polygons. The function is the lower boundary of a convex set.
So points moved right and up (or fewer points) are an upper bound; supporting lines, or points moved
left and down, are a lower bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import assert_never

from semiaudit.model.loss import FiniteLoss, LaplaceLoss
from semiaudit.model.measure import GDP, ApproxDP, PiecewiseLinear, PureDP
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.special.normal import upper_tail
from semiaudit.privacy.tradeoff.function import (
    TradeoffBracket,
    TradeoffFunction,
    delta_at,
    type_ii_at,
)
from semiaudit.privacy.tradeoff.polygon import (
    IDENTITY,
    Line,
    Vertex,
    envelope,
    inverse,
    lower_hull,
    pointwise_max,
    tradeoff_from_approx_dp,
)

_WIDTH = Fraction(8)
"""The distance that the tests of a Gaussian pair reach on either side of mu/2: beyond is about
1e-15."""


def tradeoff_from_likelihoods(pair: FiniteLoss) -> TradeoffBracket:
    """Return T(P, Q) of two finite distributions, exactly.

    Outcomes are rejected in falling order of Q/P; each likelihood-ratio test is a vertex, with
    randomized tests in between (Neyman and Pearson; Su's review, 2.2).

    Raises:
        ValueError: lengths that differ, a negative probability, or a total that is not 1.
    """
    if len(pair.first) != len(pair.second):
        raise ValueError("the two distributions have one length")
    if min(*pair.first, *pair.second) < 0 or not sum(pair.first) == sum(pair.second) == 1:
        raise ValueError("probabilities are at least 0 and sum to 1")
    outcomes = [(p, q) for p, q in zip(pair.first, pair.second, strict=True) if p or q]
    sure = sum((q for p, q in outcomes if not p), Fraction(0))
    finite = sorted(((p, q) for p, q in outcomes if p), key=lambda o: o[1] / o[0], reverse=True)
    x, y = Fraction(0), 1 - sure
    points: list[Vertex] = [(x, y)]
    for p, q in finite:
        x, y = x + p, y - q
        points.append((x, y))
    polygon = lower_hull(points)
    exact = PiecewiseLinear(polygon.vertices, declared=True)
    return TradeoffBracket(exact, exact)


def tradeoff_from_densities(
    cuts: Sequence[Fraction],
    null: Callable[[Fraction], Interval],
    alternative: Callable[[Fraction], Interval],
    ratio: Callable[[Fraction], Interval],
) -> TradeoffBracket:
    """Bracket the function of two densities on the line with increasing likelihood ratio.

    Args:
        cuts: ascending points; more of them make the bracket narrower.
        null: the null's upper tail P(X > x), enclosed.
        alternative: the alternative's.
        ratio: the likelihood ratio at a point, enclosed.

    Returns:
        A bracket. Tests "X > cut" are points of the function, and the ratio is minus its slope
        there: chords are upper bounds, tangents are lower bounds.

    Rounding: a tangent goes through the lower left corner of the enclosure of its point, with the
    smaller slope up to x = 0 and the larger one after.
    """
    above: list[Vertex] = [(Fraction(0), Fraction(1))]
    tangents: list[Line] = []
    for cut in cuts:
        x, power, slope = null(cut), alternative(cut), ratio(cut)
        above.append((x.upper_rational, 1 - power.lower_rational))
        intercept = 1 - power.upper_rational + slope.lower_rational * x.lower_rational
        tangents.append((intercept, slope.upper_rational))
    return TradeoffBracket(envelope(tangents), lower_hull(above))


def bracket_of(function: TradeoffFunction, pieces: int = 64) -> TradeoffBracket:
    """Return two polygons around a function that has a closed form.

    Args:
        function: brackets are returned unchanged; a polygon is both bounds of its bracket.
        pieces: the number of intervals of the tests, or of the slopes; 1 or more.

    Returns:
        Gaussian: tangents and chords at evenly spaced tests, down to errors of about 1e-15.
        Laplace: supporting lines of slopes e^epsilon, spread evenly in epsilon (duality, Su's
        review, 2.4), and chords. f_{epsilon,delta} is a polygon but for the rounding of e^epsilon.
    """
    match function:
        case TradeoffBracket():
            return function
        case PiecewiseLinear():
            return TradeoffBracket(function, function)
        case PureDP():
            return _approx_bracket(ApproxDP(function.epsilon, Fraction(0)))
        case ApproxDP():
            return _approx_bracket(function)
        case GDP():
            return _gaussian_bracket(function, pieces)
        case LaplaceLoss():
            return _laplace_bracket(function, pieces)
        case _:
            assert_never(function)


def _gaussian_bracket(function: GDP, pieces: int) -> TradeoffBracket:
    """Bracket N(0, 1) against N(mu, 1), mu enclosed, by tests at cuts on both sides of mu/2."""
    mu = Interval.of(function.mu_squared).sqrt()
    if not function.mu_squared:
        return TradeoffBracket(IDENTITY, IDENTITY)
    half = mu / Interval.of(2)
    return tradeoff_from_densities(
        [_WIDTH * place / pieces for place in range(-pieces, pieces + 1)],
        lambda x: upper_tail(Interval.of(x) + half),
        lambda x: upper_tail(Interval.of(x) - half),
        lambda x: (Interval.of(x) * mu).exp(),
    )


def _laplace_bracket(function: LaplaceLoss, pieces: int) -> TradeoffBracket:
    """Bracket a Laplace function, its own inverse, by lines on one side of the diagonal and their
    mirror images.
    """
    if not function.shift:
        return TradeoffBracket(IDENTITY, IDENTITY)
    lines, points = [], [(Fraction(0), Fraction(1))]
    for place in range(-pieces, pieces + 1):
        epsilon = abs(function.shift) * place / pieces
        slope = Interval.of(epsilon).exp()
        lines.append((1 - delta_at(function, epsilon).upper_rational, slope.upper_rational))
    for place in range(1, pieces + 1):
        a = Fraction(place * place, 2 * pieces * pieces)
        for type_i in (a, a / 2**place):
            type_ii = min(type_ii_at(function, type_i).upper_rational, 1 - type_i)
            points += [(type_i, type_ii), (type_ii, type_i)]
    below = envelope(lines)
    return TradeoffBracket(pointwise_max(below, inverse(below), Fraction(0)), lower_hull(points))


def _approx_bracket(function: ApproxDP) -> TradeoffBracket:
    below = tradeoff_from_approx_dp(ApproxDP(function.epsilon, function.delta))
    top = 1 - function.delta
    growth = Interval.of(function.epsilon).exp().lower_rational if function.epsilon else Fraction(1)
    corner = top / (1 + growth)
    return TradeoffBracket(
        below, lower_hull([(Fraction(0), top), (corner, corner), (top, Fraction(0))])
    )
