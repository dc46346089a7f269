"""Gaussian pairs: all those of a product are one pair, with the sum of their mu^2."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.frozen import dataclass
from semiaudit.model.loss import GaussianLoss
from semiaudit.model.measure import GDP
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.loss.pairs.pair_kind import Ends, Family, PairKind, probability
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
from semiaudit.privacy.measures import gdp as profile

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.loss_source import Source


@dataclass(frozen=True, slots=True)
class SingleGaussian:
    """The numbers of the pair with a given mu^2, at any epsilon, delta and type I error."""

    mu_squared: Fraction

    def delta(self, epsilon: Fraction) -> Ends:
        """Return delta at an epsilon, by the exact profile."""
        return probability(profile.delta_at(GDP(self.mu_squared), Interval.of(epsilon)))

    def epsilon(self, delta: Fraction) -> Ends:
        """Return epsilon at a delta; infinite at a delta of 0."""
        if not self.mu_squared or delta == 1:
            return 0.0, 0.0
        if not delta:
            return math.inf, math.inf
        return profile.epsilon_at(GDP(self.mu_squared), delta)

    def type_ii(self, type_i: Fraction) -> Interval:
        """Return G_mu at a type I error."""
        return profile.type_ii_at(GDP(self.mu_squared), type_i)


def gaussian(pair: GaussianLoss) -> PairKind:
    """Define the kind: N(0, 1) against N(mu, 1)."""
    square = pair.mu_squared

    def source(_side: int) -> Source:
        return GaussianSource(square)

    return PairKind(
        symmetric=True,
        gaussian_size=square,
        listable=True,
        mu_fitted=True,
        family=Family((GaussianLoss,), "summed"),
        size=square,
        rho=lambda: square / 2,
        simplified=pair if square else None,
        moved_further=lambda k: GaussianLoss(k * k * square),
        closed_form=lambda: SingleGaussian(square),
        source=source,
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

        import numpy as np

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
