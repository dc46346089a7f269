"""From a pair to what is known of its kind."""

from __future__ import annotations

from semiaudit.errors import unknown_kind
from semiaudit.model.loss import (
    ApproxLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
    SubsampledGaussianLoss,
)
from semiaudit.privacy.loss.pairs.approx import Approx
from semiaudit.privacy.loss.pairs.discrete_gaussian import DiscreteGaussian
from semiaudit.privacy.loss.pairs.discrete_laplace import DiscreteLaplace
from semiaudit.privacy.loss.pairs.finite import Finite
from semiaudit.privacy.loss.pairs.gaussian import Gaussian
from semiaudit.privacy.loss.pairs.kind import Kind
from semiaudit.privacy.loss.pairs.laplace import Laplace
from semiaudit.privacy.loss.pairs.randomized_response import RandomizedResponse
from semiaudit.privacy.loss.pairs.subsampled_gaussian import SubsampledGaussian


def kind_of(pair: Loss, place: str) -> Kind:
    """What is known of a pair.

    Args:
        pair: of any kind of ``model.loss.Loss``.
        place: who asks, for the message.

    Raises:
        UnknownKindError: the pair is of none of these kinds.
    """
    match pair:
        case GaussianLoss():
            return Gaussian(pair)
        case LaplaceLoss():
            return Laplace(pair)
        case DiscreteGaussianLoss():
            return DiscreteGaussian(pair)
        case DiscreteLaplaceLoss():
            return DiscreteLaplace(pair)
        case RandomizedResponseLoss():
            return RandomizedResponse(pair)
        case ApproxLoss():
            return Approx(pair)
        case FiniteLoss():
            return Finite(pair)
        case SubsampledGaussianLoss():
            return SubsampledGaussian(pair)
        case _:
            return unknown_kind(pair, place)


def require_known(loss: PrivacyLoss, place: str) -> PrivacyLoss:
    """The same product, of pairs that are all of a known kind.

    Raises:
        UnknownKindError: some pair is of none of these kinds.
    """
    for pair, _ in loss.parts:
        kind_of(pair, place)
    return loss
