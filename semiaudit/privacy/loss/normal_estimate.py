"""A composed loss, approximated by a normal law: how much variance a grid can add to it.

No bound depends on these estimates. A bad one costs a further grid, or a grid that is too fine.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy.special import erfcx, ndtri

from semiaudit.frozen import dataclass
from semiaudit.privacy.loss.direction import Direction
from semiaudit.privacy.loss.sources.loss_source import Floats

_WIDENING = 0.75
"""A grid that adds the variance v widens a bracket by about this times v times the density of the
loss at the threshold. The upper bound is of a law with v more variance, which changes a number by
v / 2 times that density; the law of the lower bound has about v / 2 less."""

_MOST_SPREADS = 7.0
"""The mean counts as at most this many standard deviations above the threshold."""

_LARGEST_LOG, _LEAST_RATIO = 700.0, 1e-300
"""The largest logarithm of 1 / density, and the least ratio to a density."""

_LEAST_LOSS = 1e-3
"""An epsilon with a smaller estimate can be 0, and has no relative width as a target."""

_LEAST_ERROR = 1e-300
"""Replaces a type I error that is not a double."""

_HALF = 0.5
"""For larger type I errors, the test is that of the other direction."""


@dataclass(frozen=True, slots=True)
class NormalEstimate:
    """Tilted losses, approximated by normal laws, each with a threshold: one, or arrays of them.

    Each number is given as its ratio to the density of P's loss at the threshold.

    Attributes:
        tilt: of the law.
        moment: ln E exp(tilt L) under P.
        mean: of the tilted loss.
        spread: its standard deviation.
        threshold: a loss.
    """

    tilt: Floats
    moment: Floats
    mean: Floats
    spread: Floats
    threshold: Floats

    @property
    def delta_ratio(self) -> Floats:
        """Return the ratio of delta at an epsilon that equals the threshold."""
        return np.maximum(self._above(0.0) - self._above(1.0), _LEAST_RATIO)

    @property
    def epsilon_ratio(self) -> Floats:
        """Return the ratio of an epsilon that equals the threshold.

        If delta changes by d, epsilon changes by d / (e^epsilon Q(L > epsilon)).
        """
        return np.maximum(self.threshold, _LEAST_LOSS) * self._above(1.0)

    @property
    def gain_of_epsilon(self) -> Floats:
        """Return the relative change of delta that changes epsilon by a relative 1."""
        return self.epsilon_ratio / self.delta_ratio

    def power_ratio(self, type_i: Floats) -> Floats:
        """Return the ratio of the power of a test with this type I error."""
        return np.where(type_i > _HALF, self._below(1.0), self._above(0.0))

    def type_ii_ratio(self, type_i: Floats) -> Floats:
        """Return the ratio of the type II error of a test with this type I error."""
        return np.where(type_i > _HALF, self._above(1.0), self._below(0.0))

    @property
    def _centre(self) -> Floats:
        return np.minimum((self.mean - self.threshold) / self.spread, _MOST_SPREADS)

    def _above(self, power: float) -> Floats:
        """Return the ratio of E exp(power (threshold - L)) over the losses above the threshold.

        It is P's probability of these losses (power 0), or Q's times e^threshold (1).
        """
        return self.spread * _mills((self.tilt + power) * self.spread - self._centre)

    def _below(self, power: float) -> Floats:
        """Return the ratio of all other probability, of P (power 0) or Q times e^threshold (1)."""
        weight = self.moment - self.tilt * self.threshold - self._centre**2 / 2
        density = weight - np.log(self.spread * math.sqrt(2 * math.pi))
        everything = np.exp(np.minimum(power * self.threshold - density, _LARGEST_LOG))
        # At least what lies on the other side of the mean, if the estimates contradict each other.
        least = self.spread * _mills(np.maximum(self._centre, 0.0))
        rest = np.maximum(everything - self._above(power), np.minimum(least, self._above(power)))
        # Further out, no grid resolves what remains: rounding decides, least on a coarse grid.
        return np.where(self._centre < _MOST_SPREADS, rest, everything)


def estimate_at(
    direction: Direction, tilt: float, threshold: float | None = None
) -> NormalEstimate:
    """Estimate the loss of a direction at one tilt; without a threshold, it is the mean."""
    moment, mean, variance = direction.cumulants(tilt)
    own = mean if threshold is None else threshold
    values = (np.asarray(value) for value in (tilt, moment, mean, math.sqrt(variance), own))
    return NormalEstimate(*values)


def with_threshold_of_test(estimate: NormalEstimate, type_i: Floats) -> NormalEstimate:
    """Return the estimate with the threshold of a test: the mean, or with tilt 0 Q's quantile.

    The losses of Q have minus the mean of those of P.
    """
    quantile = -ndtri(np.clip(type_i, _LEAST_ERROR, _HALF))
    centred = (estimate.tilt > 0) | (type_i > _HALF)
    of_noise = estimate.spread * quantile - estimate.mean
    return replace(estimate, threshold=np.where(centred, estimate.mean, of_noise))


def variance_allowed(ratio: Floats, tolerance: float) -> float:
    """Return the variance that a grid may add so that half of the tolerance is used.

    Args:
        ratio: of the number to the density of the loss at its threshold.
        tolerance: the requested width, relative to the number.
    """
    return tolerance / (2 * _WIDENING) * float(ratio)


def _mills(x: Floats) -> Floats:
    ratio: Floats = math.sqrt(math.pi / 2) * erfcx(x / math.sqrt(2))
    return ratio
