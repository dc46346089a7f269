"""One response, given two true values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.model.loss import RandomizedResponseLoss
from semiaudit.numeric import ONE, Interval
from semiaudit.privacy.loss.closed_forms.single_pair import LARGEST_LOSS
from semiaudit.privacy.loss.closed_forms.tested import Test, TestedPair, symmetric_tests
from semiaudit.privacy.loss.pairs.kind import Family, Kind

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.source import Source


@dataclass(frozen=True, slots=True)
class RandomizedResponse(Kind):
    """One of several values, kept with odds e^epsilon to each other one."""

    pair: RandomizedResponseLoss

    symmetric = True
    listable = True
    mu_fitted = True

    @property
    def gaussian_size(self) -> Fraction:
        """epsilon^2."""
        return self.pair.epsilon**2

    @property
    def family(self) -> tuple[Family, Fraction]:
        """Responses with so many levels, by epsilon."""
        return Family((RandomizedResponseLoss, self.pair.levels), "alone"), self.pair.epsilon

    def simplified(self) -> RandomizedResponseLoss | None:
        """The pair."""
        return self.pair if self.pair.epsilon else None

    def moved_further(self, k: int) -> None:
        """Of several steps no pair of this kind is known."""

    def closed_form(self) -> TestedPair | None:
        """By its tests, up to the largest loss.

        Masses 1, a, ..., a over 1 + (levels - 1) a, with a = exp(-epsilon).
        """
        epsilon, levels = self.pair.epsilon, self.pair.levels
        if epsilon > LARGEST_LOSS:
            return None
        shrink = Interval.of(-epsilon).exp().clip(0, 1)
        others = Interval.of(levels - 1) * shrink
        total = ONE + others
        rest = (ONE + Interval.of(levels - 2) * shrink) / total
        tests = [Test(ONE / total, shrink / total, others / total)]
        if levels > 2:
            tests.append(Test(rest, others / total, shrink / total))
        return symmetric_tests(tests)

    def source(self, *, swapped: bool) -> Source:
        """Losses epsilon, 0 and -epsilon, without the 0 for two levels; in both directions."""
        import numpy as np

        from semiaudit.privacy.loss.sources.finite import FiniteSource, two_sided

        if self.pair.levels == 2:
            return two_sided(self.pair.epsilon, Fraction(0))
        epsilon, others = float(self.pair.epsilon), self.pair.levels - 1
        log_other = -(epsilon + math.log1p(others * math.exp(-epsilon)))
        return FiniteSource(
            np.array([-epsilon, 0.0, epsilon]),
            np.array([log_other, log_other + math.log(others - 1), log_other + epsilon]),
            (-1, 0, 1),
            lattice_step=self.pair.epsilon,
            largest=self.pair.epsilon,
        )
