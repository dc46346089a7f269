"""Integer noise against itself moved by an integer: discrete Gaussian and discrete Laplace."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from semiaudit.model.loss import DiscreteGaussianLoss, DiscreteLaplaceLoss
from semiaudit.privacy.loss.sources.normal_cells import (
    cell_error,
    log_average,
    log_normal_cells,
)
from semiaudit.privacy.loss.sources.source import (
    OMITTED_NATS,
    UNIT,
    Atoms,
    TooLong,
    cumulants_of,
    steps_of,
)
from semiaudit.privacy.special.theta import log_normalizer

_LISTED = 1 << 20
_MOST = 1 << 22
"""So many integers are listed one by one; beyond, and to so many in all, blocks are taken."""


@dataclass(frozen=True, slots=True)
class DiscreteGaussianSource:
    """At x the loss is (shift / sigma^2) (y + shift / 2) with y = -x.

    Under P, y has mass proportional to exp(-y^2 / 2 sigma^2); tilted by t it is centred at
    t * shift. The two orders are each other's mirror image, so one stands for both.
    """

    loss: DiscreteGaussianLoss

    @property
    def offset(self) -> Fraction:
        """The loss at y = 0."""
        return self.loss.shift**2 / (2 * self.loss.sigma_squared)

    @property
    def lattice_step(self) -> Fraction | None:
        """Neighbouring integers differ by this much."""
        return abs(self.loss.shift) / self.loss.sigma_squared

    @property
    def anchor(self) -> Fraction | None:
        """The step of the lattice."""
        return self.lattice_step

    @property
    def infinite(self) -> Fraction:
        """Nothing: both distributions live on all integers."""
        return Fraction(0)

    @property
    def largest(self) -> Fraction | None:
        """The loss is unbounded."""
        return None

    def log_normalizer(self) -> float:
        """ln of the sum of exp(-y^2 / 2 sigma^2) over the integers, within 16 u (1 + its size)."""
        return log_normalizer(self.loss.sigma_squared)

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """See :class:`Source`. From sigma^2 = 1/2 on those of the Gaussian, which are close."""
        shift, variance = abs(self.loss.shift), float(self.loss.sigma_squared)
        square = shift * shift / variance
        if variance >= 0.5:
            return tilt * (tilt + 1) * square / 2, (tilt + 0.5) * square, square
        centre = round(tilt * shift)
        y = np.arange(centre - 40, centre + 41, dtype=np.float64)
        losses = (shift / variance) * (y + shift / 2)
        return cumulants_of(losses, -y * y / (2 * variance) - self.log_normalizer(), tilt)

    def atoms(self, step: float, tilt: float) -> Atoms:
        """See :class:`Source`."""
        shift, variance = abs(self.loss.shift), float(self.loss.sigma_squared)
        centre = round(tilt * shift)
        reach = math.ceil(math.sqrt(2 * OMITTED_NATS * variance)) + 1
        if 2 * reach > _LISTED and shift / variance < step:
            return self._blocks(step, centre, reach, self._log_omitted(tilt, reach))
        if 2 * reach > _MOST:
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
        """ln of a bound on the tilted mass of the y from ``reach`` on from the centre, both sides.

        The nearest one lies at least ``reach`` from the exact centre, since the integer centre is
        within a half; from there on the masses fall faster than a geometric series.
        """
        shift, variance = abs(self.loss.shift), float(self.loss.sigma_squared)
        fall = -math.expm1(-reach / variance)
        peak = (tilt * shift) ** 2 / (2 * variance) - self.log_normalizer()
        found = peak - reach * reach / (2 * variance) + math.log(2 / fall)
        return found + 1e-9 * (abs(found) + abs(peak) + 1)

    def _blocks(self, step: float, centre: int, reach: int, log_omitted: float) -> Atoms:
        """Neighbouring integers within one cell of the grid taken together.

        The sum of g(y) = exp(-y^2 / 2 sigma^2) over a block is the integral of g - g'' / 24 over
        the block widened by 1/2 at both ends, up to 7/5760 of the fourth derivative (midpoint
        rule). With z = y / sigma, g'' / g = (z^2 - 1) / sigma^2, which over a block changes by
        less than 1 / (2 sigma^2).
        """
        shift, variance = abs(self.loss.shift), float(self.loss.sigma_squared)
        sigma, mu = math.sqrt(variance), shift / math.sqrt(variance)
        size = (abs(centre) + reach + 1) / sigma + mu
        in_cell = step * variance / shift
        width = in_cell / max(1, math.ceil(in_cell / sigma * 4 * (size + 5)))
        first, last = math.floor((centre - reach) / width), math.ceil((centre + reach) / width)
        if last - first > _MOST:
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


@dataclass(frozen=True, slots=True)
class DiscreteLaplaceSource:
    """At x the loss is (|x - shift| - |x|) / scale: constant outside [0, shift].

    With a = exp(-1 / scale) the losses (shift - 2 x) / scale, x = 0, ..., shift, have the masses
    1 / (1 + a) at x = 0, a^shift / (1 + a) at x = shift, and (1 - a) a^x / (1 + a) in between.
    """

    loss: DiscreteLaplaceLoss

    @property
    def offset(self) -> Fraction:
        """The largest loss."""
        return abs(self.loss.shift) / self.loss.scale

    @property
    def lattice_step(self) -> Fraction | None:
        """One integer further the loss changes by 2 / scale."""
        return 2 / self.loss.scale

    @property
    def anchor(self) -> Fraction | None:
        """The step of the lattice."""
        return self.lattice_step

    @property
    def infinite(self) -> Fraction:
        """Nothing: both distributions live on all integers."""
        return Fraction(0)

    @property
    def largest(self) -> Fraction | None:
        """shift / scale."""
        return self.offset

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """See :class:`Source`. Many integers are taken in blocks, each with its mean loss."""
        shift, scale = abs(self.loss.shift), float(self.loss.scale)
        edges = np.unique(np.linspace(1, shift, min(shift - 1, 2000) + 1).round())
        first, last = edges[:-1], edges[1:]
        log_norm = -math.log1p(math.exp(-1 / scale))
        block = -first / scale + np.log(-np.expm1((first - last) / scale)) + log_norm
        losses = np.concatenate(([shift], shift + 1 - first - last, [-shift])) / scale
        log_mass = np.concatenate(([log_norm], block, [log_norm - shift / scale]))
        return cumulants_of(losses, log_mass, tilt)

    def atoms(self, step: float, tilt: float) -> Atoms:
        """See :class:`Source`."""
        shift, scale = abs(self.loss.shift), float(self.loss.scale)
        kept = min(shift, math.ceil(OMITTED_NATS * scale / (1 + 2 * tilt)) + 1)
        ratio = steps_of(2 / scale, step)
        if kept > _LISTED and ratio < 0.5:
            return self._blocks(step, kept, tilt)
        if kept > _MOST:
            raise TooLong(kept)
        x = np.arange(0, kept + 1, dtype=np.float64)
        log_mass = -x / scale - math.log1p(math.exp(-1 / scale))
        inside = math.log(-math.expm1(-1 / scale))
        log_mass[1:] += inside
        log_omitted = -math.inf
        if kept == shift:
            log_mass[-1] -= inside
        else:
            # exp(tilt (loss - offset)) falls as well, so the omitted P-mass bounds the integral.
            log_omitted = -(kept + 1) * (1 + 2 * tilt) / scale + 1e-9
        return Atoms(
            -x * ratio,
            log_mass,
            UNIT * (32 + 8 * np.abs(log_mass)),
            log_omitted=log_omitted,
        )

    def _blocks(self, step: float, kept: int, tilt: float) -> Atoms:
        """Integers within one cell of the grid taken together.

        From x to y - 1 they have the mass (a^x - a^y) / (1 + a) under P and, mirrored, under Q;
        so the loss of the block is (shift - x - y + 1) / scale, exactly.
        """
        shift, scale = abs(self.loss.shift), float(self.loss.scale)
        width = step * scale / 2
        count = math.ceil(kept / width)
        if count > _MOST:
            raise TooLong(count)
        # A cell holds the x with -j - 1 <= -2 x / (scale step) <= -j, from below.
        edges = np.unique(np.floor(np.arange(0, count + 1, dtype=np.float64) * width)) + 1
        edges = np.append(edges[edges < kept], kept)
        first, last = edges[:-1], edges[1:]
        log_norm = -math.log1p(math.exp(-1 / scale))
        body = -first / scale + np.log(-np.expm1((first - last) / scale)) + log_norm
        losses = np.concatenate(([0.0], (1 - first - last) / scale))
        log_mass = np.concatenate(([log_norm], body))
        if kept == shift:
            losses = np.append(losses, -2 * shift / scale)
            log_mass = np.append(log_mass, log_norm - shift / scale)
        return Atoms(
            losses / step,
            log_mass,
            UNIT * (32 + 8 * float(np.abs(log_mass).max())),
            16 * UNIT * kept / scale,
            -math.inf if kept == shift else -kept * (1 + 2 * tilt) / scale + 1e-9,
        )
