"""The likelihood ratio of a Gaussian mixture over sampled records to the unshifted Gaussian."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.privacy.loss.sources.loss_source import Floats, log_ratio
from semiaudit.privacy.loss.sources.normal_cells import log_average

_NEAR = 0.5
"""Logarithms of a ratio below this are computed from the excess of the ratio over 1."""


@dataclass(frozen=True, slots=True)
class SampledMixture:
    """N(spacing J, 1) over N(0, 1), with J ~ Bin(records, rate).

    At y the ratio is the mean of exp(J spacing y - (J spacing)^2 / 2). Its logarithm is convex and
    increases with y, with a slope of the spacing times the mean of J at y, at most that of
    ``records``.
    """

    records: int
    rate: Fraction
    spacing: float

    @property
    def reach(self) -> float:
        """Return the shift of the law if all records are sampled."""
        return self.records * self.spacing

    @property
    def log_rest(self) -> float:
        """Return ln of the probability that no record is sampled, a lower bound on every ratio."""
        return _weights(self.records, self.rate)[0][1]

    def at(self, y: Floats) -> tuple[Floats, Floats]:
        """Return the logarithm of the ratio, and its slope."""
        return self._mixed([self._exponent(j, y) for j in range(1, self.records + 1)])

    def of_cells(self, middle: Floats, half: Floats, side: int) -> Floats:
        """Return ln of the ratio of the masses of [middle - half, middle + half], y = side * z."""
        if not self.records:
            return np.zeros_like(middle)
        plain = log_average(middle, half)
        moves = [side * j * self.spacing for j in range(1, self.records + 1)]
        ratios = [
            self._exponent(j, side * middle) + log_average(middle - move, half) - plain
            for j, move in enumerate(moves, 1)
        ]
        return self._mixed(ratios)[0]

    def _exponent(self, j: int, y: Floats) -> Floats:
        move = j * self.spacing
        return y * move - move * move / 2

    def _mixed(self, ratios: Sequence[Floats]) -> tuple[Floats, Floats]:
        """Return ln of the mean of exp(ratio of J), in a form without cancellation, and its slope.

        For a large ratio, the excess is nearly its exponential; for a small one, ``expm1`` is used.
        """
        deadline.check()
        if not ratios:
            raise ValueError("there is no record that may be sampled")
        weights = _weights(self.records, self.rate)
        rows = [
            log_weight + ratio for (_, log_weight), ratio in zip(weights[1:], ratios, strict=True)
        ]
        none = weights[0][1]
        top = np.maximum(np.maximum.reduce(rows), none)
        shares = [np.exp(row - top) for row in rows]
        total = np.exp(none - top) + sum(shares)
        excess = np.zeros_like(top)
        for (weight, _), row, ratio in zip(weights[1:], rows, ratios, strict=True):
            small = weight * np.expm1(np.minimum(ratio, 1.0))
            excess += np.where(ratio < 1, small, np.exp(np.minimum(row, 1.0)) - weight)
        whole = top + np.log(total)
        near = np.abs(whole) < _NEAR
        mixed = np.where(near, np.log1p(np.where(near, excess, 0.0)), whole)
        mean = sum(j * share for j, share in enumerate(shares, 1)) / total
        return mixed, self.spacing * mean


@lru_cache(maxsize=64)
def _weights(records: int, rate: Fraction) -> tuple[tuple[float, float], ...]:
    """Return Bin(records, rate)(j) and its logarithm, each within some units in the last place."""
    weights = []
    for j in range(records + 1):
        mass = math.comb(records, j) * rate**j * (1 - rate) ** (records - j)
        weights.append((float(mass), log_ratio(mass, Fraction(1))))
    return tuple(weights)
