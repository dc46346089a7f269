"""N(0, 1/mu^2): also canonical for G_mu, but different from the distribution of Lemma 36.

Source: Cho and Awan, below Definition 35; docs/errata.md, E25.
"""

from __future__ import annotations

import math
from fractions import Fraction

from semiaudit.model.measure import GDP
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.canonical.canonical_distribution import CanonicalDistribution, require_spread
from semiaudit.privacy.canonical.corner import corner_of
from semiaudit.privacy.measures.gdp import mu_of
from semiaudit.privacy.special.normal import upper_quantile, upper_tail


class Normal(CanonicalDistribution):
    """Normal noise of standard deviation 1/mu.

    Raises:
        RefusedError: mu is 0, or too close to 0.
    """

    name = "normal"

    def __init__(self, measure: GDP) -> None:
        require_spread(corner_of(measure))
        self._mu = mu_of(measure)

    def tail_beyond(self, x: Fraction) -> Interval:
        """P(N > x) for x of 0 or more."""
        return upper_tail(self._mu * Interval.of(x))

    def estimate_beyond(self, x: float) -> float:
        """Estimate P(N > x) in doubles."""
        return math.erfc(float(self._mu.low) * x / math.sqrt(2)) / 2

    def point_beyond(self, tail: Fraction) -> Interval:
        """The point above which a mass in (0, 1/2] lies."""
        return upper_quantile(tail) / self._mu
