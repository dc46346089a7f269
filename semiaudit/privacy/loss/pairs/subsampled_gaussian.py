"""Poisson-subsampled Gaussian noise: a record that may or may not be sampled, against none."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.model.loss import GaussianLoss, SubsampledGaussianLoss
from semiaudit.privacy.loss.pairs.kind import Family, Kind

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.source import Source


@dataclass(frozen=True, slots=True)
class SubsampledGaussian(Kind):
    """N(0, sigma^2) against the mixture; the two directions differ."""

    pair: SubsampledGaussianLoss

    symmetric = False
    listable = True
    mu_fitted = False
    """It has no smaller mu than without sampling."""

    @property
    def gaussian_size(self) -> Fraction:
        """1 / sigma^2, as without sampling."""
        return 1 / self.pair.sigma_squared

    @property
    def family(self) -> tuple[Family, Fraction]:
        """The pair alone."""
        return Family((self.pair,), "alone"), Fraction(1)

    def simplified(self) -> SubsampledGaussianLoss | GaussianLoss | None:
        """At a rate of 1 the Gaussian pair."""
        if self.pair.rate == 1:
            return GaussianLoss(1 / self.pair.sigma_squared)
        return self.pair if self.pair.rate else None

    def moved_further(self, k: int) -> None:
        """The pair of a mixture of several is not proven."""

    def closed_form(self) -> None:
        """None is known."""

    def source(self, *, swapped: bool) -> Source:
        """Cells of the normal law, in this direction."""
        from semiaudit.privacy.loss.pairs.subsampled_gaussian_source import SubsampledGaussianSource

        return SubsampledGaussianSource(self.pair.sigma_squared, self.pair.rate, swapped)
