"""Poisson-subsampled Gaussian noise: a record that may or may not be sampled, against none."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.model.loss import GaussianLoss, SubsampledGaussianLoss
from semiaudit.privacy.loss.pairs.kind import Family, Kind, unknown_steps

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.source import Source


def subsampled_gaussian(pair: SubsampledGaussianLoss) -> Kind:
    """N(0, sigma^2) against the mixture; the two directions differ.

    It has no smaller mu than without sampling, so that none is fitted; its rho is that of the noise
    that samples every record.
    """

    def source(swapped: bool) -> Source:
        from semiaudit.privacy.loss.pairs.subsampled_gaussian_source import SubsampledGaussianSource

        return SubsampledGaussianSource(pair.sigma_squared, pair.rate, swapped)

    unsampled = 1 / pair.sigma_squared
    return Kind(
        symmetric=False,
        gaussian_size=unsampled,
        listable=True,
        mu_fitted=False,
        family=Family((pair,), "alone"),
        size=Fraction(1),
        rho=lambda: unsampled / 2,
        simplified=GaussianLoss(unsampled) if pair.rate == 1 else pair if pair.rate else None,
        moved_further=unknown_steps,
        closed_form=lambda: None,
        source=source,
    )
