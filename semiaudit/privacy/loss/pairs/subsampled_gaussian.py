"""Poisson-subsampled Gaussian noise: records that can be sampled, in either dataset."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.model.loss import GaussianLoss, SubsampledGaussianLoss
from semiaudit.privacy.loss.pairs.pair_kind import Family, PairKind, unknown_steps
from semiaudit.privacy.loss.pairs.subsampled_gaussian_step import SingleStep

if TYPE_CHECKING:
    from semiaudit.privacy.loss.closed_forms.single_pair import SinglePair
    from semiaudit.privacy.loss.sources.loss_source import Source


def subsampled_gaussian(pair: SubsampledGaussianLoss) -> PairKind:
    """Define the kind: two mixtures; see docs/theory/amplification.md, *Sampled Gaussian noise*.

    No mu is fitted, because none smaller than without sampling is known. Its rho is that of the
    noise without sampling.
    """
    counts = _counts(pair)

    def source(side: int) -> Source:
        from semiaudit.privacy.loss.pairs.subsampled_gaussian_source import SubsampledGaussianSource

        return SubsampledGaussianSource(pair.sigma_squared, pair.rate, *counts[side % len(counts)])

    def closed_form() -> SinglePair:
        return SingleStep(pair.sigma_squared, pair.rate, counts)

    own, other = counts[0]
    unsampled = (own + other) ** 2 / pair.sigma_squared
    return PairKind(
        symmetric=pair.replaced,
        gaussian_size=unsampled,
        listable=True,
        mu_fitted=False,
        family=Family((pair,), "alone"),
        size=Fraction(1),
        rho=lambda: unsampled / 2,
        simplified=GaussianLoss(unsampled) if pair.rate == 1 else pair if pair.rate else None,
        moved_further=unknown_steps,
        closed_form=closed_form,
        source=source,
        sides=0 if pair.replaced else len(counts),
    )


def _counts(pair: SubsampledGaussianLoss) -> tuple[tuple[int, int], ...]:
    """Return (records only in the first dataset, records only in the second) for every side."""
    if pair.replaced:
        return ((pair.records, pair.records),)
    return tuple((own, pair.records - own) for own in range(pair.records + 1))
