"""The losses of a discrete Gaussian against its shift by an integer, as atoms."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from semiaudit.frozen import dataclass
from semiaudit.model.loss import DiscreteGaussianLoss
from semiaudit.privacy.loss.sources.loss_source import (
    LISTED_INTEGERS,
    LOG_SLACK,
    MOST_INTEGERS,
    OMITTED_NATS,
    UNIT,
    Atoms,
    TooLong,
    cumulants_of,
    steps_of,
)
from semiaudit.privacy.loss.sources.normal_cells import (
    cell_error,
    log_average,
    log_normal_cells,
)
from semiaudit.privacy.special.theta import log_normalizer

_NARROW = 0.5
"""Below this variance, the cumulants differ from those of the Gaussian, and are summed over
integers."""

_SUMMED = 40
"""Integers on either side of the center in that sum: at least 56 standard deviations."""


@dataclass(frozen=True, slots=True)
class DiscreteGaussianSource:
    """At x the loss is (shift / sigma^2) (y + shift / 2) with y = -x.

    Under P, y has mass proportional to exp(-y^2 / 2 sigma^2); tilted by t it is centered at
    t * shift. The two directions mirror each other, so one stands for both.
    """

    pair: DiscreteGaussianLoss

    @property
    def offset(self) -> Fraction:
        """Return the loss at y = 0."""
        return self.pair.shift**2 / (2 * self.pair.sigma_squared)

    @property
    def lattice_step(self) -> Fraction | None:
        """Return the difference of the losses of neighboring integers."""
        return abs(self.pair.shift) / self.pair.sigma_squared

    @property
    def anchor(self) -> Fraction | None:
        """Return the step of the lattice."""
        return self.lattice_step

    @property
    def infinite(self) -> Fraction:
        """Return 0: both distributions have mass on all integers."""
        return Fraction(0)

    @property
    def largest(self) -> Fraction | None:
        """Return None: the loss is unbounded."""
        return None

    def log_normalizer(self) -> float:
        """Return ln of the sum of exp(-y^2 / 2 sigma^2) over integers, within 16 u (1 + size)."""
        return log_normalizer(self.pair.sigma_squared)

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """Return the cumulants; for sigma^2 >= 1/2, those of the Gaussian, which are close."""
        shift, variance = abs(self.pair.shift), float(self.pair.sigma_squared)
        square = shift * shift / variance
        if variance >= _NARROW:
            return tilt * (tilt + 1) * square / 2, (tilt + 0.5) * square, square
        centre = round(tilt * shift)
        y = np.arange(centre - _SUMMED, centre + _SUMMED + 1, dtype=np.float64)
        losses = (shift / variance) * (y + shift / 2)
        return cumulants_of(losses, -y * y / (2 * variance) - self.log_normalizer(), tilt)

    def atoms(self, step: float, tilt: float) -> Atoms:
        """See :class:`Source`."""
        shift, variance = abs(self.pair.shift), float(self.pair.sigma_squared)
        centre = round(tilt * shift)
        reach = math.ceil(math.sqrt(2 * OMITTED_NATS * variance)) + 1
        if 2 * reach > LISTED_INTEGERS and shift / variance < step:
            return self._blocks(step, centre, reach, self._log_omitted(tilt, reach))
        if 2 * reach > MOST_INTEGERS:
            raise TooLong(2 * reach)
        y = np.arange(centre - reach, centre + reach + 1, dtype=np.float64)
        ratio = steps_of(shift / variance, step)
        exponent = y * y / (2 * variance)
        normalizer = self.log_normalizer()
        return Atoms(
            y * ratio,
            -exponent - normalizer,
            UNIT * (32 + 8 * exponent + 16 * abs(normalizer)),
            log_omitted=self._log_omitted(tilt, reach),
        )

    def _log_omitted(self, tilt: float, reach: int) -> float:
        """Return ln of a bound on the tilted mass of all y at least ``reach`` from the center.

        The nearest one lies at least ``reach`` from the exact center, since the integer center is
        within a half; from there on the masses fall faster than a geometric series.
        """
        shift, variance = abs(self.pair.shift), float(self.pair.sigma_squared)
        fall = -math.expm1(-reach / variance)
        peak = (tilt * shift) ** 2 / (2 * variance) - self.log_normalizer()
        log_mass = peak - reach * reach / (2 * variance) + math.log(2 / fall)
        return log_mass + LOG_SLACK * (abs(log_mass) + abs(peak) + 1)

    def _blocks(self, step: float, centre: int, reach: int, log_omitted: float) -> Atoms:
        """Merge neighboring integers within one cell of the grid.

        The sum of g(y) = exp(-y^2 / 2 sigma^2) over a block is the integral of g - g'' / 24 over
        the block widened by 1/2 at both ends, up to 7/5760 of the fourth derivative (midpoint
        rule). With z = y / sigma, g'' / g = (z^2 - 1) / sigma^2, which over a block changes by
        less than 1 / (2 sigma^2).
        """
        shift, variance = abs(self.pair.shift), float(self.pair.sigma_squared)
        sigma, mu = math.sqrt(variance), shift / math.sqrt(variance)
        size = (abs(centre) + reach + 1) / sigma + mu
        in_cell = step * variance / shift
        width = in_cell / max(1, math.ceil(in_cell / sigma * 4 * (size + 5)))
        first, last = math.floor((centre - reach) / width), math.ceil((centre + reach) / width)
        if last - first > MOST_INTEGERS:
            raise TooLong(last - first)
        edges = np.unique(np.ceil(np.arange(first, last + 1, dtype=np.float64) * width)) - 0.5
        middle, half = (edges[1:] + edges[:-1]) / 2 / sigma, (edges[1:] - edges[:-1]) / 2 / sigma
        bend = (1 - middle * middle) / (24 * variance)
        moved = (1 - (middle + mu) ** 2) / (24 * variance)
        losses = mu * middle + (log_average(middle, half) - log_average(middle + mu, half))
        error = 1 / (30 * variance) + (size**4 + 6 * size**2 + 3) / (400 * variance**2)
        error += cell_error(size)
        return Atoms(
            (losses + (bend - moved)) / step,
            log_normal_cells(middle, half) + bend,
            error,
            2 * error + UNIT * (16 * mu * size + 64),
            log_omitted,
        )
