"""The smallest mu that a polygon is certified for, and its regret: two numbers of a report.

Neither is a measure: what is fitted is never composed, and no group privacy is read from it.
Doubles on the safe side are enough, and a row costs a millisecond.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.model.measure import ZCDP, PiecewiseLinear
from semiaudit.numeric.intervals import HALF, TWO, Interval
from semiaudit.numeric.rationals import float_up
from semiaudit.privacy.measures.gdp import LARGEST_MU
from semiaudit.privacy.special.normal import quantile_above, upper_tail
from semiaudit.privacy.tradeoff import polygon
from semiaudit.privacy.tradeoff.polygon import Vertex, envelope

if TYPE_CHECKING:
    from semiaudit.privacy.loss.delta_points import DeltaPoint


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


LEAST_ROOT = Fraction(276, 100)
"""sqrt(2 ln(1/p)) at p = 0.0222, where the normal quantile is above 2: up to a power of p the proof
in docs/theory/conversions.md holds that the cut itself needs the largest mu."""

_RAISED = Fraction(1, 2**51)
"""The largest relative increase of e^epsilon when it becomes a double."""

_CUTS = 24
"""Cuts between the points' polygon and zCDP that are tried; the best one is kept."""

_CELLS = 40
"""Points between which the regret is bounded: more points give a tighter bound."""

_NO_REGRET = Fraction(1, 10**5)
"""The search for a regret stops if the regret cannot exceed this."""

_UNSURE = 1e-9
"""A number that is this far from deciding in floats is not computed with certainty."""

_LEAST_MASS = 1e-290
"""The quantile of a smaller mass is not computed in floats."""

_MEDIAN = Fraction(1, 2)

_LARGE_GROWTH = 10**12
"""Up to this growth, the arguments of the tails are small enough for floats."""

_FEWEST = 4
"""The first points, which are always kept."""


def fitted_mu_of_points(points: Sequence[DeltaPoint], zcdp: ZCDP | None) -> FittedMu | None:
    """Compute mu and its regret from bounds on delta at many epsilons.

    Args:
        points: of the worse direction, epsilon rising from 0.
        zcdp: holds for both directions too, if known.

    Returns:
        None if no mu is certified near a type I error of 0.

    Raises:
        OutOfTimeError: the time limit was reached before mu was fitted.

    Rounding: e^epsilon is raised to a double, which lowers the lines.
    """
    if len(points) < 2:
        return None
    lines = [(1 - Fraction(p.upper), _growth(p.epsilon)) for p in points]
    needed = _Needed(_left_half(lines))
    candidates: list[Fraction] = []
    if points[-1].upper == 0 and needed.vertices:
        # The last line has delta 0, so the polygon is 1 at 0. It is convex, so it is above G_mu if
        # all its vertices are, and a vertex needs a mu of its sum.
        candidates.append(needed.from_place(0))
    if zcdp is not None and zcdp.rho:
        candidates += needed.with_zcdp_end(zcdp)
    if not candidates:
        return None
    mu = Fraction(float_up(max(min(candidates), Fraction(0))))
    return FittedMu(mu, _regret_of_points(points, mu) if mu else Fraction(0))


def _left_half(lines: list[tuple[Fraction, Fraction]]) -> list[Vertex]:
    polygon = envelope(lines).vertices
    inner = [(x, y) for x, y in polygon if 0 < x < y]
    for (x0, y0), (x1, y1) in pairwise(polygon):
        if x0 < y0 and x1 >= y1:
            slope = (y0 - y1) / (x1 - x0)
            diagonal = (y0 + slope * x0) / (1 + slope)
            return [*inner, (diagonal, diagonal)]
    return []


