"""The smallest mu for which a product of pairs is certified mu-GDP, and the regret of that mu.

To the left of the diagonal, the tradeoff functions of both directions lie above the polygon of the
lines 1 - delta - e^epsilon a. If both lie above G_mu there, they do everywhere: were f(a) < G_mu(a)
further right, a' = f(a) would have f^-1(a') <= a < G_mu(a').

Next to a = 0 a line with delta > 0 is below every G_mu. There, either delta is 0 at the largest
loss, or rho-zCDP decides: docs/theory/conversions.md, *The largest mu of a fit*.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from semiaudit import deadline
from semiaudit.model.measure import ZCDP
from semiaudit.numeric.intervals import TWO, Interval
from semiaudit.numeric.rationals import float_up
from semiaudit.privacy.mu.fitted import FittedMu, gaussian_delta_above
from semiaudit.privacy.special.normal import quantile_above
from semiaudit.privacy.tradeoff.polygon import Vertex, envelope

if TYPE_CHECKING:
    from semiaudit.privacy.loss.delta_points import DeltaPoint

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
"""A ratio that is below the worst one by this part in floats is not computed with certainty."""

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
    vertices = _left_half(lines)
    sums = []
    for x, y in vertices:
        deadline.check()
        sums.append(quantile_above(x) + quantile_above(y))
    candidates: list[Fraction] = []
    if points[-1].upper == 0 and sums:
        # The last line has delta 0, so the polygon is 1 at 0. It is convex, so it is above G_mu if
        # all its vertices are, and a vertex needs a mu of its sum.
        candidates.append(max(sums))
    if zcdp is not None and zcdp.rho:
        candidates += _with_zcdp_end(vertices, sums, zcdp)
    if not candidates:
        return None
    mu = Fraction(float_up(max(min(candidates), Fraction(0))))
    return FittedMu(mu, _regret(points, mu) if mu else Fraction(0))


def _left_half(lines: list[tuple[Fraction, Fraction]]) -> list[Vertex]:
    polygon = envelope(lines).vertices
    inner = [(x, y) for x, y in polygon if 0 < x < y]
    for (x0, y0), (x1, y1) in pairwise(polygon):
        if x0 < y0 and x1 >= y1:
            slope = (y0 - y1) / (x1 - x0)
            diagonal = (y0 + slope * x0) / (1 + slope)
            return [*inner, (diagonal, diagonal)]
    return []


def _with_zcdp_end(
    vertices: Sequence[Vertex], sums: Sequence[Fraction], zcdp: ZCDP
) -> Iterator[Fraction]:
    """For several cuts, yield the larger of the mu needed to the left and to the right of the cut.

    rho-zCDP bounds the power b at a type I error a <= e^-rho by
    sqrt(2 ln(1/b)) >= sqrt(2 ln(1/a)) - sqrt(2 rho), and left of the cut
    Phi^-1(1 - a) - Phi^-1(1 - b) is largest at the cut itself.
    """
    shift = (TWO * Interval.of(zcdp.rho)).sqrt()
    suffix, right = [Fraction(0)] * len(sums), Fraction(0)
    for place in range(len(sums) - 1, -1, -1):
        suffix[place] = right = max(right, sums[place])
    for place in range(0, len(sums), max(len(sums) // _CUTS, 1)):
        type_i = vertices[place][0]
        rest = (TWO * -Interval.of(type_i).ln()).sqrt() - shift
        if rest.lower_rational < LEAST_ROOT:
            # The proof does not extend this far to the right.
            continue
        power = (-(rest * rest) / TWO).exp().upper_rational
        needed = quantile_above(type_i) + quantile_above(1 - power)
        yield max(needed, suffix[place])


def _regret(points: Sequence[DeltaPoint], mu: Fraction) -> Fraction:
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
    kept = list(points)
    while len(kept) > _FEWEST:
        middle = kept[len(kept) // 2]
        growth = _growth(middle.epsilon)
        # Beyond this point, delta_mu over its weight decreases, and it alone bounds the regret
        # there.
        if gaussian_delta_above(mu, growth) > _NO_REGRET * (1 + growth):
            break
        kept = kept[: len(kept) // 2 + 1]
    step = max(len(kept) // _CELLS, 1)
    chosen = kept[::step] if (len(kept) - 1) % step == 0 else [*kept[::step], kept[-1]]
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


def _growth(epsilon: float) -> Fraction:
    if epsilon == 0:
        return Fraction(1)
    value = Interval.of(Fraction(epsilon)).exp().high
    return Fraction(float_up(value)) if value < 10**300 else Fraction(value)
