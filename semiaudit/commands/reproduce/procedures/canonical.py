"""Canonical noise, and the private test of an odds ratio (Cho and Awan, section 5.3)."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from semiaudit.commands.reproduce.model import Estimate
from semiaudit.commands.reproduce.ours import floating
from semiaudit.commands.reproduce.procedures.examples import E
from semiaudit.frozen import dataclass
from semiaudit.library.arguments import Number
from semiaudit.library.canonical import CanonicalNoise
from semiaudit.library.tradeoff import ApproxTradeoff, GaussianTradeoff
from semiaudit.model.bound import Bound, lower, upper
from semiaudit.model.measure import ApproxDP
from semiaudit.model.results.odds_ratio import Margins, NoiseName
from semiaudit.privacy.canonical.canonical_distribution import CanonicalDistribution
from semiaudit.privacy.canonical.of_function import noise_of
from semiaudit.privacy.odds_ratio.hypergeometric import law_of
from semiaudit.privacy.odds_ratio.umpu import Region, p_value, power, region

METHOD = "canonical_noise", "Cho and Awan, Theorem 37"
MARGINS, LEVEL = Margins(12, 10, 11), Fraction(1, 20)
"""The margins of the table and the level of the test."""

STATISTIC = Fraction(33, 4)
REACH = 60
"""Half steps; beyond, Tulap noise is 0 after truncation."""


def canonical_noise(epsilon: Number, delta: Number = 0) -> CanonicalNoise:
    """Return canonical noise of f_{epsilon, delta}."""
    return CanonicalNoise(ApproxTradeoff(epsilon, delta))


def gaussian_canonical_noise(mu: Number, distribution: NoiseName) -> CanonicalNoise:
    """Return canonical noise of G_mu: by Lemma 36, or the normal distribution."""
    return CanonicalNoise(GaussianTradeoff(mu), distribution=distribution)


@dataclass(frozen=True, slots=True)
class CorrectedTest:
    """The test of Theorem 37 at epsilon 1, corrected (erratum E3).

    Attributes:
        threshold: the noisy count from which the test rejects. p_value: the p-value of
            ``STATISTIC``.
    """

    threshold: Bound | None
    p_value: Bound
    _noise: CanonicalDistribution
    _rejecting: Region

    def power(self, odds: Fraction) -> Bound:
        """Return the power against an odds ratio."""
        return lower(power(self._noise, law_of(MARGINS, Fraction(odds)), self._rejecting), *METHOD)


def odds_ratio_test() -> CorrectedTest:
    """Return the test against larger odds ratios, on a table with ``MARGINS``, at ``LEVEL``."""
    noise, at_one = _tulap(), law_of(MARGINS, Fraction(1))
    rejecting = region(noise, at_one, LEVEL, "greater")
    threshold = None if rejecting.at_least is None else upper(rejecting.at_least, *METHOD)
    bound = upper(p_value(noise, at_one, STATISTIC, "greater"), *METHOD)
    return CorrectedTest(threshold, bound, noise, rejecting)


def largest_ratio_of_the_test() -> Estimate | str:
    """Return the largest factor by which the chance of rejecting grows from one count to the next
    (Lemma 34).
    """
    noise = _tulap()
    threshold = region(noise, law_of(MARGINS, Fraction(1)), LEVEL, "greater").at_least
    if threshold is None:
        return "none"
    chances = [float(noise.upper_tail(threshold - count).high) for count in range(11)]
    most = max(after / before for before, after in pairwise(chances))
    return floating(most, "the largest ratio of two neighboring counts")


def _tulap() -> CanonicalDistribution:
    return noise_of(ApproxDP(Fraction(1), Fraction(0)), "tulap")


def delta_of_tulap_noise() -> Estimate:
    """Return delta at epsilon 1 of the Tulap noise of f_{1,0.01} (Definition 35)."""
    noise = noise_of(ApproxDP(Fraction(1), Fraction(1, 100)), "tulap")
    places = [Fraction(place, 2) for place in range(-REACH, REACH + 1)]
    ends = [float(noise.cdf(place).low) for place in places]
    moved = [float(noise.cdf(place - 1).low) for place in places]
    own = [after - before for before, after in pairwise(ends)]
    others = [after - before for before, after in pairwise(moved)]
    beyond = sum(max(0.0, q - float(E) * p) for p, q in zip(own, others, strict=True))
    return floating(beyond, "the density is constant on half steps")
