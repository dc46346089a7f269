"""Canonical noise, and the private test of an odds ratio (Cho and Awan, section 5.3)."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from semiaudit.commands.reproduce.model import Estimate
from semiaudit.commands.reproduce.results import floating
from semiaudit.library.arguments import Number
from semiaudit.library.canonical import CanonicalNoise
from semiaudit.library.tradeoff import GaussianTradeoff
from semiaudit.model.measure import ApproxDP
from semiaudit.model.results.odds_ratio import Margins, NoiseName
from semiaudit.privacy.canonical.of_function import noise_of
from semiaudit.privacy.odds_ratio.hypergeometric import law_of
from semiaudit.privacy.odds_ratio.umpu import region
from tests.commands.reproduce.procedures.examples import E

MARGINS, LEVEL = Margins(12, 10, 11), Fraction(1, 20)
"""The margins of the table and the level of the test."""

REACH = 60
"""Half steps; beyond, Tulap noise is 0 after truncation."""


def gaussian_canonical_noise(mu: Number, distribution: NoiseName) -> CanonicalNoise:
    """Return canonical noise of G_mu: by Lemma 36, or the normal distribution."""
    return CanonicalNoise(GaussianTradeoff(mu), distribution=distribution)


def largest_ratio_of_the_test() -> Estimate | str:
    """Return the largest factor by which the chance of rejecting grows from one count to the next
    (Lemma 34).
    """
    noise = noise_of(ApproxDP(Fraction(1), Fraction(0)), "tulap")
    threshold = region(noise, law_of(MARGINS, Fraction(1)), LEVEL, "greater").at_least
    if threshold is None:
        return "none"
    chances = [float(noise.upper_tail(threshold - count).high) for count in range(11)]
    most = max(after / before for before, after in pairwise(chances))
    return floating(most, "the largest ratio of two neighboring counts")


def delta_of_tulap_noise() -> Estimate:
    noise = noise_of(ApproxDP(Fraction(1), Fraction(1, 100)), "tulap")
    places = [Fraction(place, 2) for place in range(-REACH, REACH + 1)]
    ends = [float(noise.cdf(place).low) for place in places]
    moved = [float(noise.cdf(place - 1).low) for place in places]
    own = [after - before for before, after in pairwise(ends)]
    others = [after - before for before, after in pairwise(moved)]
    beyond = sum(max(0.0, q - float(E) * p) for p, q in zip(own, others, strict=True))
    return floating(beyond, "the density is constant on half steps")
