"""The pair of a discrete Gaussian and its shift by an integer."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.model.loss import DiscreteGaussianLoss
from semiaudit.privacy.loss.pairs.discrete_gaussian_tails import SingleDiscreteGaussian
from semiaudit.privacy.loss.pairs.pair_kind import (
    LARGEST_FITTED_VARIANCE,
    Family,
    PairKind,
    is_listable,
)

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.loss_source import Source


def discrete_gaussian(pair: DiscreteGaussianLoss) -> PairKind:
    """Define the kind: mass proportional to exp(-k^2 / 2 sigma^2), shifted to either side."""
    shift, variance = abs(pair.shift), pair.sigma_squared

    def source(_side: int) -> Source:
        from semiaudit.privacy.loss.pairs.discrete_gaussian_source import DiscreteGaussianSource

        return DiscreteGaussianSource(pair)

    return PairKind(
        symmetric=True,
        gaussian_size=Fraction(shift**2) / variance,
        listable=is_listable(variance),
        mu_fitted=variance <= LARGEST_FITTED_VARIANCE,
        family=Family((DiscreteGaussianLoss, variance), "shared"),
        size=Fraction(shift),
        rho=lambda: Fraction(shift**2) / (2 * variance),
        simplified=DiscreteGaussianLoss(shift, variance) if shift else None,
        moved_further=lambda k: DiscreteGaussianLoss(k * pair.shift, variance),
        closed_form=lambda: SingleDiscreteGaussian.of(pair),
        source=source,
    )
