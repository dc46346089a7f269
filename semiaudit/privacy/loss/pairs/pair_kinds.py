"""The registry of the kinds of pairs: ``kind_of`` maps a pair to its ``PairKind``."""

from __future__ import annotations

from functools import lru_cache

from semiaudit.errors import unknown_kind
from semiaudit.model.loss import (
    ApproxLoss,
    ConcentratedLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    FixedSizeGaussianLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
    ShuffledLoss,
    SubsampledGaussianLoss,
)
from semiaudit.privacy.loss.pairs.concentrated import concentrated
from semiaudit.privacy.loss.pairs.discrete_gaussian import discrete_gaussian
from semiaudit.privacy.loss.pairs.discrete_laplace import discrete_laplace
from semiaudit.privacy.loss.pairs.finite import approx, finite, randomized_response
from semiaudit.privacy.loss.pairs.fixed_size_gaussian import fixed_size_gaussian
from semiaudit.privacy.loss.pairs.gaussian import gaussian
from semiaudit.privacy.loss.pairs.laplace import laplace
from semiaudit.privacy.loss.pairs.pair_kind import PairKind
from semiaudit.privacy.loss.pairs.shuffled import shuffled
from semiaudit.privacy.loss.pairs.subsampled_gaussian import subsampled_gaussian


@lru_cache(maxsize=8192)
def kind_of(pair: Loss, place: str) -> PairKind:
    """Return the kind of a pair.

    Args:
        pair: of any kind of ``model.loss.Loss``.
        place: the caller's name, for the message.

    Raises:
        UnknownKindError: the pair's kind is not in the registry.
    """
    match pair:
        case GaussianLoss():
            return gaussian(pair)
        case LaplaceLoss():
            return laplace(pair)
        case DiscreteGaussianLoss():
            return discrete_gaussian(pair)
        case DiscreteLaplaceLoss():
            return discrete_laplace(pair)
        case RandomizedResponseLoss():
            return randomized_response(pair)
        case ApproxLoss():
            return approx(pair)
        case FiniteLoss():
            return finite(pair)
        case ShuffledLoss():
            return shuffled(pair)
        case ConcentratedLoss():
            return concentrated(pair)
        case SubsampledGaussianLoss():
            return subsampled_gaussian(pair)
        case FixedSizeGaussianLoss():
            return fixed_size_gaussian(pair)
        case _:
            return unknown_kind(pair, place)


def require_known(loss: PrivacyLoss, place: str) -> PrivacyLoss:
    """Return a product unchanged if all of its pairs are of a known kind.

    Raises:
        UnknownKindError: a pair's kind is not in the registry.
    """
    for pair, _ in loss.parts:
        kind_of(pair, place)
    return loss
