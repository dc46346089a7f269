"""The discrete Gaussian against itself moved by an integer."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.model.loss import DiscreteGaussianLoss
from semiaudit.privacy.loss.pairs.discrete_gaussian_tails import SingleDiscreteGaussian
from semiaudit.privacy.loss.pairs.kind import (
    LARGEST_FITTED_VARIANCE,
    Family,
    Kind,
    is_listable,
)

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.source import Source


@dataclass(frozen=True, slots=True)
class DiscreteGaussian(Kind):
    """Mass proportional to exp(-k^2 / 2 sigma^2) that moves by the shift, to either side."""

    pair: DiscreteGaussianLoss

    symmetric = True

    @property
    def gaussian_size(self) -> Fraction:
        """shift^2 / sigma^2."""
        return Fraction(self.pair.shift**2) / self.pair.sigma_squared

    @property
    def listable(self) -> bool:
        """By sigma^2."""
        return is_listable(self.pair.sigma_squared)

    @property
    def mu_fitted(self) -> bool:
        """Not for wide noise."""
        return self.pair.sigma_squared <= LARGEST_FITTED_VARIANCE

    @property
    def family(self) -> tuple[Family, Fraction]:
        """The same noise, by how far it moves."""
        parameters = (DiscreteGaussianLoss, self.pair.sigma_squared)
        return Family(parameters, "shared"), Fraction(abs(self.pair.shift))

    def simplified(self) -> DiscreteGaussianLoss | None:
        """Moved to the right."""
        if self.pair.shift > 0:
            return self.pair
        moved = DiscreteGaussianLoss(-self.pair.shift, self.pair.sigma_squared)
        return moved if self.pair.shift else None

    def moved_further(self, k: int) -> DiscreteGaussianLoss:
        """k times as far (E15)."""
        return DiscreteGaussianLoss(k * self.pair.shift, self.pair.sigma_squared)

    def closed_form(self) -> SingleDiscreteGaussian | None:
        """By two tail sums, for noise that is neither wide nor sharp."""
        return SingleDiscreteGaussian.of(self.pair)

    def source(self, *, swapped: bool) -> Source:
        """The integers, in both directions alike."""
        from semiaudit.privacy.loss.pairs.discrete_gaussian_source import DiscreteGaussianSource

        return DiscreteGaussianSource(self.pair)