class _Needed:
    """The mu that vertices need: certified where floats leave it open which one needs the most."""

    def __init__(self, vertices: Sequence[Vertex]) -> None:
        self.vertices = vertices
        self._about = [_quantile(x) + _quantile(y) for x, y in vertices]
        self._certified = lru_cache(maxsize=None)(self._sum)

    def _sum(self, place: int) -> Fraction:
        deadline.check()
        return quantile_above(self.vertices[place][0]) + quantile_above(self.vertices[place][1])

    def from_place(self, place: int) -> Fraction:
        """The largest sum at a place or to the right of it, at least 0."""
        close = max(self._about[place:]) - _UNSURE
        places = range(place, len(self._about))
        sums = [self._certified(at) for at in places if self._about[at] >= close]
        return max(*sums, Fraction(0))

    def with_zcdp_end(self, zcdp: ZCDP) -> list[Fraction]:
        """Return the least, over several cuts, of the larger mu needed on either side of a cut.

        rho-zCDP bounds the power b at a type I error a <= e^-rho by
        sqrt(2 ln(1/b)) >= sqrt(2 ln(1/a)) - sqrt(2 rho), and left of the cut
        Phi^-1(1 - a) - Phi^-1(1 - b) is largest at the cut itself. Without a cut for which the
        proof holds, the result is empty.
        """
        shift = (TWO * Interval.of(zcdp.rho)).sqrt()
        right = [*accumulate(reversed(self._about), max)][::-1]
        cuts: list[tuple[float, int, Fraction]] = []
        for place in range(0, len(right), max(len(right) // _CUTS, 1)):
            bound = (TWO * -Interval.of(self.vertices[place][0]).ln()).sqrt() - shift
            if bound.lower_rational < LEAST_ROOT:
                # The proof does not extend this far to the right.
                continue
            power = (-(bound * bound) / TWO).exp().upper_rational
            about = _quantile(self.vertices[place][0]) + _quantile(1 - power)
            cuts.append((max(about, right[place]), place, power))
        close = min(cuts, default=(0.0,))[0] + _UNSURE
        return [
            max(
                quantile_above(self.vertices[place][0]) + quantile_above(1 - power),
                self.from_place(place),
            )
            for about, place, power in cuts
            if about <= close
        ]


def _quantile(tail: Fraction) -> float:
    """The point above which a mass lies, in floats; their rounding is far below ``_UNSURE``."""
    mass = float(min(tail, 1 - tail))
    if mass < _LEAST_MASS:
        return float(quantile_above(tail))
    from scipy.special import ndtri

    return float(ndtri(mass)) * (1 if tail > _MEDIAN else -1)


def _regret_of_points(points: Sequence[DeltaPoint], mu: Fraction) -> Fraction:
    """Return the largest (delta_mu - delta) / (1 + e^epsilon), as an upper bound.

    delta is convex in g = e^epsilon and 1 at g = 0, so between two points it lies above the lines
    through the two before and through the two after. On a line, the ratio is largest at an end
    (``fitted``), so the ends and the crossing decide. After the last point, delta_mu over its
    weight decreases.

    Rounding: raising e^epsilon lowers delta by at most as much (its slope is a type I error), so
    the upper bounds stay valid and the lower ones are reduced by 2^-51 of it.
    """
    ends = [(Fraction(0), Fraction(1), Fraction(1)), *_thinned(points, mu)]
    worst = Fraction(0)

    def ratio(growth: Fraction, below: Fraction) -> Fraction:
        if _about(mu, growth, below) + _UNSURE < worst:
            return Fraction(0)
        return (gaussian_delta_above(mu, growth) - below) / (1 + growth)

    for place in range(1, len(ends) - 2):
        deadline.check()
        before, start, stop, after = ends[place - 1 : place + 3]
        rise = (start[1] - before[2]) / (start[0] - before[0])
        fall = (after[2] - stop[1]) / (after[0] - stop[0])
        worst = max(worst, ratio(start[0], start[1]))
        if rise < fall:
            crossing = (stop[1] - start[1] + rise * start[0] - fall * stop[0]) / (rise - fall)
            if start[0] < crossing < stop[0]:
                level = start[1] + rise * (crossing - start[0])
                worst = max(worst, ratio(crossing, max(level, Fraction(0))))
    last = ends[-2]
    worst = max(worst, ratio(last[0], Fraction(0)))
    return Fraction(float_up(worst))


def _about(mu: Fraction, growth: Fraction, below: Fraction) -> float:
    """(delta_mu - below) / (1 + growth) in floats; their rounding is far below ``_UNSURE``."""
    if growth > _LARGE_GROWTH:
        return math.inf
    size, weight = float(mu), float(growth)
    shift, half = math.log(weight) / size, size / 2
    power, false = (math.erfc((shift + side) / math.sqrt(2)) / 2 for side in (-half, half))
    return (power - weight * false - float(below)) / (1 + weight)


def _thinned(
    points: Sequence[DeltaPoint], mu: Fraction
) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Return (e^epsilon, bounds below and above delta) of points that can decide the regret."""
    thinned = list(points)
    while len(thinned) > _FEWEST:
        middle = thinned[len(thinned) // 2]
        growth = _growth(middle.epsilon)
        # Beyond this point, delta_mu over its weight decreases, and it alone bounds the regret
        # there.
        if gaussian_delta_above(mu, growth) > _NO_REGRET * (1 + growth):
            break
        thinned = thinned[: len(thinned) // 2 + 1]
    step = max(len(thinned) // _CELLS, 1)
    chosen = thinned[::step] if (len(thinned) - 1) % step == 0 else [*thinned[::step], thinned[-1]]
    ends: list[tuple[Fraction, Fraction, Fraction]] = []
    for point in chosen:
        growth = _growth(point.epsilon)
        below = max(Fraction(point.lower) - growth * _RAISED, Fraction(0))
        upper = Fraction(point.upper)
        if ends and ends[-1][0] == growth:  # epsilons too small to distinguish as e^epsilon
            _, known, above = ends.pop()
            below, upper = max(below, known), min(upper, above)
        ends.append((growth, below, upper))
    return ends


@lru_cache(maxsize=1024)
def _growth(epsilon: float) -> Fraction:
    if epsilon == 0:
        return Fraction(1)
    value = Interval.of(Fraction(epsilon)).exp().high
    return Fraction(float_up(value)) if value < 10**300 else Fraction(value)
