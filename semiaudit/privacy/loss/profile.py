"""The profile delta(epsilon) of a composed loss: upper bounds and, on a lattice, lower bounds.

With x = loss - epsilon, delta(epsilon) = E (1 - exp(-x))+ under P. The composed law is known as
weights w under a tilt t, P = w exp(log_scale - t loss), so

    delta(epsilon) = exp(log_scale - t epsilon) sum over x > 0 of w exp(-t x) (1 - exp(-x)).

The factor behind w is at most t^t / (1 + t)^(1 + t) <= 1, which turns every bound on tilted weight
(omitted outcomes, weight outside of the window) into a bound on delta.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from semiaudit.frozen import dataclass
from semiaudit.privacy.loss.laws.folded import FoldedLaw
from semiaudit.privacy.loss.sources.loss_source import LEAST, UNIT, Floats, highest

_FAR = 600.0
"""An exponential of a larger exponent is combined with its factor, by logarithms."""

_LARGEST = 700.0
"""The exponential of a much larger number is not a double."""

_LOGARITHM = 4000 * UNIT
"""An upper bound on the rounding of a logarithm below 750 in size, and of its exponential."""


@dataclass(frozen=True, slots=True)
class GridScale:
    """The grid and the tilt of a composition, and the errors that all its numbers share.

    Attributes:
        step: of the grid, in units of loss.
        exact_step: the same as a rational; the step of a lattice need not be a double.
        offset: loss of the point 0.
        tilt: t.
        slack: bound on the error of every composed loss.
        infinite: lower and upper bound on the mass under P at an infinite loss.
    """

    step: float
    exact_step: Fraction
    offset: Fraction
    tilt: float
    slack: float
    infinite: tuple[float, float]

    def first_above(self, epsilon: Fraction) -> int:
        """Return the first point whose loss is above epsilon."""
        return math.floor((epsilon - self.offset) / self.exact_step) + 1

    def loss_at(self, point: int) -> Fraction:
        """Return the loss of a point."""
        return self.offset + point * self.exact_step


@dataclass(frozen=True, slots=True)
class LossProfile:
    """A composed loss under P.

    Attributes:
        law: the tilted weights on a window of points.
        log_scale: logarithm of the factor of the weights (without the untilting).
        scale_error: bound on the absolute error of ``log_scale``.
        outside: bound on the tilted weight outside of the window.
        omitted: bound on the tilted weight of omitted outcomes, in the same units.
    """

    scale: GridScale
    law: FoldedLaw
    log_scale: float
    scale_error: float
    outside: float
    omitted: float

    def upper(self, epsilon: float) -> float:
        """Return an upper bound on delta(epsilon)."""
        point = Fraction(epsilon) - Fraction(self.scale.slack)
        return self._upper(point, *self._sum(point))

    def upper_at(self, epsilons: Floats) -> Floats:
        """Return the results of ``upper`` at many epsilons, for about the cost of one."""
        slack = Fraction(self.scale.slack)
        points = [Fraction(epsilon) - slack for epsilon in epsilons.tolist()]
        sums = zip(points, *self._sums(points), strict=True)
        return np.array([self._upper(point, total, error) for point, total, error in sums])

    def lower_at(self, epsilons: Floats) -> Floats:
        """Return the results of ``lower`` at many epsilons, for about the cost of one."""
        slack = Fraction(self.scale.slack)
        points = [Fraction(epsilon) + slack for epsilon in epsilons.tolist()]
        sums = zip(points, *self._sums(points), strict=True)
        return np.array([self._lower(point, total, error) for point, total, error in sums])

    def _upper(self, point: Fraction, total: float, error: float) -> float:
        total += error + (self.outside + self.omitted) * highest(self.scale.tilt)
        if math.isnan(total):
            # An overflow is not a bound.
            return 1.0
        value = self.scale.infinite[1] + self._scaled(total, point, 1)
        # No double below the smallest one is a bound on a nonzero delta.
        return min(1.0, value * (1 + 8 * UNIT) + 2 * LEAST)

    def lower(self, epsilon: float) -> float:
        """Return a lower bound on delta(epsilon), if the weights are those of the pair itself."""
        point = Fraction(epsilon) + Fraction(self.scale.slack)
        return self._lower(point, *self._sum(point))

    def _lower(self, point: Fraction, total: float, error: float) -> float:
        total = max(total - error - self.outside, 0.0)
        value = self.scale.infinite[0] + self._scaled(total, point, -1)
        return max(min(1.0, value * (1 - 8 * UNIT)) - 2 * LEAST, 0.0)

    def _sum(self, epsilon: Fraction) -> tuple[float, float]:
        """Return the sum of w exp(-tx)(1 - exp(-x)) over x > 0, and a bound on its error."""
        first = max(self.scale.first_above(epsilon), self.law.start)
        x = float(self.scale.loss_at(first) - epsilon)
        return self.law.discounted(first, x, self.scale.step, self.scale.tilt)

    def _sums(self, epsilons: Sequence[Fraction]) -> tuple[list[float], list[float]]:
        """Return the results of ``_sum`` at many epsilons."""
        scale, law = self.scale, self.law
        firsts = [max(scale.first_above(epsilon), law.start) for epsilon in epsilons]
        inside = [place for place, first in enumerate(firsts) if first < law.start + law.length]
        totals, errors = [0.0] * len(firsts), [0.0] * len(firsts)
        if inside:
            inside.sort(key=firsts.__getitem__)
            points = np.array([firsts[place] for place in inside])
            x = [float(scale.loss_at(firsts[place]) - epsilons[place]) for place in inside]
            found = law.discounted_at(points, np.array(x), scale.step, scale.tilt)
            for place, total, error in zip(inside, *found, strict=True):
                totals[place], errors[place] = float(total), float(error)
        return totals, errors

    def _scaled(self, total: float, epsilon: Fraction, side: int) -> float:
        """Return the sum times exp(log_scale - t epsilon), rounded to a side."""
        if not total > 0:
            return 0.0
        distance = float(epsilon - self.scale.offset)
        exponent = self.log_scale - self.scale.tilt * distance
        error = self.scale_error + 4 * UNIT * (abs(exponent) + abs(self.scale.tilt * distance) + 4)
        exponent += side * error
        if abs(exponent) < _FAR:
            return math.exp(exponent) * total
        exponent += math.log(total) + side * _LOGARITHM
        return math.exp(exponent) if exponent < _LARGEST else math.inf
