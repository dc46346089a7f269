"""The smallest mu that a polygon is certified for, and its regret: two numbers of a report.

Neither is a measure: what is fitted is never composed, and no group privacy is read from it.
Doubles on the safe side are enough, and a row costs a millisecond.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from semiaudit.frozen import dataclass
from semiaudit.model.measure import PiecewiseLinear
from semiaudit.numeric.intervals import HALF, Interval
from semiaudit.numeric.rationals import float_up
from semiaudit.privacy.measures.gdp import LARGEST_MU
from semiaudit.privacy.special.normal import quantile_above, upper_tail
from semiaudit.privacy.tradeoff import polygon

MOST_SPLITS = 200
"""The most halvings of a run of vertices or slopes, at a quantile or two each; the rest counts with
its bound.
"""

_FAR_OUT = Decimal(40)
"""Standard deviations beyond which a normal tail counts as the one there: below 1e-349."""

_CLOSE = Fraction(1, 10**5)
"""The tolerance of the search for a regret."""


@dataclass(frozen=True, slots=True)
class FittedMu:
    """mu-GDP in two doubles.

    Attributes:
        mu: certified: no tradeoff function in question lies below G_mu.
        regret: how far above G_mu it lies at most, down and to the left.
    """

    mu: Fraction
    regret: Fraction


@lru_cache(maxsize=1024)
def fitted_mu(f: PiecewiseLinear) -> Fraction | None:
    """The least mu with f >= G_mu, rounded up.

    Args:
        f: holds for both directions of every pair, so the larger of f and f^-1 counts.

    Returns:
        None if neither f nor f^-1 is 1 at 0: no mu is enough then.

    Source: docs/theory/conversions.md; Gomez et al. 2025; Kaissis et al. 2024.
    """
    return _least_mu(_of_both_orders(f))


def regret_of(f: PiecewiseLinear, mu: Fraction) -> Fraction:
    """Return an upper bound on the distance from f down and left to G_mu; 0 if G_mu is above f.

    Args:
        f: holds for both directions of every pair.
    """
    return _regret(_of_both_orders(f), mu) if mu else Fraction(0)


@lru_cache(maxsize=64)
def _of_both_orders(f: PiecewiseLinear) -> PiecewiseLinear:
    if any((y, x) != v for (x, y), v in zip(f.vertices, reversed(f.vertices), strict=True)):
        return polygon.pointwise_max(f, polygon.inverse(f), Fraction(0))
    return f


def _least_mu(f: PiecewiseLinear) -> Fraction | None:
    """The largest Phi^-1(1 - x) + Phi^-1(1 - y) over vertices, at least 0.

    G_mu at or below every vertex lies below the convex polygon. Over a run of vertices the sum is
    at most that of the first x with the last y, for both fall along it.
    """
    if f.vertices[0][1] < 1 or f.vertices[-2][1] <= 0:
        return None
    # Beyond the diagonal the vertices are the same ones, mirrored, or rounded to lie no higher.
    vertices = [vertex for vertex in f.vertices if vertex[0] * vertex[1]]
    quantile = lru_cache(maxsize=None)(quantile_above)

    def bound(first: int, last: int) -> Fraction:
        return quantile(vertices[first][0]) + quantile(vertices[last][1])

    return _largest(bound, len(vertices))


def _largest(
    bound: Callable[[int, int], Fraction], number: int, close: Fraction = Fraction(0)
) -> Fraction:
    """The largest bound(i, i) over i below a number, at least 0, as a double above it.

    Args:
        bound: bound(first, last) is at least bound(i, i) for every i of that run.
        close: it is not looked for more closely than this.

    The run with the largest bound is halved first, until that is a single place. The runs in the
    heap hold every i at any time, so that the largest of their bounds is an upper bound whenever
    the loop stops.
    """
    if not number:
        return Fraction(0)
    runs = [(-bound(0, number - 1), 0, number - 1)]
    best = Fraction(0)
    for _ in range(MOST_SPLITS):
        negative, first, last = runs[0]
        if close:
            best = max(best, bound(first, first))
        if first == last or -negative <= best + close:
            break
        heapq.heappop(runs)
        middle = (first + last) // 2
        heapq.heappush(runs, (-bound(first, middle), first, middle))
        heapq.heappush(runs, (-bound(middle + 1, last), middle + 1, last))
    return Fraction(float_up(max(-runs[0][0], Fraction(0))))


def gaussian_delta_above(mu: Fraction, growth: Fraction) -> Fraction:
    """The delta of mu-GDP at epsilon = ln(growth), from above.

    Phi(mu/2 - epsilon/mu) - growth Phi(-mu/2 - epsilon/mu) (Balle and Wang 2018, Theorem 8).
    """
    if growth == 1:
        return 1 - 2 * upper_tail(Interval.of((Interval.of(mu) * HALF).high)).lower_rational
    if mu > LARGEST_MU:
        return Fraction(1)
    shift, half = Interval.of(growth).ln() / Interval.of(mu), Interval.of(mu) * HALF
    beyond = (shift - half).low
    power = upper_tail(Interval.of(min(beyond, _FAR_OUT))).upper_rational
    if beyond > _FAR_OUT:
        return power
    false = upper_tail(Interval.of((shift + half).high)).lower_rational
    return max(power - growth * false, Fraction(0))


def _regret(f: PiecewiseLinear, mu: Fraction) -> Fraction:
    """The largest (delta_mu - delta_f) / (1 + e^epsilon) over epsilon >= 0, from above.

    delta_f is linear in g = e^epsilon between the slopes of f. On such a piece, a - b g, the
    derivative has the sign of G(t) - t - 1 + a + b with t = Phi(-epsilon/mu - mu/2), which rises
    with g: the largest value is at an end of a piece, or, beyond the last, at its beginning.
    Both deltas fall with g, so over a run of slopes it is at most the delta_mu of the first less
    the delta_f of the last, over the first weight.
    """
    places = []
    # With a vertex on the diagonal, where a + b = 1, the ratio rises from g = 1 on.
    if not any(x == y for x, y in f.vertices):
        places.append((Fraction(1), polygon.advantage(f)))
    for (x0, y0), (x1, y1) in reversed(list(zip(f.vertices, f.vertices[1:], strict=False))):
        slope = (y0 - y1) / (x1 - x0)
        if slope > 1:
            places.append((slope, 1 - y0 - slope * x0))
    known = lru_cache(maxsize=None)(lambda place: gaussian_delta_above(mu, places[place][0]))

    def bound(first: int, last: int) -> Fraction:
        return (known(first) - places[last][1]) / (1 + places[first][0])

    return _largest(bound, len(places), _CLOSE)
