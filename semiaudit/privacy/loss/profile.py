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
from typing import NamedTuple

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

    def above(self, epsilons: Floats, move: float, least: int) -> list[AbovePoint]:
        """The first point above each ``epsilon + move``, but for those before ``least``."""
        return points_above(epsilons, move, self.offset, self.exact_step, least)


class AbovePoint(NamedTuple):
    """A point of a grid next to a loss.

    Attributes:
        point: the first one above the loss.
        near: its distance from the loss.
        distance: of the loss from point 0.
    """

    point: int
    near: float
    distance: float


def points_above(
    losses: Floats, move: float, offset: Fraction, step: Fraction, least: int | None = None
) -> list[AbovePoint]:
    """The first point of a grid above each ``loss + move``, exactly.

    In integers, as fractions would be reduced again and again: a quotient of integers is rounded
    once, as that of a fraction is.

    Args:
        offset: the loss of point 0. step: of the grid.
        least: no point is before it.
    """
    moved, under_moved = move.as_integer_ratio()
    begin, under_begin = offset.numerator, offset.denominator
    wide, under_wide = step.numerator, step.denominator
    points: list[AbovePoint] = []
    for loss in losses.tolist():
        over, under = loss.as_integer_ratio()
        over, under = over * under_moved + moved * under, under * under_moved
        over, under = over * under_begin - begin * under, under * under_begin
        point = over * under_wide // (under * wide) + 1
        if least is not None and point < least:
            point = least
        near = (point * wide * under - over * under_wide) / (under_wide * under)
        points.append(AbovePoint(point, near, over / under))
    return points


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
        """A number that delta(epsilon) does not exceed."""
        return float(self.upper_at(np.array([epsilon]))[0])

    def lower(self, epsilon: float) -> float:
        """A number not above delta(epsilon), where the weights are those of the pair itself."""
        return float(self.lower_at(np.array([epsilon]))[0])

    def upper_at(self, epsilons: Floats) -> Floats:
        """Return ``upper`` at each of many epsilons, for about the cost of one."""
        places = self.scale.above(epsilons, -self.scale.slack, self.law.start)
        sums = zip(places, *self._sums(places), strict=True)
        return np.array([self._upper(place.distance, *own) for place, *own in sums])

    def lower_at(self, epsilons: Floats) -> Floats:
        """Return ``lower`` at each of many epsilons, for about the cost of one."""
        places = self.scale.above(epsilons, self.scale.slack, self.law.start)
        sums = zip(places, *self._sums(places), strict=True)
        return np.array([self._lower(place.distance, *own) for place, *own in sums])

    def _upper(self, distance: float, total: float, error: float) -> float:
        total += error + (self.outside + self.omitted) * highest(self.scale.tilt)
        if math.isnan(total):
            # An overflow is not a bound.
            return 1.0
        value = self.scale.infinite[1] + self._scaled(total, distance, 1)
        # No double below the smallest one bounds a delta that is not 0.
        return min(1.0, value * (1 + 8 * UNIT) + 2 * LEAST)

    def _lower(self, distance: float, total: float, error: float) -> float:
        total = max(total - error - self.outside, 0.0)
        value = self.scale.infinite[0] + self._scaled(total, distance, -1)
        return max(min(1.0, value * (1 - 8 * UNIT)) - 2 * LEAST, 0.0)

    def _sums(self, places: Sequence[AbovePoint]) -> tuple[Sequence[float], Sequence[float]]:
        """The sums of w exp(-tx)(1 - exp(-x)) over x > 0, and bounds on their errors."""
        scale, end = self.scale, self.law.start + self.law.length
        if len(places) == 1:
            (place,) = places
            total, error = self.law.discounted(place.point, place.near, scale.step, scale.tilt)
            return [total], [error]
        ranked = sorted((place.point, at) for at, place in enumerate(places) if place.point < end)
        totals, errors = np.zeros(len(places)), np.zeros(len(places))
        if ranked:
            points = np.array([point for point, _ in ranked])
            inside = [at for _, at in ranked]
            x = np.array([places[at].near for at in inside])
            totals[inside], errors[inside] = self.law.discounted_at(
                points, x, scale.step, scale.tilt
            )
        return totals.tolist(), errors.tolist()

    def _scaled(self, total: float, distance: float, side: int) -> float:
        """The sum times exp(log_scale - t distance), rounded to a side; far from 1 by logarithms.

        Args:
            distance: of epsilon from point 0, as the logarithm of the scale counts it.
        """
        if not total > 0:
            return 0.0
        exponent = self.log_scale - self.scale.tilt * distance
        error = self.scale_error + 4 * UNIT * (abs(exponent) + abs(self.scale.tilt * distance) + 4)
        exponent += side * error
        if abs(exponent) < _FAR:
            return math.exp(exponent) * total
        exponent += math.log(total) + side * _LOGARITHM
        return math.exp(exponent) if exponent < _LARGEST else math.inf
