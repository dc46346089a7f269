"""The canonical noise of a tradeoff function, by name.

N(0, 1/mu^2): also canonical for G_mu, but different from the distribution of Lemma 36.

Source: Cho and Awan, below Definition 35; docs/errata.md, E25.

Canonical noise of any symmetric tradeoff function, by Lemma 36.

In Su's form, c is the fixed point f(c) = c. P(N > z) falls linearly from 1 - c at -1/2 to c at 1/2,
and P(N > x + 1) = f(P(N <= x)) extends it. (Cho and Awan print the lemma for g(a) = f(1 - a): with
Su's f in place of their g, the result is not a distribution function.)
Source: Awan and Vadhan 2023, Theorem 3.9; Cho and Awan, Lemma 36.

The Tulap distribution, the unique canonical noise of f_{epsilon,delta}.

With b = e^-epsilon it is G1 - G2 + V, the difference of two geometric variables and a uniform one
on [-1/2, 1/2], of which the middle part of mass 1 - q is kept: q = 2 delta b / (1 - b + 2 delta b).
At epsilon 0 it is uniform on [-1/(2 delta), 1/(2 delta)].
Source: Awan and Slavkovic 2018; Awan and Vadhan 2023; Cho and Awan, section 5.3.

The fixed point of a symmetric tradeoff function: the least equal errors of both kinds.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from statistics import NormalDist
from typing import assert_never

from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.loss import LaplaceLoss
from semiaudit.model.measure import GDP, ApproxDP, PiecewiseLinear, PureDP
from semiaudit.model.results.odds_ratio import NoiseName
from semiaudit.numeric.intervals import HALF, ONE, TWO, Interval
from semiaudit.privacy.canonical.canonical_distribution import (
    CanonicalDistribution,
    cell_and_place,
    cells_up_to,
    central_point,
    central_tail,
    require_spread,
)
from semiaudit.privacy.measures import gdp
from semiaudit.privacy.measures.gdp import mu_of
from semiaudit.privacy.special.normal import upper_quantile, upper_tail
from semiaudit.privacy.tradeoff import polygon
from semiaudit.privacy.tradeoff.algebra import functional_power
from semiaudit.privacy.tradeoff.function import TradeoffBracket, TradeoffFunction, type_ii_at


def corner_of(function: TradeoffFunction) -> Interval:
    """c with f(c) = c in Su's form, enclosed.

    Raises:
        RefusedError: the polygon is not a symmetric tradeoff function, or the function is a
            bracket.
    """
    match function:
        case GDP():
            return upper_tail(gdp.mu_of(function) * HALF)
        case PureDP():
            return ONE / (ONE + Interval.of(function.epsilon).exp())
        case ApproxDP():
            return Interval.of(1 - function.delta) / (ONE + Interval.of(function.epsilon).exp())
        case LaplaceLoss():
            return (-Interval.of(abs(function.shift)) * HALF).exp() * HALF
        case PiecewiseLinear():
            return Interval.of(_crossing(function))
        case TradeoffBracket():
            what = "a tradeoff function that is known between two others only"
            raise RefusedError(Refusal(what, "give one in closed form, or by its points"))
        case _:
            assert_never(function)


def _crossing(f: PiecewiseLinear) -> Fraction:
    hull = polygon.lower_hull(f.vertices)
    if any(polygon.type_ii_at(hull, x) != y for x, y in f.vertices):
        what = "a polygon that is not convex is not a tradeoff function"
        raise RefusedError(Refusal(what, "use the points of a convex polygon"))
    if polygon.inverse(hull).vertices != hull.vertices:
        what = "a tradeoff function that is not its own inverse has no canonical noise"
        raise RefusedError(Refusal(what, "symmetrise it first"))
    for (x0, y0), (x1, y1) in pairwise(hull.vertices):
        above, below = y0 - x0, x1 - y1
        if above >= 0 and below >= 0:
            return x0 + (x1 - x0) * above / (above + below) if above else x0
    raise ValueError("a tradeoff function runs from (0, f(0)) to (1, 0)")


_LARGEST_EXPONENT = 700.0
"""The exponential of the negative of a larger number is not a double."""


class Tulap(CanonicalDistribution):
    """Tulap noise for f_{epsilon,delta}.

    Raises:
        RefusedError: epsilon and delta are both 0, or too close to 0.
    """

    name = "tulap"

    def __init__(self, measure: ApproxDP) -> None:
        require_spread(corner_of(measure))
        self._epsilon, self._delta = measure.epsilon, measure.delta
        self._share = (-Interval.of(measure.epsilon)).exp() if measure.epsilon else ONE
        """b, the ratio of the masses of neighboring cells."""
        self._corner = self._share / (ONE + self._share)
        """The tail of the untruncated distribution at 1/2."""
        doubled = TWO * Interval.of(self._delta) * self._share
        self._cut = doubled / (ONE - self._share + doubled) if measure.epsilon else ONE

    def tail_beyond(self, x: Fraction) -> Interval:
        """P(N > x) for x of 0 or more: b^k times the tail in the central cell, then cut."""
        if not self._epsilon:
            return (HALF - Interval.of(self._delta * x)).clip(0, 1)
        cell, place = cell_and_place(x)
        untruncated = central_tail(self._corner, Interval.of(place))
        if cell:
            untruncated = untruncated * (-Interval.of(self._epsilon * cell)).exp()
        if not self._delta:
            return untruncated
        return ((untruncated - self._cut * HALF) / (ONE - self._cut)).clip(0, 1)

    def estimate_beyond(self, x: float) -> float:
        """Estimate P(N > x) in doubles."""
        if not self._epsilon:
            return max(0.5 - float(self._delta) * x, 0.0)
        cell = math.floor(x + 0.5)
        corner, cut = float(self._corner.low), float(self._cut.low)
        untruncated = 0.5 - (1 - 2 * corner) * (x - cell)
        untruncated *= math.exp(-min(float(self._epsilon) * cell, _LARGEST_EXPONENT))
        return max((untruncated - cut / 2) / (1 - cut), 0.0)

    def point_beyond(self, tail: Fraction) -> Interval:
        """The point above which a mass in (0, 1/2] lies."""
        if not self._epsilon:
            return Interval.of((Fraction(1, 2) - tail) / self._delta)
        untruncated = Interval.of(tail)
        if self._delta:
            untruncated = untruncated * (ONE - self._cut) + self._cut * HALF
        cells = (self._corner.ln() - untruncated.ln()) / Interval.of(self._epsilon)
        # The tail at k + 1/2 is c b^k: the first k whose tail is not larger names the cell.
        points = [self._point_in(cell, untruncated) for cell in cells_up_to(cells)]
        return Interval.hull(points[0], points[-1])

    def _point_in(self, cell: int, untruncated: Interval) -> Interval:
        grown = untruncated * Interval.of(self._epsilon * cell).exp() if cell else untruncated
        return central_point(self._corner, grown) + Interval.of(cell)


MOST_CELLS = 100_000
"""The most cells away from the center over which a polygon is applied."""

_NONE = Decimal("1e-50")
_ALL = Decimal(1) - _NONE
_UNIT = 2.0**-53
"""Tails below which the bounds of a normal point are as precise as the point."""


class Lemma36(CanonicalDistribution):
    """Canonical noise of one tradeoff function.

    Args:
        function: symmetric (its own inverse) and not 1 - a.

    Raises:
        RefusedError: the function is not symmetric, is 1 - a, or is known only as a bracket.
    """

    name = "lemma_36"

    def __init__(self, function: TradeoffFunction) -> None:
        self._function = function
        self._corner = corner_of(function)
        require_spread(self._corner)
        self._tails: dict[Fraction, list[Interval]] = {}
        """The tails of the cells at the last requested place."""
        self._points: dict[Fraction, Interval] = {}
        """The normal point, in the central cell, of the tail at the last requested place."""

    def tail_beyond(self, x: Fraction) -> Interval:
        """P(N > x) for x of 0 or more."""
        cell, place = cell_and_place(x)
        tail = central_tail(self._corner, Interval.of(place))
        function = self._function
        match function:
            case GDP():
                return self._moved(function, cell, place, tail)
            case LaplaceLoss():
                return at(functional_power(function, cell), ONE - tail) if cell else tail
            case PureDP() | ApproxDP() | PiecewiseLinear() | TradeoffBracket():
                return self._followed(cell, place, tail)
            case _:
                assert_never(function)

    def estimate_beyond(self, x: float) -> float:
        """Estimate P(N > x) in doubles."""
        if not isinstance(self._function, GDP):
            return super().estimate_beyond(x)
        cell = math.floor(x + 0.5)
        central = 0.5 - (1 - 2 * float(self._corner.low)) * (x - cell)
        mu = math.sqrt(self._function.mu_squared)
        inside = min(max(central, _UNIT), 1 - _UNIT)
        return NormalDist().cdf(NormalDist().inv_cdf(inside) - cell * mu)

    def point_beyond(self, tail: Fraction) -> Interval:
        """Return the point above which a mass in (0, 1/2] lies: 1 more than that of 1 - f(mass)."""
        if isinstance(self._function, GDP):
            return self._normal_point(self._function, tail)
        mass, cell = Interval.of(tail), 0
        corner = self._corner
        while mass.high < corner.low:
            if cell == MOST_CELLS:
                raise _too_far()
            cell, mass = cell + 1, ONE - at(self._function, mass)
        inside = central_point(corner, Interval(max(mass.low, corner.low), mass.high))
        if mass.low >= corner.high:
            return inside + Interval.of(cell)
        # At c itself, within the rounding, the point can be in the next cell: follow it there.
        beyond = central_point(corner, ONE - at(self._function, mass)) + ONE
        return Interval(min(inside.low, beyond.low), max(inside.high, beyond.high)) + Interval.of(
            cell
        )

    def _followed(self, cell: int, place: Fraction, tail: Interval) -> Interval:
        """Apply f to 1 - tail, cell by cell; earlier results are reused."""
        if place not in self._tails:
            self._tails = {place: [tail]}
        tails = self._tails[place]
        while len(tails) <= cell and tails[-1].high > 0:
            if len(tails) > MOST_CELLS:
                raise _too_far()
            tails.append(at(self._function, ONE - tails[-1]))
        return tails[min(cell, len(tails) - 1)]

    def _moved(self, measure: GDP, cells: int, place: Fraction, tail: Interval) -> Interval:
        """Apply G_mu for k cells: the normal point of a tail moves by k mu."""
        if not cells:
            return tail
        mu = gdp.mu_of(measure)
        if place not in self._points:
            # The tail lies between c and 1 - c, and so its point between -mu/2 and mu/2.
            end = mu * HALF
            low = -end if tail.high > _ALL else upper_quantile(tail.upper_rational)
            high = end if tail.low < _NONE else upper_quantile(tail.lower_rational)
            self._points = {place: Interval.hull(low, high)}
        return upper_tail(self._points[place] + mu * Interval.of(cells))

    def _normal_point(self, measure: GDP, tail: Fraction) -> Interval:
        mu, point = gdp.mu_of(measure), upper_quantile(tail)
        points = [
            central_point(self._corner, upper_tail(point - mu * Interval.of(cell)))
            + Interval.of(cell)
            for cell in cells_up_to(point / mu - HALF)
        ]
        return Interval.hull(points[0], points[-1])


def at(function: TradeoffFunction, type_i: Interval) -> Interval:
    """Evaluate f at an enclosed argument; f is nonincreasing, so its two bounds decide."""
    inside = type_i.clip(0, 1)
    low = type_ii_at(function, inside.upper_rational).low
    if inside.low == inside.high:
        return Interval(low, type_ii_at(function, inside.lower_rational).high)
    return Interval(low, type_ii_at(function, inside.lower_rational).high)


def _too_far() -> RefusedError:
    what = f"the noise spreads over more than {MOST_CELLS} units"
    return RefusedError(Refusal(what, "use a lower tradeoff function"))


class Normal(CanonicalDistribution):
    """Normal noise of standard deviation 1/mu.

    Raises:
        RefusedError: mu is 0, or too close to 0.
    """

    name = "normal"

    def __init__(self, measure: GDP) -> None:
        require_spread(corner_of(measure))
        self._mu = mu_of(measure)

    def tail_beyond(self, x: Fraction) -> Interval:
        """P(N > x) for x of 0 or more."""
        return upper_tail(self._mu * Interval.of(x))

    def estimate_beyond(self, x: float) -> float:
        """Estimate P(N > x) in doubles."""
        return math.erfc(float(self._mu.low) * x / math.sqrt(2)) / 2

    def point_beyond(self, tail: Fraction) -> Interval:
        """The point above which a mass in (0, 1/2] lies."""
        return upper_quantile(tail) / self._mu


def usual_name(function: TradeoffFunction) -> NoiseName:
    """Return the default distribution: Tulap if the function has it, else that of Lemma 36."""
    return "tulap" if isinstance(function, PureDP | ApproxDP) else "lemma_36"


def noise_of(function: TradeoffFunction, name: NoiseName) -> CanonicalDistribution:
    """Return the canonical distribution with a given name.

    Raises:
        RefusedError: the function does not have this distribution, or has no canonical noise.
    """
    match name:
        case "lemma_36":
            return Lemma36(function)
        case "tulap":
            if isinstance(function, PureDP):
                return Tulap(ApproxDP(function.epsilon, Fraction(0)))
            if isinstance(function, ApproxDP):
                return Tulap(function)
            what, remedy = "Tulap noise is for f_{epsilon,delta}", "take lemma_36"
        case "normal":
            if isinstance(function, GDP):
                return Normal(function)
            what, remedy = "normal noise is for G_mu", "take lemma_36 or tulap"
        case _:
            assert_never(name)
    raise RefusedError(Refusal(f"{what}; it is not canonical for this function", remedy))
