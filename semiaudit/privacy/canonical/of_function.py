"""The canonical noise of a tradeoff function, by name."""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.measure import GDP, ApproxDP, PureDP
from semiaudit.model.results.odds_ratio import NoiseName
from semiaudit.privacy.canonical.canonical_distribution import CanonicalDistribution
from semiaudit.privacy.canonical.canonical_normal import Normal
from semiaudit.privacy.canonical.lemma_36 import Lemma36
from semiaudit.privacy.canonical.tulap import Tulap
from semiaudit.privacy.tradeoff.function import TradeoffFunction


def usual_name(function: TradeoffFunction) -> NoiseName:
    """Return the default distribution: Tulap if the function has it, else that of Lemma 36."""
    return "tulap" if isinstance(function, PureDP | ApproxDP) else "lemma_36"


def noise_of(function: TradeoffFunction, name: NoiseName) -> CanonicalDistribution:
    """Return the canonical distribution with a given name.

    Raises:
        RefusedError: the function does not have this distribution, or has no canonical noise.
    """
    match name:
        case "lemma_36":
            return Lemma36(function)
        case "tulap":
            if isinstance(function, PureDP):
                return Tulap(ApproxDP(function.epsilon, Fraction(0)))
            if isinstance(function, ApproxDP):
                return Tulap(function)
            what, remedy = "Tulap noise is for f_{epsilon,delta}", "take lemma_36"
        case "normal":
            if isinstance(function, GDP):
                return Normal(function)
            what, remedy = "normal noise is for G_mu", "take lemma_36 or tulap"
        case _:
            assert_never(name)
    raise RefusedError(Refusal(f"{what}; it is not canonical for this function", remedy))
