"""The privacy loss of a Gaussian pair, divided into cells."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from semiaudit.frozen import dataclass
from semiaudit.privacy.loss.sources.loss_source import (
    LOG_SLACK,
    OMITTED_NATS,
    UNIT,
    Atoms,
    ContinuousNoise,
    TooLong,
)
from semiaudit.privacy.loss.sources.normal_cells import (
    NORMAL_REACH,
    cell_error,
    log_average,
    log_normal_cells,
    middles,
)

_MOST_CELLS = 1 << 22
"""The most cells of one list: the number of points of the longest window."""


@dataclass(frozen=True, slots=True)
class GaussianSource(ContinuousNoise):
    """Under P the loss is mu z + mu^2 / 2 with z standard normal.

    The two directions mirror each other.
    """

    mu_squared: Fraction

    @property
    def offset(self) -> Fraction:
        """Return the mean of the loss."""
        return self.mu_squared / 2

    @property
    def largest(self) -> Fraction | None:
        """Return None: the loss is unbounded."""
        return None

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """See :class:`Source`; in closed form."""
        square = float(self.mu_squared)
        return tilt * (tilt + 1) * square / 2, (tilt + 0.5) * square, square

    def atoms(self, step: float, tilt: float) -> Atoms:
        """See :class:`Source`."""
        mu = math.sqrt(self.mu_squared)
        centre = tilt * mu
        low, high = centre - NORMAL_REACH, centre + NORMAL_REACH
        count = math.ceil(2 * NORMAL_REACH * 2 * (centre + mu + NORMAL_REACH + 5))
        width = step / mu
        if (high - low) / width > _MOST_CELLS:
            raise TooLong((high - low) / width)
        points = np.arange(math.ceil(low / width), math.floor(high / width) + 1) * width
        edges = np.union1d(np.linspace(low, high, count + 1), points)
        middle, half = middles(edges)
        log_mass = log_normal_cells(middle, half)
        losses = mu * middle + (log_average(middle, half) - log_average(middle + mu, half))
        size = float(np.abs(edges).max())
        # With z centered at tilt mu, exp(tilt mu z) has the mean exp((tilt mu)^2 / 2).
        return Atoms(
            losses / step,
            log_mass,
            cell_error(size),
            UNIT * (16 * mu * size + 64),
            centre * centre / 2 - OMITTED_NATS + LOG_SLACK * (1 + centre * centre),
        )
