"""Numbers of a product of pairs, from the engine: certified ends, asked for once each.

The engine loads numpy, so it is imported only where a measure is a loss.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from semiaudit.errors import RefusedError
from semiaudit.model.loss import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
    SubsampledGaussianLoss,
)
from semiaudit.model.measure import ZCDP
from semiaudit.privacy.mu.fitted import FittedMu

if TYPE_CHECKING:
    from semiaudit.privacy.loss import Accuracy, Bracket

TIME_LIMIT = 20.0
"""Seconds that one number may take; what is known by then is certified all the same."""

_SIZES = (Fraction(1, 10**60), Fraction(10**7))
_INTEGER_SCALES = (Fraction(1, 10**3), Fraction(10**24))

_WIDE = Fraction(10**8)
"""Integer noise of a larger sigma^2 gets no fitted mu."""

OPERATING_WIDTH = 2e-5
"""How wide an operating point may be: it is printed for comparison, and costs most to narrow."""

_OF_DELTA_POINTS = 3e-3
"""The relative width of the deltas that a mu is fitted to."""

_FIRST_LOOK = 1e-3
"""The relative width with which a type II error is looked for first."""


@dataclass(frozen=True, slots=True)
class Precision:
    """How narrow the ends should be.

    Attributes:
        tolerance: the width asked for, relative to the upper end.
        time_limit: seconds for one number.
    """

    tolerance: float = 1e-6
    time_limit: float | None = TIME_LIMIT


DEFAULT = Precision()


@lru_cache(maxsize=256)
def epsilon_at(loss: PrivacyLoss, delta: Fraction, precision: Precision) -> Bracket | None:
    """epsilon at a delta in (0, 1): the smallest for which both orders of the pair satisfy it.

    None where the loss is more than the engine can take; other measures still hold then.
    """
    if not in_reach(loss):
        return None
    from semiaudit.privacy.loss import epsilon_bracket

    with suppress(RefusedError):
        return epsilon_bracket(loss, delta, _accuracy(precision))
    return None


@lru_cache(maxsize=256)
def type_ii_at(loss: PrivacyLoss, type_i: Fraction, precision: Precision) -> Bracket | None:
    """The least type II error at a type I error in (0, 1), over both orders of the pair."""
    if not in_reach(loss):
        return None
    from semiaudit.privacy.loss import type_ii_bracket

    with suppress(RefusedError):
        bracket = type_ii_bracket(loss, type_i, _accuracy(precision, _FIRST_LOOK))
        if bracket.upper - bracket.lower <= OPERATING_WIDTH or not bracket.complete:
            return bracket
        return type_ii_bracket(loss, type_i, _accuracy(precision, OPERATING_WIDTH / bracket.upper))
    return None


@lru_cache(maxsize=64)
def advantage(loss: PrivacyLoss, precision: Precision) -> Bracket | None:
    """The total variation distance of the pair."""
    if not in_reach(loss):
        return None
    from semiaudit.privacy.loss import advantage_bracket

    with suppress(RefusedError):
        return advantage_bracket(loss, _accuracy(precision, OPERATING_WIDTH))
    return None


@lru_cache(maxsize=256)
def fitted_mu(loss: PrivacyLoss, zcdp: ZCDP | None, precision: Precision) -> FittedMu | None:
    """The smallest mu that the pair is certified for, and its regret; None where none is.

    Args:
        loss: the product of pairs.
        zcdp: holds beside it, if known: it decides next to a type I error of 0.
        precision: of it the time limit.
    """
    if not in_reach(loss) or any(_is_wide(pair) for pair, _ in loss.parts):
        return None
    from semiaudit.privacy.loss.delta_points import delta_points
    from semiaudit.privacy.mu.fitted_to_loss import fitted_mu_of_points

    with suppress(RefusedError):
        accuracy = _accuracy(precision, _OF_DELTA_POINTS)
        return fitted_mu_of_points(delta_points(loss, accuracy), zcdp)
    return None


def in_reach(loss: PrivacyLoss) -> bool:
    """Whether the engine is asked at all: not for noise that hides all or nothing in a double.

    Every pair loses about as much as a Gaussian one with some mu^2, which lies within ``_SIZES``,
    as does their sum; integer noise has a parameter within ``_INTEGER_SCALES``.
    """
    sizes = [(_size(pair), repeat) for pair, repeat in loss.parts]
    total = sum((size * repeat for size, repeat in sizes), Fraction(0))
    least, most = _SIZES
    return (
        all(size >= least for size, _ in sizes)
        and total <= most
        and all(_listable(pair) for pair, _ in loss.parts)
    )


def _size(pair: Loss) -> Fraction:
    if isinstance(pair, GaussianLoss):
        return pair.mu_squared
    if isinstance(pair, LaplaceLoss):
        return pair.shift**2
    if isinstance(pair, DiscreteGaussianLoss):
        return Fraction(pair.shift**2) / pair.sigma_squared
    if isinstance(pair, DiscreteLaplaceLoss):
        return (pair.shift / pair.scale) ** 2
    if isinstance(pair, SubsampledGaussianLoss):
        return 1 / pair.sigma_squared
    return pair.epsilon**2 if isinstance(pair, RandomizedResponseLoss) else Fraction(1)


def _listable(pair: Loss) -> bool:
    low, high = _INTEGER_SCALES
    if isinstance(pair, DiscreteGaussianLoss):
        return low <= pair.sigma_squared <= high
    if isinstance(pair, DiscreteLaplaceLoss):
        return low <= pair.scale**2 <= high
    return True


def _is_wide(pair: Loss) -> bool:
    """Whether several compositions of integer noise would take many seconds."""
    if isinstance(pair, DiscreteGaussianLoss):
        return pair.sigma_squared > _WIDE
    return isinstance(pair, DiscreteLaplaceLoss) and pair.scale**2 > _WIDE


def _accuracy(precision: Precision, least: float = 0.0) -> Accuracy:
    from semiaudit.privacy.loss import Accuracy

    return Accuracy(max(precision.tolerance, least), precision.time_limit)
