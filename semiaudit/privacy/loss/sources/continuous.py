"""Continuous noise, cut into cells: Laplace and Gaussian."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from semiaudit.privacy.loss.sources.normal_cells import (
    NORMAL_REACH,
    cell_error,
    log_average,
    log_normal_cells,
    middles,
)
from semiaudit.privacy.loss.sources.source import (
    OMITTED_NATS,
    UNIT,
    Atoms,
    ContinuousNoise,
    Floats,
    TooLong,
    cumulants_of,
)

MOST_CELLS = 1 << 22
_CANCELS = 1e-3


@dataclass(frozen=True, slots=True)
class LaplaceSource(ContinuousNoise):
    """At x in [0, shift] the loss is shift - 2 x, with density exp(-x) / 2 under P.

    Half of the mass lies at the loss ``shift``, exp(-shift) / 2 at -shift. A cell from x to y has
    the loss shift - x - y, exactly. The two orders are mirror images.
    """

    shift: Fraction

    @property
    def offset(self) -> Fraction:
        """The largest loss, so that its atom lies on the grid."""
        return self.shift

    @property
    def anchor(self) -> Fraction | None:
        """From one atom to the other."""
        return 2 * self.shift

    @property
    def largest(self) -> Fraction | None:
        """The shift."""
        return self.shift

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """See :class:`Source`; in closed form, but where that cancels.

        The moment exp(tilt shift) g / 2 has g = 1 + e + (1 - e) / c with c = 1 + 2 tilt and
        e = exp(-c shift).
        """
        shift = float(self.shift)
        if shift < _CANCELS:
            atoms = self._cells(np.linspace(0, shift, 401))
            return cumulants_of(shift + atoms.positions, atoms.log_mass, tilt)
        c = 1 + 2 * tilt
        e = math.exp(-c * shift)
        moment = 1 + e + (1 - e) / c
        slope = 2 * shift * e * (1 / c - 1) - 2 * (1 - e) / c**2
        bend = 4 * shift * e * (shift - shift / c - 2 / c**2) + 8 * (1 - e) / c**3
        mean, square = slope / moment, bend / moment
        return tilt * shift + math.log(moment / 2), shift + mean, square - mean * mean

    def atoms(self, step: float, tilt: float) -> Atoms:
        """See :class:`Source`."""
        shift = float(self.shift)
        kept = min(shift, OMITTED_NATS / (1 + 2 * tilt))
        if 2 * kept / step > MOST_CELLS:
            raise TooLong(2 * kept / step)
        edges = np.arange(0, math.ceil(2 * kept / step) + 1, dtype=np.float64) * (step / 2)
        # Rounding may leave the last edge a hair before the shift, where half of the mass waits.
        ended = kept == shift or bool(edges[-1] >= shift)
        if ended:
            edges = np.append(edges[edges < shift], shift)
        found = self._cells(edges, ended=ended)
        return Atoms(
            found.positions / step,
            found.log_mass,
            found.mass_error,
            8 * UNIT * 2 * float(edges[-1]),
            -math.inf if ended else -float(edges[-1]) * (1 + 2 * tilt) + 1e-9,
        )

    def _cells(self, edges: Floats, *, ended: bool = True) -> Atoms:
        left, right = edges[:-1], edges[1:]
        body = -left + np.log(-np.expm1(left - right)) - math.log(2)
        losses = np.concatenate(([0.0], -left - right))
        log_mass = np.concatenate(([-math.log(2)], body))
        if ended:
            losses = np.append(losses, -2 * edges[-1])
            log_mass = np.append(log_mass, -math.log(2) - edges[-1])
        # An edge is rounded once; the width of a cell is a difference of two rounded edges.
        return Atoms(losses, log_mass, UNIT * (32 + 8 * float(np.abs(log_mass).max())))


@dataclass(frozen=True, slots=True)
class GaussianSource(ContinuousNoise):
    """Under P the loss is mu z + mu^2 / 2 with z standard normal; the orders are mirror images."""

    mu_squared: Fraction

    @property
    def offset(self) -> Fraction:
        """The mean of the loss."""
        return self.mu_squared / 2

    @property
    def largest(self) -> Fraction | None:
        """The loss is unbounded."""
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
        if (high - low) / width > MOST_CELLS:
            raise TooLong((high - low) / width)
        points = np.arange(math.ceil(low / width), math.floor(high / width) + 1) * width
        edges = np.union1d(np.linspace(low, high, count + 1), points)
        middle, half = middles(edges)
        log_mass = log_normal_cells(middle, half)
        losses = mu * middle + (log_average(middle, half) - log_average(middle + mu, half))
        size = float(np.abs(edges).max())
        # With z centred at tilt mu, exp(tilt mu z) has the mean exp((tilt mu)^2 / 2).
        return Atoms(
            losses / step,
            log_mass,
            cell_error(size),
            UNIT * (16 * mu * size + 64),
            centre * centre / 2 - OMITTED_NATS + 1e-9 * (1 + centre * centre),
        )
