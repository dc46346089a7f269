"""Integer noise against itself moved by an integer: discrete Gaussian and discrete Laplace."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from semiaudit.model.loss import DiscreteGaussianLoss, DiscreteLaplaceLoss
from semiaudit.privacy.loss.sources import OMITTED_NATS, UNIT, Atoms, cumulants_of

_LISTED = 1 << 20
"""So many integers are listed one by one; beyond, neighbours are taken together."""


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
    def infinite(self) -> Fraction:
        """Nothing: both distributions live on all integers."""
        return Fraction(0)

    @property
    def largest(self) -> Fraction | None:
        """The loss is unbounded."""
        return None

    def log_normalizer(self) -> float:
        """ln of the sum of exp(-y^2 / 2 sigma^2) over the integers, within 16 u (1 + its size).

        From sigma^2 = 1 on by Poisson summation: sigma sqrt(2 pi) (1 + 2 sum exp(-2 (pi sigma
        m)^2)), whose terms from m = 3 on are below 1e-77.
        """
        variance = float(self.loss.sigma_squared)
        if variance < 1:
            return math.log1p(
                2 * math.fsum(math.exp(-y * y / (2 * variance)) for y in range(1, 41))
            )
        bend = math.fsum(2 * math.exp(-2 * variance * (math.pi * m) ** 2) for m in (1, 2))
        return 0.5 * math.log(2 * math.pi * variance) + math.log1p(bend)

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
        y = np.arange(centre - reach, centre + reach + 1, dtype=np.float64)
        ratio = _ratio(shift / variance, step)
        exponent = y * y / (2 * variance)
        normalizer = self.log_normalizer()
        largest = float(exponent[0] if abs(y[0]) > abs(y[-1]) else exponent[-1])
        # The nearest omitted y lies at least ``reach`` from the exact centre; from there on the
        # tilted masses fall faster than a geometric series.
        fall = -math.expm1(-reach / variance)
        peak = (tilt * shift) ** 2 / (2 * variance) - normalizer
        log_omitted = peak - reach * reach / (2 * variance) + math.log(2 / fall)
        return Atoms(
            y * ratio,
            -exponent - normalizer,
            UNIT * (32 + 8 * largest + 16 * abs(normalizer)),
            log_omitted=log_omitted + 1e-9 * abs(log_omitted) + 1e-9,
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
            -x * _ratio(2 / scale, step),
            log_mass,
            UNIT * (32 + 8 * float(np.abs(log_mass).max())),
            log_omitted=log_omitted,
        )


def _ratio(own_step: float, step: float) -> float:
    """How many steps of the grid a step of the lattice is: an integer where it should be one."""
    ratio = own_step / step
    nearest = round(ratio)
    return float(nearest) if nearest and abs(ratio - nearest) <= 8 * UNIT * ratio else ratio


def listed(count: float) -> bool:
    """Whether so many integers are few enough to be listed."""
    return count <= _LISTED
