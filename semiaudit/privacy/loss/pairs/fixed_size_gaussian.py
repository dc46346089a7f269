"""The pair of one step of Gaussian noise on a batch of a fixed size: C_p(G_mu).

Where the loss is positive, it is that of p N(mu, 1) + (1 - p) N(0, 1) against N(0, 1), beyond
mu / 2; where it is negative, that of N(0, 1) against the same mixture, mirrored. The rest of the
mass, on the tradeoff function's segment of slope -1, has a loss of 0.

Source: Dong, Roth and Su 2022, Definition 4.6 and Theorem 4.2.
"""

from __future__ import annotations

import math
from fractions import Fraction

from semiaudit.frozen import dataclass
from semiaudit.model.loss import FixedSizeGaussianLoss, GaussianLoss
from semiaudit.privacy.loss.pairs.pair_kind import Family, PairKind, unknown_steps
from semiaudit.privacy.loss.pairs.subsampled_gaussian import (
    SingleStep,
    SubsampledGaussianSource,
    shared_cells,
)
from semiaudit.privacy.loss.sources.loss_source import (
    UNIT,
    Atoms,
    ContinuousNoise,
    cumulants_of,
)
from semiaudit.privacy.loss.sources.normal_cells import NORMAL_REACH


def fixed_size_gaussian(pair: FixedSizeGaussianLoss) -> PairKind:
    """Define the kind. Its rho is that of the noise without sampling; no mu is fitted."""
    moved, rate = pair.sigma_squared / 4, pair.rate
    mu_squared = 1 / moved
    return PairKind(
        symmetric=True,
        gaussian_size=mu_squared,
        listable=True,
        mu_fitted=False,
        family=Family((pair,), "alone"),
        size=Fraction(1),
        rho=lambda: mu_squared / 2,
        simplified=GaussianLoss(mu_squared) if rate == 1 else pair if rate else None,
        moved_further=unknown_steps,
        # At one step, the larger of both orders is all that counts.
        closed_form=lambda: SingleStep(moved, rate, ((1, 0), (0, 1))),
        source=lambda _side: FixedSizeGaussianSource(moved, rate),
    )


@dataclass(frozen=True, slots=True)
class FixedSizeGaussianSource(ContinuousNoise):
    """The losses of C_p(G_mu), with mu^2 = 1 / ``sigma_squared``; both directions are equal."""

    sigma_squared: Fraction
    rate: Fraction

    @property
    def offset(self) -> Fraction:
        """Return 0."""
        return Fraction(0)

    @property
    def largest(self) -> Fraction | None:
        """Return None: the loss is unbounded."""
        return None

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """See :class:`Source`."""

        import numpy as np

        gain, fall = self._sides
        high = math.ceil(max(gain.reach(tilt)[1], self._middle + 1))
        above = shared_cells(gain, self._middle, float(high))
        below = shared_cells(fall, self._lowest, -self._middle)
        losses = np.concatenate((below[0], [0.0], above[0]))
        log_mass = np.concatenate((below[1], [self._log_unmoved], above[1]))
        return cumulants_of(losses, log_mass, tilt)

    def atoms(self, step: float, tilt: float) -> Atoms:
        """See :class:`Source`.

        mu / 2 is rounded to a double. The outcomes between the two have a loss of 0, up to the
        error of every loss. Their mass is at most a unit in the last place of that of the segment,
        whose density is not below theirs.
        """

        import numpy as np

        gain, fall = self._sides
        high = max(gain.reach(tilt)[1], self._middle + 1)
        above = gain.atoms_between(step, tilt, self._middle, high)
        below = fall.atoms_between(step, tilt, self._lowest, -self._middle)
        zero = np.zeros(1)
        errors = np.full(1, _UNMOVED_ERROR)
        ends = [listed.between() for listed in (below, above)]
        return Atoms(
            np.concatenate((below.positions, zero, above.positions)),
            np.concatenate((below.log_mass, zero + self._log_unmoved, above.log_mass)),
            np.concatenate(
                (
                    np.broadcast_to(below.mass_error, below.positions.shape),
                    errors,
                    np.broadcast_to(above.mass_error, above.positions.shape),
                )
            ),
            max(below.loss_error, above.loss_error),
            float(np.logaddexp(below.log_omitted, above.log_omitted)) + 1e-6,
            (
                np.concatenate((ends[0][0], zero, ends[1][0])),
                np.concatenate((ends[0][1], zero + 1, ends[1][1])),
            ),
        )

    @property
    def _sides(self) -> tuple[SubsampledGaussianSource, SubsampledGaussianSource]:
        """Return the law of a record's own noise, and that of noise without it."""
        return (
            SubsampledGaussianSource(self.sigma_squared, self.rate, 1, 0),
            SubsampledGaussianSource(self.sigma_squared, self.rate, 0, 1),
        )

    @property
    def _middle(self) -> float:
        return 0.5 / math.sqrt(self.sigma_squared)

    @property
    def _lowest(self) -> float:
        return -max(NORMAL_REACH, self._middle + 1)

    @property
    def _log_unmoved(self) -> float:
        """Return ln of (1 - p)(1 - 2 P(N > mu / 2)), the mass of the segment."""
        segment = math.erf(self._middle / math.sqrt(2))
        return math.log(segment) + math.log(float(1 - self.rate))


_UNMOVED_ERROR = 64 * UNIT
"""Relative error of the segment's mass: that of erf, of two logarithms, and of mu / 2."""
