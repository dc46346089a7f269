"""The Tulap distribution, the unique canonical noise of f_{epsilon,delta}.

With b = e^-epsilon it is G1 - G2 + V, the difference of two geometric variables and a uniform one
on [-1/2, 1/2], of which the middle part of mass 1 - q is kept: q = 2 delta b / (1 - b + 2 delta b).
At epsilon 0 it is uniform on [-1/(2 delta), 1/(2 delta)].
Source: Awan and Slavkovic 2018; Awan and Vadhan 2023; Cho and Awan, section 5.3.
"""

from __future__ import annotations

import math
from fractions import Fraction

from semiaudit.model.measure import ApproxDP
from semiaudit.numeric.intervals import HALF, ONE, TWO, Interval
from semiaudit.privacy.canonical.canonical_distribution import (
    CanonicalDistribution,
    cell_and_place,
    cells_up_to,
    central_point,
    central_tail,
    require_spread,
)
from semiaudit.privacy.canonical.corner import corner_of

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
        cut = TWO * Interval.of(self._delta) * self._share
        self._cut = cut / (ONE - self._share + cut) if measure.epsilon else ONE

    def tail_beyond(self, x: Fraction) -> Interval:
        """P(N > x) for x of 0 or more: b^k times the tail in the central cell, then cut."""
        if not self._epsilon:
            return (HALF - Interval.of(self._delta * x)).clip(0, 1)
        cell, place = cell_and_place(x)
        whole = central_tail(self._corner, Interval.of(place))
        if cell:
            whole = whole * (-Interval.of(self._epsilon * cell)).exp()
        if not self._delta:
            return whole
        return ((whole - self._cut * HALF) / (ONE - self._cut)).clip(0, 1)

    def estimate_beyond(self, x: float) -> float:
        """Estimate P(N > x) in doubles."""
        if not self._epsilon:
            return max(0.5 - float(self._delta) * x, 0.0)
        cell = math.floor(x + 0.5)
        corner, cut = float(self._corner.low), float(self._cut.low)
        whole = 0.5 - (1 - 2 * corner) * (x - cell)
        whole *= math.exp(-min(float(self._epsilon) * cell, _LARGEST_EXPONENT))
        return max((whole - cut / 2) / (1 - cut), 0.0)

    def point_beyond(self, tail: Fraction) -> Interval:
        """The point above which a mass in (0, 1/2] lies."""
        if not self._epsilon:
            return Interval.of((Fraction(1, 2) - tail) / self._delta)
        whole = Interval.of(tail)
        if self._delta:
            whole = whole * (ONE - self._cut) + self._cut * HALF
        cells = (self._corner.ln() - whole.ln()) / Interval.of(self._epsilon)
        # The tail at k + 1/2 is c b^k: the first k whose tail is not larger names the cell.
        points = [self._point_in(cell, whole) for cell in cells_up_to(cells)]
        return Interval.hull(points[0], points[-1])

    def _point_in(self, cell: int, whole: Interval) -> Interval:
        grown = whole * Interval.of(self._epsilon * cell).exp() if cell else whole
        return central_point(self._corner, grown) + Interval.of(cell)
