"""Gaussian pairs: all those of a product are one pair, with the sum of their mu^2."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.frozen import dataclass
from semiaudit.model.loss import GaussianLoss
from semiaudit.model.measure import GDP
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.loss.closed_forms.single_pair import Ends, probability
from semiaudit.privacy.loss.pairs.pair_kind import Family, PairKind
from semiaudit.privacy.measures import gdp as profile

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.loss_source import Source


@dataclass(frozen=True, slots=True)
class SingleGaussian:
    """The numbers of the pair with a given mu^2, at any epsilon, delta and type I error."""

    mu_squared: Fraction

    def delta(self, epsilon: Fraction) -> Ends:
        """Return delta at an epsilon, by the exact profile."""
        return probability(profile.delta_at(GDP(self.mu_squared), Interval.of(epsilon)))

    def epsilon(self, delta: Fraction) -> Ends:
        """Return epsilon at a delta; infinite at a delta of 0."""
        if not self.mu_squared or delta == 1:
            return 0.0, 0.0
        if not delta:
            return math.inf, math.inf
        return profile.epsilon_at(GDP(self.mu_squared), delta)

    def type_ii(self, type_i: Fraction) -> Interval:
        """Return G_mu at a type I error."""
        return profile.type_ii_at(GDP(self.mu_squared), type_i)


def gaussian(pair: GaussianLoss) -> PairKind:
    """Define the kind: N(0, 1) against N(mu, 1)."""
    square = pair.mu_squared

    def source(_side: int) -> Source:
        from semiaudit.privacy.loss.pairs.gaussian_source import GaussianSource

        return GaussianSource(square)

    return PairKind(
        symmetric=True,
        gaussian_size=square,
        listable=True,
        mu_fitted=True,
        family=Family((GaussianLoss,), "summed"),
        size=square,
        rho=lambda: square / 2,
        simplified=pair if square else None,
        moved_further=lambda k: GaussianLoss(k * k * square),
        closed_form=lambda: SingleGaussian(square),
        source=source,
    )
