"""Gaussian pairs: all those of a product are one, with the sum of their mu^2."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.model.loss import GaussianLoss
from semiaudit.model.measure import GDP
from semiaudit.numeric import Interval
from semiaudit.privacy.loss.closed_forms.single_pair import Ends, probability
from semiaudit.privacy.loss.pairs.kind import Family, Kind
from semiaudit.privacy.measures import gaussian

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.source import Source


@dataclass(frozen=True, slots=True)
class SingleGaussian:
    """The numbers of the pair with some mu^2, at any epsilon, delta and type I error."""

    mu_squared: Fraction

    def delta(self, epsilon: Fraction) -> Ends:
        """By the pair's own profile."""
        return probability(gaussian.delta_at(GDP(self.mu_squared), Interval.of(epsilon)))

    def epsilon(self, delta: Fraction) -> Ends:
        """The inverse; infinite at a delta of 0."""
        if not self.mu_squared or delta == 1:
            return 0.0, 0.0
        if not delta:
            return math.inf, math.inf
        return gaussian.epsilon_at(GDP(self.mu_squared), delta)

    def type_ii(self, type_i: Fraction) -> Ends:
        """G_mu."""
        return probability(gaussian.type_ii_at(GDP(self.mu_squared), type_i))


@dataclass(frozen=True, slots=True)
class Gaussian(Kind):
    """N(0, 1) against N(mu, 1)."""

    pair: GaussianLoss

    symmetric = True
    listable = True
    mu_fitted = True

    @property
    def gaussian_size(self) -> Fraction:
        """Its own mu^2."""
        return self.pair.mu_squared

    @property
    def family(self) -> tuple[Family, Fraction]:
        """All Gaussian pairs, by mu^2."""
        return Family((GaussianLoss,), "summed"), self.pair.mu_squared

    def simplified(self) -> GaussianLoss | None:
        """The pair."""
        return self.pair if self.pair.mu_squared else None

    def moved_further(self, k: int) -> GaussianLoss:
        """k mu (E15)."""
        return GaussianLoss(k * k * self.pair.mu_squared)

    def closed_form(self) -> SingleGaussian:
        """For any mu."""
        return SingleGaussian(self.pair.mu_squared)

    def source(self, *, swapped: bool) -> Source:
        """Cells of the normal law, in both directions alike."""
        from semiaudit.privacy.loss.pairs.gaussian_source import GaussianSource

        return GaussianSource(self.pair.mu_squared)
