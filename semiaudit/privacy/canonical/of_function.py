"""The canonical noise of a tradeoff function, by its name."""

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
    """Which distribution is meant unless one is named: Tulap where it is one, else Lemma 36's."""
    return "tulap" if isinstance(function, PureDP | ApproxDP) else "lemma_36"


def noise_of(function: TradeoffFunction, name: NoiseName) -> CanonicalDistribution:
    """The distribution of that name.

    Raises:
        RefusedError: it is none of the function's, or the function has none.
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
